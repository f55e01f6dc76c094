//! Words that several commands share: who plays.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::Context;

use super::bounds;
use crate::arena::{ContestantSpec, PlayerCard, introduce};
use crate::games::pgn::BYTE_ORDER_MARK;

#[derive(Debug, clap::Args)]
pub struct PlayerArguments {
    /// A player
    #[arg(long = "player", value_name = "PLAYER")]
    players: Vec<String>,
    /// More players, one a line
    #[arg(long = "players", value_name = "FILE")]
    file: Option<PathBuf>,
}

impl PlayerArguments {
    /// The words of all players.
    pub fn words(&self) -> anyhow::Result<Vec<String>> {
        let mut words = self.players.clone();
        if let Some(path) = &self.file {
            let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
            let lines = text.trim_start_matches(BYTE_ORDER_MARK).lines().map(str::trim);
            let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
            words.extend(lines.map(str::to_owned));
        }
        Ok(words)
    }
}

/// Starts every player once to learn who he is. Those of the same name are numbered.
pub fn introduce_all(
    players: &[ContestantSpec],
    guard: Option<&PathBuf>,
) -> anyhow::Result<Vec<PlayerCard>> {
    let cards = players.iter().map(|player| introduced(player, guard));
    let mut cards: Vec<PlayerCard> = cards.collect::<Result<_, _>>()?;
    let names: Vec<String> = cards.iter().map(|card| card.name.clone()).collect();
    for (card, name) in cards.iter_mut().zip(numbered(&names)) {
        card.name = name;
    }
    Ok(cards)
}

/// Starts a player once to learn who he is.
pub fn introduced(player: &ContestantSpec, guard: Option<&PathBuf>) -> anyhow::Result<PlayerCard> {
    introduce(player, guard).with_context(|| format!("the player \"{}\" cannot play", player.text))
}

/// The names, those that come several times with a number that makes a name nobody has.
fn numbered(names: &[String]) -> Vec<String> {
    let is_double = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
    let mut taken: BTreeSet<String> =
        names.iter().filter(|name| !is_double(name)).cloned().collect();
    let mut number = |name: &String| {
        let mut all = (1..).map(|number| format!("{name} {number}"));
        all.find(|name| taken.insert(name.clone())).expect("numbers do not end")
    };
    names.iter().map(|name| if is_double(name) { number(name) } else { name.clone() }).collect()
}

/// `NAME=ELO`.
pub fn parse_rating(text: &str) -> Result<(String, f64), String> {
    let parts = text.rsplit_once('=');
    let rating = parts.and_then(|(name, rating)| {
        let rating = bounds::elo(rating.trim()).ok()?;
        (!name.trim().is_empty()).then(|| (name.trim().to_owned(), rating))
    });
    rating.ok_or_else(|| "write NAME=ELO, as \"Toga II 3.0\"=2850".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_of_one_name_get_names_that_nobody_has() {
        let names = ["A", "B", "A", "A 1"].map(str::to_owned);
        assert_eq!(numbered(&names), ["A 2", "B", "A 3", "A 1"]);
        let names = ["A", "A 1", "A", "A 1"].map(str::to_owned);
        assert_eq!(numbered(&names), ["A 1", "A 1 1", "A 2", "A 1 2"]);
    }
}
