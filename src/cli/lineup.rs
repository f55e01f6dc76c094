//! Words that several commands share: who plays.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context;

use crate::arena::{PlayerCard, PlayerSpec, introduce};

#[derive(Debug, clap::Args)]
pub struct Lineup {
    /// A player
    #[arg(long = "player", value_name = "PLAYER")]
    players: Vec<String>,
    /// More players, one a line
    #[arg(long = "players", value_name = "FILE")]
    file: Option<PathBuf>,
}

impl Lineup {
    /// The words of all players.
    pub fn words(&self) -> anyhow::Result<Vec<String>> {
        let mut words = self.players.clone();
        if let Some(path) = &self.file {
            let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
            let lines = text.lines().map(str::trim);
            let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
            words.extend(lines.map(str::to_owned));
        }
        Ok(words)
    }
}

/// Starts every player once to learn who he is. Those of the same name are numbered.
pub fn introduce_all(
    players: &[PlayerSpec],
    guard: Option<&PathBuf>,
) -> anyhow::Result<Vec<PlayerCard>> {
    let cards = players.iter().map(|player| introduce(player, guard));
    let mut cards: Vec<PlayerCard> = cards.collect::<Result<_, _>>()?;
    let names: Vec<String> = cards.iter().map(|card| card.name.clone()).collect();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (card, name) in cards.iter_mut().zip(&names) {
        let number = seen.entry(name).or_default();
        *number += 1;
        if names.iter().filter(|other| *other == name).count() > 1 {
            card.name = format!("{name} {number}");
        }
    }
    Ok(cards)
}

/// `NAME=ELO`.
pub fn parse_rating(text: &str) -> Result<(String, f64), String> {
    let parts = text.rsplit_once('=');
    let rating = parts.and_then(|(name, rating)| {
        let rating: f64 = rating.trim().parse().ok()?;
        (rating.is_finite() && !name.trim().is_empty()).then(|| (name.trim().to_owned(), rating))
    });
    rating.ok_or_else(|| "write NAME=ELO, as \"Toga II 3.0\"=2850".to_owned())
}
