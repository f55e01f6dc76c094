//! A file with the summaries of one shard of a study, and the merging of such files.
//!
//! ```text
//! stopdown statistics 7
//! {"parts":[...],"settings":{...}}   the header on one line: the runs with their numbers of games,
//!                                    and the settings
//! name, summary                      one entry for each subject, in ascending byte order of the
//! ...                                names; both fields are preceded by their lengths (four bytes,
//!                                    little-endian); postcard encodes the summary
//! 0xffffffff, number of subjects     the end mark, which reveals a truncated file
//! CRC-32 of everything before        the checksum, which reveals a corrupt file
//! ```
//!
//! Subjects are sorted, so merging any number of files takes memory for only one subject from each.
//! Files from different studies are rejected.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, BufRead, ErrorKind, Read as _, Write};

use flate2::{CrcReader, CrcWriter};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{PartError, PlayerSummary, StudyPart, StudyPlan};
use crate::math::fingerprint;
use crate::policy::PolicyNetwork;
use crate::selector::human;

/// Everything that the sums depend on, apart from the games.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StudySettings {
    /// The version of the program.
    pub program: String,
    /// The evaluator and its settings.
    pub evaluator: String,
    /// Fingerprints of the policy network and of the human model's parameters.
    pub policy: String,
    /// The name filters. If there are none, all players are included.
    pub players: Vec<String>,
    /// The number of decisions evaluated in each game, if it is limited.
    pub sample: Option<usize>,
    /// A fingerprint of the contents of the profile with which players are compared.
    pub against_fingerprint: Option<String>,
    /// The plan of the study.
    #[serde(flatten)]
    pub plan: StudyPlan,
}

/// Why a statistics file was rejected.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is not a statistics file.
    #[error("not a statistics file; make one with analyse --statistics")]
    Kind,
    /// The file has another format. Contains the version of the format.
    #[error(
        "the file has statistics format {0}, but this version reads format {VERSION}; create it again with analyse --statistics"
    )]
    Version(String),
    /// The file ends too early.
    #[error("the file is truncated; create it again with analyse --statistics")]
    Truncated,
    /// The checksum does not match the contents.
    #[error("the file is corrupt; create it again with analyse --statistics")]
    Checksum,
    /// The settings in the file cannot be parsed.
    #[error(
        "the file is corrupt, or from another version ({0}); create it again with analyse --statistics"
    )]
    Header(serde_json::Error),
    /// The summary of a subject cannot be decoded. Contains the name of the subject.
    #[error("the file has corrupt totals for \"{0}\"; create it again with analyse --statistics")]
    Damaged(String),
    /// The names are not in ascending order. Contains the first name that is out of order.
    #[error(
        "the name \"{0}\" is out of order in the file; create it again with analyse --statistics"
    )]
    Order(String),
    /// There is more data after the end mark.
    #[error(
        "there is extra data after the end mark, as if several files had been joined; give each file separately"
    )]
    Trailing,
    /// The parts cannot be merged.
    #[error(transparent)]
    Part(#[from] PartError),
    /// A setting differs between files. Contains its name, and its values in this file and in the
    /// first one.
    #[error(
        "its setting \"{0}\" is {1}, but {2} in the first file; merge only files from the same study"
    )]
    Other(String, Json, Json),
}

/// The start of the first line, followed by the format version.
const SIGNATURE: &str = "stopdown statistics ";
const VERSION: &str = "8";
/// Takes the place of the length of a name at the end of the file.
const END_MARK: u32 = u32::MAX;
/// The lengths of names and summaries must be below this, in bytes.
const MAX_LENGTH: u32 = 1 << 24;

/// The second line of a file.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    parts: Vec<StudyPart>,
    settings: StudySettings,
}

impl StudySettings {
    /// Collects the settings. `players` are the name filters, and `evaluator` is a description.
    pub(crate) fn new(
        plan: &StudyPlan,
        evaluator: &str,
        players: &[String],
        sample: Option<usize>,
    ) -> StudySettings {
        let (network, people) = (PolicyNetwork::built_in_file(), human::FILE.as_bytes());
        let against = plan.against.as_ref();
        StudySettings {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            evaluator: evaluator.to_owned(),
            policy: format!("{:016x} {:016x}", fingerprint(network), fingerprint(people)),
            players: players.to_vec(),
            sample,
            against_fingerprint: against
                .map(|profile| format!("{:016x}", fingerprint(format!("{profile:?}").as_bytes()))),
            plan: plan.clone(),
        }
    }

    /// Checks that sums made with these settings can be added to sums made with the settings of the
    /// first file.
    pub(crate) fn fit(&self, first: &StudySettings) -> Result<(), ShardError> {
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

/// Writes a statistics file, one subject after another, in the order of the subjects' names.
#[derive(Debug)]
pub struct ShardWriter<W: Write> {
    out: CrcWriter<W>,
    subjects: u64,
}

impl<W: Write> ShardWriter<W> {
    pub fn new(
        out: W,
        parts: &[StudyPart],
        settings: &StudySettings,
    ) -> io::Result<ShardWriter<W>> {
        let mut out = CrcWriter::new(out);
        let header = Header { parts: parts.to_vec(), settings: settings.clone() };
        let header = serde_json::to_string(&header)?;
        writeln!(out, "{SIGNATURE}{VERSION}\n{header}")?;
        Ok(ShardWriter { out, subjects: 0 })
    }

    pub fn put(&mut self, name: &str, summary: &PlayerSummary) -> io::Result<()> {
        self.subjects += 1;
        let summary = postcard::to_allocvec(summary).map_err(io::Error::other)?;
        for part in [name.as_bytes(), &summary] {
            let length = u32::try_from(part.len()).ok().filter(|&length| length < MAX_LENGTH);
            let length = length.ok_or(ErrorKind::FileTooLarge)?;
            self.out.write_all(&length.to_le_bytes())?;
            self.out.write_all(part)?;
        }
        Ok(())
    }

    pub fn finish(mut self) -> io::Result<()> {
        self.out.write_all(&END_MARK.to_le_bytes())?;
        self.out.write_all(&self.subjects.to_le_bytes())?;
        let sum = self.out.crc().sum();
        self.out.write_all(&sum.to_le_bytes())?;
        self.out.flush()
    }
}

/// Reads a statistics file, one subject after another.
#[derive(Debug)]
pub struct ShardReader<R> {
    input: CrcReader<R>,
    /// The parts whose sums are in the file.
    pub(crate) parts: Vec<StudyPart>,
    /// The settings with which the sums were made.
    pub settings: StudySettings,
    subjects: u64,
    /// The current subject, with its encoded summary.
    name: String,
    summary: Vec<u8>,
}

impl<R: BufRead> ShardReader<R> {
    /// Reads the header of a file.
    pub fn new(input: R) -> Result<ShardReader<R>, ShardError> {
        let mut input = CrcReader::new(input);
        let version = line(&mut input)?;
        let version = version.strip_prefix(SIGNATURE).ok_or(ShardError::Kind)?;
        if version != VERSION {
            return Err(ShardError::Version(version.escape_debug().take(20).collect()));
        }
        let header = serde_json::from_str(&line(&mut input)?).map_err(ShardError::Header)?;
        let Header { parts, settings } = header;
        if settings.plan.depths.is_empty() {
            return Err(ShardError::Checksum);
        }
        let (name, summary) = (String::new(), Vec::new());
        Ok(ShardReader { input, parts, settings, subjects: 0, name, summary })
    }

    /// Reads the next subject. Returns false at the end, after checking the whole file.
    fn advance(&mut self) -> Result<bool, ShardError> {
        let length = u32::from_le_bytes(self.array()?);
        if length == END_MARK {
            let subjects = u64::from_le_bytes(self.array()?);
            let sum = self.input.crc().sum();
            if u32::from_le_bytes(self.array()?) != sum {
                return Err(ShardError::Checksum);
            }
            let is_whole = subjects == self.subjects;
            let is_end = self.input.fill_buf()?.is_empty();
            return match (is_whole, is_end) {
                (false, _) => Err(ShardError::Truncated),
                (_, false) => Err(ShardError::Trailing),
                _ => Ok(false),
            };
        }
        let name = self.bytes(length, Vec::new())?;
        let name = String::from_utf8(name).map_err(|_| ShardError::Checksum)?;
        let previous = std::mem::replace(&mut self.name, name);
        let (length, buffer) =
            (u32::from_le_bytes(self.array()?), std::mem::take(&mut self.summary));
        self.summary = self.bytes(length, buffer)?;
        self.subjects += 1;
        if self.subjects > 1 && self.name <= previous {
            return Err(ShardError::Order(self.name.clone()));
        }
        Ok(true)
    }

    fn array<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], ShardError> {
        let mut bytes = [0; LENGTH];
        self.input.read_exact(&mut bytes).map_err(truncated)?;
        Ok(bytes)
    }

    fn bytes(&mut self, length: u32, mut buffer: Vec<u8>) -> Result<Vec<u8>, ShardError> {
        if length >= MAX_LENGTH {
            return Err(ShardError::Checksum);
        }
        buffer.resize(length as usize, 0);
        self.input.read_exact(&mut buffer).map_err(truncated)?;
        Ok(buffer)
    }

    fn summary(&self) -> Result<PlayerSummary, ShardError> {
        postcard::from_bytes(&self.summary).map_err(|_| ShardError::Damaged(self.name.clone()))
    }
}

fn line(input: impl BufRead) -> Result<String, ShardError> {
    let mut line = Vec::new();
    input.take(u64::from(MAX_LENGTH)).read_until(b'\n', &mut line)?;
    let line = String::from_utf8(line).map_err(|_| ShardError::Kind)?;
    line.strip_suffix('\n').map(str::to_owned).ok_or(ShardError::Kind)
}

fn truncated(error: io::Error) -> ShardError {
    match error.kind() {
        ErrorKind::UnexpectedEof => ShardError::Truncated,
        _ => ShardError::Io(error),
    }
}

/// Merges files, each with a name for error messages. Calls `take` once for every subject, in the
/// order of the subjects' names, with the sum of the subject's summaries. Stops at the first error,
/// which names the file.
pub fn merge<R: BufRead, E>(
    mut files: Vec<(String, ShardReader<R>)>,
    failed: impl Fn(&str, ShardError) -> E,
    mut take: impl FnMut(&str, PlayerSummary) -> Result<(), E>,
) -> Result<(), E> {
    let mut next = BinaryHeap::new();
    for (index, (file, reader)) in files.iter_mut().enumerate() {
        if reader.advance().map_err(|error| failed(file, error))? {
            next.push(Reverse((reader.name.clone(), index)));
        }
    }
    let mut current: Option<(String, PlayerSummary)> = None;
    while let Some(Reverse((name, index))) = next.pop() {
        let (file, reader) = &mut files[index];
        let part = reader.summary().map_err(|error| failed(file, error))?;
        if reader.advance().map_err(|error| failed(file, error))? {
            next.push(Reverse((reader.name.clone(), index)));
        }
        match &mut current {
            Some((known, sum)) if *known == name => *sum += &part,
            _ => {
                if let Some((name, sum)) = current.replace((name, part)) {
                    take(&name, sum)?;
                }
            }
        }
    }
    current.map_or(Ok(()), |(name, sum)| take(&name, sum))
}
