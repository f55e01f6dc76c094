//! What finds a deposit: everything that its values depend on.

use crate::board::{Game, PackedPosition};
use crate::math::fingerprint;
use crate::value::Depth;

/// What finds a deposit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EvaluationKey {
    pub(super) position: PackedPosition,
    pub(super) history: u64,
    pub(super) evaluator: u64,
    pub(super) depth: Depth,
}

/// Who values moves, and under what conditions: all that the values depend on but the position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvaluatorIdentity {
    /// In words: `Stopdown 0.1.0 with weights 0123456789abcdef, Hash=16`.
    pub identity: String,
    pub fingerprint: u64,
}

impl EvaluatorIdentity {
    pub fn new(identity: String) -> EvaluatorIdentity {
        EvaluatorIdentity { fingerprint: fingerprint(identity.as_bytes()), identity }
    }
}

impl EvaluationKey {
    /// `None` for a position of more than 32 pieces, which is never deposited.
    pub fn new(game: &Game, evaluator: &EvaluatorIdentity, depth: Depth) -> Option<EvaluationKey> {
        let position = game.position().pack()?;
        Some(EvaluationKey {
            position,
            history: history(game),
            evaluator: evaluator.fingerprint,
            depth,
        })
    }

    /// The numbers that find it in the file.
    pub(super) fn parameters(&self) -> impl rusqlite::Params + '_ {
        let (history, evaluator) = (self.history.cast_signed(), self.evaluator.cast_signed());
        (&self.position.0, history, evaluator, self.depth)
    }
}

/// A digest of the earlier positions that could come up again, in whatever order they were.
fn history(game: &Game) -> u64 {
    let mut keys = game.repeatable_keys().to_vec();
    if keys.is_empty() {
        return 0;
    }
    keys.sort_unstable();
    let bytes: Vec<u8> = keys.iter().flat_map(|key| key.to_le_bytes()).collect();
    fingerprint(&bytes)
}
