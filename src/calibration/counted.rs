//! Games of an earlier ladder that count for a later one too.

use serde::{Deserialize, Serialize};

use super::entrants::Lineup;
use super::expectation::Kinds;
use super::fit::Scores;
use super::ladder::Ladder;
use crate::player::Made;
use crate::value::Depth;

/// Points of one against another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meeting {
    pub one: String,
    pub other: String,
    pub points: f64,
    pub games: f64,
    /// The points that the ratings make expected.
    pub expected: f64,
}

/// Why games of another ladder cannot be counted.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotOurs {
    #[error("its games are of {0}, and this is {1}: they tell nothing of these players")]
    Engine(String, String),
    #[error("its players look {0} plies ahead instead of {1}")]
    Depth(Depth, Depth),
    #[error("nobody here is called \"{0}\"; if he is an engine of others, install it")]
    Player(String),
}

impl Ladder {
    /// Its scores among players of a lineup who look so far ahead.
    pub fn counted(&self, lineup: &Lineup, depth: Depth, made: &Made) -> Result<Scores, NotOurs> {
        let (theirs, ours) = (self.made.players(), made.players());
        if theirs != ours {
            return Err(NotOurs::Engine(theirs, ours));
        }
        if self.depth != depth {
            return Err(NotOurs::Depth(self.depth, depth));
        }
        let number = |name: &String| {
            let found = lineup.entrants.iter().position(|entrant| entrant.name == *name);
            found.ok_or_else(|| NotOurs::Player(name.clone()))
        };
        let mut scores = Scores { draws: self.draws, ..Scores::default() };
        for met in &self.meetings {
            scores.add(number(&met.one)?, number(&met.other)?, met.points, met.games);
        }
        Ok(scores)
    }
}

/// Who has met whom, with what their ratings make expected.
pub(super) fn meetings(
    lineup: &Lineup,
    scores: &Scores,
    ratings: &[f64],
    kinds: &Kinds,
) -> Vec<Meeting> {
    let name = |player: usize| lineup.entrants[player].name.clone();
    let meeting = |(&(one, other), &(points, games)): (&(usize, usize), &(f64, f64))| Meeting {
        one: name(one),
        other: name(other),
        points,
        games,
        expected: games * kinds.expected(ratings, one, other),
    };
    scores.meetings.iter().map(meeting).collect()
}
