//! The ladder: the ratings of all players in a study, and the table of levels that results from
//! them. Later ladders can reuse its games.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::entrants::{Entrant, FamilyPlayers, Lineup};
use super::fit::{Kinds, RatingFit, RatingModel, Scores};
use super::people_scale::{FamilyRatings, MIN_STEP, MeasuredLevel, PeopleScale};
use super::rising::{nearest_rising, with_least_step};
use super::zero;
use stopdown::math::outcomes::TWO_SIDED_95;
use stopdown::player::{Levels, TableOrigin};
use stopdown::value::Depth;

/// An external engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReferenceEngine {
    pub name: String,
    /// The rating that the engine declares.
    pub nominal: Option<f64>,
    pub elo: f64,
    pub error: f64,
    pub games: u64,
    pub points: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ladder {
    pub made: TableOrigin,
    pub depth: Depth,
    pub paths: Vec<FamilyRatings>,
    pub anchors: Vec<ReferenceEngine>,
    pub meetings: Vec<Meeting>,
    /// The number of drawn games.
    pub draws: f64,
    /// The random seeds. The same seeds give the same games.
    pub seeds: Vec<u64>,
}

impl Ladder {
    /// Builds a ladder from the games of a lineup with this search depth. The lineup must contain
    /// the path that defines the zero of the scale.
    pub fn of_scores(lineup: &Lineup, depth: Depth, scores: &Scores, made: TableOrigin) -> Ladder {
        let guesses: Vec<f64> = lineup.entrants.iter().map(|entrant| entrant.guess).collect();
        let rows: Vec<Vec<(usize, f64)>> =
            lineup.paths.iter().flat_map(FamilyPlayers::even_parts).collect();
        let kinds = Kinds::of(lineup);
        let fit = RatingModel { guesses: &guesses, rows: &rows, kinds: &kinds }.fit(scores);
        let rise = |path: &FamilyPlayers| rising(path, &fit, scores);
        let rising: Vec<Vec<f64>> = lineup.paths.iter().map(rise).collect();
        let (zero, shift) = zero_of(lineup, &rising);
        let games = |entrant: usize| {
            let (points, games) = scores.of(entrant);
            (points, games as u64)
        };
        let error = |entrant| TWO_SIDED_95 * fit.variance_from(entrant, &zero).sqrt();
        let level = |path: &FamilyPlayers, number: usize, rating: f64| {
            let (entrant, place) = (path.entrants[number], path.places[number]);
            let ((points, games), elo) = (games(entrant), rating + shift);
            MeasuredLevel {
                name: lineup.entrants[entrant].name.clone(),
                place,
                elo,
                error: error(entrant),
                measured: fit.ratings[entrant] + shift,
                games,
                points,
                disagreement: path.family.pool().map(|_| elo - place),
            }
        };
        let path = |(path, ratings): (&FamilyPlayers, &Vec<f64>)| FamilyRatings {
            family: path.family.to_string(),
            levels: (0..)
                .zip(ratings)
                .map(|(number, &rating)| level(path, number, rating))
                .collect(),
        };
        let anchor = |(place, entrant): (usize, &Entrant)| {
            let (points, games) = games(place);
            ReferenceEngine {
                name: entrant.name.clone(),
                nominal: entrant.nominal,
                elo: fit.ratings[place] + shift,
                error: error(place),
                games,
                points,
            }
        };
        let anchors = lineup.entrants.iter().enumerate().filter(|(_, entrant)| entrant.is_anchor);
        Ladder {
            made: TableOrigin { games: scores.games(), ..made },
            depth,
            paths: lineup.paths.iter().zip(&rising).map(path).collect(),
            anchors: anchors.map(anchor).collect(),
            meetings: meetings(lineup, scores, &fit.ratings, &kinds),
            draws: scores.draws,
            seeds: Vec::new(),
        }
    }

    /// The table that maps target ratings to players. It is empty if there are no players with the
    /// curve `human`.
    pub fn levels(&self) -> Levels {
        let mut families = BTreeMap::new();
        if let Some(scale) = self.people_scale() {
            let paths = self.paths.iter();
            families.extend(paths.map(|path| (path.family.clone(), scale.levels(path))));
        }
        Levels { made: self.made.clone(), depth: self.depth, families }
    }

    /// The scale of human ratings, if human-like players took part.
    pub fn people_scale(&self) -> Option<PeopleScale> {
        let of_people = |path: &&FamilyRatings| path.family == zero::FAMILY.name();
        self.paths.iter().find(of_people).map(PeopleScale::new)
    }
}

/// The zero of the scale as a weighted sum over the entrants, and its distance from the target.
fn zero_of(lineup: &Lineup, rising: &[Vec<f64>]) -> (Vec<f64>, f64) {
    let (mut zero, mut shift) = (vec![0.0; lineup.entrants.len()], 0.0);
    let paths = lineup.paths.iter().zip(rising);
    for (path, ratings) in paths.filter(|(path, _)| path.family == zero::FAMILY) {
        let shares = zero::shares(&path.places);
        path.entrants.iter().zip(&shares).for_each(|(&entrant, share)| zero[entrant] += share);
        shift = zero::middle() - zero::mean(&shares, ratings);
    }
    (zero, shift)
}

/// The ratings along a path, adjusted so that they rise. Ratings based on more games change less.
fn rising(path: &FamilyPlayers, fit: &RatingFit, scores: &Scores) -> Vec<f64> {
    let ratings: Vec<f64> = path.entrants.iter().map(|&entrant| fit.ratings[entrant]).collect();
    let games = path.entrants.iter().map(|&entrant| scores.of(entrant).1);
    let weights: Vec<f64> = games.map(|games| games.max(1.0)).collect();
    with_least_step(&nearest_rising(&ratings, &weights), MIN_STEP)
}

/// The points that one player scored against another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meeting {
    pub one: String,
    pub other: String,
    pub points: f64,
    pub games: f64,
    /// The points expected from the ratings.
    pub expected: f64,
}

/// Why the games from another ladder cannot be reused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum LadderMismatch {
    #[error("its games were played with {0}, but this program has {1}; play the games again")]
    Engine(String, String),
    #[error("its players search {0} plies instead of {1}")]
    Depth(Depth, Depth),
    #[error(
        "it has games of \"{0}\", which does not take part now; give or omit --coarse as for that ladder, and install \
         the external engines that took part"
    )]
    Player(String),
}

impl Ladder {
    /// The scores in this ladder. Its engine and search depth must be the same, and the lineup must
    /// contain all its players.
    pub fn counted(
        &self,
        lineup: &Lineup,
        depth: Depth,
        made: &TableOrigin,
    ) -> Result<Scores, LadderMismatch> {
        let (theirs, ours) = (self.made.players(), made.players());
        if theirs != ours {
            return Err(LadderMismatch::Engine(theirs, ours));
        }
        if self.depth != depth {
            return Err(LadderMismatch::Depth(self.depth, depth));
        }
        let number = |name: &String| {
            let found = lineup.entrants.iter().position(|entrant| entrant.name == *name);
            found.ok_or_else(|| LadderMismatch::Player(name.clone()))
        };
        let mut scores = Scores { draws: self.draws, ..Scores::default() };
        for met in &self.meetings {
            scores.add(number(&met.one)?, number(&met.other)?, met.points, met.games);
        }
        Ok(scores)
    }
}

/// The pairs that met, with the scores expected from their ratings.
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
