//! The human policy: which moves people of a rating would choose, as a network has learnt it.
//!
//! It knows the board, the last moves and who is playing, and nothing of what moves are worth.

mod convolution;
mod file;
mod network;
mod view;

pub use file::PolicyError;
pub use network::PolicyNetwork;
pub use view::{KINDS, MoveView, PolicyView, TRAIL};

/// The kinds of games, which differ in time to think and in what a rating means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Pool {
    /// Over the board, at classical time controls; FIDE's ratings.
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

    /// Seconds that are left in the middle of such a game, where that decides how people play.
    fn usual_clock(self) -> Option<f64> {
        match self {
            Pool::Board | Pool::Classical | Pool::Rapid => None,
            Pool::Blitz => Some(120.0),
            Pool::Bullet => Some(35.0),
        }
    }

    /// By the name of a class of time, as servers use them.
    pub fn of_class(name: &str) -> Option<Pool> {
        let at = Pool::NAMES.iter().position(|known| name.eq_ignore_ascii_case(known))?;
        Some(Pool::ALL[at])
    }

    /// Of a game on a server with so many seconds and so many more for each move; the bounds are
    /// those that servers count by, with forty moves to a game.
    pub fn of_time(base: f64, increment: f64) -> Pool {
        match base + 40.0 * increment {
            time if time < 180.0 => Pool::Bullet,
            time if time < 480.0 => Pool::Blitz,
            time if time < 1500.0 => Pool::Rapid,
            _ => Pool::Classical,
        }
    }
}

/// Whose policy it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    pub rating: f64,
    pub pool: Pool,
}
