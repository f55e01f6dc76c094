//! The hand-crafted evaluation: terms that a chess player would name, with weights that a tuner
//! finds.
//!
//! Every term has a weight for the middlegame and one for the endgame ([`terms`], [`Weights`]);
//! the pieces left on the board mix the two sums. What a term counts and what a count is worth
//! are strictly apart, so that the same code plays and, with a [`Trace`], is tuned.
//!
//! A value does not depend on the moves since the last capture, because the position's key does
//! not: what a table holds under a key must not be able to differ.

mod kings;
mod ledger;
mod passers;
mod pawns;
mod pieces;
mod score;
mod squares;
mod survey;
mod terms;
mod threats;
mod trace;
mod weights;

pub use kings::{ENDGAME_DIVISOR, LARGEST_DANGER, SQUARE_DIVISOR};
pub use pawns::PawnCache;
pub use score::Score;
pub use squares::{FULL_PHASE, Sums};
pub use terms::{COUNT, Declaration, TERMS, Term, is_danger};
pub use trace::{NullTracer, Trace, Tracer};
pub use weights::{Weights, WeightsError};

use super::Evaluator;
use super::endings::{FULL, against_bare_king, scale};
use crate::board::{Colour, Move, Position};
use crate::value::Value;
use ledger::Ledger;
use pawns::PawnStructure;
use squares::SquareTable;
use survey::Survey;

/// Does the same for White and for Black, the colour being a constant in each.
macro_rules! for_both {
    ($us:ident => $what:expr) => {{
        {
            let $us = Colour::White;
            $what;
        }
        {
            let $us = Colour::Black;
            $what;
        }
    }};
}
/// Raised whenever the code counts differently with the same weights.
const VERSION: u64 = 1;

/// An evaluator made of chess knowledge and tuned weights.
#[derive(Clone, Debug)]
pub struct Handcrafted {
    weights: Weights,
    squares: SquareTable,
    fingerprint: u64,
}

impl Default for Handcrafted {
    fn default() -> Handcrafted {
        Handcrafted::new()
    }
}

impl Handcrafted {
    /// With the weights that are built in.
    pub fn new() -> Handcrafted {
        Handcrafted::with_weights(Weights::embedded())
    }

    pub fn with_weights(weights: Weights) -> Handcrafted {
        Handcrafted {
            squares: SquareTable::new(&weights),
            fingerprint: weights.fingerprint() ^ VERSION,
            weights,
        }
    }

    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// What the evaluation of a position is made of; `None` where no weight has a say.
    pub fn trace(&self, position: &Position) -> Option<Trace> {
        if against_bare_king(position).is_some() {
            return None;
        }
        let mut trace = Trace::new();
        squares::trace(position, &mut trace);
        let structure = PawnStructure::analyse(position, &self.weights, &mut trace);
        let sums = self.squares.sum(position);
        let judgement = self.judge(position, sums, &structure, &mut trace);
        trace.phase = judgement.phase;
        trace.scale = judgement.scale;
        trace.in_danger = judgement.in_danger;
        Some(trace)
    }

    #[inline(always)]
    fn judge<T: Tracer>(
        &self,
        position: &Position,
        sums: Sums,
        structure: &PawnStructure,
        tracer: &mut T,
    ) -> Judgement {
        let mut survey = Survey::new(position);
        let mut ledger = Ledger::new(&self.weights, tracer);
        ledger.add(position.turn(), Term::Tempo, 0);

        // 1. The pieces: this completes the survey.
        for_both!(us => pieces::Pieces {
            us, position, structure, survey: &mut survey, ledger: &mut ledger,
        }.judge());

        // 2. What needs the attacks of both sides.
        let mut in_danger = [false; 2];
        for_both!(us => {
            kings::shelter(us, &survey, &mut ledger);
            if kings::is_in_danger(us, position, &survey) {
                in_danger[us as usize] = true;
                kings::dangers(us, position, &survey, &mut ledger);
            }
            threats::threats(us, position, &survey, &mut ledger);
            let passed = structure.passed[us as usize];
            passers::passers(us, passed, position, &survey, &mut ledger);
            pieces::space(us, position, &survey, &mut ledger);
        });

        // 3. The sum.
        let mut score = sums.score + structure.score + ledger.score;
        if in_danger[Colour::White as usize] {
            score -= kings::cost(ledger.danger[Colour::White as usize]);
        }
        if in_danger[Colour::Black as usize] {
            score += kings::cost(ledger.danger[Colour::Black as usize]);
        }
        let strong = if score.endgame() > 0 { Colour::White } else { Colour::Black };
        let scale = scale(position, strong);
        Judgement { score, phase: sums.phase.min(FULL_PHASE), scale, in_danger }
    }
}

/// The sum of all terms, not yet mixed.
struct Judgement {
    /// White's less Black's.
    score: Score,
    phase: i32,
    scale: i32,
    in_danger: [bool; 2],
}

impl Judgement {
    /// The mixture, from White's view.
    #[inline]
    fn mixed(&self) -> i32 {
        let endgame = self.score.endgame() * self.scale / FULL;
        let middlegame = self.score.middlegame();
        (middlegame * self.phase + endgame * (FULL_PHASE - self.phase)) / FULL_PHASE
    }
}

impl Evaluator for Handcrafted {
    type State = Sums;
    type Cache = PawnCache;

    fn new_cache(&self) -> PawnCache {
        PawnCache::default()
    }

    fn refresh(&self, position: &Position) -> Sums {
        self.squares.sum(position)
    }

    #[inline]
    fn follow(&self, line: &mut [Sums], at: usize, before: &Position, m: Move, _after: &Position) {
        line[at + 1] = self.squares.follow(line[at], before.turn(), m);
    }

    #[inline]
    fn pass(&self, line: &mut [Sums], at: usize) {
        line[at + 1] = line[at];
    }

    #[inline]
    fn evaluate(
        &self,
        position: &Position,
        line: &mut [Sums],
        at: usize,
        cache: &mut PawnCache,
    ) -> Value {
        if let Some(value) = against_bare_king(position) {
            return value;
        }
        let structure = cache.get(position, &self.weights);
        let white = self.judge(position, line[at], &structure, &mut NullTracer).mixed();
        let own = if position.turn() == Colour::White { white } else { -white };
        Value::centipawns(own).clamp_evaluation()
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}
