//! Finding the weights of the evaluation: games of the engine against itself, and the weights that
//! foretell their results best.
//!
//! This is Texel's method (Peter Österlund, 2014): the evaluation of a quiet position, put through
//! a logistic curve, should be the expected result of the game. [`selfplay`] makes the [`positions`],
//! [`samples`] reads them into the counts of every weight, [`fit`] moves the weights.

pub mod fit;
pub mod positions;
pub mod samples;
pub mod selfplay;

use std::path::PathBuf;

/// What stopped a study of weights.
#[derive(Debug, thiserror::Error)]
pub enum TuningError {
    #[error("cannot {action} {path}: {error}")]
    File { action: &'static str, path: PathBuf, error: std::io::Error },
    #[error("{0} holds no usable position; make some with `stopdown tune data`")]
    NoPositions(PathBuf),
    #[error(
        "{0} holds no positions of this version of the program; name another file, or a text with \
         --convert"
    )]
    NotPositions(PathBuf),
    #[error("{path} holds games of {found}; name another file for those of {wanted}")]
    OtherMaker { path: PathBuf, found: String, wanted: String },
}

impl TuningError {
    fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |error| TuningError::File { action, path, error }
    }
}
