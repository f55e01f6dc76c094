//! A shard: one process's share of the games.

use std::fmt;
use std::str::FromStr;

use crate::games::pgn::PgnGame;

/// One of several shards, counted from 1. A game is assigned to a shard by its tags and moves, so
/// duplicates are in the same shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: u64,
    of: u64,
}

impl Shard {
    pub fn has(self, game: &PgnGame) -> bool {
        let number = game.fingerprint();
        (number ^ (number >> 32)) % self.of == self.number - 1
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
