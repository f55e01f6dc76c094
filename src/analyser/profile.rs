//! Players in more detail, as a profile needs them: summaries of all moves and of each phase of the game,
//! and the openings that they play.

use std::collections::BTreeMap;

use super::accumulator::StudyAccumulator;
use super::plan::player_name;
use super::{EvaluatedGame, PlayedOpenings, PlayerSummaries, Rating, Turn};
use crate::board::{Colour, Phase};
use crate::player::PhaseOffsets;

/// The players of some games, by their names.
#[derive(Debug)]
pub struct PlayerProfiles {
    /// All phases together.
    pub overall: PlayerSummaries,
    /// By phase; empty where ratings are not measured.
    by_phase: Vec<PlayerSummaries>,
    openings: BTreeMap<String, PlayedOpenings>,
}

/// The standard deviation, in Elo, of a player's phases around the player's rating, before the moves are
/// seen. It is as large as that of players of one rating.
const BETWEEN_PHASES: f64 = 100.0;

impl PlayerProfiles {
    pub fn new(accumulator: &StudyAccumulator) -> PlayerProfiles {
        let summaries = || PlayerSummaries::new(accumulator.clone());
        let phases = Phase::ALL.iter().filter(|_| accumulator.rates());
        PlayerProfiles {
            overall: summaries(),
            by_phase: phases.map(|_| summaries()).collect(),
            openings: BTreeMap::new(),
        }
    }

    /// Adds what the wanted sides of a game did.
    pub fn add(&mut self, evaluated: &EvaluatedGame, wanted: impl Fn(Colour) -> bool) {
        for colour in Colour::ALL.into_iter().filter(|&colour| wanted(colour)) {
            let name = player_name(evaluated, colour);
            self.openings.entry(name).or_default().add(&evaluated.game, colour);
        }
        let turns = self.overall.turns(evaluated, wanted);
        for (phase, summaries) in Phase::ALL.into_iter().zip(&mut self.by_phase) {
            let of_phase: Vec<Turn> = turns.iter().filter(|t| t.phase == phase).cloned().collect();
            summaries.add_turns(evaluated, of_phase);
        }
        self.overall.add_turns(evaluated, turns);
    }

    pub fn openings(&self, name: &str) -> PlayedOpenings {
        self.openings.get(name).cloned().unwrap_or_default()
    }

    /// How much better or worse somebody of this rating plays each phase, in whole Elo points; 0 where
    /// the moves of a phase are not informative.
    pub fn phases(&self, name: &str, overall: &Rating) -> PhaseOffsets {
        let mut offsets = PhaseOffsets::default();
        for (phase, summaries) in Phase::ALL.into_iter().zip(&self.by_phase) {
            let accumulator = &summaries.accumulator;
            let rating = summaries.get(name).and_then(|summary| accumulator.rate(summary));
            if let Some(rating) = rating {
                let dispersion = accumulator.plan.scale.dispersion;
                offsets.set(phase, offset(&rating, overall, dispersion).round());
            }
        }
        offsets
    }
}

/// The offset of a phase from all phases together, shrunk by how uncertain it is. Both ratings are those
/// of the moves alone: the prior for all players says nothing about one phase.
fn offset(phase: &Rating, overall: &Rating, dispersion: f64) -> f64 {
    let error = dispersion * phase.sampling;
    let believed = BETWEEN_PHASES.powi(2) / (BETWEEN_PHASES.powi(2) + error.powi(2));
    let offset = (phase.alone - overall.alone) * believed;
    // Negative zero would be written with its sign.
    if offset.abs() < 0.5 { 0.0 } else { offset }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_is_believed_by_how_well_it_is_known() {
        let rating = |alone, sampling| Rating {
            elo: 1500.0,
            deviation: 50.0,
            alone,
            sampling,
            by_games: sampling,
            turns: 100,
        };
        let overall = rating(1600.0, 30.0);
        // An error of 100, with the dispersion, is as much as is thought beforehand: half is believed.
        assert!((offset(&rating(1700.0, 80.0), &overall, 1.25) - 50.0).abs() < 1e-9);
        assert!((offset(&rating(1500.0, 80.0), &overall, 1.25) + 50.0).abs() < 1e-9);
        assert!(offset(&rating(1700.0, 1.0), &overall, 1.25) > 99.0);
        assert!(offset(&rating(1700.0, 1000.0), &overall, 1.25) < 1.0);
        assert!(offset(&rating(1599.7, 1.0), &overall, 1.25).is_sign_positive());
    }
}
