//! Converts playing strengths from games between human-like players to human ratings.
//!
//! The level of a human-like player is a human rating by construction: a player that chooses like
//! humans rated 1500 is rated 1500. Games between such players measure their playing strengths,
//! which are closer together than human ratings. A line through the strengths converts the strength
//! of any other player into a rating: the rating of the humans against whom it would score 50%.
//! Outside the range of human ratings, no comparison is possible, so there one point of strength
//! counts as one point of rating.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::fit::expected;
use super::rising::with_least_step;
use stopdown::player::Level;
use stopdown::selector::human::{HIGHEST, LOWEST};

/// The minimum slope. Even if a few games suggest otherwise, a player that chooses like stronger
/// humans is stronger.
const MIN_SLOPE: f64 = 0.1;

/// Half-width of the 95% interval for the human rating that corresponds to a level. No level has
/// played humans with known ratings yet. Between 1000 and 2000, the value corresponds to a quarter
/// more or fewer blunders.
pub const HUMAN_ERROR: f64 = 150.0;

/// The minimum rise of a path from one place to the next, in Elo.
pub(super) const MIN_STEP: f64 = 1.0;

/// A player on a path, with the measured playing strength.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredLevel {
    pub name: String,
    pub place: f64,
    /// The rating used by the table, adjusted so that ratings rise along the path.
    pub elo: f64,
    /// Half-width of the 95% interval, relative to the zero.
    pub error: f64,
    /// The most likely rating, before the adjustment.
    pub measured: f64,
    pub games: u64,
    pub points: f64,
    /// For human-like players: how much their playing strength exceeds their rating.
    pub disagreement: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FamilyRatings {
    pub family: String,
    pub levels: Vec<MeasuredLevel>,
}

impl MeasuredLevel {
    /// Whether the player imitates humans within the range of the data.
    pub fn is_of_people(&self) -> bool {
        self.is_rated_by_place() && self.place <= HIGHEST
    }

    /// Whether the rating is the place by construction. Above the range of human ratings, the path
    /// continues their scale.
    fn is_rated_by_place(&self) -> bool {
        self.disagreement.is_some() && self.place >= LOWEST
    }
}

/// The playing strengths of humans, as a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PeopleScale {
    /// The playing strength at the lowest human rating.
    first: f64,
    /// The rise in strength for each point of rating.
    slope: f64,
}

impl PeopleScale {
    /// Fits the line to the strengths along the human path. Each is weighted by the information in
    /// its games.
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
        let slope = (moment(1, y) / moment(0, x)).max(MIN_SLOPE);
        PeopleScale { first: y - slope * x, slope }
    }

    /// The rating of humans with this playing strength.
    pub fn rating(&self, strength: f64) -> f64 {
        let strengths = self.strengths();
        let beyond = strength - strength.clamp(*strengths.start(), *strengths.end());
        LOWEST + (strength - beyond - self.first) / self.slope + beyond
    }

    /// The expected score between humans with this rating difference.
    pub fn score(&self, apart: f64) -> f64 {
        expected(self.slope * apart)
    }

    /// The change in rating for each point of playing strength.
    fn steepness(&self, strength: f64) -> f64 {
        if self.strengths().contains(&strength) { 1.0 / self.slope } else { 1.0 }
    }

    fn strengths(&self) -> RangeInclusive<f64> {
        self.first..=self.first + self.slope * (HIGHEST - LOWEST)
    }

    /// The levels of a path. Human-like players and those above them have the rating of their
    /// place. All others have the rating of equally strong humans. A minimum step keeps the ratings
    /// rising where chance would reverse two neighbours.
    pub fn levels(&self, path: &FamilyRatings) -> Vec<Level> {
        let rating = |measured: &MeasuredLevel| match measured.is_rated_by_place() {
            true => measured.place,
            false => self.rating(measured.elo),
        };
        let ratings: Vec<f64> = path.levels.iter().map(rating).collect();
        let rising = with_least_step(&ratings, MIN_STEP);
        path.levels.iter().zip(rising).map(|(measured, elo)| self.level(measured, elo)).collect()
    }

    fn level(&self, measured: &MeasuredLevel, elo: f64) -> Level {
        let error = match measured.is_of_people() {
            true => HUMAN_ERROR,
            false => HUMAN_ERROR.hypot(self.steepness(measured.elo) * measured.error),
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
    fn human_players_keep_their_ratings_and_others_get_those_of_equals() {
        // Only half of a rating difference shows in play.
        let people = [(0.0, -100.0), (600.0, 1300.0), (1600.0, 1800.0), (2800.0, 2400.0)];
        let people = path(&people, true);
        let scale = PeopleScale::new(&people);
        assert!((scale.score(200.0) - 0.64).abs() < 0.001);
        let elos = |levels: Vec<Level>| levels.iter().map(|level| level.elo).collect::<Vec<_>>();
        assert_eq!(elos(scale.levels(&people)), [-800.0, 600.0, 1600.0, 2800.0]);
        let others = path(&[(0.1, 1200.0), (0.2, 1900.0), (0.3, 2500.0), (0.4, 2490.0)], false);
        let levels = scale.levels(&others);
        assert_eq!(elos(levels.clone()), [500.0, 1800.0, 2900.0, 2901.0]);
        // Among humans, an error in strength corresponds to an error in rating that is twice as
        // large.
        assert_eq!(levels[1].error, 150f64.hypot(100.0));
        assert_eq!(levels[2].error, 150f64.hypot(50.0));
        assert_eq!(scale.levels(&people)[2].error, 150.0);
    }

    #[test]
    fn few_games_do_not_reverse_the_scale() {
        let people = path(&[(600.0, 2000.0), (2800.0, 1900.0)], true);
        let scale = PeopleScale::new(&people);
        assert!(scale.rating(1960.0) > scale.rating(1940.0));
    }
}
