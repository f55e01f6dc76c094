//! The human policy: the share of players of a rating who would play each move, from a neural network.
//!
//! The network sees the board, the last moves, the rating and the kind of game. It knows nothing of the values of moves.

mod convolution;
mod file;
mod network;
mod view;

pub use file::PolicyError;
pub use network::PolicyNetwork;
pub use view::{KINDS, MoveView, PolicyView, TRAIL};

/// A kind of game. Kinds differ in thinking time and in their rating scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Pool {
    /// Over the board at classical time controls, with FIDE ratings.
    #[default]
    Board,
    Classical,
    Rapid,
    Blitz,
    Bullet,
}

impl Pool {
    pub const ALL: [Pool; 5] =
        [Pool::Board, Pool::Classical, Pool::Rapid, Pool::Blitz, Pool::Bullet];

    const NAMES: [&str; 5] = ["board", "classical", "rapid", "blitz", "bullet"];

    pub fn name(self) -> &'static str {
        Pool::NAMES[self as usize]
    }

    /// The time on the clock in the middle of such a game, in seconds, if the network saw clocks of such games.
    fn usual_clock(self) -> Option<f64> {
        match self {
            Pool::Board | Pool::Classical | Pool::Rapid => None,
            Pool::Blitz => Some(120.0),
            Pool::Bullet => Some(35.0),
        }
    }

    /// The kind of game with this name, as chess servers use it.
    pub fn of_class(name: &str) -> Option<Pool> {
        let at = Pool::NAMES.iter().position(|known| name.eq_ignore_ascii_case(known))?;
        Some(Pool::ALL[at])
    }

    /// The kind of a game on a server with this base time and increment, in seconds. As on lichess, the increment counts
    /// for forty moves.
    pub fn of_time(base: f64, increment: f64) -> Pool {
        match base + 40.0 * increment {
            time if time < 180.0 => Pool::Bullet,
            time if time < 480.0 => Pool::Blitz,
            time if time < 1500.0 => Pool::Rapid,
            _ => Pool::Classical,
        }
    }
}

/// The players whose policy is wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    pub rating: f64,
    pub pool: Pool,
}
