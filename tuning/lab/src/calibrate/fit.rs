//! One list of ratings from all games, with the knowledge that paths bend little.
//!
//! Scores follow the logistic curve, 400 points to a decade of odds, and a draw is half a win: how
//! often players draw bears on how sure a score is, not on what it says. White's advantage cancels,
//! for every pair of games is played with both colours. The most likely ratings are found by Newton's
//! method (with scores' own variance it is quasi-likelihood: Wedderburn, Biometrika 61, 1974), the
//! errors from the inverse of its matrix.
//!
//! How much of a difference shows hangs on who meets. Those of one path differ by how strong they are
//! and by little else. Between others chance is not all that bears on a score: one kind's faults may
//! suit another or not, which is like more noise, and brings what is scored nearer to one half.

use std::collections::BTreeMap;

use super::entrants::Lineup;
use stopdown::arena::GameRecord;
use stopdown::games::GameResult;
use stopdown::math::cholesky::Cholesky;
use stopdown::math::exact::logistic;
use stopdown::math::outcomes::{draw_rate, rate_of_equals};
use stopdown::math::paired::newton::{EqualPairings, Equations, NormalPrior};

/// How many points a factor e in the odds is.
pub const UNIT: f64 = 400.0 / std::f64::consts::LN_10;

/// The part of a difference of ratings that shows between players of two kinds. 8,539 games, 2,835 of
/// them between two kinds, are likeliest with it: by ten units of the logarithm more than with 1, by
/// two more than with 0.9 or 0.75.
pub const BETWEEN_KINDS: f64 = 0.82;

/// How much the slope of a row's ratings may change over one unit of its places, in Elo: a standard
/// deviation. Slopes walk at random, so that the variance grows with the distance. 8,539 games are
/// likeliest with it (by two units of the logarithm more than with 200, by five more than with 100, by
/// forty more than with 50).
const BEND: f64 = 140.0;

/// How far guesses may be from the truth: a standard deviation. Beside a hundred games they count for nothing,
/// but who has won or lost all of a few is somewhere. (With 400 they did count: together they made the
/// dial shorter by a fiftieth.)
const DOUBT: f64 = 1000.0;

/// So often the ratings are fitted, at first without draws, then with those that the last ratings make
/// expected. After four times nothing changes any more.
const ROUNDS: usize = 6;

/// If all games were drawn, nothing would be left to chance.
const MOST_DRAWS: f64 = 0.9;

/// What games have come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    /// Points and games of those who met, by (one, other); points are those of the first, who has the
    /// smaller number.
    pub meetings: BTreeMap<(usize, usize), (f64, f64)>,
    /// So many of all games were drawn.
    pub draws: f64,
}

/// What is known beside the games.
#[derive(Clone, Debug)]
pub struct RatingModel<'a> {
    /// Where everybody is thought to stand before the games.
    pub guesses: &'a [f64],
    /// Players in rows whose ratings change evenly, each with his place, in a unit in which
    /// ratings are apt to bend by [`BEND`].
    pub rows: &'a [Vec<(usize, f64)>],
    pub kinds: &'a Kinds,
}

/// The most likely ratings.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingFit {
    pub ratings: Vec<f64>,
    /// Row by row.
    covariance: Vec<f64>,
}

impl Scores {
    /// Of finished games, those aside that somebody lost by a fault.
    pub fn of_records<'a>(records: impl IntoIterator<Item = &'a GameRecord>) -> Scores {
        let mut scores = Scores::default();
        scores.add_records(records);
        scores
    }

    pub fn add_records<'a>(&mut self, records: impl IntoIterator<Item = &'a GameRecord>) {
        for record in records.into_iter().filter(|record| !record.is_fault()) {
            self.add(record.white, record.black, record.result.score(), 1.0);
            self.draws += f64::from(u8::from(record.result == GameResult::Draw));
        }
    }

    /// Adds the points that one has made against another in so many games without draws.
    pub fn add(&mut self, one: usize, other: usize, points: f64, games: f64) {
        let (pair, points) = match one < other {
            true => ((one, other), points),
            false => ((other, one), games - points),
        };
        let entry = self.meetings.entry(pair).or_default();
        *entry = (entry.0 + points, entry.1 + games);
    }

    /// Adds what other games of the same players have come to.
    pub fn merge(&mut self, others: Scores) {
        for ((one, other), (points, games)) in others.meetings {
            self.add(one, other, points, games);
        }
        self.draws += others.draws;
    }

    /// How many games there are.
    pub fn games(&self) -> usize {
        self.meetings.values().map(|(_, games)| *games as usize).sum()
    }

    /// Points and games of a player.
    pub fn of(&self, player: usize) -> (f64, f64) {
        self.meetings.iter().fold((0.0, 0.0), |sum, (&(one, other), &(points, games))| match player
        {
            player if player == one => (sum.0 + points, sum.1 + games),
            player if player == other => (sum.0 + games - points, sum.1 + games),
            _ => sum,
        })
    }
}

impl RatingModel<'_> {
    pub fn fit(&self, scores: &Scores) -> RatingFit {
        let guesses = self.guesses.iter().map(|guess| guess / UNIT).collect();
        let priors = self.priors();
        let mut equations = Equations { comparisons: Vec::new(), priors, values: guesses };
        // How often players draw hangs on their ratings, and how much a game tells on that.
        let mut drawing = 0.0;
        for round in 0..ROUNDS {
            equations.comparisons = self.comparisons(scores, &equations.values, drawing);
            match equations.clone().solve() {
                Some(solved) => equations = solved,
                None => break,
            }
            if round == 0 {
                let expected = |met: &EqualPairings| (equations.expected(met), met.games);
                let met: Vec<(f64, f64)> = equations.comparisons.iter().map(expected).collect();
                drawing = rate_of_equals(&met, scores.draws).min(MOST_DRAWS);
            }
        }
        let size = self.guesses.len();
        let inverse = Cholesky::new(&equations.information(), size).map(|matrix| matrix.inverse());
        let inverse = inverse.unwrap_or_else(|| vec![f64::NAN; size * size]);
        RatingFit {
            ratings: equations.values.iter().map(|value| UNIT * value).collect(),
            covariance: inverse.iter().map(|value| UNIT * UNIT * value).collect(),
        }
    }

    /// What games tell where equals draw so often and these are the ratings, in units.
    fn comparisons(&self, scores: &Scores, values: &[f64], drawing: f64) -> Vec<EqualPairings> {
        let comparison = |(&(one, other), &(points, games)): (&(usize, usize), &(f64, f64))| {
            let part = self.kinds.part(one, other);
            let p = logistic(part * (values[one] - values[other]));
            // A draw takes a quarter of a point squared from what chance does to a game.
            let without_draws = (p * (1.0 - p)).max(f64::MIN_POSITIVE);
            let weight = 1.0 / (1.0 - draw_rate(p, drawing) / (4.0 * without_draws));
            let parts = vec![(one, part), (other, -part)];
            EqualPairings { parts, known: 0.0, points, games, weight }
        };
        scores.meetings.iter().map(comparison).collect()
    }

    /// What is known beside the games, in units.
    fn priors(&self) -> Vec<NormalPrior> {
        let precision = |deviation: f64| (UNIT / deviation).powi(2);
        let guess = |(player, guess): (usize, &f64)| NormalPrior {
            parts: vec![(player, 1.0)],
            mean: guess / UNIT,
            precision: precision(DOUBT),
        };
        let bend = |three: &[(usize, f64)]| {
            let (parts, distance) = change_of_slope(three);
            NormalPrior { parts: parts.to_vec(), mean: 0.0, precision: precision(BEND) / distance }
        };
        let bends = self.rows.iter().flat_map(|row| row.windows(3)).map(bend);
        self.guesses.iter().enumerate().map(guess).chain(bends).collect()
    }
}

/// Three players, each with what his rating weighs in the change of slope at the second, and the distance
/// between the middles of both slopes.
fn change_of_slope(three: &[(usize, f64)]) -> ([(usize, f64); 3], f64) {
    let (before, after) = (three[1].1 - three[0].1, three[2].1 - three[1].1);
    let weights = [1.0 / before, -1.0 / before - 1.0 / after, 1.0 / after];
    (std::array::from_fn(|index| (three[index].0, weights[index])), (before + after) / 2.0)
}

impl RatingFit {
    /// The variance of a player's distance from a zero, which is a sum of ratings with weights.
    pub fn variance_from(&self, player: usize, zero: &[f64]) -> f64 {
        let mut weights: Vec<f64> = zero.iter().map(|weight| -weight).collect();
        weights[player] += 1.0;
        let rows = self.covariance.chunks_exact(weights.len());
        let along = |row: &[f64]| row.iter().zip(&weights).map(|(a, b)| a * b).sum::<f64>();
        rows.zip(&weights).map(|(row, weight)| weight * along(row)).sum::<f64>().max(0.0)
    }
}

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
    use stopdown::policy::GameKind;
    use stopdown::selector::Family;

    #[test]
    fn less_of_a_difference_shows_between_kinds_and_who_plays_at_random_is_of_many() {
        let lineup = Lineup::of_paths(5);
        let kinds = Kinds::of(&lineup);
        let on = |family, place: usize| {
            let path = lineup.paths.iter().find(|path| path.family == family);
            path.expect("a path").entrants[place]
        };
        let (people, levelled) = (Family::human(GameKind::Board), Family::LEVELLED);
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
