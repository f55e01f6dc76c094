//! Do engines mean the same? What is found of a player should not depend on who judged him (Haworth
//! 2007, section 3.1).

use std::collections::HashMap;

use super::EvaluatedGame;
use crate::board::Move;

/// What an engine thinks best in each position of some games.
#[derive(Clone, Debug, Default)]
pub struct Opinions {
    /// By game and moves played, with the value in pawns.
    best: HashMap<(usize, usize), (Move, f64)>,
}

/// How far two engines agree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Agreement {
    /// That both have valued.
    pub positions: usize,
    /// In so many their best moves are the same.
    pub same: usize,
    /// The sum of the differences of their best values, in pawns.
    differences: f64,
}

impl Opinions {
    /// Remembers what the moves of a game are worth.
    pub fn note(&mut self, evaluated: &EvaluatedGame) {
        for (played, evaluation) in evaluated.evaluations.iter().enumerate() {
            if let Some(best) = evaluation.as_ref().and_then(|evaluation| evaluation.best()) {
                self.best.insert((evaluated.number, played), (best.mv, best.value().pawns()));
            }
        }
    }

    /// Holds them against what another engine says of the same game.
    pub fn compare(&self, evaluated: &EvaluatedGame, agreement: &mut Agreement) {
        for (played, evaluation) in evaluated.evaluations.iter().enumerate() {
            let other = evaluation.as_ref().and_then(|evaluation| evaluation.best());
            let own = self.best.get(&(evaluated.number, played));
            let Some(((mv, value), other)) = own.zip(other) else { continue };
            agreement.positions += 1;
            agreement.same += usize::from(other.mv == *mv);
            agreement.differences += (other.value().pawns() - value).abs();
        }
    }
}

impl Agreement {
    /// In which part of the positions the best moves are the same.
    pub fn share(&self) -> f64 {
        self.same as f64 / self.positions.max(1) as f64
    }

    /// How far the values of the best moves lie apart on average, in pawns.
    pub fn difference(&self) -> f64 {
        self.differences / self.positions.max(1) as f64
    }
}
