//! What the built-in weights are told by, so that a table made with others is known for stale.

use super::Engine;
use super::levels::Made;
use crate::math::fingerprint::fingerprint;
use crate::policy::PolicyNetwork;
use crate::search::SIGNATURE;
use crate::selector::human;

impl Made {
    /// Made by this program, by what decides how players of levels play: the search, of which the
    /// signature tells, and all weights.
    pub fn here(command: String, games: usize) -> Made {
        let weights = Engine::built_in(1).fingerprint();
        let engine = format!("weights {weights:016x}, bench {}", SIGNATURE.trim());
        let files = [PolicyNetwork::built_in_file(), human::FILE.as_bytes()];
        let human = format!("{:016x}", fingerprint(&files.concat()));
        Made { engine, human, command, games }
    }

    /// Whose games these are: those of others tell nothing of these players.
    pub fn players(&self) -> String {
        format!("{}, people by {}", self.engine, self.human)
    }
}
