//! The mistakes of a study that lost most winning chances.

use std::collections::BTreeMap;

use super::winning_chances::{is_mistake, lost_chances, winning_chances};
use super::{EvaluatedGame, StudiedMove, StudyPlan};
use crate::board::{Colour, Game};
use crate::selector::Family;

/// A mistake or a blunder.
#[derive(Clone, Debug, PartialEq)]
pub struct CostlyMove {
    /// The players and the date of the game.
    pub game: String,
    /// The move with its number: `12... Nxe4`.
    pub san: String,
    pub best: String,
    /// The winning chances of the best and of the played move, in percent.
    pub chances: [f64; 2],
}

/// The costliest mistakes of each subject. Only moves that count are included.
#[derive(Debug)]
pub struct CostlyMoves {
    by_subject: BTreeMap<String, Vec<CostlyMove>>,
    /// With more subjects, nothing is collected any more.
    most_subjects: usize,
}

/// The number of moves of each subject.
const MOST_MOVES: usize = 5;

impl CostlyMove {
    /// The lost winning chances, in percentage points.
    pub fn lost(&self) -> f64 {
        self.chances[0] - self.chances[1]
    }
}

fn lost(turn: &StudiedMove) -> f64 {
    lost_chances(turn.best(), turn.value(turn.chosen))
}

impl CostlyMoves {
    pub fn new(most_subjects: usize) -> CostlyMoves {
        CostlyMoves { by_subject: BTreeMap::new(), most_subjects }
    }

    /// Adds the moves of the selected sides of a game.
    pub fn add(
        &mut self,
        plan: &StudyPlan,
        evaluated: &EvaluatedGame,
        wanted: impl Fn(Colour) -> bool,
    ) {
        if self.by_subject.len() > self.most_subjects {
            return;
        }
        let turns = evaluated.turns(plan.depth(), Family::LEVELLED, 1, &plan.rules, |_| Vec::new());
        let mut turns = turns.into_iter();
        let mut before = Game::new(evaluated.game.start().clone());
        for &mv in evaluated.game.moves() {
            let position = before.position();
            let counted = turns.next().map(|(_, turn)| turn);
            let counted = counted.filter(|turn| wanted(turn.colour));
            let counted = counted.filter(|turn| plan.rules.against(turn).is_none());
            if let Some(turn) = counted.filter(|turn| is_mistake(lost(turn)))
                && let Some(subject) = plan.by.subject(evaluated, &turn)
                && let Some(evaluation) = &evaluated.evaluations[before.ply()]
            {
                let found = CostlyMove {
                    game: evaluated.pgn.players(),
                    san: format!("{} {}", position.move_number(), position.san(mv)),
                    best: position.san(evaluation.moves[turn.first()].mv),
                    chances: [turn.best(), turn.value(turn.chosen)].map(winning_chances),
                };
                let moves = self.by_subject.entry(subject).or_default();
                let place = moves.partition_point(|other| other.lost() >= found.lost());
                moves.insert(place, found);
                moves.truncate(MOST_MOVES);
            }
            before.play(mv);
        }
    }

    /// The moves of a subject, costliest first.
    pub fn of(&self, subject: &str) -> &[CostlyMove] {
        self.by_subject.get(subject).map_or(&[], Vec::as_slice)
    }
}
