//! A shard: the share of the games that one process handles.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::pgn::PgnGame;

/// One of several shards, counted from 1. The tags and moves of a game determine its shard, so
/// duplicates are in the same shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    of: u64,
    number: u64,
}

impl Shard {
    /// The shard of a game with this fingerprint, among `of` shards.
    pub(crate) fn of_game(fingerprint: u64, of: u64) -> Shard {
        Shard { number: (fingerprint ^ (fingerprint >> 32)) % of.max(1) + 1, of: of.max(1) }
    }

    /// Returns whether a game belongs to this shard.
    pub(crate) fn has(self, game: &PgnGame) -> bool {
        Shard::of_game(game.fingerprint(), self.of) == self
    }

    /// The number of the shard, from 1.
    pub(crate) fn number(self) -> u64 {
        self.number
    }

    /// The number of shards.
    pub(crate) fn count(self) -> u64 {
        self.of
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts =
            text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((number, of)) if 1 <= number && number <= of => Ok(Shard { number, of }),
            _ => Err("write I/N; 3/100 is the third of a hundred shards".to_owned()),
        }
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Shard, String> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}
