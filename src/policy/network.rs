//! The policy: an ensemble of networks whose predictions are averaged.
//!
//! Networks that learnt from the same games make different errors. The mean of their shares predicts moves better than
//! any one of the networks, and better than a single network as large as all of them together.

#[cfg(feature = "human")]
use once_cell::sync::Lazy;

use super::file::{PolicyError, read};
use super::member::{Inputs, Member};
use super::{PolicyConditions, RelativeBoard, RelativeMove};
use crate::board::Game;
use crate::math::exact::{ln, ln_sum_exp};
use crate::simd::Instructions;

/// How many ratings the networks evaluate together. Larger batches do not fit into a second-level cache of 512 kB.
const BATCH: usize = 5;

/// Networks that were trained on games to predict which moves players choose.
#[derive(Clone, Debug)]
pub struct PolicyNetwork {
    members: Vec<Member>,
    instructions: Instructions,
}

/// The file of the built-in network. This is a static, because a constant would be copied into every codegen unit that
/// uses it.
#[cfg(feature = "human")]
static FILE: &[u8] = include_bytes!("../../tuning/policy.bin");
#[cfg(not(feature = "human"))]
static FILE: &[u8] = &[];

/// The built-in network.
#[cfg(feature = "human")]
static BUILT_IN: Lazy<PolicyNetwork> =
    Lazy::new(|| PolicyNetwork::from_bytes(FILE).expect("a test parses the embedded file"));

impl PolicyNetwork {
    /// The built-in network. `None` if the program was built without one.
    pub fn built_in() -> Option<&'static PolicyNetwork> {
        #[cfg(feature = "human")]
        return Some(&BUILT_IN);
        #[cfg(not(feature = "human"))]
        None
    }

    /// The file of the built-in network, empty if there is none.
    pub fn built_in_file() -> &'static [u8] {
        FILE
    }

    /// Reads the network from the contents of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<PolicyNetwork, PolicyError> {
        let members = read(bytes)?.into_iter().map(Member::new).collect();
        Ok(PolicyNetwork { members, instructions: Instructions::best() })
    }

    /// The same network for each instruction set of this processor, the simplest first.
    pub fn with_all_instructions(&self) -> Vec<PolicyNetwork> {
        let sets = Instructions::available().into_iter();
        sets.map(|instructions| PolicyNetwork { instructions, ..self.clone() }).collect()
    }

    /// The logarithm of the share of players who would choose a move, for all legal moves in the order of
    /// [`Position::legal_moves`](crate::board::Position::legal_moves).
    pub fn ln_shares(&self, game: &Game, setting: PolicyConditions) -> Vec<f64> {
        let (view, steps) = (RelativeBoard::of(game), RelativeMove::all(game.position()));
        self.ln_shares_of_view(&view, &steps, &[setting]).swap_remove(0)
    }

    /// Like [`PolicyNetwork::ln_shares`], but for a view, the moves in it, and several kinds of players. Several kinds
    /// take less time together than one after another.
    pub fn ln_shares_of_view(
        &self,
        view: &RelativeBoard,
        steps: &[RelativeMove],
        settings: &[PolicyConditions],
    ) -> Vec<Vec<f64>> {
        settings
            .chunks(BATCH)
            .flat_map(|settings| self.ln_shares_of_batch(view, steps, settings))
            .collect()
    }

    fn ln_shares_of_batch(
        &self,
        view: &RelativeBoard,
        steps: &[RelativeMove],
        settings: &[PolicyConditions],
    ) -> Vec<Vec<f64>> {
        let inputs = Inputs::new(view, settings);
        let of_members = self.members.iter();
        let of_members: Vec<_> =
            of_members.map(|member| member.ln_shares(&inputs, steps, self.instructions)).collect();
        let count = ln(f64::from(self.members.len() as u32));
        let mean = |player: usize, step: usize| {
            let shares: Vec<f64> = of_members.iter().map(|shares| shares[player][step]).collect();
            ln_sum_exp(&shares) - count
        };
        let means = |player| (0..steps.len()).map(|step| mean(player, step)).collect();
        (0..settings.len()).map(means).collect()
    }
}
