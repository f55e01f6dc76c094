//! Do intervals of ratings hold the truth as often as they say?
//!
//! What is found from a player's moves differs from his rating by more than the number of moves
//! explains: moves of one game are alike, and players of one rating differ. The first makes errors
//! longer by a factor, the dispersion factor; the second, the between-player deviation, remains however many moves there are. Both
//! are found here, from players whose ratings are known.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::RatedDecision;
use super::sample::{careers, level, long_game};
use stopdown::analyser::{Rating, RatingScale, Turn, rate};
use stopdown::math::exact::ln;
use stopdown::math::minimise::minimum;
use stopdown::math::statistics::{mean, normal_density};

/// A player whose rating is known, as it was found from some of his games.
#[derive(Clone, Debug, PartialEq)]
pub struct RatedPlayer {
    pub truth: f64,
    pub games: usize,
    pub found: Rating,
}

/// How often intervals of a scale hold the truth.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Coverage {
    pub scale: String,
    /// What the scale has, and what these players say it should be: dispersion factor and between-player deviation.
    pub used: (f64, f64),
    pub fitted: (f64, f64),
    /// By the number of games; a row that has nobody is left out.
    pub rows: Vec<CoverageRow>,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct CoverageRow {
    pub games: usize,
    pub players: usize,
    /// Players who count alike would say as much.
    pub counting: f64,
    /// The mean of what was found less the truth, that of its size, and its root mean square.
    pub off: f64,
    pub absolute: f64,
    pub root_mean_square: f64,
    /// The parts that [`Coverage::HELD`] intervals held.
    pub held: [f64; 3],
}

impl Coverage {
    /// The intervals that are looked at.
    pub const HELD: [f64; 3] = [0.5, 0.8, 0.95];

    /// Of a scale, by players of a sample, of whom some give a series of games.
    ///
    /// A scale with an opinion beforehand promises its intervals for players who are as it thinks; so
    /// those of a sample that has as many of every level count by how likely it takes them to be.
    /// `None` where nobody has enough turns.
    pub fn of(
        scale: &RatingScale,
        sample: &[&RatedDecision],
        series: &BTreeMap<u64, Vec<u64>>,
    ) -> Option<Coverage> {
        let players = careers(sample);
        // One game each.
        let long = players.iter().filter_map(|(player, games)| Some((player, long_game(games)?)));
        let singles = long.filter_map(|(player, game)| Some((player, rated(scale, game, 1)?)));
        let (of_whom, singles): (Vec<&u64>, Vec<RatedPlayer>) = singles.unzip();
        let several = series.iter().filter_map(|(player, games)| {
            let career = players.get(player)?;
            let known = games.iter().filter_map(|game| career.get(game)).flatten().copied();
            rated(scale, &known.collect::<Vec<_>>(), games.len())
        });
        let several: Vec<RatedPlayer> = several.collect();
        // Nobody counts twice where it is asked what intervals should be made of.
        let others =
            singles.iter().zip(&of_whom).filter(|(_, player)| !series.contains_key(player));
        let once: Vec<RatedPlayer> = others.map(|(one, _)| one).chain(&several).cloned().collect();
        (!once.is_empty()).then(|| Coverage {
            scale: scale.name.to_owned(),
            used: (scale.dispersion, scale.between_players),
            fitted: spread(&once, scale),
            rows: [singles, several]
                .iter()
                .filter_map(|some| CoverageRow::of(some, scale))
                .collect(),
        })
    }
}

impl CoverageRow {
    fn of(rated: &[RatedPlayer], scale: &RatingScale) -> Option<CoverageRow> {
        let games = rated.first()?.games;
        let weights = weights(rated, scale);
        let average = |of: &dyn Fn(&RatedPlayer) -> f64| -> f64 {
            weights.iter().zip(rated).map(|(weight, r)| weight * of(r)).sum()
        };
        let off = |r: &RatedPlayer| r.found.elo - r.truth;
        let held = |probability| {
            average(&|r| {
                let (low, high) = r.found.interval(probability);
                f64::from((low..=high).contains(&r.truth))
            })
        };
        Some(CoverageRow {
            games,
            players: rated.len(),
            counting: 1.0 / weights.iter().map(|weight| weight * weight).sum::<f64>(),
            off: average(&off),
            absolute: average(&|r| off(r).abs()),
            root_mean_square: average(&|r| off(r).powi(2)).sqrt(),
            held: Coverage::HELD.map(held),
        })
    }
}

/// How much each counts; the sum is 1.
fn weights(rated: &[RatedPlayer], scale: &RatingScale) -> Vec<f64> {
    let likely = |r: &RatedPlayer| {
        scale
            .beforehand
            .map_or(1.0, |(mean, deviation)| normal_density((r.truth - mean) / deviation))
    };
    let mut of_level: BTreeMap<i64, f64> = BTreeMap::new();
    rated.iter().for_each(|r| *of_level.entry(level(r.truth)).or_default() += 1.0);
    let found: Vec<f64> = rated.iter().map(|r| likely(r) / of_level[&level(r.truth)]).collect();
    let sum: f64 = found.iter().sum();
    found.into_iter().map(|weight| weight / sum).collect()
}

/// A player by the turns of so many of his games.
fn rated(scale: &RatingScale, known: &[&RatedDecision], games: usize) -> Option<RatedPlayer> {
    let turns: Vec<&Turn> = known.iter().map(|known| &known.turn).collect();
    let ratings: Vec<f64> = known.iter().map(|known| known.rating).collect();
    Some(RatedPlayer { truth: mean(&ratings), games, found: rate(scale, &turns)? })
}

/// The dispersion factor and between-player deviation under which the errors of what turns alone say are likeliest.
fn spread(rated: &[RatedPlayer], scale: &RatingScale) -> (f64, f64) {
    let weights = weights(rated, scale);
    let cost = |parameters: &[f64]| {
        let [dispersion, between_players] = [parameters[0].abs(), parameters[1].abs() * 100.0];
        let of = |(weight, r): (&f64, &RatedPlayer)| {
            let variance =
                (dispersion * r.found.sampling).powi(2) + between_players * between_players + 1.0;
            weight * (ln(variance) + (r.found.alone - r.truth).powi(2) / variance)
        };
        weights.iter().zip(rated).map(of).sum::<f64>()
    };
    let (found, _) = minimum(&[1.0, 1.0], 0.3, cost);
    (found[0].abs(), found[1].abs() * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_count_as_the_scale_takes_them_to_be_however_many_players_they_have() {
        let mut scale = RatingScale::published();
        scale.beforehand = Some((2000.0, 400.0));
        let found = Rating {
            elo: 2000.0,
            deviation: 0.0,
            alone: 2000.0,
            sampling: 0.0,
            by_games: 0.0,
            turns: 0,
        };
        let of = |truth| RatedPlayer { truth, games: 1, found: found.clone() };
        let rated = [of(2000.0), of(2000.0), of(2400.0), of(1600.0)];
        let found = weights(&rated, &scale);
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(found[0], found[1]);
        assert!((found[2] - found[3]).abs() < 1e-12);
        let ratio = (found[0] + found[1]) / found[2];
        assert!((ratio - 0.5_f64.exp()).abs() < 1e-9, "{ratio}");
        // Who has no opinion beforehand takes all levels to be alike.
        let flat = weights(&rated, &RatingScale::published());
        assert!((flat[0] + flat[1] - flat[2]).abs() < 1e-12);
    }
}
