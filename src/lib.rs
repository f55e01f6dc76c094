//! Stopdown evaluates every legal move in a chess position and chooses among them like a player of
//! a given strength. In reverse, the same model rates players by their moves.
//!
//! Evaluate a position:
//!
//! ```
//! use stopdown::{api, board::Game, player::Engine};
//!
//! let mut engine = Engine::built_in(16); // MiB of hash
//! let game = Game::from_uci(None, ["e2e4", "e7e5", "d1h5", "e8e7"], false)?;
//! let evaluation = api::evaluate(&mut engine, &game, 4);
//! let best = evaluation.best().expect("there are legal moves");
//! assert_eq!(game.position().san(best.mv), "Qxe5#");
//! assert_eq!(evaluation.moves.len(), game.position().legal_moves().len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Ask what players rated 1500 would play:
//!
//! ```
//! use stopdown::{api, board::Game, player::{Elo, EloScale, Engine}};
//!
//! let mut engine = Engine::built_in(16);
//! let game = Game::default();
//! // Levels are calibrated for 12 plies, which takes longer.
//! let moves = api::human_moves(&mut engine, &game, Elo(1500.0), EloScale::Fide, 4)?;
//! let (mv, share) = moves[0];
//! println!("{} is played by {:.0}%", game.position().san(mv), 100.0 * share);
//! assert!(share > 0.2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Play against a level:
//!
//! ```
//! use stopdown::{api, board::Game, player::{Elo, EloScale}};
//!
//! let mut opponent = api::Opponent::new(Elo(1500.0), EloScale::Fide, 1)?;
//! let mut game = Game::from_uci(None, ["e2e4"], false)?;
//! let reply = opponent.choose(&game).expect("the game is not over");
//! game.play(reply);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Rate the players of a PGN file:
//!
//! ```
//! use stopdown::{api, player::EloScale};
//!
//! let pgn = "[White \"Ann\"]\n[Black \"Bob\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6 6. O-O O-O\n\
//!            7. Re1 a6 8. Bb3 Ba7 9. h3 h6 10. Nbd2 Re8 11. Nf1 Be6 12. Bxe6 Rxe6 13. Ng3 d5 14. exd5 Qxd5 *\n";
//! // Ratings are calibrated for 12 plies, and mean little with fewer than 20 moves.
//! let players = api::rate(pgn.as_bytes(), EloScale::Fide, 2)?;
//! for player in &players {
//!     println!("{}: {:.0} from {} moves", player.name, player.rating, player.moves);
//! }
//! assert_eq!(players.len(), 2);
//! # Ok::<(), stopdown::review::GamesError>(())
//! ```
//!
//! Depend on the library without the program:
//!
//! ```toml
//! [dependencies]
//! stopdown = { path = "../stopdown", default-features = false, features = ["page", "human"] }
//!
//! [profile.dev.package.stopdown]
//! opt-level = 2 # without optimisation, the search is very slow
//! ```
//!
//! Start with [`api`]. Much of the rest is public only for the program's laboratory, which is a package of its own.
//!
//! The modules are layers: each uses only those above it in this list, and a test enforces this. Without the features
//! `page` and `program`, the library contains only the layers up to the players. The feature `page` adds everything
//! except the command line, UCI and the web server, and also compiles for WebAssembly. The feature `program` adds these
//! too. The feature `human` adds the policy networks, without which levels and ratings are different and less accurate.

#![deny(missing_docs)]
// Without the program, some parts of the core are not used.
#![cfg_attr(not(feature = "program"), allow(dead_code, unused_imports, unused_macros))]

pub mod simd;

pub mod clock;

pub mod files;
mod free_memory;
mod fresh;
pub mod math;
mod suggest;
pub mod threads;
mod words;

pub mod board;
pub mod value;
pub mod weights_file;

pub mod evaluation;

pub mod eval;
pub mod policy;

pub mod endgame;

pub mod search;

pub mod external;

pub mod selector;

pub mod player;

#[cfg(feature = "page")]
pub mod config;
#[cfg(feature = "page")]
pub mod games;

#[cfg(feature = "page")]
pub mod analyser;
#[cfg(feature = "page")]
pub mod arena;

#[cfg(feature = "page")]
pub mod review;
#[cfg(feature = "page")]
pub(crate) mod session;

#[cfg(feature = "page")]
pub mod api;
#[cfg(feature = "page")]
pub mod report;

#[cfg(feature = "program")]
pub mod cli;
#[cfg(feature = "program")]
pub mod uci;
#[cfg(feature = "page")]
pub mod web;
