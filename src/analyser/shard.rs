//! The statistics of one shard of a study as a file, and many of them merged into one.
//!
//! ```text
//! stopdown statistics 1
//! {"by":"player","depths":[12], ...}      what the sums depend on, on one line
//! name, sums                              by rising bytes of the names; both with their lengths before
//! ...                                     them, as four bytes, the lowest first
//! 0xffffffff, number of subjects          that a file which breaks off is known by
//! ```
//!
//! Subjects stand in order, so that any number of files are merged in the memory that one subject of each
//! takes. Files of different studies do not fit together and are refused.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, BufRead, ErrorKind, Read as _, Write};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{By, Gain, RatingScale, Statistics, StudyPlan, TurnRules};
use crate::math::fingerprint;
use crate::player::{Profile, Skill};
use crate::policy::PolicyNetwork;
use crate::selector::{Competence, Curve, Selector, human};
use crate::value::Depth;

/// Everything that sums depend on beside the games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudySettings {
    pub program: String,
    /// Who valued the moves, and under what conditions.
    pub judge: String,
    /// Of the policy of people, and of the numbers of their curve.
    pub policy: String,
    pub by: By,
    /// Of players whose names contain one of these; of everybody if there are none.
    pub players: Vec<String>,
    pub rules: TurnRules,
    /// Turns of a game that were valued, where not all were.
    pub sample: Option<usize>,
    pub depths: Vec<Depth>,
    pub curve: String,
    pub scale: String,
    pub departures: Vec<String>,
    pub rating: Option<f64>,
    pub against: Option<String>,
    /// A number of all that this player is made of.
    pub against_is: Option<String>,
    pub gain: Gain,
    pub gains_of_all: bool,
    pub window: usize,
    pub noise: Option<(f64, u64)>,
}

/// Why a file of statistics was refused.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("it is no file of statistics of this version; make it with analyse --statistics")]
    Kind,
    #[error("it breaks off; run its shard again")]
    Short,
    #[error("the sums of \"{0}\" are damaged; run its shard again")]
    Damaged(String),
    #[error("\"{0}\" stands behind a name that comes later; run its shard again")]
    Order(String),
    #[error("its {0} is {1}, and that of the first file is {2}: only sums of one study add up")]
    Other(String, Json, Json),
}

const MARK: &str = "stopdown statistics 1\n";
/// Stands where the length of a name would.
const END: u32 = u32::MAX;
/// No name and no sums are as long as this.
const LONGEST: u32 = 1 << 24;

impl StudySettings {
    pub fn new(
        plan: &StudyPlan,
        judge: &str,
        players: &[String],
        sample: Option<usize>,
    ) -> StudySettings {
        let (network, people) = (PolicyNetwork::built_in_file(), human::FILE.as_bytes());
        let against = plan.against.as_ref();
        StudySettings {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            judge: judge.to_owned(),
            policy: format!("{:016x} {:016x}", fingerprint(network), fingerprint(people)),
            by: plan.by,
            players: players.to_vec(),
            rules: plan.rules.clone(),
            sample,
            depths: plan.depths.clone(),
            curve: plan.family.to_string(),
            scale: plan.scale.name.to_owned(),
            departures: plan.departures.clone(),
            rating: plan.rating,
            against: against.map(|profile| profile.name.clone()),
            against_is: against
                .map(|profile| format!("{:016x}", fingerprint(format!("{profile:?}").as_bytes()))),
            gain: plan.gain,
            gains_of_all: plan.gains_of_all,
            window: plan.window,
            noise: plan.noise,
        }
    }

    /// The plan that reports are made by; `None` where this program has no such curve or scale.
    pub fn plan(&self) -> Option<StudyPlan> {
        // Everything was measured already: of this player only the name is left to be told.
        let nobody = |name: &String| {
            let selector = Selector::new(Curve::levelled(Competence::RANDOM));
            Profile::plain(name, Skill { selector, depth: 1 })
        };
        Some(StudyPlan {
            by: self.by,
            rules: self.rules.clone(),
            depths: Some(self.depths.clone()).filter(|depths| !depths.is_empty())?,
            family: self.curve.parse().ok()?,
            scale: RatingScale::named(&self.scale)?,
            departures: self.departures.clone(),
            rating: self.rating,
            against: self.against.as_ref().map(nobody),
            gain: self.gain,
            gains_of_all: self.gains_of_all,
            window: self.window,
            noise: self.noise,
        })
    }

    /// Do sums made under these and other settings add up?
    pub fn fit(&self, first: &StudySettings) -> Result<(), ShardError> {
        let (own, others) = (as_json(self)?, as_json(first)?);
        let differs = own.into_iter().find(|(name, value)| others.get(name) != Some(value));
        match differs {
            None => Ok(()),
            Some((name, value)) => {
                let other = others.get(&name).cloned().unwrap_or(Json::Null);
                Err(ShardError::Other(name.replace('_', " "), value, other))
            }
        }
    }
}

fn as_json(settings: &StudySettings) -> Result<serde_json::Map<String, Json>, ShardError> {
    match serde_json::to_value(settings) {
        Ok(Json::Object(fields)) => Ok(fields),
        _ => Err(ShardError::Kind),
    }
}

/// Writes a file, subject by subject in the order of their names.
#[derive(Debug)]
pub struct Digest<W> {
    out: W,
    subjects: u64,
}

impl<W: Write> Digest<W> {
    pub fn new(mut out: W, settings: &StudySettings) -> Result<Digest<W>, ShardError> {
        let settings = Json::Object(as_json(settings)?);
        writeln!(out, "{MARK}{settings}")?;
        Ok(Digest { out, subjects: 0 })
    }

    pub fn put(&mut self, name: &str, sums: &[u8]) -> io::Result<()> {
        self.subjects += 1;
        for part in [name.as_bytes(), sums] {
            let length = u32::try_from(part.len()).ok().filter(|&length| length < LONGEST);
            let length = length.ok_or(ErrorKind::FileTooLarge)?;
            self.out.write_all(&length.to_le_bytes())?;
            self.out.write_all(part)?;
        }
        Ok(())
    }

    pub fn finish(mut self) -> io::Result<()> {
        self.out.write_all(&END.to_le_bytes())?;
        self.out.write_all(&self.subjects.to_le_bytes())?;
        self.out.flush()
    }
}

/// Reads a file, subject by subject.
#[derive(Debug)]
pub struct ShardReader<R> {
    input: R,
    pub settings: StudySettings,
    subjects: u64,
    /// The subject that is next, with its sums.
    name: Vec<u8>,
    sums: Vec<u8>,
}

impl<R: BufRead> ShardReader<R> {
    pub fn new(mut input: R) -> Result<ShardReader<R>, ShardError> {
        let mut mark = [0; MARK.len()];
        let read = input.read_exact(&mut mark);
        if read.is_err() || mark != MARK.as_bytes() {
            return Err(ShardError::Kind);
        }
        let mut line = String::new();
        (&mut input).take(u64::from(LONGEST)).read_line(&mut line)?;
        let settings = serde_json::from_str(&line).map_err(|_| ShardError::Kind)?;
        let (name, sums) = (Vec::new(), Vec::new());
        Ok(ShardReader { input, settings, subjects: 0, name, sums })
    }

    /// Goes on to the next subject; says whether there is one.
    fn advance(&mut self) -> Result<bool, ShardError> {
        let length = self.number()?;
        if length == END {
            let mut count = [0; 8];
            self.input.read_exact(&mut count).map_err(short)?;
            let is_whole = u64::from_le_bytes(count) == self.subjects;
            return if is_whole { Ok(false) } else { Err(ShardError::Short) };
        }
        let before = std::mem::take(&mut self.name);
        self.name = self.bytes(length, Vec::new())?;
        let (length, room) = (self.number()?, std::mem::take(&mut self.sums));
        self.sums = self.bytes(length, room)?;
        self.subjects += 1;
        if self.subjects > 1 && self.name <= before {
            return Err(ShardError::Order(self.called()));
        }
        Ok(true)
    }

    fn number(&mut self) -> Result<u32, ShardError> {
        let mut bytes = [0; 4];
        self.input.read_exact(&mut bytes).map_err(short)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn bytes(&mut self, length: u32, mut room: Vec<u8>) -> Result<Vec<u8>, ShardError> {
        if length >= LONGEST {
            return Err(ShardError::Short);
        }
        room.resize(length as usize, 0);
        self.input.read_exact(&mut room).map_err(short)?;
        Ok(room)
    }

    fn called(&self) -> String {
        String::from_utf8_lossy(&self.name).into_owned()
    }
}

fn short(error: io::Error) -> ShardError {
    if error.kind() == ErrorKind::UnexpectedEof { ShardError::Short } else { ShardError::Io(error) }
}

/// Merges files, each with what to call it, and hands over every subject once, in order: the name and
/// the sums of all. The first error ends it and names its file.
pub fn merge<R: BufRead, E>(
    mut files: Vec<(String, ShardReader<R>)>,
    failed: impl Fn(&str, ShardError) -> E,
    mut take: impl FnMut(&str, &Statistics) -> Result<(), E>,
) -> Result<(), E> {
    let mut next = BinaryHeap::new();
    for (place, (file, reader)) in files.iter_mut().enumerate() {
        if reader.advance().map_err(|error| failed(file, error))? {
            next.push(Reverse((reader.name.clone(), place)));
        }
    }
    while let Some(Reverse((name, first))) = next.pop() {
        let mut statistics = Statistics::default();
        let mut place = first;
        loop {
            let (file, reader) = &mut files[place];
            let damaged = || ShardError::Damaged(String::from_utf8_lossy(&name).into_owned());
            let added = statistics.add_written(&reader.sums).ok_or_else(damaged);
            added.map_err(|error| failed(file, error))?;
            if reader.advance().map_err(|error| failed(file, error))? {
                next.push(Reverse((reader.name.clone(), place)));
            }
            match next.peek() {
                Some(Reverse((other, _))) if *other == name => {}
                _ => break,
            }
            if let Some(Reverse((_, another))) = next.pop() {
                place = another;
            }
        }
        take(&String::from_utf8_lossy(&name), &statistics)?;
    }
    Ok(())
}
