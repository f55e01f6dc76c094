//! The parts of a study: the runs whose sums are in a statistics file.
//!
//! Every run of `analyse --statistics` is one part. Merging collects the parts of all files. So a
//! copied file is not counted twice, and a missing shard is noticed. Once all shards of a
//! collection are present, they become a single part, as if one process had read all games.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::games::Shard;
use crate::games::pgn::PgnGame;

/// The games of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct StudyPart {
    /// The shard, if the run analysed only one of several.
    pub shard: Option<Shard>,
    /// The number of games that were analysed.
    pub games: u64,
    /// The sum of the games' fingerprints, which does not depend on their order.
    pub fingerprint: u64,
}

/// Why parts cannot be merged.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PartError {
    /// Another part has the same games. Contains the file of that part.
    #[error("it has the same games as {0}; give only one of them")]
    Copy(String),
    /// Another part has the same shard of other games. Contains the shard and the file of that part.
    #[error(
        "its shard {0} is also in {1}, with different games; first merge the shards of each collection \
         with --sum"
    )]
    OtherGames(Shard, String),
    /// Another part has a different number of shards. Contains both shards and the file of that part.
    #[error(
        "its shard is {0}, but {2} has shard {1}; first merge the shards of each collection with --sum"
    )]
    OtherCount(Shard, Shard, String),
}

impl StudyPart {
    /// A part without games.
    pub fn new(shard: Option<Shard>) -> StudyPart {
        StudyPart { shard: shard.filter(|shard| shard.count() > 1), ..StudyPart::default() }
    }

    /// Counts a game.
    pub fn add(&mut self, game: &PgnGame) {
        self.games += 1;
        self.fingerprint = self.fingerprint.wrapping_add(game.fingerprint());
    }

    fn absorb(&mut self, other: &StudyPart) {
        self.games = self.games.saturating_add(other.games);
        self.fingerprint = self.fingerprint.wrapping_add(other.fingerprint);
    }
}

/// The maximum number of missing shards that are listed by number.
const MAX_NAMED_SHARDS: usize = 10;

/// The shards that have no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingShards {
    /// The numbers of the first missing shards.
    pub first: Vec<u64>,
    /// The number of missing shards.
    pub count: u64,
    /// The number of shards that there should be.
    pub of: u64,
}

impl fmt::Display for MissingShards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list: Vec<String> = self.first.iter().map(u64::to_string).collect();
        let (list, of) = (list.join(", "), self.of);
        match self.count.saturating_sub(self.first.len() as u64) {
            0 if self.count == 1 => write!(f, "shard {list} of {of} is missing"),
            0 => write!(f, "shards {list} of {of} are missing"),
            more => write!(f, "shards {list} and {more} more of {of} are missing"),
        }
    }
}

/// The parts of several files.
#[derive(Debug, Default)]
pub struct StudyParts {
    /// Each part, with the name of its file.
    parts: Vec<(StudyPart, String)>,
    /// The indices of parts with games, by fingerprint.
    by_games: BTreeMap<u64, usize>,
    /// The indices of parts that are shards, by shard.
    by_shard: BTreeMap<Shard, usize>,
}

impl StudyParts {
    /// Adds the parts of a file.
    pub fn add(&mut self, parts: &[StudyPart], file: &str) -> Result<(), PartError> {
        for part in parts {
            let index = self.parts.len();
            if let Some(shard) = part.shard {
                if let Some((&other, &at)) = self.by_shard.first_key_value()
                    && other.count() != shard.count()
                {
                    return Err(PartError::OtherCount(shard, other, self.file(at)));
                }
                if let Some(&at) = self.by_shard.get(&shard) {
                    let is_copy = self.parts[at].0 == *part;
                    return Err(match is_copy {
                        true => PartError::Copy(self.file(at)),
                        false => PartError::OtherGames(shard, self.file(at)),
                    });
                }
                self.by_shard.insert(shard, index);
            }
            if part.games > 0 {
                if let Some(&at) = self.by_games.get(&part.fingerprint) {
                    return Err(PartError::Copy(self.file(at)));
                }
                self.by_games.insert(part.fingerprint, index);
            }
            self.parts.push((part.clone(), file.to_owned()));
        }
        Ok(())
    }

    fn file(&self, index: usize) -> String {
        self.parts[index].1.clone()
    }

    /// The missing shards. `None` if no shards were used, or if none is missing.
    pub fn missing(&self) -> Option<MissingShards> {
        let of = self.by_shard.keys().next()?.count();
        let count = of - self.by_shard.len() as u64;
        // A corrupt file may claim any number of shards.
        let is_missing =
            |&number: &u64| !self.by_shard.keys().any(|shard| shard.number() == number);
        let first = (1..=of).filter(is_missing).take(MAX_NAMED_SHARDS).collect();
        (count > 0).then_some(MissingShards { first, count, of })
    }

    /// The parts of the sum, in an order that does not depend on the order of the files.
    pub fn merged(self) -> Vec<StudyPart> {
        let is_complete = !self.by_shard.is_empty() && self.missing().is_none();
        let mut whole = StudyPart::default();
        let mut merged = Vec::new();
        for (part, _) in self.parts {
            match part.shard {
                Some(_) if is_complete => whole.absorb(&part),
                // A run without games adds nothing.
                None if part.games == 0 => {}
                _ => merged.push(part),
            }
        }
        if is_complete || merged.is_empty() {
            merged.push(whole);
        }
        merged.sort();
        merged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(shard: &str, games: u64, fingerprint: u64) -> StudyPart {
        StudyPart { shard: shard.parse().ok(), games, fingerprint }
    }

    fn parts(all: &[StudyPart]) -> Result<StudyParts, PartError> {
        let mut parts = StudyParts::default();
        all.iter().enumerate().try_for_each(|(number, part)| {
            parts.add(std::slice::from_ref(part), &format!("{number}.stats"))
        })?;
        Ok(parts)
    }

    #[test]
    fn all_shards_together_are_one_part() {
        let shards = [part("2/3", 0, 0), part("1/3", 4, 40), part("3/3", 5, u64::MAX)];
        let whole = [part("", 9, 39)];
        assert_eq!(parts(&shards).map(StudyParts::merged), Ok(whole.to_vec()));
        let some = parts(&shards[1..]).expect("they differ");
        let missing = some.missing().expect("one is missing").to_string();
        assert_eq!(missing, "shard 2 of 3 is missing");
        assert_eq!(some.merged(), [shards[1].clone(), shards[2].clone()]);
        let others = [part("", 7, 7), part("", 0, 0), part("", 6, 6)];
        let merged = parts(&others).expect("they differ").merged();
        assert_eq!(merged, [others[2].clone(), others[0].clone()]);
        assert_eq!(parts(&[part("", 0, 0)]).map(StudyParts::merged), Ok(vec![part("", 0, 0)]));
    }

    #[test]
    fn a_copy_is_rejected_even_without_games() {
        for twice in [part("1/3", 4, 40), part("1/3", 0, 0), part("", 4, 40)] {
            let refused = parts(&[twice.clone(), part("2/3", 1, 1), twice]).map(|_| ());
            assert_eq!(refused, Err(PartError::Copy("0.stats".to_owned())));
        }
        let most = parts(&[part("3/18446744073709551615", 4, 40)]).expect("one shard");
        let missing = most.missing().expect("most are missing").to_string();
        assert!(missing.starts_with("shards 1, 2, 4, 5, 6, 7, 8, 9, 10, 11 and 1844"), "{missing}");
        // The same shard of another collection, and a shard from a set of another size.
        let other = parts(&[part("1/3", 4, 40), part("1/3", 4, 41)]).map(|_| ());
        assert!(matches!(other, Err(PartError::OtherGames(..))), "{other:?}");
        let other = parts(&[part("1/3", 4, 40), part("2/4", 4, 41)]).map(|_| ());
        assert!(matches!(other, Err(PartError::OtherCount(..))), "{other:?}");
    }
}
