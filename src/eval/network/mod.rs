//! An evaluation that is learnt: a small network over the pieces on the board.
//!
//! Each side's view of the pieces and of the attacks on them is summed into a hidden layer; both
//! halves, the mover's first, are clipped to 0..1, squared and weighed into one number (Yu Nasu,
//! "Efficiently Updatable Neural-Network-based Evaluation Functions for Computer Shogi", 2018, with
//! the squared clipping that has become customary since).
//!
//! The numbers stand as the processor likes them, in aligned blocks. All of them are whole, so every
//! set of instructions gives the same result; the loops are written so that the compiler sees what to
//! do at once.

mod accumulator;
mod attack_status;
mod file;
pub mod inputs;
mod weights;

use std::path::Path;

use super::endings::{KNOWN_WIN, against_bare_king, without_hope};
use super::{Evaluator, Margins};
use crate::board::{Move, Position};
use crate::machine::{Instructions, Kernel};
use crate::math::fingerprint;
use crate::value::Value;
use accumulator::bring_up_to_date;
use weights::Weights;

pub use accumulator::Accumulator;
pub use file::{
    BLOCK, HIDDEN_ONE, LARGEST_BIAS, LARGEST_OUTPUT, NetworkError, NetworkMistake, OUTPUT_ONE,
    Parameters, WIDEST,
};

/// The network that is built in.
#[cfg(not(feature = "evalfile"))]
const EMBEDDED: &[u8] = include_bytes!("../../../tuning/network.bin");
#[cfg(feature = "evalfile")]
const EMBEDDED: &[u8] = include_bytes!(env!("EVALFILE"));

/// Raised whenever the code values differently with the same numbers.
const VERSION: u64 = 3;

/// What is known to be won is worth more than anything that the network says.
const LARGEST: i32 = KNOWN_WIN - 1000;

/// An evaluator made of a network and of what is known of endings.
#[derive(Clone, Debug)]
pub struct Network {
    weights: Weights,
    margins: Margins,
    fingerprint: u64,
    instructions: Instructions,
}

impl Network {
    /// The network that is built in.
    pub fn embedded() -> Network {
        let parameters = Parameters::from_bytes(EMBEDDED);
        Network::new(&parameters.expect("the file is a part of the program, read by the tests"))
    }

    pub fn load(path: &Path) -> Result<Network, NetworkError> {
        Ok(Network::new(&Parameters::load(path)?))
    }

    pub fn new(parameters: &Parameters) -> Network {
        let margins = Margins::built_in().clone();
        Network {
            weights: Weights::new(parameters),
            fingerprint: parameters.fingerprint() ^ VERSION ^ fingerprint_of(&margins),
            margins,
            instructions: Instructions::best(),
        }
    }

    /// The same, for a search that bets otherwise.
    pub fn with_margins(self, margins: Margins) -> Network {
        let fingerprint =
            self.fingerprint ^ fingerprint_of(&self.margins) ^ fingerprint_of(&margins);
        Network { margins, fingerprint, ..self }
    }

    /// One for every set of instructions that this processor has, the plainest first.
    pub fn with_all_instructions(parameters: &Parameters) -> Vec<Network> {
        let sets = Instructions::available().into_iter();
        sets.map(|instructions| Network { instructions, ..Network::new(parameters) }).collect()
    }

    /// What the network alone says for the side to move, in centipawns.
    pub fn output(&self, position: &Position) -> i32 {
        self.instructions.run(Output {
            network: self,
            position,
            line: &mut [Accumulator::default()],
            at: 0,
        })
    }
}

/// Of the numbers alone: what they are called bears on nothing.
fn fingerprint_of(margins: &Margins) -> u64 {
    fingerprint(margins.numbers().map(i32::to_le_bytes).as_flattened())
}

/// Looks at the sums of a line's position and weighs them.
struct Output<'a> {
    network: &'a Network,
    position: &'a Position,
    line: &'a mut [Accumulator],
    at: usize,
}

impl Kernel for Output<'_> {
    type Output = i32;

    #[inline(always)]
    fn run(self) -> i32 {
        let Output { network: Network { weights, .. }, position, line, at } = self;
        let us = position.turn();
        bring_up_to_date(line, at, weights, position);
        let bucket = inputs::bucket(position.occupied().count(), weights.buckets());
        weights.output(line[at].sums(us), line[at].sums(!us), bucket)
    }
}

impl Evaluator for Network {
    type State = Accumulator;
    type Cache = ();

    fn new_cache(&self) {}

    fn refresh(&self, _: &Position) -> Accumulator {
        Accumulator::default()
    }

    #[inline]
    fn follow(&self, line: &mut [Accumulator], at: usize, _: &Position, _: Move, _: &Position) {
        line[at + 1].forget();
    }

    #[inline]
    fn pass(&self, line: &mut [Accumulator], at: usize) {
        line[at + 1].forget();
    }

    fn evaluate(
        &self,
        position: &Position,
        line: &mut [Accumulator],
        at: usize,
        _: &mut (),
    ) -> Value {
        if let Some(value) = against_bare_king(position) {
            return value;
        }
        let kernel = Output { network: self, position, line, at };
        let own = self.instructions.run(kernel).clamp(-LARGEST, LARGEST);
        let strong = if own > 0 { position.turn() } else { !position.turn() };
        // What is only hard to win it has learnt.
        if without_hope(position, strong) { Value::DRAW } else { Value::centipawns(own) }
    }

    #[inline]
    fn margins(&self) -> &Margins {
        &self.margins
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}
