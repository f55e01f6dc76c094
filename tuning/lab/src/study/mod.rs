//! Experiments: the value of a ply of search depth, the similarity of players' moves, the
//! difficulty of endgames for fallible players, and the puzzles that levels solve.

pub mod depth;
pub mod endgame;
pub mod puzzles;
pub mod score_fit;
pub mod similarity;
