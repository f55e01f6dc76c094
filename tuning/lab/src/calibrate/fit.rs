//! Fits one rating list to all games, assuming that ratings change smoothly along a path.
//!
//! Expected scores follow the logistic curve, with 400 points for each factor of ten in the odds. A
//! draw counts as half a win. The draw rate affects the variance of a score, but not its mean.
//! White's advantage cancels out, because every pair plays with both colours. Newton's method finds
//! the most likely ratings, and the inverse of its matrix gives the errors. With the actual
//! variance of scores, this is a quasi-likelihood (Wedderburn, Biometrika 61, 1974).
//!
//! The fraction of a rating difference that shows in the score depends on the opponents. Players on
//! one path differ in little but strength. Between different kinds of players, other factors also
//! matter: one kind may or may not be able to exploit the errors of the other. These factors act
//! like additional noise, and bring scores closer to one half.

use std::collections::BTreeMap;

use super::entrants::Lineup;
use stopdown::arena::GameRecord;
use stopdown::games::GameResult;
use stopdown::math::cholesky::Cholesky;
use stopdown::math::exact::logistic;
use stopdown::math::outcomes::{draw_rate, rate_of_equals};
use stopdown::math::paired::newton::{EqualPairings, Equations, NormalPrior};

/// The rating difference that multiplies the odds by e.
pub const UNIT: f64 = 400.0 / std::f64::consts::LN_10;

/// The fraction of a rating difference that shows between players of different kinds. It maximises
/// the likelihood of 8,539 games, 2,835 of them between different kinds. The log-likelihood is 10
/// higher than with 1, and 2 higher than with 0.9 or 0.75.
pub const BETWEEN_KINDS: f64 = 0.82;

/// The standard deviation, in Elo, of the change in slope along a path over one unit of its
/// places. Slopes follow a random walk, so the variance grows with distance. The value maximises
/// the likelihood of 8,539 games. The log-likelihood is 2 higher than with 200, 5 higher than with
/// 100, and 40 higher than with 50.
const SLOPE_CHANGE: f64 = 140.0;

/// The standard deviation of the prior around the guesses. With a hundred games it hardly matters,
/// but it keeps the rating finite for players who played only a few games and won or lost all of
/// them. (A value of 400 did matter: together the priors compressed the rating scale by a
/// fiftieth.)
const PRIOR_DEVIATION: f64 = 1000.0;

/// The number of fits. The first one ignores draws. It determines the draw rate between equal
/// players, which the later ones use. Nothing changes after four fits.
const FITS: usize = 6;

/// The maximum draw rate. If all games were drawn, there would be no variance.
const MAX_DRAW_RATE: f64 = 0.9;

/// The results of games.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    /// The points and games of each pair (one, other). The points are those of the first player,
    /// who has the smaller index.
    pub meetings: BTreeMap<(usize, usize), (f64, f64)>,
    /// The number of drawn games.
    pub draws: f64,
}

/// The assumptions of the fit before any games.
#[derive(Clone, Debug)]
pub struct RatingModel<'a> {
    /// The assumed rating of each player before the games.
    pub guesses: &'a [f64],
    /// Rows of players whose ratings change smoothly. Each player has a place, in a unit in which
    /// slopes vary by [`SLOPE_CHANGE`].
    pub rows: &'a [Vec<(usize, f64)>],
    pub kinds: &'a Kinds,
}

/// The most likely ratings.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingFit {
    pub ratings: Vec<f64>,
    /// Stored in row-major order.
    covariance: Vec<f64>,
}

impl Scores {
    /// Counts finished games, except those decided by a technical fault.
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

    /// Adds the points that one player scored against another in `games` games. The caller counts
    /// the draws.
    pub fn add(&mut self, one: usize, other: usize, points: f64, games: f64) {
        let (pair, points) = match one < other {
            true => ((one, other), points),
            false => ((other, one), games - points),
        };
        let entry = self.meetings.entry(pair).or_default();
        *entry = (entry.0 + points, entry.1 + games);
    }

    /// The number of games.
    pub fn games(&self) -> usize {
        self.meetings.values().map(|(_, games)| *games as usize).sum()
    }

    /// The points and games of a player.
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
        // The draw rate depends on the ratings, and affects how informative a game is.
        let mut drawing = 0.0;
        for round in 0..FITS {
            equations.comparisons = self.comparisons(scores, &equations.values, drawing);
            match equations.clone().solve() {
                Some(solved) => equations = solved,
                None => break,
            }
            if round == 0 {
                let expected = |met: &EqualPairings| (equations.expected(met), met.games);
                let met: Vec<(f64, f64)> = equations.comparisons.iter().map(expected).collect();
                drawing = rate_of_equals(&met, scores.draws).min(MAX_DRAW_RATE);
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

    /// Converts the games to comparisons, given ratings in units of [`UNIT`] and the draw rate
    /// between equal players.
    fn comparisons(&self, scores: &Scores, values: &[f64], drawing: f64) -> Vec<EqualPairings> {
        let comparison = |(&(one, other), &(points, games)): (&(usize, usize), &(f64, f64))| {
            let part = self.kinds.part(one, other);
            let p = logistic(part * (values[one] - values[other]));
            // A draw reduces the variance of a game by a quarter of a squared point.
            let without_draws = (p * (1.0 - p)).max(f64::MIN_POSITIVE);
            let weight = 1.0 / (1.0 - draw_rate(p, drawing) / (4.0 * without_draws));
            let parts = vec![(one, part), (other, -part)];
            EqualPairings { parts, known: 0.0, points, games, weight }
        };
        scores.meetings.iter().map(comparison).collect()
    }

    /// The priors, in units of [`UNIT`].
    fn priors(&self) -> Vec<NormalPrior> {
        let precision = |deviation: f64| (UNIT / deviation).powi(2);
        let guess = |(player, guess): (usize, &f64)| NormalPrior {
            parts: vec![(player, 1.0)],
            mean: guess / UNIT,
            precision: precision(PRIOR_DEVIATION),
        };
        let bend = |three: &[(usize, f64)]| {
            let (parts, distance) = change_of_slope(three);
            NormalPrior {
                parts: parts.to_vec(),
                mean: 0.0,
                precision: precision(SLOPE_CHANGE) / distance,
            }
        };
        let bends = self.rows.iter().flat_map(|row| row.windows(3)).map(bend);
        self.guesses.iter().enumerate().map(guess).chain(bends).collect()
    }
}

/// The weights of three ratings in the change in slope at the second, and the distance between the
/// midpoints of the two segments.
fn change_of_slope(three: &[(usize, f64)]) -> ([(usize, f64); 3], f64) {
    let (before, after) = (three[1].1 - three[0].1, three[2].1 - three[1].1);
    let weights = [1.0 / before, -1.0 / before - 1.0 / after, 1.0 / after];
    (std::array::from_fn(|index| (three[index].0, weights[index])), (before + after) / 2.0)
}

impl RatingFit {
    /// The variance of the difference between a player's rating and the zero of the scale, which is
    /// a weighted sum of ratings.
    pub fn variance_from(&self, player: usize, zero: &[f64]) -> f64 {
        let mut weights: Vec<f64> = zero.iter().map(|weight| -weight).collect();
        weights[player] += 1.0;
        let rows = self.covariance.chunks_exact(weights.len());
        let along = |row: &[f64]| row.iter().zip(&weights).map(|(a, b)| a * b).sum::<f64>();
        rows.zip(&weights).map(|(row, weight)| weight * along(row)).sum::<f64>().max(0.0)
    }
}

/// The kinds to which each player belongs. If there are none, all players are of the same kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kinds(Vec<Vec<usize>>);

impl Kinds {
    /// Treats each path of a lineup as a kind. The random player is on many of them, and an
    /// external engine on none.
    pub fn of(lineup: &Lineup) -> Kinds {
        let mut kinds = vec![Vec::new(); lineup.entrants.len()];
        for (kind, path) in lineup.paths.iter().enumerate() {
            path.entrants.iter().for_each(|&entrant| kinds[entrant].push(kind));
        }
        Kinds(kinds)
    }

    /// The fraction of the rating difference that shows when these two play.
    pub fn part(&self, one: usize, other: usize) -> f64 {
        let alike =
            self.0.is_empty() || self.0[one].iter().any(|kind| self.0[other].contains(kind));
        if alike { 1.0 } else { BETWEEN_KINDS }
    }

    /// The expected score of one player against another, given the ratings.
    pub fn expected(&self, ratings: &[f64], one: usize, other: usize) -> f64 {
        expected(self.part(one, other) * (ratings[one] - ratings[other]))
    }
}

/// The expected score for this rating difference between players of the same kind.
pub fn expected(difference: f64) -> f64 {
    logistic(difference / UNIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stopdown::policy::GameKind;
    use stopdown::selector::Family;

    #[test]
    fn differences_shrink_between_kinds_and_random_play_belongs_to_many() {
        let lineup = Lineup::full(5);
        let kinds = Kinds::of(&lineup);
        let on = |family, place: usize| {
            let path = lineup.paths.iter().find(|path| path.family == family);
            path.expect("a path").entrants[place]
        };
        let (people, levelled) = (Family::human(GameKind::Board), Family::LEVELLED);
        assert_eq!(kinds.part(on(people, 3), on(people, 7)), 1.0);
        assert_eq!(kinds.part(on(people, 0), on(levelled, 2)), 1.0, "it plays at random");
        assert_eq!(kinds.part(on(people, 3), on(levelled, 2)), BETWEEN_KINDS);
        let mut ratings = vec![0.0; lineup.entrants.len()];
        ratings[on(people, 7)] = 200.0;
        let near = |points: f64, wanted: f64| assert!((points - wanted).abs() < 1e-3, "{points}");
        near(kinds.expected(&ratings, on(people, 7), on(people, 3)), 0.7597);
        near(kinds.expected(&ratings, on(people, 7), on(levelled, 2)), 0.7199);
        near(Kinds::default().expected(&ratings, on(people, 7), on(levelled, 2)), 0.7597);
    }
}
