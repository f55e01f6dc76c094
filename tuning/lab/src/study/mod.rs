//! Experiments from papers: the value of a ply of search depth, how similarly engines choose their
//! moves, and how difficult endgames are for fallible players.

pub mod depth;
pub mod endgame;
pub mod puzzles;
pub mod score_fit;
pub mod similarity;
