//! An evaluation that is learnt: a small network over the men on the board.
//!
//! Each side's view of the board is summed into a hidden layer; both halves, the mover's first,
//! are clipped to 0..1, squared and weighed into one number (Yu Nasu, "Efficiently Updatable
//! Neural-Network-based Evaluation Functions for Computer Shogi", 2018, with the squared clipping
//! that has become customary since).

mod file;
pub mod inputs;

pub use file::{
    BLOCK, HIDDEN_ONE, LARGEST_OUTPUT, Mistake, NetworkError, OUTPUT_ONE, Parameters, WIDEST,
};
