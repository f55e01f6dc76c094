//! The application layer, which plays games on behalf of a front end.
//!
//! Front ends (`uci`, `web` and `cli::play`) only translate. They turn UCI lines, HTTP requests or
//! typed words into the commands of this module, and turn its results into their own output. This
//! module owns the engines and the threads that they run on, so neither the UCI loop nor an HTTP
//! request ever waits for an engine. Only the [`PositionEvaluator`] runs in a thread of the front
//! end: the web server gives every event stream its own.
//!
//! There are two entry points. Which one a front end uses depends on who owns the game.
//!
//! # The front end owns the game: [`start`]
//!
//! In UCI, the GUI keeps track of the game and sends the whole game before every search. [`start`]
//! spawns one **worker thread**, which owns the engine, the tablebases, the settings in force and
//! the player of the current game. Two channels connect it to the front end:
//!
//! ```text
//!                 Job (settings, search, watch, perft, ...)
//!   front end  ------------------------------------------->  worker thread
//!              <-------------------------------------------
//!                 Event (search lines, remarks, results, Done)
//! ```
//!
//! The worker does one job at a time, in order of arrival, and sends [`Event::Done`] after
//! each. A job that can take a long time carries [`Controls`](crate::search::Controls). The front
//! end keeps a copy and can stop the job at any time.
//!
//! # The session owns the game: [`GameSession`]
//!
//! In the browser and in the terminal, no GUI keeps track of the game. A [`GameSession`] holds
//! the moves, clocks and offers in a [`GameState`], behind a mutex. Two threads work on it:
//!
//! - The **player thread** owns the engines that play, and makes their moves.
//! - The **rating thread** owns separate engines, and estimates the ratings of the people who play,
//!   or of both engines if people only watch.
//!
//! ```text
//!   front end  --- change ---->  +-----------+  <-- task, result -->  player thread
//!              <-- look, wait -  | GameState |
//!                                +-----------+  <-- task, result -->  rating thread
//! ```
//!
//! There are no queues. Each thread asks the state for its next task and stores the result in it.
//! See the file `game_session.rs` for the details.
//!
//! # Files
//!
//! - For the worker: `worker.rs` is the thread, `engine_state.rs` applies settings to the engine, `external_engine.rs`
//!   merges the options of an external engine with ours, `player_source.rs` creates the player of each game,
//!   `announced_opponent.rs` reads what the GUI says about the opponent, `imitator_source.rs` keeps the imitator (the
//!   player that adapts to its opponent) and what it has learnt about each opponent, `exploited_source.rs` keeps track
//!   of the opponent whose errors are exploited, `introduction.rs` describes a player in words,
//!   `choice_details.rs` with numbers, and `perft.rs` runs perft.
//! - For game sessions: `game_session.rs` has the session that the threads share, `session_work.rs` starts them,
//!   `player_work.rs` and `rating_work.rs` have their work, `game_state.rs` the state and its rules, `game_clocks.rs`
//!   the clocks, `casual_game.rs` the moves and the result, `opponent.rs` an engine as an opponent,
//!   `rating_estimator.rs` the rating estimates, `rating_point.rs` their description, `adviser.rs` hints and draw
//!   offers, `position_evaluator.rs` evaluations of positions on request, and `spelling.rs` reads moves that people
//!   type.

#![cfg_attr(
    not(test),
    deny(clippy::expect_used, clippy::panic, clippy::todo, clippy::unimplemented)
)]

mod adviser;
mod announced_opponent;
mod casual_game;
mod choice_details;
mod engine_state;
mod exploited_source;
mod external_engine;
mod game_clocks;
mod game_session;
mod game_state;
mod imitator_source;
mod introduction;
mod opponent;
mod perft;
mod player_source;
mod player_work;
mod position_evaluator;
mod rating_estimator;
mod rating_point;
mod rating_work;
mod session_work;
mod spelling;
mod tasks;
mod worker;

pub(crate) use casual_game::{CasualGame, Over};
pub use external_engine::ExternalIdentity;
pub(crate) use external_engine::option_in_common;
pub(crate) use game_session::GameSession;
pub(crate) use game_state::{GameSetup, GameState};
pub(crate) use opponent::{OPPONENT_RULES, OpponentSpec, fresh_seed};
pub(crate) use rating_point::RatingPoint;
pub(crate) use session_work::{SessionWork, open_game};
pub(crate) use spelling::{SpellingError, list, read_move};
pub use worker::Event;
pub(crate) use worker::{ExternalOption, Job, JobKind, SearchJob, start};
