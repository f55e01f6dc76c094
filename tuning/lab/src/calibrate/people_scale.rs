//! The scale of people's ratings, as games between players who choose as they do tell it.
//!
//! A level is a person's rating: whoever chooses as people of 1500 do is of 1500, by construction. Games
//! between such players say how strong each is in play, where they lie closer together than people do.
//! The line through these strengths turns the playing strength of anybody else, who chooses by another
//! curve, into the rating of the people whom he would score even with. Beyond the ratings of people
//! there is nobody to compare with: there a point of playing strength is a point of rating.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::fit::expected;
use stopdown::math::statistics::with_least_step;
use stopdown::player::Level;
use stopdown::selector::human::{HIGHEST, LOWEST};

/// Whatever a few games say, who chooses as better people do is better.
const LEAST_SLOPE: f64 = 0.1;

/// Half of the 95 % interval of what people a level plays like: no level has met people of known ratings
/// yet. It is what a quarter more or fewer blunders are between 1000 and 2000.
pub const UNKNOWN: f64 = 150.0;

/// The least that a path rises from one place to the next, in Elo.
pub(super) const LEAST_STEP: f64 = 1.0;

/// Somebody on a path, by his playing strength.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredLevel {
    pub name: String,
    pub place: f64,
    /// With which the table rises.
    pub elo: f64,
    /// Half of the 95 % interval, against the zero.
    pub error: f64,
    /// The likeliest, wherever it leads.
    pub measured: f64,
    pub games: u64,
    pub points: f64,
    /// Of people: by how much they play better than their rating says.
    pub disagreement: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FamilyRatings {
    pub family: String,
    pub levels: Vec<MeasuredLevel>,
}

impl MeasuredLevel {
    /// Does he play as people do of whom there are data?
    pub fn is_of_people(&self) -> bool {
        self.disagreement.is_some() && (LOWEST..=HIGHEST).contains(&self.place)
    }
}

/// Playing strengths of people, on a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PeopleScale {
    /// The playing strength of those of the lowest rating.
    first: f64,
    /// By how much it rises with a point of rating.
    slope: f64,
}

impl PeopleScale {
    /// By the strengths along the path of people; each weighs what its games tell.
    pub fn new(path: &FamilyRatings) -> PeopleScale {
        let people = path.levels.iter().filter(|measured| measured.is_of_people());
        let points: Vec<[f64; 3]> = people
            .map(|measured| {
                [measured.place - LOWEST, measured.measured, measured.error.max(1.0).powi(-2)]
            })
            .collect();
        let all: f64 = points.iter().map(|[_, _, weight]| weight).sum();
        let mean = |of: usize| points.iter().map(|point| point[2] * point[of]).sum::<f64>() / all;
        let [x, y] = [mean(0), mean(1)];
        let moment = |of: usize, centre: f64| {
            points.iter().map(|point| point[2] * (point[0] - x) * (point[of] - centre)).sum::<f64>()
        };
        let slope = (moment(1, y) / moment(0, x)).max(LEAST_SLOPE);
        PeopleScale { first: y - slope * x, slope }
    }

    /// The rating of the people who play so well.
    pub fn rating(&self, strength: f64) -> f64 {
        let strengths = self.strengths();
        let beyond = strength - strength.clamp(*strengths.start(), *strengths.end());
        LOWEST + (strength - beyond - self.first) / self.slope + beyond
    }

    /// The score expected between people whose ratings are so far apart.
    pub fn score(&self, apart: f64) -> f64 {
        expected(self.slope * apart)
    }

    /// By how much a rating changes with a point of playing strength.
    fn steepness(&self, strength: f64) -> f64 {
        if self.strengths().contains(&strength) { 1.0 / self.slope } else { 1.0 }
    }

    fn strengths(&self) -> RangeInclusive<f64> {
        self.first..=self.first + self.slope * (HIGHEST - LOWEST)
    }

    /// The levels of a path: people have the rating of their place, all others that of their equals. Chance may
    /// make the last place beyond people's ratings weaker than the one before.
    pub fn levels(&self, path: &FamilyRatings) -> Vec<Level> {
        let rating = |measured: &MeasuredLevel| match measured.is_of_people() {
            true => measured.place,
            false => self.rating(measured.elo),
        };
        let ratings: Vec<f64> = path.levels.iter().map(rating).collect();
        let rising = with_least_step(&ratings, LEAST_STEP);
        path.levels.iter().zip(rising).map(|(measured, elo)| self.level(measured, elo)).collect()
    }

    fn level(&self, measured: &MeasuredLevel, elo: f64) -> Level {
        let error = match measured.is_of_people() {
            true => UNKNOWN,
            false => UNKNOWN.hypot(self.steepness(measured.elo) * measured.error),
        };
        Level { place: measured.place, elo, error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(strengths: &[(f64, f64)], of_people: bool) -> FamilyRatings {
        let measured = |&(place, elo): &(f64, f64)| MeasuredLevel {
            name: place.to_string(),
            place,
            elo,
            error: 50.0,
            measured: elo,
            games: 10,
            points: 5.0,
            disagreement: of_people.then_some(0.0),
        };
        FamilyRatings { family: String::new(), levels: strengths.iter().map(measured).collect() }
    }

    #[test]
    fn people_keep_their_ratings_and_others_have_those_of_their_equals() {
        // Half of a difference shows in play.
        let people = [(0.0, -100.0), (600.0, 1300.0), (1600.0, 1800.0), (2800.0, 2400.0)];
        let people = path(&people, true);
        let scale = PeopleScale::new(&people);
        assert!((scale.score(200.0) - 0.64).abs() < 0.001);
        let elos = |levels: Vec<Level>| levels.iter().map(|level| level.elo).collect::<Vec<_>>();
        assert_eq!(elos(scale.levels(&people)), [-800.0, 600.0, 1600.0, 2800.0]);
        let others = path(&[(0.1, 1200.0), (0.2, 1900.0), (0.3, 2500.0), (0.4, 2490.0)], false);
        let levels = scale.levels(&others);
        assert_eq!(elos(levels.clone()), [500.0, 1800.0, 2900.0, 2901.0]);
        // An error of playing strength is twice as much rating, among people.
        assert_eq!(levels[1].error, 150f64.hypot(100.0));
        assert_eq!(levels[2].error, 150f64.hypot(50.0));
        assert_eq!(scale.levels(&people)[2].error, 150.0);
    }

    #[test]
    fn few_games_do_not_turn_the_scale_round() {
        let people = path(&[(600.0, 2000.0), (2800.0, 1900.0)], true);
        let scale = PeopleScale::new(&people);
        assert!(scale.rating(1960.0) > scale.rating(1940.0));
    }
}
