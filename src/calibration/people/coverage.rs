//! Do intervals of ratings hold the truth as often as they say?
//!
//! What is found from a player's moves differs from his rating by more than the number of moves
//! explains: moves of one game are alike, and players of one rating differ. The first makes errors
//! longer by a factor, the stretch; the second, the scatter, remains however many moves there are. Both
//! are found here, from players whose ratings are known.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Known;
use crate::analyser::{Rating, Scale, Turn};
use crate::math::exact::ln;
use crate::math::simplex::minimum;

/// A player whose rating is known, as it was found from some of his games.
#[derive(Clone, Debug, PartialEq)]
pub struct Rated {
    pub truth: f64,
    pub games: usize,
    pub found: Rating,
}

/// How often intervals of a scale hold the truth.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Coverage {
    pub scale: String,
    /// What the scale has, and what these players say it should be: stretch and scatter.
    pub used: (f64, f64),
    pub fitted: (f64, f64),
    /// By the number of games: players, the mean of what was found less the truth, its root mean
    /// square, and the parts that [`Coverage::HELD`] intervals held.
    pub rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Row {
    pub games: usize,
    pub players: usize,
    pub off: f64,
    pub root_mean_square: f64,
    pub held: [f64; 3],
}

/// Games that are looked at together.
const SERIES: [usize; 2] = [1, 10];
/// A game with fewer turns that count is not rated alone.
const LEAST: usize = 15;

impl Coverage {
    /// The intervals that are looked at.
    pub const HELD: [f64; 3] = [0.5, 0.8, 0.95];

    /// Of a scale, by players of a sample whose turns stand together by game.
    pub fn of(scale: &Scale, sample: &[&Known]) -> Coverage {
        let rated: Vec<Rated> =
            SERIES.iter().flat_map(|&games| series(sample, games, scale)).collect();
        let row = |&games: &usize| Row::of(games, rated.iter().filter(|r| r.games == games));
        Coverage {
            scale: scale.name.to_owned(),
            used: (scale.stretch, scale.scatter),
            fitted: spread(&rated),
            rows: SERIES.iter().map(row).collect(),
        }
    }
}

impl Row {
    fn of<'a>(games: usize, rated: impl Iterator<Item = &'a Rated>) -> Row {
        let rated: Vec<&Rated> = rated.collect();
        let count = rated.len().max(1) as f64;
        let off = |r: &&Rated| r.found.elo - r.truth;
        let held = |probability| {
            let holds = |r: &&&Rated| {
                let (low, high) = r.found.interval(probability);
                (low..=high).contains(&r.truth)
            };
            rated.iter().filter(holds).count() as f64 / count
        };
        Row {
            games,
            players: rated.len(),
            off: rated.iter().map(off).sum::<f64>() / count,
            root_mean_square: (rated.iter().map(|r| off(r).powi(2)).sum::<f64>() / count).sqrt(),
            held: Coverage::HELD.map(held),
        }
    }
}

/// Players by so many of their games.
fn series(sample: &[&Known], games: usize, scale: &Scale) -> Vec<Rated> {
    // By player, the turns of each of his games.
    let mut players: BTreeMap<u64, BTreeMap<u64, Vec<&Known>>> = BTreeMap::new();
    for &known in sample {
        players.entry(known.player).or_default().entry(known.game).or_default().push(known);
    }
    let mut rated = Vec::new();
    for by_game in players.values() {
        let whole: Vec<&Vec<&Known>> = by_game.values().filter(|g| g.len() >= LEAST).collect();
        for some in whole.chunks_exact(games) {
            let known: Vec<&Known> = some.iter().flat_map(|game| game.iter().copied()).collect();
            let turns: Vec<&Turn> = known.iter().map(|known| &known.turn).collect();
            let truth = known.iter().map(|known| known.rating).sum::<f64>() / known.len() as f64;
            if let Ok(found) = scale.rate(&turns) {
                rated.push(Rated { truth, games, found });
            }
        }
    }
    rated
}

/// The stretch and the scatter under which the errors are likeliest.
fn spread(rated: &[Rated]) -> (f64, f64) {
    let cost = |parameters: &[f64]| {
        let [stretch, scatter] = [parameters[0].abs(), parameters[1].abs() * 100.0];
        let of = |r: &Rated| {
            let variance = (stretch * r.found.sampling).powi(2) + scatter * scatter + 1.0;
            ln(variance) + (r.found.elo - r.truth).powi(2) / variance
        };
        rated.iter().map(of).sum::<f64>()
    };
    let (found, _) = minimum(&[1.0, 1.0], 0.3, cost);
    (found[0].abs(), found[1].abs() * 100.0)
}
