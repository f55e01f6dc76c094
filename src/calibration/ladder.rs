//! The ladder: ratings of all players of a study, and the table of levels that follows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::entrants::{Entrant, Lineup, Path};
use super::fit::{Fit, Model, Scores, expected};
use super::zero;
use crate::arena::GameRecord;
use crate::math::outcomes::TWO_SIDED_95;
use crate::math::rising::{nearest_rising, with_least_step};
use crate::player::{EloScale, Level, Levels, Made};
use crate::prior::Pool;
use crate::selector::Family;
use crate::value::Depth;

/// The least that a path rises from one place to the next, in Elo.
const LEAST_STEP: f64 = 1.0;

/// Somebody on a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rung {
    pub name: String,
    pub place: f64,
    /// With which the table rises.
    pub elo: f64,
    /// Half of the 95 % interval, against the zero of FIDE's scale.
    pub error: f64,
    /// The same against the zero of Lichess's.
    pub error_on_lichess: f64,
    /// The likeliest, wherever it leads.
    pub measured: f64,
    pub games: u64,
    pub points: f64,
    /// Of people: by how much they are better players than their moves look. On their own scale.
    pub disagreement: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathRatings {
    pub family: String,
    pub rungs: Vec<Rung>,
}

/// An engine of others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    pub name: String,
    /// The rating that it says it has.
    pub nominal: Option<f64>,
    pub elo: f64,
    pub error: f64,
    pub games: u64,
    pub points: f64,
}

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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ladder {
    pub made: Made,
    pub depth: Depth,
    /// How much higher ratings are on Lichess.
    pub lichess: f64,
    pub paths: Vec<PathRatings>,
    pub anchors: Vec<Anchor>,
    pub meetings: Vec<Meeting>,
}

impl PathRatings {
    /// The scale that the people of the path have their ratings on.
    pub fn scale(&self) -> EloScale {
        let pool = self.family.parse().ok().and_then(Family::pool);
        if pool.is_none_or(|pool| pool == Pool::Board) { EloScale::Fide } else { EloScale::Lichess }
    }
}

impl Rung {
    pub fn error_on(&self, scale: EloScale) -> f64 {
        match scale {
            EloScale::Fide => self.error,
            EloScale::Lichess => self.error_on_lichess,
        }
    }
}

impl Ladder {
    /// Of the games of a lineup whose players look so far ahead; the lineup has paths of both kinds of
    /// people that a scale has its zero from.
    pub fn new(lineup: &Lineup, depth: Depth, records: &[GameRecord], made: Made) -> Ladder {
        Ladder::of_scores(lineup, depth, &Scores::of_records(records), made)
    }

    pub fn of_scores(lineup: &Lineup, depth: Depth, scores: &Scores, made: Made) -> Ladder {
        let guesses: Vec<f64> = lineup.entrants.iter().map(|entrant| entrant.guess).collect();
        let rows: Vec<Vec<(usize, f64)>> = lineup.paths.iter().flat_map(Path::even_parts).collect();
        let fit = Model { guesses: &guesses, rows: &rows }.fit(scores);
        let zeros = EloScale::ALL.map(|scale| zero_weights(lineup, scale));
        let rise = |path: &Path| rising(path, &fit, scores);
        let rising: Vec<Vec<f64>> = lineup.paths.iter().map(rise).collect();
        // What has to be added for the mean to be right.
        let correction = |scale| {
            let (family, _) = zero::rule(scale);
            let found = lineup.paths.iter().zip(&rising).find(|(path, _)| path.family == family);
            found.map_or(0.0, |(path, ratings)| {
                let (shares, middle) = zero::shares(scale, &path.places);
                middle - shares.iter().zip(ratings).map(|(share, elo)| share * elo).sum::<f64>()
            })
        };
        let shift = correction(EloScale::Fide);
        let lichess = correction(EloScale::Lichess) - shift;
        let list = List { lineup, scores, fit: &fit, shift, zeros };
        let paths = lineup.paths.iter().zip(&rising);
        Ladder {
            made: Made { games: scores.games(), ..made },
            depth,
            lichess,
            paths: paths.map(|(path, ratings)| list.path(path, ratings, lichess)).collect(),
            anchors: list.anchors(),
            meetings: list.meetings(),
        }
    }

    /// The table that players of ratings are made by.
    pub fn levels(&self) -> Levels {
        let level = |rung: &Rung| Level {
            place: rung.place,
            elo: rung.elo,
            error: rung.error,
            error_on_lichess: rung.error_on_lichess,
        };
        let families = self
            .paths
            .iter()
            .map(|path| (path.family.clone(), path.rungs.iter().map(level).collect()));
        let families: BTreeMap<String, Vec<Level>> = families.collect();
        Levels { made: self.made.clone(), depth: self.depth, lichess: self.lichess, families }
    }
}

/// The ratings along a path, made to rise: those of more games give way less.
fn rising(path: &Path, fit: &Fit, scores: &Scores) -> Vec<f64> {
    let ratings: Vec<f64> = path.entrants.iter().map(|&entrant| fit.ratings[entrant]).collect();
    let games = path.entrants.iter().map(|&entrant| scores.of(entrant).1);
    let weights: Vec<f64> = games.map(|games| games.max(1.0)).collect();
    with_least_step(&nearest_rising(&ratings, &weights), LEAST_STEP)
}

/// The zero of a scale as a sum over the entrants.
fn zero_weights(lineup: &Lineup, scale: EloScale) -> Vec<f64> {
    let mut weights = vec![0.0; lineup.entrants.len()];
    let (family, _) = zero::rule(scale);
    if let Some(path) = lineup.paths.iter().find(|path| path.family == family) {
        let (shares, _) = zero::shares(scale, &path.places);
        path.entrants.iter().zip(shares).for_each(|(&entrant, share)| weights[entrant] += share);
    }
    weights
}

/// What a ladder is written from.
struct List<'a> {
    lineup: &'a Lineup,
    scores: &'a Scores,
    fit: &'a Fit,
    shift: f64,
    /// Of FIDE's scale and of Lichess's.
    zeros: [Vec<f64>; 2],
}

impl List<'_> {
    /// Against the zeros of both scales.
    fn errors(&self, entrant: usize) -> [f64; 2] {
        let of = |zero: &Vec<f64>| TWO_SIDED_95 * self.fit.variance_from(entrant, zero).sqrt();
        self.zeros.each_ref().map(of)
    }

    fn path(&self, path: &Path, ratings: &[f64], lichess: f64) -> PathRatings {
        let more = match path.family.pool() {
            Some(Pool::Board) | None => 0.0,
            Some(_) => lichess,
        };
        let rung = |((&place, &entrant), &rating): ((&f64, &usize), &f64)| {
            let (points, games) = self.scores.of(entrant);
            let elo = rating + self.shift;
            let [error, error_on_lichess] = self.errors(entrant);
            Rung {
                name: self.lineup.entrants[entrant].name.clone(),
                place,
                elo,
                error,
                error_on_lichess,
                measured: self.fit.ratings[entrant] + self.shift,
                games: games as u64,
                points,
                disagreement: path.family.pool().map(|_| elo + more - place),
            }
        };
        let places = path.places.iter().zip(&path.entrants).zip(ratings);
        PathRatings { family: path.family.to_string(), rungs: places.map(rung).collect() }
    }

    fn anchors(&self) -> Vec<Anchor> {
        let entrants = self.lineup.entrants.iter().enumerate();
        let anchor = |(place, entrant): (usize, &Entrant)| {
            let (points, games) = self.scores.of(place);
            Anchor {
                name: entrant.name.clone(),
                nominal: entrant.nominal,
                elo: self.fit.ratings[place] + self.shift,
                error: self.errors(place)[0],
                games: games as u64,
                points,
            }
        };
        entrants.filter(|(_, entrant)| entrant.is_anchor).map(anchor).collect()
    }

    fn meetings(&self) -> Vec<Meeting> {
        let name = |player: usize| self.lineup.entrants[player].name.clone();
        let ratings = &self.fit.ratings;
        let meeting = |(&(one, other), &(points, games)): (&(usize, usize), &(f64, f64))| Meeting {
            one: name(one),
            other: name(other),
            points,
            games,
            expected: games * expected(ratings[one] - ratings[other]),
        };
        self.scores.0.iter().map(meeting).collect()
    }
}
