//! The human eye: which moves people would look at first.
//!
//! It knows the board, the last moves and who is playing, and nothing of what moves are worth.

mod convolution;
mod file;
mod network;
mod setting;
mod view;

pub use file::EyeError;
pub use network::Eye;
pub use setting::{Pool, Setting};
pub use view::{KINDS, Step, TRAIL, View};
