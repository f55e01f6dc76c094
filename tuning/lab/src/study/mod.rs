//! The studies of the papers: how much a ply of depth is worth, how alike engines choose their moves,
//! and how hard an endgame is for players who err.

pub mod depth;
pub mod endgame;
pub mod similarity;
