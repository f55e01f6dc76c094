//! The data for a profile: summaries of a player's moves, overall and for each phase of the game,
//! and the player's openings and habits.

use std::collections::BTreeMap;

use super::plan::player_name;
use super::study_accumulator::StudyAccumulator;
use super::{EvaluatedGame, PlayedHabits, PlayedOpenings, PlayerSummaries, Rating};
use crate::board::{Colour, Phase};
use crate::player::PhaseOffsets;

/// The players in a set of games, by name.
#[derive(Debug)]
pub(crate) struct PlayerProfiles {
    /// Summaries over all phases of the game.
    pub overall: PlayerSummaries,
    /// Summaries by phase. Empty if ratings are not measured.
    by_phase: Vec<PlayerSummaries>,
    openings: BTreeMap<String, PlayedOpenings>,
    habits: BTreeMap<String, PlayedHabits>,
}

/// The prior standard deviation, in Elo, of a player's strength in one phase around the overall
/// rating. It matches the spread between players with the same rating.
const PHASE_DEVIATION: f64 = 100.0;

impl PlayerProfiles {
    pub fn new(accumulator: &StudyAccumulator) -> PlayerProfiles {
        let summaries = || PlayerSummaries::new(accumulator.clone());
        let phases = Phase::ALL.iter().filter(|_| accumulator.rates());
        PlayerProfiles {
            overall: summaries(),
            by_phase: phases.map(|_| summaries()).collect(),
            openings: BTreeMap::new(),
            habits: BTreeMap::new(),
        }
    }

    /// Adds the moves of the selected sides of a game.
    pub fn add(&mut self, evaluated: &EvaluatedGame, wanted: impl Fn(Colour) -> bool) {
        for colour in Colour::ALL.into_iter().filter(|&colour| wanted(colour)) {
            let name = player_name(evaluated, colour);
            let habits = self.habits.entry(name.clone()).or_default();
            habits.add(&evaluated.pgn, &evaluated.game, colour);
            self.openings.entry(name).or_default().add(&evaluated.game, colour);
        }
        let decisions = self.overall.decisions(evaluated, wanted);
        for (phase, summaries) in Phase::ALL.into_iter().zip(&mut self.by_phase) {
            let of_phase = decisions.iter().filter(|(_, decision)| decision.phase == phase);
            summaries.add_decisions(evaluated, of_phase.cloned().collect());
        }
        self.overall.add_decisions(evaluated, decisions);
    }

    /// Leaves the openings out of the profiles, because the players did not choose them.
    pub fn leave_openings_out(&mut self) {
        self.openings.clear();
    }

    pub fn openings(&self, name: &str) -> PlayedOpenings {
        self.openings.get(name).cloned().unwrap_or_default()
    }

    pub fn habits(&self, name: &str) -> PlayedHabits {
        self.habits.get(name).cloned().unwrap_or_default()
    }

    /// Returns the player's strength in each phase as an offset from the overall rating, in whole
    /// Elo points. The offset is 0 for a phase whose moves are not informative.
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

/// The offset of a phase from the overall rating, reduced according to its uncertainty. Both
/// ratings come from the moves alone, because the prior describes whole games, not a single phase.
fn offset(phase: &Rating, overall: &Rating, dispersion: f64) -> f64 {
    let error = dispersion * phase.sampling;
    let confidence = PHASE_DEVIATION.powi(2) / (PHASE_DEVIATION.powi(2) + error.powi(2));
    let offset = (phase.alone - overall.alone) * confidence;
    // Without this, negative zero would be written with its sign.
    if offset.abs() < 0.5 { 0.0 } else { offset }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phase_offsets_shrink_with_their_error() {
        let rating = |alone, sampling| Rating {
            elo: 1500.0,
            deviation: 50.0,
            alone,
            sampling,
            by_games: sampling,
            decisions: 100,
        };
        let overall = rating(1600.0, 30.0);
        // With the dispersion, the error is 100 Elo. This equals the prior deviation, so the offset
        // is halved.
        assert!((offset(&rating(1700.0, 80.0), &overall, 1.25) - 50.0).abs() < 1e-9);
        assert!((offset(&rating(1500.0, 80.0), &overall, 1.25) + 50.0).abs() < 1e-9);
        assert!(offset(&rating(1700.0, 1.0), &overall, 1.25) > 99.0);
        assert!(offset(&rating(1700.0, 1000.0), &overall, 1.25) < 1.0);
        assert!(offset(&rating(1599.7, 1.0), &overall, 1.25).is_sign_positive());
    }
}
