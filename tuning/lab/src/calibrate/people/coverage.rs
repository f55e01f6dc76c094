//! Tests whether rating intervals contain the true rating as often as they should.
//!
//! A rating estimated from a player's moves differs from the true rating for two reasons apart from
//! sampling noise. Moves in one game are correlated, which multiplies the errors by a dispersion
//! factor. Players with the same rating also differ in style. This between-player deviation
//! remains, however many moves there are. Both are estimated here from players with known ratings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::RatedDecision;
use super::sample::{careers, level, long_game};
use stopdown::analyser::{Rating, RatingScale, StudiedMove, rate};
use stopdown::math::exact::ln;
use stopdown::math::minimise::minimum;
use stopdown::math::statistics::{mean, normal_density};

/// A player with a known rating, and the estimate from some of their games.
#[derive(Clone, Debug, PartialEq)]
pub struct RatedPlayer {
    pub truth: f64,
    pub games: usize,
    pub found: Rating,
}

/// How often a scale's intervals contain the true rating.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Coverage {
    pub scale: String,
    /// The dispersion factor and the between-player deviation: first the values used by the scale,
    /// and then the values that these players suggest.
    pub used: (f64, f64),
    pub fitted: (f64, f64),
    /// The rows, by number of games. Rows without players are omitted.
    pub rows: Vec<CoverageRow>,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct CoverageRow {
    pub games: usize,
    pub players: usize,
    /// The effective number of players: the number of equally weighted players who would carry as
    /// much information.
    pub counting: f64,
    /// The mean, the mean absolute value, and the root mean square of the estimate minus the true
    /// rating.
    pub off: f64,
    pub absolute: f64,
    pub root_mean_square: f64,
    /// For each of the [`Coverage::INTERVALS`], the fraction of players whose true rating is
    /// inside.
    pub held: [f64; 3],
}

impl Coverage {
    /// The interval levels tested.
    pub const INTERVALS: [f64; 3] = [0.5, 0.8, 0.95];

    /// Measures the coverage of a scale: with single games of the players in one sample, and with the
    /// series of games that some players have in the other sample.
    ///
    /// For a scale with a prior, the intervals are valid for players distributed like the prior. A
    /// sample has about the same number of players at every level, so each player is weighted by
    /// the prior. Returns `None` if no player has enough decisions.
    pub fn of(
        scale: &RatingScale,
        of_singles: &[&RatedDecision],
        of_series: &[&RatedDecision],
        series: &BTreeMap<u64, Vec<u64>>,
    ) -> Option<Coverage> {
        let players = careers(of_singles);
        // Each player contributes one game.
        let long = players.iter().filter_map(|(player, games)| Some((player, long_game(games)?)));
        let singles = long.filter_map(|(player, game)| Some((player, rated(scale, game, 1)?)));
        let (tested, singles): (Vec<&u64>, Vec<RatedPlayer>) = singles.unzip();
        let players = careers(of_series);
        let several = series.iter().filter_map(|(player, games)| {
            let career = players.get(player)?;
            let known = games.iter().filter_map(|game| career.get(game)).flatten().copied();
            rated(scale, &known.collect::<Vec<_>>(), games.len())
        });
        let several: Vec<RatedPlayer> = several.collect();
        // Each player counts once when the interval parameters are estimated.
        let others = singles.iter().zip(&tested).filter(|(_, player)| !series.contains_key(player));
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
            held: Coverage::INTERVALS.map(held),
        })
    }
}

/// The weight of each player. The sum is 1.
fn weights(rated: &[RatedPlayer], scale: &RatingScale) -> Vec<f64> {
    let likely = |r: &RatedPlayer| {
        scale.prior.map_or(1.0, |(mean, deviation)| normal_density((r.truth - mean) / deviation))
    };
    let mut of_level: BTreeMap<i64, f64> = BTreeMap::new();
    rated.iter().for_each(|r| *of_level.entry(level(r.truth)).or_default() += 1.0);
    let found: Vec<f64> = rated.iter().map(|r| likely(r) / of_level[&level(r.truth)]).collect();
    let sum: f64 = found.iter().sum();
    found.into_iter().map(|weight| weight / sum).collect()
}

/// Rates a player by the decisions in `games` games.
fn rated(scale: &RatingScale, known: &[&RatedDecision], games: usize) -> Option<RatedPlayer> {
    let turns: Vec<&StudiedMove> = known.iter().map(|known| &known.turn).collect();
    let ratings: Vec<f64> = known.iter().map(|known| known.rating).collect();
    Some(RatedPlayer { truth: mean(&ratings), games, found: rate(scale, &turns)? })
}

/// The dispersion factor and the between-player deviation that maximise the likelihood of the
/// errors, without priors.
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
    fn levels_have_the_priors_weight_whatever_their_number_of_players() {
        let mut scale = RatingScale::published();
        scale.prior = Some((2000.0, 400.0));
        let found = Rating {
            elo: 2000.0,
            deviation: 0.0,
            alone: 2000.0,
            sampling: 0.0,
            by_games: 0.0,
            decisions: 0,
        };
        let of = |truth| RatedPlayer { truth, games: 1, found: found.clone() };
        let rated = [of(2000.0), of(2000.0), of(2400.0), of(1600.0)];
        let found = weights(&rated, &scale);
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(found[0], found[1]);
        assert!((found[2] - found[3]).abs() < 1e-12);
        let ratio = (found[0] + found[1]) / found[2];
        assert!((ratio - 0.5_f64.exp()).abs() < 1e-9, "{ratio}");
        // Without a prior, all levels have the same weight.
        let flat = weights(&rated, &RatingScale::published());
        assert!((flat[0] + flat[1] - flat[2]).abs() < 1e-12);
    }
}
