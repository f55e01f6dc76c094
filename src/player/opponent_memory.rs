//! What the imitator has learnt of opponents, by their names, and the file that keeps it.
//!
//! The file is JSON and holds all opponents. It is written under another name and renamed, so it
//! is whole at any moment. One that turns out damaged or of another version is renamed, never
//! overwritten. Others may write to it too: what they have learnt of other opponents is kept.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{BETWEEN_PLAYERS, Elo, Hypotheses};
use crate::files::{Draft, beside, give_way, read_regular};
use crate::math::exact::{exp, ln};
use crate::math::grid::{GridError, Posterior};

/// What is believed of an opponent without a rating: hardly more than that the scale holds him.
const BROAD_PRIOR: (f64, f64) = (1600.0, 600.0);
/// How far a rating that a GUI gives is off, as a standard deviation, in so many of a hundred cases; in the
/// rest of them it says nothing. With these the intervals of people who are told 500 points too much hold
/// their rating (`tuning/calibration`).
const RATING_ERRORS: [(f64, f64); 2] = [(0.6, 150.0), (0.2, 500.0)];

const FORMAT: &str = "Stopdown's opponents";
/// 1 had ratings by another table, 2 believed in players of the log-scaled power law.
const VERSION: u32 = 3;
/// Bytes of a file that serves. An opponent takes some kilobytes.
const LARGEST_FILE: u64 = 64 << 20;
/// No rating is believed less than this: a probability of zero would never come back.
const LEAST_LN: f64 = -690.0;

/// What is known of an opponent before a game.
#[derive(Clone, Debug, PartialEq)]
pub struct OpponentPrior {
    pub belief: Posterior,
    /// Moves that told something.
    pub informative: usize,
    /// The choices that it rests on, as far back as they are remembered.
    pub choices: Vec<u64>,
}

/// Opponents by name.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// `None`: kept only as long as the program runs.
    path: Option<PathBuf>,
    /// The scale of all beliefs.
    ratings: Vec<f64>,
    priors: BTreeMap<String, OpponentPrior>,
}

/// Why a file does not serve.
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
    opponents: BTreeMap<String, SavedLesson>,
}

/// A lesson as it is written.
#[derive(Clone, Serialize, Deserialize)]
struct SavedLesson {
    /// The logarithm of each rating's probability, in thousandths.
    belief: Vec<i64>,
    informative: usize,
    choices: Vec<u64>,
}

impl OpponentPrior {
    /// What is known beforehand of an opponent, with his rating where it is known.
    pub fn beforehand(hypotheses: &Hypotheses, rating: Option<Elo>) -> OpponentPrior {
        let belief = match rating {
            Some(Elo(told)) => hypotheses.believe_told(told, &RATING_ERRORS),
            None => hypotheses.believe(BROAD_PRIOR.0, BROAD_PRIOR.1),
        };
        OpponentPrior { belief, informative: 0, choices: Vec::new() }
    }

    /// The interval that holds his rating with this probability.
    pub fn interval(&self, probability: f64) -> (f64, f64) {
        self.belief.widened(BETWEEN_PLAYERS).interval(probability)
    }

    fn entry(&self) -> SavedLesson {
        let thousandths = |weight: &f64| (ln(*weight).max(LEAST_LN) * 1000.0).round() as i64;
        let belief = self.belief.weights().iter().map(thousandths).collect();
        SavedLesson { belief, informative: self.informative, choices: self.choices.clone() }
    }
}

impl SavedLesson {
    fn prior(&self, ratings: &[f64]) -> Result<OpponentPrior, GridError> {
        let weights: Vec<f64> = self.belief.iter().map(|&n| exp(n as f64 / 1000.0)).collect();
        let belief = Posterior::new(ratings.to_vec(), &weights)?;
        Ok(OpponentPrior { belief, informative: self.informative, choices: self.choices.clone() })
    }
}

impl Memory {
    /// Opens the file at this path, or begins one there at the first thing to keep; without a path
    /// there is none. All beliefs are about these ratings. Whatever is wrong with the file, the
    /// memory can be used.
    pub fn open(path: Option<&Path>, ratings: &[f64]) -> (Memory, Option<MemoryError>) {
        let (path, ratings) = (path.map(Path::to_owned), ratings.to_vec());
        let mut memory = Memory { path, ratings, priors: BTreeMap::new() };
        let complaint = memory.refresh().err();
        (memory, complaint)
    }

    /// The file, as long as there is one that serves.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub fn recall(&self, name: &str) -> Option<&OpponentPrior> {
        self.priors.get(name)
    }

    /// Keeps what is known of an opponent, on the disk if there is a file.
    pub fn keep(&mut self, name: &str, prior: OpponentPrior) -> Result<(), MemoryError> {
        if self.priors.get(name) == Some(&prior) {
            return Ok(());
        }
        let refreshed = self.refresh();
        self.priors.insert(name.to_owned(), prior);
        refreshed.and(self.write())
    }

    /// Takes over what the file says. One that does not serve is set aside; where that cannot be
    /// done either, it is left alone from now on.
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
            Err(why) => match give_way(path, |n| beside(path, &format!("unusable-{n}"))) {
                Ok(aside) => return Err(MemoryError::Unusable { path: path.clone(), why, aside }),
                Err(error) => return Err(self.give_up(error)),
            },
        }
        Ok(())
    }

    /// Whole or not at all. No waiting for the disk itself: this happens after every move.
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
            let mut draft = Draft::new(path)?;
            draft.write_all(&text)?;
            draft.keep()
        });
        written.map_err(|error| self.give_up(error))
    }

    /// From now on only as long as the program runs.
    fn give_up(&mut self, error: io::Error) -> MemoryError {
        MemoryError::Io(self.path.take().unwrap_or_default(), error)
    }
}

/// What a file says, or why it says nothing.
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
    let prior = |(name, entry): (String, SavedLesson)| Ok((name, entry.prior(ratings)?));
    let priors = document.opponents.into_iter().map(prior);
    priors.collect::<Result<_, GridError>>().map_err(|error| damaged(&error))
}
