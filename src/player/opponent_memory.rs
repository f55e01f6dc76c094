//! Remembers opponents of the imitator by name, in a file.
//!
//! The file is JSON and contains all opponents. It is written under a temporary name and renamed,
//! so it is always complete. A damaged file or one of another version is renamed and never
//! overwritten. Other processes may write to the same file: their changes about other opponents are
//! kept.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{BETWEEN_PLAYERS, Elo, Hypotheses};
use crate::files::{PendingFile, beside, move_aside, read_regular};
use crate::math::exact::{exp, ln};
use crate::math::grid::{GridError, Posterior};

/// The prior for an opponent without a rating: a normal distribution with this mean and deviation.
/// It is very wide.
const BROAD_PRIOR: (f64, f64) = (1600.0, 600.0);
/// The errors of ratings that a GUI announces, as shares of a mixture and their standard
/// deviations. In the remaining cases the rating carries no information. With these numbers,
/// intervals still contain the true rating if the announced rating is 500 points too high
/// (`tuning/calibration`).
const RATING_ERRORS: [(f64, f64); 2] = [(0.6, 150.0), (0.2, 500.0)];

const FORMAT: &str = "Stopdown's opponents";
/// Version 1 had ratings by another table. Version 2 had beliefs about players of the log-scaled
/// power law.
const VERSION: u32 = 3;
/// The largest usable file, in bytes. An opponent takes some kilobytes.
const LARGEST_FILE: u64 = 64 << 20;
/// The least log-probability of a rating. A probability of zero could never recover.
const LEAST_LN: f64 = -690.0;

/// The knowledge of an opponent before a game.
#[derive(Clone, Debug, PartialEq)]
pub struct OpponentPrior {
    pub belief: Posterior,
    /// The number of informative moves.
    pub informative: usize,
    /// The most recent choices that the belief is based on.
    pub choices: Vec<u64>,
}

/// Opponents by name.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// `None` if opponents are remembered only until the program ends.
    path: Option<PathBuf>,
    /// The rating scale of all beliefs.
    ratings: Vec<f64>,
    priors: BTreeMap<String, OpponentPrior>,
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    #[error("{}: {}; opponents are remembered only until the program ends", .0.display(), .1)]
    Io(PathBuf, io::Error),
    #[error("{} is no file of remembered opponents and is left as it is; name another with Imitator Memory", .0.display())]
    Foreign(PathBuf),
    #[error("{}: {why}; it is now called {} and a new one is begun", path.display(), aside.display())]
    Unusable { path: PathBuf, why: String, aside: PathBuf },
}

#[derive(Serialize, Deserialize)]
struct Document {
    format: String,
    version: u32,
    program: String,
    ratings: Vec<f64>,
    opponents: BTreeMap<String, SavedPrior>,
}

/// A prior as stored in the file.
#[derive(Clone, Serialize, Deserialize)]
struct SavedPrior {
    /// The log-probability of each rating, in thousandths.
    belief: Vec<i64>,
    informative: usize,
    choices: Vec<u64>,
}

impl OpponentPrior {
    /// The prior for an opponent, with its announced rating if there is one.
    pub fn beforehand(hypotheses: &Hypotheses, rating: Option<Elo>) -> OpponentPrior {
        let belief = match rating {
            Some(Elo(rating)) => hypotheses.belief_from_stated_rating(rating, &RATING_ERRORS),
            None => hypotheses.believe(BROAD_PRIOR.0, BROAD_PRIOR.1),
        };
        OpponentPrior { belief, informative: 0, choices: Vec::new() }
    }

    /// The interval that contains the opponent's rating with this probability.
    pub fn interval(&self, probability: f64) -> (f64, f64) {
        self.belief.widened(BETWEEN_PLAYERS).interval(probability)
    }

    fn entry(&self) -> SavedPrior {
        let thousandths = |weight: &f64| (ln(*weight).max(LEAST_LN) * 1000.0).round() as i64;
        let belief = self.belief.weights().iter().map(thousandths).collect();
        SavedPrior { belief, informative: self.informative, choices: self.choices.clone() }
    }
}

impl SavedPrior {
    fn prior(&self, ratings: &[f64]) -> Result<OpponentPrior, GridError> {
        let weights: Vec<f64> = self.belief.iter().map(|&n| exp(n as f64 / 1000.0)).collect();
        let belief = Posterior::new(ratings.to_vec(), &weights)?;
        Ok(OpponentPrior { belief, informative: self.informative, choices: self.choices.clone() })
    }
}

impl Memory {
    /// Opens the file, which is created when there is something to store. All beliefs are about
    /// these ratings. The memory works even if the file cannot be used, or if there is no path.
    pub fn open(path: Option<&Path>, ratings: &[f64]) -> (Memory, Option<MemoryError>) {
        let (path, ratings) = (path.map(Path::to_owned), ratings.to_vec());
        let mut memory = Memory { path, ratings, priors: BTreeMap::new() };
        let error = memory.refresh().err();
        (memory, error)
    }

    /// The path of the file, as long as it can be used.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub fn recall(&self, name: &str) -> Option<&OpponentPrior> {
        self.priors.get(name)
    }

    /// Stores what is known of an opponent, on disk if there is a file.
    pub fn keep(&mut self, name: &str, prior: OpponentPrior) -> Result<(), MemoryError> {
        if self.priors.get(name) == Some(&prior) {
            return Ok(());
        }
        let refreshed = self.refresh();
        self.priors.insert(name.to_owned(), prior);
        refreshed.and(self.write())
    }

    /// Reads the file again. An unusable file is renamed. If that fails, the file is not used any
    /// more.
    fn refresh(&mut self) -> Result<(), MemoryError> {
        let Some(path) = &self.path else { return Ok(()) };
        let text = match read_regular(path, LARGEST_FILE) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(self.give_up(error)),
        };
        if text.trim_ascii().is_empty() {
            return Ok(());
        }
        if !text.windows(FORMAT.len()).any(|words| words == FORMAT.as_bytes()) {
            return Err(MemoryError::Foreign(self.path.take().unwrap_or_default()));
        }
        match read(&text, &self.ratings) {
            Ok(priors) => self.priors.extend(priors),
            Err(why) => match move_aside(path, |n| beside(path, &format!("unusable-{n}"))) {
                Ok(aside) => return Err(MemoryError::Unusable { path: path.clone(), why, aside }),
                Err(error) => return Err(self.give_up(error)),
            },
        }
        Ok(())
    }

    /// Replaces the file atomically. This runs after every move, so it does not wait for the disk.
    fn write(&mut self) -> Result<(), MemoryError> {
        let Some(path) = &self.path else { return Ok(()) };
        let document = Document {
            format: FORMAT.to_owned(),
            version: VERSION,
            program: concat!("Stopdown ", env!("CARGO_PKG_VERSION")).to_owned(),
            ratings: self.ratings.clone(),
            opponents: self.priors.iter().map(|(name, l)| (name.clone(), l.entry())).collect(),
        };
        let written = serde_json::to_vec(&document).map_err(io::Error::from).and_then(|text| {
            let mut draft = PendingFile::new(path)?;
            draft.write_all(&text)?;
            draft.keep()
        });
        written.map_err(|error| self.give_up(error))
    }

    /// Stops using the file. Opponents are remembered until the program ends.
    fn give_up(&mut self, error: io::Error) -> MemoryError {
        MemoryError::Io(self.path.take().unwrap_or_default(), error)
    }
}

/// Parses a file, or says why it is unusable.
fn read(text: &[u8], ratings: &[f64]) -> Result<BTreeMap<String, OpponentPrior>, String> {
    #[derive(Deserialize)]
    struct MemoryHeader {
        format: String,
        version: u32,
    }
    let damaged = |error: &dyn Display| format!("it is damaged ({error})");
    let header: MemoryHeader = serde_json::from_slice(text).map_err(|error| damaged(&error))?;
    if (&*header.format, header.version) != (FORMAT, VERSION) {
        let MemoryHeader { format, version } = header;
        return Err(format!("it is \"{format}\" of version {version}, not of version {VERSION}"));
    }
    let document: Document = serde_json::from_slice(text).map_err(|error| damaged(&error))?;
    if document.ratings != ratings {
        return Err("its ratings are on another scale".to_owned());
    }
    let prior = |(name, entry): (String, SavedPrior)| Ok((name, entry.prior(ratings)?));
    let priors = document.opponents.into_iter().map(prior);
    priors.collect::<Result<_, GridError>>().map_err(|error| damaged(&error))
}
