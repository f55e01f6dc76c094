//! Remembers opponents of the imitator by name, in a file.
//!
//! The file is JSON and contains all opponents. It is written under a temporary name and renamed, so it is always
//! complete. A file that is corrupt or comes from another version is renamed and never overwritten.
//!
//! Other processes may write to the same file. A lock on a companion file makes sure that they read
//! and replace it one at a time, so no update is lost. If two processes learn about the same
//! opponent, the file gets the evidence from both.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::File;
use std::io;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{BETWEEN_PLAYERS, Elo, Hypotheses};
use crate::files::{PendingFile, beside, lock_within, move_aside, read_regular};
use crate::math::exact::{exp, ln};
use crate::math::grid::{GridError, Posterior};

/// The mean and the standard deviation of the normal prior for an opponent without a rating. It is
/// very wide.
const BROAD_PRIOR: (f64, f64) = (1600.0, 600.0);
/// The errors of ratings that a GUI announces. Each pair is a share of all cases and the standard deviation of the
/// error in those cases. In the remaining cases, the rating carries no information. With these numbers, intervals still
/// contain the true rating if the announced rating is 500 points too high (`tuning/calibration`).
const RATING_ERRORS: [(f64, f64); 2] = [(0.6, 150.0), (0.2, 500.0)];

const FORMAT: &str = "Stopdown's opponents";
/// The version of the file format. Version 1 had ratings from another table of levels. Version 2 had beliefs about
/// players with the curve `levelled`.
const VERSION: u32 = 3;
/// The maximum size of a usable file, in bytes. An opponent takes a few kilobytes.
const MAX_FILE_SIZE: u64 = 64 << 20;
/// The minimum log-probability of a rating. A probability of zero would stay zero forever.
const MIN_LN_PROBABILITY: f64 = -690.0;

/// The time to wait while other processes have the file locked. They need a few milliseconds. If
/// the wait times out, the next update saves this one too.
const LOCK_TIMEOUT: Duration = Duration::from_millis(250);
/// The same for the last update, before the program ends.
const LAST_LOCK_TIMEOUT: Duration = Duration::from_millis(750);
/// The standard deviation, in Elo, of the strength in play of players whose moves suggest the same rating.
const STRENGTH_DEVIATION: f64 = 150.0;
/// The number of recent choices that a prior keeps.
const REMEMBERED: usize = 200;

/// The knowledge about an opponent, for example before a game.
#[derive(Clone, Debug, PartialEq)]
pub struct OpponentKnowledge {
    /// The belief about the opponent's rating, from moves alone.
    pub belief: Posterior,
    /// For each rating, the log-likelihood of how earlier games against us went. Empty if there were none.
    pub courses: Vec<f64>,
    /// The number of informative moves.
    pub informative: usize,
    /// The most recent choices that the belief is based on. A choice that was repeated counts as recent.
    pub choices: Vec<u64>,
}

/// Opponents by name.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// `None` if opponents are remembered only until the program ends.
    path: Option<PathBuf>,
    /// The ratings over which all beliefs are distributed.
    ratings: Vec<f64>,
    /// All opponents, as last read or written.
    opponents: BTreeMap<String, Remembered>,
    /// The opponents that this process has learnt about.
    learnt: BTreeMap<String, Learnt>,
    /// Whether the program is about to end, so that this is the last chance to save an estimate.
    is_closing: bool,
}

/// An opponent in the file.
#[derive(Clone, Debug)]
struct Remembered {
    prior: OpponentKnowledge,
    saved: SavedPrior,
}

/// What this process knows about an opponent.
#[derive(Clone, Debug)]
struct Learnt {
    prior: OpponentKnowledge,
    /// The part of `prior` that has been stored.
    stored: OpponentKnowledge,
    /// The opponent's entry in the file when that part was stored. `None` if there was none.
    saved: Option<SavedPrior>,
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The file cannot be read or written. Contains its path and the cause.
    #[error("{}: {}; opponents are remembered only until the program ends", .0.display(), .1)]
    Io(PathBuf, io::Error),
    /// The file has another format. Contains its path.
    #[error("{} is not a file of remembered opponents and was not changed; set Imitator Memory to another file", .0.display())]
    Foreign(PathBuf),
    /// Another process keeps the file locked. Contains its path and the cause.
    #[error("{}: {}; the estimate will be saved after the next move", .0.display(), .1)]
    Locked(PathBuf, io::Error),
    /// Another process keeps the file locked when the program ends. Contains its path and the cause.
    #[error("{}: {}; the estimate of this game was not saved", .0.display(), .1)]
    NotSaved(PathBuf, io::Error),
    /// The file is corrupt or comes from another version, and was renamed.
    #[error("{}: {why}; it was renamed to {}, and a new file is used", path.display(), aside.display())]
    Unusable {
        /// The path of the file.
        path: PathBuf,
        /// The cause.
        why: String,
        /// The new path of the file.
        aside: PathBuf,
    },
}

#[derive(Serialize, Deserialize)]
struct Document {
    format: String,
    version: u32,
    program: String,
    ratings: Vec<f64>,
    opponents: BTreeMap<String, SavedPrior>,
}

/// A prior as stored in a file. Its numbers are integers, so that reading a prior back returns exactly what was
/// written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedPrior {
    /// The log-probability of each rating, in thousandths.
    belief: Vec<i64>,
    /// For each rating, the log-likelihood of how earlier games against us went, in thousandths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    courses: Vec<i64>,
    informative: usize,
    choices: Vec<u64>,
}

impl OpponentKnowledge {
    /// The knowledge about a new opponent, with their announced rating if there is one.
    pub fn new(hypotheses: &Hypotheses, rating: Option<Elo>) -> OpponentKnowledge {
        let belief = match rating {
            Some(Elo(rating)) => hypotheses.belief_from_stated_rating(rating, &RATING_ERRORS),
            None => hypotheses.believe(BROAD_PRIOR.0, BROAD_PRIOR.1),
        };
        OpponentKnowledge { belief, courses: Vec::new(), informative: 0, choices: Vec::new() }
    }

    /// The interval that contains the opponent's rating with this probability.
    pub fn interval(&self, probability: f64) -> (f64, f64) {
        self.belief.widened(BETWEEN_PLAYERS).interval(probability)
    }

    /// The belief about the opponent's strength in play. Moves predict it only roughly, so in the long run the course
    /// of the games counts more.
    pub(crate) fn strength(&self) -> Posterior {
        let mut strength = self.belief.widened(STRENGTH_DEVIATION);
        if !self.courses.is_empty() {
            strength.update(&self.courses);
        }
        strength
    }

    /// Adds what `later` has learnt since `earlier` to this belief.
    fn with_progress(
        &self,
        earlier: &OpponentKnowledge,
        later: &OpponentKnowledge,
    ) -> OpponentKnowledge {
        let logarithms = |prior: &OpponentKnowledge| -> Vec<f64> {
            prior
                .belief
                .weights()
                .iter()
                .map(|&weight| ln(weight).max(MIN_LN_PROBABILITY))
                .collect()
        };
        let (before, after) = (logarithms(earlier), logarithms(later));
        let evidence: Vec<f64> = after.iter().zip(&before).map(|(new, old)| new - old).collect();
        let mut belief = self.belief.clone();
        belief.update(&evidence);
        // Choices that were not repeated come first, in the same order as before.
        let mut old = earlier.choices.iter();
        let is_old = |choice: &&u64| old.any(|known| known == *choice);
        let latest: Vec<u64> = later.choices.iter().skip_while(is_old).copied().collect();
        let choices = with_latest(&self.choices, &latest);
        let progress = later.informative.saturating_sub(earlier.informative);
        let gained = combined(&later.courses, &earlier.courses, |later, earlier| later - earlier);
        let courses = combined(&self.courses, &gained, |known, gained| known + gained);
        OpponentKnowledge { belief, courses, informative: self.informative + progress, choices }
    }

    /// The prior as stored in a file.
    pub(crate) fn entry(&self) -> SavedPrior {
        let thousandths =
            |weight: &f64| (ln(*weight).max(MIN_LN_PROBABILITY) * 1000.0).round() as i64;
        let belief = self.belief.weights().iter().map(thousandths).collect();
        let courses = self.courses.iter().map(|ln| (ln * 1000.0).round() as i64).collect();
        SavedPrior { belief, courses, informative: self.informative, choices: self.choices.clone() }
    }
}

/// Adds the latest choices to the others and keeps the most recent ones. A choice that was repeated moves to the end.
pub(super) fn with_latest(choices: &[u64], latest: &[u64]) -> Vec<u64> {
    let earlier = choices.iter().filter(|choice| !latest.contains(choice));
    let all: Vec<u64> = earlier.chain(latest).copied().collect();
    all[all.len().saturating_sub(REMEMBERED)..].to_vec()
}

/// Combines two lists of log-likelihoods. An empty list counts as zeros.
pub(super) fn combined(one: &[f64], other: &[f64], f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let at = |list: &[f64], index| list.get(index).copied().unwrap_or(0.0);
    (0..one.len().max(other.len())).map(|index| f(at(one, index), at(other, index))).collect()
}

impl SavedPrior {
    /// The stored prior. Its belief must be a distribution over these ratings.
    pub(crate) fn prior(&self, ratings: &[f64]) -> Result<OpponentKnowledge, GridError> {
        let weights: Vec<f64> = self.belief.iter().map(|&n| exp(n as f64 / 1000.0)).collect();
        let belief = Posterior::new(ratings.to_vec(), &weights)?;
        let courses = self.courses.iter().map(|&n| n as f64 / 1000.0);
        let courses =
            if self.courses.len() == ratings.len() { courses.collect() } else { Vec::new() };
        let (informative, choices) = (self.informative, self.choices.clone());
        Ok(OpponentKnowledge { belief, courses, informative, choices })
    }
}

impl Memory {
    /// Opens the file. A new file is created when there is something to store. All beliefs are distributions over these
    /// ratings. If there is no path or the file cannot be used, the memory lasts until the program ends.
    pub fn open(path: Option<&Path>, ratings: &[f64]) -> (Memory, Option<MemoryError>) {
        let (path, ratings) = (path.map(Path::to_owned), ratings.to_vec());
        let mut memory = Memory { path, ratings, ..Memory::default() };
        let error = memory.refresh(None).err();
        (memory, error)
    }

    /// The path of the file, as long as it can be used.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns what is known about an opponent.
    pub fn recall(&self, name: &str) -> Option<&OpponentKnowledge> {
        self.opponents.get(name).map(|remembered| &remembered.prior)
    }

    /// Records that learning about an opponent starts from this prior.
    pub(crate) fn begin(&mut self, name: &str, prior: &OpponentKnowledge) {
        let saved = self.opponents.get(name).map(|remembered| remembered.saved.clone());
        let (prior, stored) = (prior.clone(), prior.clone());
        self.learnt.insert(name.to_owned(), Learnt { prior, stored, saved });
    }

    /// Returns whether storing this would change anything.
    pub(crate) fn has_changed(&self, name: &str, prior: &OpponentKnowledge) -> bool {
        self.learnt.get(name).is_none_or(|learnt| learnt.stored != *prior)
    }

    /// From now on, saving waits longer for other processes, because the program is about to end.
    pub(crate) fn close(&mut self) {
        self.is_closing = true;
    }

    /// Stores what is known about an opponent, on disk if there is a file.
    pub fn keep(&mut self, name: &str, prior: OpponentKnowledge) -> Result<(), MemoryError> {
        if !self.has_changed(name, &prior) {
            return Ok(());
        }
        let (stored, saved) = (prior.clone(), None);
        let learnt = Learnt { prior: prior.clone(), stored, saved };
        self.learnt.entry(name.to_owned()).or_insert(learnt).prior = prior;
        // The lock lasts until the file has been written.
        let lock = self.lock()?;
        let refreshed = self.refresh(lock.as_ref());
        let is_unsaved = |learnt: &Learnt| learnt.stored != learnt.prior;
        let unsaved =
            self.learnt.iter().filter(|(other, learnt)| *other == name || is_unsaved(learnt));
        let unsaved: Vec<String> = unsaved.map(|(name, _)| name.clone()).collect();
        unsaved.iter().for_each(|name| self.merge(name));
        refreshed.and(self.write())
    }

    /// Takes the lock of the file, if there is one. The lock is released when the result is dropped.
    fn lock(&mut self) -> Result<Option<File>, MemoryError> {
        let Some(path) = &self.path else { return Ok(None) };
        let mut options = File::options();
        let opened = options.create(true).truncate(false).write(true).open(beside(path, "lock"));
        let timeout = if self.is_closing { LAST_LOCK_TIMEOUT } else { LOCK_TIMEOUT };
        match opened.and_then(|file| lock_within(&file, timeout).map(|()| file)) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(match self.is_closing {
                true => MemoryError::NotSaved(path.clone(), error),
                false => MemoryError::Locked(path.clone(), error),
            }),
            Err(error) => Err(self.give_up(error)),
        }
    }

    /// Adds what was learnt about an opponent to the contents of the file. If another process has changed the
    /// opponent's entry, only what was learnt since the last save is added.
    fn merge(&mut self, name: &str) {
        let Some(learnt) = self.learnt.get_mut(name) else { return };
        let prior = match self.opponents.get(name) {
            Some(known) if learnt.saved.as_ref() != Some(&known.saved) => {
                known.prior.with_progress(&learnt.stored, &learnt.prior)
            }
            _ => learnt.prior.clone(),
        };
        let saved = prior.entry();
        learnt.stored = learnt.prior.clone();
        learnt.saved = Some(saved.clone());
        self.opponents.insert(name.to_owned(), Remembered { prior, saved });
    }

    /// Reads the file again. An unusable file is renamed, which needs the lock, because another
    /// process may just have replaced the file. If renaming fails, the file is not used any more.
    fn refresh(&mut self, lock: Option<&File>) -> Result<(), MemoryError> {
        let Some(path) = &self.path else { return Ok(()) };
        let text = match read_regular(path, MAX_FILE_SIZE) {
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
            Ok(opponents) => self.opponents.extend(opponents),
            Err(_) if lock.is_none() => {
                let lock = self.lock()?;
                return self.refresh(lock.as_ref());
            }
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
        let entry = |(name, known): (&String, &Remembered)| (name.clone(), known.saved.clone());
        let document = Document {
            format: FORMAT.to_owned(),
            version: VERSION,
            program: concat!("Stopdown ", env!("CARGO_PKG_VERSION")).to_owned(),
            ratings: self.ratings.clone(),
            opponents: self.opponents.iter().map(entry).collect(),
        };
        let written = serde_json::to_vec(&document).map_err(io::Error::from).and_then(|text| {
            let mut draft = PendingFile::new(path)?;
            draft.write_all(&text)?;
            draft.keep()
        });
        written.map_err(|error| self.give_up(error))
    }

    /// Stops using the file. From now on, opponents are remembered only until the program ends.
    fn give_up(&mut self, error: io::Error) -> MemoryError {
        MemoryError::Io(self.path.take().unwrap_or_default(), error)
    }
}

/// Parses a file, or says why it is unusable.
fn read(text: &[u8], ratings: &[f64]) -> Result<BTreeMap<String, Remembered>, String> {
    #[derive(Deserialize)]
    struct MemoryHeader {
        format: String,
        version: u32,
    }
    let damaged = |error: &dyn Display| format!("it is corrupt ({error})");
    let header: MemoryHeader = serde_json::from_slice(text).map_err(|error| damaged(&error))?;
    if (&*header.format, header.version) != (FORMAT, VERSION) {
        let MemoryHeader { format, version } = header;
        return Err(format!(
            "it has version {version} of \"{format}\" instead of version {VERSION}"
        ));
    }
    let document: Document = serde_json::from_slice(text).map_err(|error| damaged(&error))?;
    if document.ratings != ratings {
        return Err("its ratings are on another scale".to_owned());
    }
    let remembered = |(name, saved): (String, SavedPrior)| {
        let prior = saved.prior(ratings)?;
        Ok((name, Remembered { prior, saved }))
    };
    let opponents = document.opponents.into_iter().map(remembered);
    opponents.collect::<Result<_, GridError>>().map_err(|error| damaged(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATINGS: [f64; 3] = [1000.0, 1500.0, 2000.0];

    fn stranger() -> OpponentKnowledge {
        let belief = Posterior::uniform(RATINGS.to_vec()).expect("a grid");
        OpponentKnowledge { belief, courses: Vec::new(), informative: 0, choices: Vec::new() }
    }

    /// The prior after a move.
    fn after(prior: &OpponentKnowledge, choice: u64) -> OpponentKnowledge {
        let mut next = prior.clone();
        next.belief.update(&[-0.5, -0.1 * choice as f64, -1.0]);
        next.informative += 1;
        next.choices.push(choice);
        next
    }

    #[test]
    fn processes_that_learn_about_the_same_opponent_keep_the_evidence_of_both() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("opponents.json");
        let mut memories = [1, 2].map(|_| Memory::open(Some(&path), &RATINGS).0);
        let mut priors = [stranger(), stranger()];
        for (memory, prior) in memories.iter_mut().zip(&priors) {
            memory.begin("Anna", prior);
        }
        for choice in 1..=6 {
            let index = choice as usize % 2;
            priors[index] = after(&priors[index], choice);
            memories[index].keep("Anna", priors[index].clone()).expect("there is room");
        }
        let (memory, error) = Memory::open(Some(&path), &RATINGS);
        assert!(error.is_none(), "{error:?}");
        let all = memory.recall("Anna").expect("the opponent is known");
        let expected = (1..=6).fold(stranger(), |prior, choice| after(&prior, choice));
        assert_eq!((all.informative, &all.choices), (6, &expected.choices));
        for (one, other) in all.belief.weights().iter().zip(expected.belief.weights()) {
            assert!((one - other).abs() < 0.01, "{all:?}");
        }
    }

    #[test]
    fn a_choice_that_is_repeated_is_remembered_longer() {
        let many: Vec<u64> = (0..REMEMBERED as u64).collect();
        assert_eq!(with_latest(&many, &[0, 1000])[REMEMBERED - 2..], [0, 1000]);
        assert!(!with_latest(&many, &[0, 1000]).contains(&1));
        // The file has choices that another process has added.
        let of = |choices: &[u64]| OpponentKnowledge { choices: choices.to_vec(), ..stranger() };
        let merged = of(&[1, 2, 3, 9]).with_progress(&of(&[1, 2, 3]), &of(&[2, 3, 1, 4]));
        assert_eq!(merged.choices, [2, 3, 9, 1, 4]);
    }

    #[test]
    fn a_locked_file_is_written_later() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("opponents.json");
        let lock = File::create(beside(&path, "lock")).expect("there is room");
        lock.lock().expect("it is free");
        let (mut memory, _) = Memory::open(Some(&path), &RATINGS);
        memory.begin("Anna", &stranger());
        let prior = after(&stranger(), 1);
        let refused = memory.keep("Anna", prior.clone());
        assert!(matches!(refused, Err(MemoryError::Locked(..))) && !path.exists(), "{refused:?}");
        // There is no next move before the program ends.
        let mut closing = memory.clone();
        closing.close();
        let refused = closing.keep("Anna", prior.clone());
        assert!(matches!(refused, Err(MemoryError::NotSaved(..))), "{refused:?}");
        drop(lock);
        // Saving another opponent saves this one too.
        memory.begin("Bert", &stranger());
        memory.keep("Bert", prior).expect("it is free");
        let (memory, _) = Memory::open(Some(&path), &RATINGS);
        for name in ["Anna", "Bert"] {
            assert_eq!(memory.recall(name).map(|prior| prior.informative), Some(1), "{name}");
        }
    }
}
