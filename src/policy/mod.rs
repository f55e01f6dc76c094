//! The human policy: which moves people of a rating would choose, as a network has learnt it.
//!
//! It knows the board, the last moves and who is playing, and nothing of what moves are worth.

mod convolution;
mod file;
mod network;
mod setting;
mod view;

pub use file::PolicyError;
pub use network::PolicyNetwork;
pub use setting::{Pool, Setting};
pub use view::{KINDS, MoveView, PolicyView, TRAIL};
