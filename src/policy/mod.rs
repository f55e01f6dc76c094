//! The human policy: the share of players at a given rating who would play each move, predicted by a neural network.
//!
//! The network sees the board, the last moves, attacks and exchanges, the rating and the kind of game. It does not see
//! the values of the moves.

mod convolution;
mod file;
mod member;
mod network;
mod view;

pub use file::PolicyError;
pub use network::PolicyNetwork;
pub use view::{ATTACK_BITS, EARLIER_MOVES, KINDS, MOVE_CLASSES, RelativeBoard, RelativeMove};

/// A kind of game. Kinds differ in the thinking time and in the rating scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum GameKind {
    /// Over the board at classical time controls, with FIDE ratings.
    #[default]
    Board,
    /// Classical games on Lichess.
    Classical,
    /// Rapid games on Lichess.
    Rapid,
    /// Blitz games on Lichess.
    Blitz,
    /// Bullet games on Lichess.
    Bullet,
}

impl GameKind {
    /// All kinds, from slow to fast.
    pub const ALL: [GameKind; 5] =
        [GameKind::Board, GameKind::Classical, GameKind::Rapid, GameKind::Blitz, GameKind::Bullet];

    const NAMES: [&str; 5] = ["board", "classical", "rapid", "blitz", "bullet"];

    /// The name in options and files.
    pub fn name(self) -> &'static str {
        GameKind::NAMES[self as usize]
    }

    /// Picks the item for this kind. There is one for each kind, in the order of [`GameKind::ALL`].
    pub fn pick<T>(self, [board, classical, rapid, blitz, bullet]: [T; 5]) -> T {
        match self {
            GameKind::Board => board,
            GameKind::Classical => classical,
            GameKind::Rapid => rapid,
            GameKind::Blitz => blitz,
            GameKind::Bullet => bullet,
        }
    }

    /// The usual time on the clock in the middle of such a game, in seconds. `None` if the network was trained on such
    /// games without their clocks.
    fn usual_clock(self) -> Option<f64> {
        match self {
            GameKind::Board | GameKind::Classical | GameKind::Rapid => None,
            GameKind::Blitz => Some(120.0),
            GameKind::Bullet => Some(35.0),
        }
    }

    /// The kind of game with this name. Chess servers use the same names.
    pub fn of_class(name: &str) -> Option<GameKind> {
        let at = GameKind::NAMES.iter().position(|known| name.eq_ignore_ascii_case(known))?;
        Some(GameKind::ALL[at])
    }

    /// The kind of a game on chess.com with this base time and increment, in seconds. There, rapid games start at ten
    /// minutes.
    pub fn of_chesscom_time(base: f64, increment: f64) -> GameKind {
        match GameKind::of_time(base, increment) {
            GameKind::Rapid if base + 40.0 * increment < 600.0 => GameKind::Blitz,
            kind => kind,
        }
    }

    /// The kind of an online game with this base time and increment, in seconds. As on Lichess, a game is assumed to
    /// last 40 moves.
    pub fn of_time(base: f64, increment: f64) -> GameKind {
        match base + 40.0 * increment {
            time if time < 180.0 => GameKind::Bullet,
            time if time < 480.0 => GameKind::Blitz,
            time if time < 1500.0 => GameKind::Rapid,
            _ => GameKind::Classical,
        }
    }
}

/// The players whose moves the policy predicts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolicyConditions {
    /// The rating of the player.
    pub rating: f64,
    /// The kind of game.
    pub pool: GameKind,
}
