//! The cache key of an evaluation.

use crate::board::{Game, PackedPosition};
use crate::math::fingerprint;
use crate::value::Depth;

/// The key of a cached evaluation: everything that its values depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EvaluationKey {
    pub(super) position: PackedPosition,
    /// A hash of the earlier positions that could recur.
    pub(super) history: u64,
    /// The fingerprint of the [`EvaluatorIdentity`].
    pub(super) evaluator: u64,
    /// The requested depth.
    pub(super) depth: Depth,
}

/// An engine and its settings: everything that values depend on, apart from the position and the
/// depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvaluatorIdentity {
    /// A description, such as `Stopdown 0.2.0 with weights 0123456789abcdef, Hash=16`.
    pub(crate) identity: String,
    /// A hash of `identity`.
    pub(crate) fingerprint: u64,
}

impl EvaluatorIdentity {
    /// Creates an identity from its description.
    pub fn new(identity: String) -> EvaluatorIdentity {
        EvaluatorIdentity { fingerprint: fingerprint(identity.as_bytes()), identity }
    }
}

impl EvaluationKey {
    /// Returns `None` for a position with more than 32 pieces, which cannot be packed.
    pub fn new(game: &Game, evaluator: &EvaluatorIdentity, depth: Depth) -> Option<EvaluationKey> {
        let position = PackedPosition::of(game.position())?;
        Some(EvaluationKey {
            position,
            history: history_hash(game),
            evaluator: evaluator.fingerprint,
            depth,
        })
    }

    /// The key as parameters for an SQL statement.
    #[cfg(feature = "program")]
    pub(super) fn parameters(&self) -> impl rusqlite::Params + '_ {
        let (history, evaluator) = (self.history.cast_signed(), self.evaluator.cast_signed());
        (&self.position.0, history, evaluator, self.depth)
    }
}

/// A hash of the earlier positions that could recur. It does not depend on their order.
fn history_hash(game: &Game) -> u64 {
    let mut keys = game.repeatable_keys().to_vec();
    if keys.is_empty() {
        return 0;
    }
    keys.sort_unstable();
    let bytes: Vec<u8> = keys.iter().flat_map(|key| key.to_le_bytes()).collect();
    fingerprint(&bytes)
}
