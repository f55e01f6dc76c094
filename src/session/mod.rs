//! The application layer for games: what plays them, whatever front end they are played through.
//!
//! Where a GUI owns the game, as in UCI, a [worker](start) has the engine for good and does one job after
//! the other on a thread of its own. Where people play here, in the browser or in the terminal, a
//! [`GameSession`] owns the game, and has a thread for the engines and one that reads the strength of those
//! who play. Neither the UCI loop nor a request of the browser ever waits for an engine. Front ends translate:
//! UCI lines, HTTP requests or typed words to commands, and what comes of them to their own output.

#![cfg_attr(
    not(test),
    deny(clippy::expect_used, clippy::panic, clippy::todo, clippy::unimplemented)
)]

mod adviser;
mod casual_game;
mod count;
mod engine_state;
mod external_engine;
mod game_session;
mod game_state;
mod introduction;
mod opponent;
mod opponents;
mod player_source;
mod spelling;
mod strength_reader;
mod worker;

pub use adviser::Adviser;
pub use casual_game::{CasualGame, Over, SidePlayer};
pub use external_engine::{ExternalIdentity, is_idle, option_in_common};
pub use game_session::GameSession;
pub use game_state::{GameSetup, GameState, RatingPoint};
pub use opponent::{OpponentSpec, fresh_seed};
pub use spelling::{SpellingError, list, read_move};
pub use strength_reader::{FEWEST_MOVES, Thoroughness};
pub use worker::{Event, FinishedSearch, Job, SearchJob, start};
