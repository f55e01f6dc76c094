//! The mistakes in a study that cost the most winning chances.

use std::collections::BTreeMap;

use super::winning_chances::{is_mistake, lost_chances, winning_chances};
use super::{EvaluatedGame, StudiedMove, StudyPlan};

/// A mistake or a blunder.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CostlyMove {
    /// The players and the date of the game.
    pub game: String,
    /// The move with its number: `12... Nxe4`.
    pub san: String,
    /// The best move in standard algebraic notation, without its number.
    pub best: String,
    /// The winning chances after the best move and after the played move, in percent.
    pub chances: [f64; 2],
}

/// For each subject, such as a player, the costliest mistakes among the decisions that count.
#[derive(Debug, Default)]
pub struct CostlyMoves {
    by_subject: BTreeMap<String, Vec<CostlyMove>>,
}

/// The number of mistakes that are kept for each subject.
const MAX_MOVES: usize = 5;

impl CostlyMove {
    /// The lost winning chances, in percentage points.
    pub fn lost(&self) -> f64 {
        self.chances[0] - self.chances[1]
    }
}

fn lost(decision: &StudiedMove) -> f64 {
    lost_chances(decision.best(), decision.value(decision.chosen))
}

impl CostlyMoves {
    /// With more subjects than this, a report does not list mistakes.
    pub(crate) const MAX_SUBJECTS: usize = 2;

    /// Adds decisions from a game, each with the number of moves played before it.
    pub(super) fn add(
        &mut self,
        plan: &StudyPlan,
        evaluated: &EvaluatedGame,
        decisions: &[(usize, StudiedMove)],
    ) {
        let counted = decisions.iter().filter(|(_, d)| plan.rules.omission(d).is_none());
        for (played, decision) in counted.filter(|(_, d)| is_mistake(lost(d))) {
            if let Some(evaluation) = &evaluated.evaluations[*played] {
                let subject = plan.subject(evaluated, decision);
                let chances =
                    [decision.best(), decision.value(decision.chosen)].map(winning_chances);
                let moves = self.by_subject.entry(subject).or_default();
                let index = moves.partition_point(|other| other.lost() >= chances[0] - chances[1]);
                if index == MAX_MOVES {
                    continue;
                }
                let before = evaluated.game.until(*played);
                let (position, mv) = (before.position(), evaluated.game.moves()[*played]);
                let found = CostlyMove {
                    game: evaluated.pgn.players(),
                    san: format!("{} {}", position.move_number(), position.san(mv)),
                    best: position.san(evaluation.moves[decision.first()].mv),
                    chances,
                };
                moves.insert(index, found);
                moves.truncate(MAX_MOVES);
            }
        }
    }

    /// The mistakes of a subject, costliest first.
    pub(crate) fn of(&self, subject: &str) -> &[CostlyMove] {
        self.by_subject.get(subject).map_or(&[], Vec::as_slice)
    }
}
