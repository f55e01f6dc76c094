//! Where the terms enter what they found.

use super::score::Score;
use super::terms::Term;
use super::trace::Tracer;
use super::weights::Weights;
use crate::board::Colour;

/// Adds up weights for both sides, and tells the tracer.
#[derive(Debug)]
pub struct Ledger<'a, T> {
    weights: &'a Weights,
    tracer: &'a mut T,
    /// White's less Black's.
    pub score: Score,
    /// The danger of each side's king.
    pub danger: [Score; 2],
}

impl<'a, T: Tracer> Ledger<'a, T> {
    pub fn new(weights: &'a Weights, tracer: &'a mut T) -> Ledger<'a, T> {
        Ledger { weights, tracer, score: Score::ZERO, danger: [Score::ZERO; 2] }
    }

    /// A term's weight in favour of a side, `count` times.
    #[inline(always)]
    pub fn add_times(&mut self, colour: Colour, term: Term, index: usize, count: i32) {
        let weight = term.at(index);
        self.tracer.count(colour, weight, count);
        let worth = self.weights[weight] * count;
        match colour {
            Colour::White => self.score += worth,
            Colour::Black => self.score -= worth,
        }
    }

    /// A term's weight in favour of a side, once.
    #[inline(always)]
    pub fn add(&mut self, colour: Colour, term: Term, index: usize) {
        self.add_times(colour, term, index, 1);
    }

    /// A danger to the king of `colour`, `count` times.
    #[inline(always)]
    pub fn endanger(&mut self, colour: Colour, term: Term, index: usize, count: i32) {
        let weight = term.at(index);
        self.tracer.count(colour, weight, count);
        self.danger[colour as usize] += self.weights[weight] * count;
    }
}
