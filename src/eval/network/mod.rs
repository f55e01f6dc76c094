//! NNUE: a small neural network that evaluates positions.
//!
//! The inputs are the pieces on their squares, with their attack status, as each side sees them. Each input adds a row
//! of weights to a hidden layer, so a move only adds and subtracts a few rows (see `accumulator.rs`). Both halves of
//! the hidden layer, the mover's first, are clipped to 0..1, squared, multiplied by output weights and added up. There
//! is a set of output weights for each range of piece counts (output buckets). The idea is from Yu Nasu, "Efficiently
//! Updatable Neural-Network-based Evaluation Functions for Computer Shogi", 2018. The squared clipped ReLU (SCReLU) has
//! since become usual.

mod accumulator;
mod attack_status;
mod file;
pub mod inputs;
mod weights;

use std::path::Path;

use super::endings::{KNOWN_WIN, against_bare_king, cannot_win};
use super::{Evaluator, SearchParams};
use crate::board::Position;
use crate::simd::{Instructions, Kernel};
use crate::value::Value;
use accumulator::bring_up_to_date;
use weights::Weights;

pub use accumulator::Accumulator;
pub use file::{
    BLOCK, HIDDEN_ONE, MAX_BIAS, MAX_OUTPUT, NetworkError, NetworkFormatError, OUTPUT_ONE,
    Parameters, WIDEST,
};

/// The file of the built-in network.
#[cfg(not(feature = "evalfile"))]
const EMBEDDED: &[u8] = include_bytes!("../../../tuning/network.bin");
#[cfg(feature = "evalfile")]
const EMBEDDED: &[u8] = include_bytes!(env!("EVALFILE"));

/// The version of the code. Raise it when the same weights give different values.
const VERSION: u64 = 3;

/// The largest output of the network. It is less than any known win.
const MAX_VALUE: i32 = KNOWN_WIN - 1000;

/// An evaluator that combines a network with rules for known endings.
#[derive(Clone, Debug)]
pub struct Network {
    weights: Weights,
    params: SearchParams,
    fingerprint: u64,
    instructions: Instructions,
}

impl Network {
    /// The built-in network.
    pub fn embedded() -> Network {
        let parameters = Parameters::from_bytes(EMBEDDED);
        Network::new(&parameters.expect("a test parses the embedded file"))
    }

    /// Reads a network file. The search parameters are the built-in ones.
    pub fn load(path: &Path) -> Result<Network, NetworkError> {
        Ok(Network::new(&Parameters::load(path)?))
    }

    /// Creates a network with the built-in search parameters and the fastest available instructions.
    pub fn new(parameters: &Parameters) -> Network {
        Network {
            weights: Weights::new(parameters),
            fingerprint: parameters.fingerprint()
                ^ VERSION
                ^ SearchParams::for_evaluation().fingerprint(),
            params: SearchParams::for_best_move().clone(),
            instructions: Instructions::best(),
        }
    }

    /// The same network with different parameters of searches for the best move.
    pub fn with_search_params(self, params: SearchParams) -> Network {
        Network { params, ..self }
    }

    /// The network for every instruction set of this processor, the simplest first.
    pub fn with_all_instructions(parameters: &Parameters) -> Vec<Network> {
        let sets = Instructions::available().into_iter();
        sets.map(|instructions| Network { instructions, ..Network::new(parameters) }).collect()
    }

    /// The output of the network for the side to move, in centipawns, without known endings.
    pub fn output(&self, position: &Position) -> i32 {
        self.instructions.run(Output {
            network: self,
            position,
            line: &mut [Accumulator::default()],
            at: 0,
        })
    }
}

/// The network's evaluation of a position on a line, compiled for each instruction set.
struct Output<'a> {
    network: &'a Network,
    position: &'a Position,
    line: &'a mut [Accumulator],
    at: usize,
}

impl Kernel for Output<'_> {
    type Output = i32;

    #[inline(always)]
    fn run(self, instructions: Instructions) -> i32 {
        let Output { network: Network { weights, .. }, position, line, at } = self;
        let us = position.turn();
        bring_up_to_date(line, at, weights, position);
        let bucket = inputs::bucket(position.occupied().count(), weights.buckets());
        weights.output(instructions, [line[at].sums(us), line[at].sums(!us)], bucket)
    }
}

impl Evaluator for Network {
    type State = Accumulator;

    fn root_state(&self, _: &Position) -> Accumulator {
        Accumulator::default()
    }

    #[inline]
    fn advance(&self, line: &mut [Accumulator], at: usize) {
        line[at + 1].forget();
    }

    fn evaluate(&self, position: &Position, line: &mut [Accumulator], at: usize) -> Value {
        if let Some(value) = against_bare_king(position) {
            return value;
        }
        let kernel = Output { network: self, position, line, at };
        let own = self.instructions.run(kernel).clamp(-MAX_VALUE, MAX_VALUE);
        let strong = if own > 0 { position.turn() } else { !position.turn() };
        if cannot_win(position, strong) { Value::DRAW } else { Value::centipawns(own) }
    }

    #[inline]
    fn search_params(&self) -> &SearchParams {
        &self.params
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}
