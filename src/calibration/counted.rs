//! Games that were played for one study and are counted by another too.

use serde::{Deserialize, Serialize};

use super::entrants::Lineup;
use super::expectation::Kinds;
use super::fit::Scores;
use crate::player::Made;
use crate::selector::Family;
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

/// A check, by what makes its games what they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// What the table was made by that was checked.
    pub table: Made,
    /// What was drawn from.
    pub seed: u64,
}

/// What a study has come to.
#[derive(Clone, Debug)]
pub struct FinishedStudy<'a> {
    pub made: &'a Made,
    pub depth: Depth,
    /// Those who met, by name, with the place of a path where they stand.
    pub players: Vec<(String, Option<(Family, f64)>)>,
    pub meetings: &'a [Meeting],
    /// So many of all games were drawn.
    pub draws: f64,
}

/// Why games of another study cannot be counted.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotOurs {
    #[error("its games are of {0}, and this is {1}: they tell nothing of these players")]
    Engine(String, String),
    #[error("its players look {0} plies ahead instead of {1}")]
    Depth(Depth, Depth),
    #[error("nobody here is called \"{0}\"; if he is an engine of others, install it")]
    Player(String),
}

impl FinishedStudy<'_> {
    /// Its scores among players of a lineup who look so far ahead, which those join who stand at places
    /// of its paths where nobody has stood.
    pub fn counted(
        &self,
        lineup: &mut Lineup,
        depth: Depth,
        made: &Made,
    ) -> Result<Scores, NotOurs> {
        let (theirs, ours) = (self.made.players(), made.players());
        if theirs != ours {
            return Err(NotOurs::Engine(theirs, ours));
        }
        if self.depth != depth {
            return Err(NotOurs::Depth(self.depth, depth));
        }
        let mut scores = Scores { draws: self.draws, ..Scores::default() };
        for met in self.meetings {
            let [one, other] = [&met.one, &met.other].map(|name| self.number(name, lineup));
            scores.add(one?, other?, met.points, met.games);
        }
        Ok(scores)
    }

    fn number(&self, name: &str, lineup: &mut Lineup) -> Result<usize, NotOurs> {
        let stands = self.players.iter().find(|(other, _)| *other == name);
        match stands.and_then(|&(_, place)| place) {
            Some((family, place)) => lineup.join(family, place, self.depth),
            None => lineup.entrants.iter().position(|entrant| entrant.name == name),
        }
        .ok_or_else(|| NotOurs::Player(name.to_owned()))
    }
}

/// Who has met whom, with what their ratings make expected.
pub(super) fn meetings(
    scores: &Scores,
    ratings: &[f64],
    kinds: &Kinds,
    name: impl Fn(usize) -> String,
) -> Vec<Meeting> {
    let meeting = |(&(one, other), &(points, games)): (&(usize, usize), &(f64, f64))| Meeting {
        one: name(one),
        other: name(other),
        points,
        games,
        expected: games * kinds.expected(ratings, one, other),
    };
    scores.meetings.iter().map(meeting).collect()
}
