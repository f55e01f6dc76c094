//! The score that ratings make expected: the logistic curve, 400 points to a decade of odds.
//!
//! How much of a difference shows hangs on who meets. Those of one path differ by how strong they are
//! and by little else. Between others chance is not all that bears on a score: one kind's faults may
//! suit another or not, which is like more noise, and brings what is scored nearer to one half.

use super::entrants::Lineup;
use crate::math::exact::logistic;

/// How many points a factor e in the odds is.
pub const UNIT: f64 = 400.0 / std::f64::consts::LN_10;

/// The part of a difference of ratings that shows between players of two kinds. 8,539 games, 2,835 of
/// them between two kinds, are likeliest with it: by ten units of the logarithm more than with 1, by
/// two more than with 0.9 or 0.75.
pub const BETWEEN_KINDS: f64 = 0.82;

/// Of every player, the kinds that he is of; without any all are of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kinds(Vec<Vec<usize>>);

impl Kinds {
    /// The paths of a lineup: who plays at random stands on many of them, an engine of others on none.
    pub fn of(lineup: &Lineup) -> Kinds {
        let mut kinds = vec![Vec::new(); lineup.entrants.len()];
        for (kind, path) in lineup.paths.iter().enumerate() {
            path.entrants.iter().for_each(|&entrant| kinds[entrant].push(kind));
        }
        Kinds(kinds)
    }

    /// The part of a difference of their ratings that shows when these two meet.
    pub fn part(&self, one: usize, other: usize) -> f64 {
        let alike =
            self.0.is_empty() || self.0[one].iter().any(|kind| self.0[other].contains(kind));
        if alike { 1.0 } else { BETWEEN_KINDS }
    }

    /// The score that ratings make expected of one against another.
    pub fn expected(&self, ratings: &[f64], one: usize, other: usize) -> f64 {
        expected(self.part(one, other) * (ratings[one] - ratings[other]))
    }
}

/// The score that is expected of somebody so much better than another of his kind.
pub fn expected(difference: f64) -> f64 {
    logistic(difference / UNIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Pool;
    use crate::selector::Family;

    #[test]
    fn less_of_a_difference_shows_between_kinds_and_who_plays_at_random_is_of_many() {
        let lineup = Lineup::of_paths(5);
        let kinds = Kinds::of(&lineup);
        let on = |family, place: usize| {
            let path = lineup.paths.iter().find(|path| path.family == family);
            path.expect("a path").entrants[place]
        };
        let (people, levelled) = (Family::human(Pool::Board), Family::LEVELLED);
        assert_eq!(kinds.part(on(people, 3), on(people, 7)), 1.0);
        assert_eq!(kinds.part(on(people, 0), on(levelled, 2)), 1.0, "he plays at random");
        assert_eq!(kinds.part(on(people, 3), on(levelled, 2)), BETWEEN_KINDS);
        let mut ratings = vec![0.0; lineup.entrants.len()];
        ratings[on(people, 7)] = 200.0;
        let near = |points: f64, wanted: f64| assert!((points - wanted).abs() < 1e-3, "{points}");
        near(kinds.expected(&ratings, on(people, 7), on(people, 3)), 0.7597);
        near(kinds.expected(&ratings, on(people, 7), on(levelled, 2)), 0.7199);
        near(Kinds::default().expected(&ratings, on(people, 7), on(levelled, 2)), 0.7597);
    }
}
