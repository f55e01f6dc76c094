//! Portraits of players: what is measured of everybody, all in all and in each phase of the game, and
//! the openings that they play. A profile of one person is made of it.

use std::collections::BTreeMap;

use super::ledger::player_name;
use super::{EvaluatedGame, Gauge, Ledger, PlayedOpenings, Rating, Turn};
use crate::board::{Colour, Phase};
use crate::player::PhaseOffsets;

/// The players of some games, by their names.
#[derive(Debug)]
pub struct Portraits {
    /// All phases together.
    pub overall: Ledger,
    /// Of each phase; empty where ratings are not measured.
    by_phase: Vec<Ledger>,
    openings: BTreeMap<String, PlayedOpenings>,
}

/// How far phases of one person lie from the person's rating, as a standard deviation in Elo: what is
/// thought before the moves are seen. It is as much as people of one rating differ from each other.
const BETWEEN_PHASES: f64 = 100.0;

impl Portraits {
    pub fn new(gauge: &Gauge) -> Portraits {
        let ledger = || Ledger::new(gauge.clone());
        let by_phase = Phase::ALL.iter().filter(|_| gauge.rates()).map(|_| ledger()).collect();
        Portraits { overall: ledger(), by_phase, openings: BTreeMap::new() }
    }

    /// Takes in a game of some of its players.
    pub fn add(&mut self, evaluated: &EvaluatedGame, wanted: impl Fn(Colour) -> bool) {
        for colour in Colour::ALL.into_iter().filter(|&colour| wanted(colour)) {
            let name = player_name(evaluated, colour);
            self.openings.entry(name).or_default().add(&evaluated.game, colour);
        }
        let turns = self.overall.turns(evaluated, wanted);
        for (phase, ledger) in Phase::ALL.into_iter().zip(&mut self.by_phase) {
            let of_phase: Vec<Turn> = turns.iter().filter(|t| t.phase == phase).cloned().collect();
            ledger.add_turns(evaluated, of_phase);
        }
        self.overall.add_turns(evaluated, turns);
    }

    pub fn openings(&self, name: &str) -> PlayedOpenings {
        self.openings.get(name).cloned().unwrap_or_default()
    }

    /// How much better or worse somebody of this rating plays each phase, in whole Elo points; 0 where
    /// the moves of a phase do not tell.
    pub fn phases(&self, name: &str, overall: &Rating) -> PhaseOffsets {
        let mut offsets = PhaseOffsets::default();
        for (phase, ledger) in Phase::ALL.into_iter().zip(&self.by_phase) {
            let gauge = &ledger.gauge;
            let Some(rating) = gauge.rate(&ledger.statistics(name)) else { continue };
            offsets.set(phase, offset(&rating, overall, gauge.plan.scale.dispersion).round());
        }
        offsets
    }
}

/// How far a phase lies from all phases together, as far as its moves let one believe it. Both are what
/// the moves alone say: what is thought of everybody beforehand says nothing of one phase.
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
