//! Training on self-play and human games.
//!
//! [`selfplay`] makes [`positions`] with results, and [`surroundings`] makes more positions around
//! them. [`network`] trains a network on both. [`winning`] fits win probabilities to the network's
//! scores, and [`search_params`] tunes the search parameters to the network. [`choices`] holds
//! human choices, with evaluations of all legal moves, and [`styles`] learns playing styles.

pub mod choices;
pub mod network;
pub mod positions;
pub mod search_params;
pub mod selfplay;
pub mod styles;
pub mod surroundings;
pub mod winning;

use std::fmt;
use std::path::{Path, PathBuf};

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use stopdown::eval::{Evaluator, Network};
use stopdown::files::{beside, move_aside, write_whole};
use stopdown::value::Depth;

/// One game in `HELD_OUT` is held out. Positions from the same game are too similar to be used for
/// both training and testing.
const HELD_OUT: usize = 20;

/// An error in training or tuning.
#[derive(Debug, thiserror::Error)]
pub enum TuningError {
    #[error("cannot {action} {path}: {error}")]
    File { action: &'static str, path: PathBuf, error: std::io::Error },
    #[error("{0} has no usable positions; make some with `stopdown-lab tune data`")]
    NoPositions(PathBuf),
    #[error(
        "too few games ({0}): one in {HELD_OUT} is held out, so at least {HELD_OUT} are needed"
    )]
    TooFewGames(usize),
    #[error(
        "{0} does not have choices; make them with `stopdown-lab tune choices`, without --compact"
    )]
    NotChoices(PathBuf),
    #[error("{0} is being written by another run; wait for it, or choose another file")]
    InUse(PathBuf),
    #[error("{0} has no positions from this version of the program; choose another file")]
    NotPositions(PathBuf),
    #[error(
        "{0} does not have evaluations of these choices at depths up to {1}; choose another file, or remove this one"
    )]
    OtherValues(PathBuf, Depth),
    #[error(
        "{path} has evaluations by {found}; choose another file for those by {wanted}, or remove this one"
    )]
    OtherEvaluator { path: PathBuf, found: String, wanted: String },
    #[error("{0} has no room for its origin ({1}); give the other files shorter paths")]
    LongMaker(PathBuf, String),
    #[error("cannot start a thread ({0}); close other programs, and try again")]
    NoThread(std::io::Error),
    #[error("{path} has games from {found}; choose another file for those from {wanted}")]
    OtherMaker { path: PathBuf, found: String, wanted: String },
}

impl TuningError {
    fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |error| TuningError::File { action, path, error }
    }
}

/// Describes how data was made with a network. The text must contain everything on which the data
/// depends.
fn maker(network: &Network, how: fmt::Arguments) -> String {
    let (version, weights) = (env!("CARGO_PKG_VERSION"), network.fingerprint());
    format!("Stopdown {version} with weights {weights:016x}, {how}")
}

/// The random stream for a game, a pair of games or an epoch. It is independent of all others.
fn random_stream(seed: u64, number: u64) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(number);
    random
}

/// Writes a file atomically.
fn write(path: &Path, bytes: &[u8]) -> Result<(), TuningError> {
    write_whole(path, bytes).map_err(TuningError::file("write", path))
}

/// Renames a file that is in the way, if there is one.
fn set_aside(path: &Path) -> Result<Option<PathBuf>, TuningError> {
    if !path.exists() {
        return Ok(None);
    }
    let aside = move_aside(path, |number| beside(path, &number.to_string()));
    aside.map(Some).map_err(TuningError::file("set aside", path))
}
