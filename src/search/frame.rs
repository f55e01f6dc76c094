//! What nodes leave for each other, and what comes of it at the root.

use super::histories::PieceTarget;
use crate::board::Move;
use crate::value::Value;

/// What a node leaves on the stack for those above and below it.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub static_evaluation: Option<Value>,
    /// The move being tried, as an index for continuation histories; none for a pass.
    pub piece: Option<PieceTarget>,
    /// The move itself.
    pub tried: Move,
    pub killers: [Move; 2],
    /// Left out while it is being tested whether all others are worse.
    pub excluded: Move,
    /// Beta cuts among the children.
    pub cuts: u32,
    /// The principal variation from here.
    pub line: Vec<Move>,
}

impl Frame {
    pub fn new() -> Frame {
        Frame {
            static_evaluation: None,
            piece: None,
            tried: Move::NONE,
            killers: [Move::NONE; 2],
            excluded: Move::NONE,
            cuts: 0,
            line: Vec::new(),
        }
    }
}

/// A principal variation with its value.
#[derive(Clone, Debug)]
pub(super) struct Variation {
    pub value: Value,
    /// Never empty.
    pub moves: Vec<Move>,
    pub selective_depth: usize,
}
