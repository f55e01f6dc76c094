//! Combines a rating from moves with the results of the games.
//!
//! The higher a player is rated above the opponent, the more points the player scores. A draw counts
//! as half a win and half a loss. Results are evidence from outside the moves, so they are kept
//! apart: a report gives the rating with and without them.
//!
//! Only games over the board count. Online, players meet opponents with almost the same rating, so
//! results show little about the difference.

use serde::{Deserialize, Serialize};

use super::scale::{Rating, RatingScale};
use crate::board::{Colour, STARTING_FEN};
use crate::games::pgn::PgnGame;
use crate::math::exact::{exp, ln};
use crate::math::grid::{Posterior, evenly_spaced};
use crate::math::interpolation::LineInterpolation;
use crate::math::sums::{Count, Fine, FineCurve, additive};
use crate::player::EloScale;

/// The difference in rating at which the stronger player scores ten points for each point of the
/// weaker one. The rating formula says 400. In 247,269 games over the board from 2012 to 2022, this
/// value fits best.
const TENFOLD: f64 = 520.0;

/// The ratings at which results are evaluated. They go far beyond human ratings, so that the ends do
/// not matter.
const RATINGS: (f64, f64) = (-400.0, 4000.0);
const POINTS: usize = 45;

/// The number of ratings at which a posterior is computed: one every five points. After hundreds of games it is narrower
/// than the distance between the ratings above. The log-likelihood is smooth, so it is interpolated between them.
const POSTERIOR_POINTS: usize = 881;

/// The result of a game against an opponent with a known rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedResult {
    /// 1 for a win, 0.5 for a draw, 0 for a loss.
    score: f64,
    /// The opponent's rating.
    opponent: f64,
}

/// The sums over games against opponents with known ratings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ResultSums {
    games: Count,
    score: Fine,
    opponents: Count,
    /// The log-likelihood of the results at each of the [`ratings`].
    ln_likelihood: FineCurve<3>,
}

additive!(ResultSums: games, score, opponents, ln_likelihood);

/// A rating from moves and results together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatingWithResults {
    /// The rating.
    pub rating: Rating,
    /// The number of games against opponents with known ratings.
    pub games: usize,
    /// The points scored in these games.
    pub score: f64,
    /// The mean rating of the opponents.
    pub opponents: f64,
}

impl RatedResult {
    /// Returns a player's result in a game over the board, or `None` if the result or the opponent's
    /// rating is unknown, or if the game has another starting position, as odds games do.
    pub fn of(game: &PgnGame, colour: Colour, scale: &RatingScale) -> Option<RatedResult> {
        let score = game.final_result()?.half_points(colour) as f64 / 2.0;
        let starts_equal = game.tag("FEN").is_none_or(|fen| fen.trim() == STARTING_FEN)
            || game.is_chess960().unwrap_or(false);
        let is_rated =
            scale.is_over_the_board() && game.rating_scale() == EloScale::Fide && starts_equal;
        let opponent = game.rating(!colour).filter(|_| is_rated)?;
        Some(RatedResult { score, opponent })
    }

    /// The log-likelihood of the result for a player with this rating.
    fn ln_likelihood(&self, elo: f64) -> f64 {
        let lead = (elo - self.opponent) * std::f64::consts::LN_10 / TENFOLD;
        -self.score * ln(1.0 + exp(-lead)) - (1.0 - self.score) * ln(1.0 + exp(lead))
    }
}

impl ResultSums {
    /// The sums of one game.
    pub fn of(result: Option<&RatedResult>) -> ResultSums {
        let Some(result) = result else {
            let ln_likelihood = FineCurve::of(&[0.0; POINTS]);
            return ResultSums { ln_likelihood, ..ResultSums::default() };
        };
        let found: Vec<f64> = ratings().iter().map(|&elo| result.ln_likelihood(elo)).collect();
        ResultSums {
            games: Count::of_items(1),
            score: Fine::of(result.score),
            opponents: Count::of(result.opponent),
            ln_likelihood: FineCurve::of(&found),
        }
    }

    /// The number of points of the curve.
    pub fn len(&self) -> usize {
        self.ln_likelihood.len()
    }

    /// Combines a rating from moves with the results. `None` if there are no results.
    pub fn combine(&self, rating: &Rating) -> Option<RatingWithResults> {
        if self.games.items() == 0 || self.len() != POINTS {
            return None;
        }
        let fine = evenly_spaced(RATINGS.0, RATINGS.1, POSTERIOR_POINTS);
        let line = LineInterpolation::even(RATINGS.0, RATINGS.1, POINTS);
        let known: Vec<f64> = self.ln_likelihood.values().collect();
        let at = |&elo: &f64| line.weights(elo).iter().zip(&known).map(|(w, k)| w * k).sum();
        let ln_likelihood: Vec<f64> = fine.iter().map(at).collect();
        let mut belief = Posterior::normal(fine, rating.elo, rating.deviation).ok()?;
        belief.update(&ln_likelihood);
        let (elo, deviation) = (belief.mean(), belief.standard_deviation());
        Some(RatingWithResults {
            rating: Rating { elo, deviation, ..rating.clone() },
            games: self.games.items(),
            score: self.score.value(),
            opponents: self.opponents.value() / self.games.value(),
        })
    }
}

/// The grid of ratings.
fn ratings() -> Vec<f64> {
    evenly_spaced(RATINGS.0, RATINGS.1, POINTS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::sums::Additive as _;

    const MOVES: Rating = Rating {
        elo: 1800.0,
        deviation: 150.0,
        alone: 1800.0,
        sampling: 100.0,
        by_games: 100.0,
        decisions: 200,
    };

    #[test]
    fn hundreds_of_results_give_a_rating_between_the_points_of_the_curve() {
        let results: Vec<(f64, f64)> = (0..400).map(|game| (f64::from(game % 2), 1830.0)).collect();
        let found = combined_with(&MOVES, &results).expect("there are results").rating;
        // The same posterior, with one rating per point.
        let elos: Vec<f64> = (1000..2600).map(f64::from).collect();
        let mut exact = Posterior::normal(elos.clone(), MOVES.elo, MOVES.deviation).expect("valid");
        for (score, opponent) in results {
            let result = RatedResult { score, opponent };
            exact.update(&elos.iter().map(|&elo| result.ln_likelihood(elo)).collect::<Vec<f64>>());
        }
        assert!((found.elo - exact.mean()).abs() < 0.5, "{} {}", found.elo, exact.mean());
        let deviation = exact.standard_deviation();
        assert!((found.deviation - deviation).abs() < 0.5, "{} {deviation}", found.deviation);
    }

    fn combined_with(moves: &Rating, results: &[(f64, f64)]) -> Option<RatingWithResults> {
        let mut sums = ResultSums::of(None);
        for &(score, opponent) in results {
            sums.add(&ResultSums::of(Some(&RatedResult { score, opponent })));
        }
        sums.combine(moves)
    }

    fn combined(results: &[(f64, f64)]) -> Option<RatingWithResults> {
        combined_with(&MOVES, results)
    }

    #[test]
    fn results_that_were_expected_do_not_move_the_rating_even_at_the_end_of_a_scale() {
        let moves = Rating { elo: 2780.0, ..MOVES };
        let drawn = combined_with(&moves, &[(0.5, 2780.0)]).expect("there is a result");
        assert!((drawn.rating.elo - 2780.0).abs() < 1.0, "{drawn:?}");
    }

    #[test]
    fn results_shift_the_rating_and_narrow_its_interval() {
        assert_eq!(combined(&[]), None);
        let even = combined(&[(0.5, 1800.0); 10]).expect("there are results");
        assert!((even.rating.elo - 1800.0).abs() < 1.0 && even.rating.deviation < 110.0);
        let won = combined(&[(1.0, 1800.0); 10]).expect("there are results");
        assert!((1900.0..2200.0).contains(&won.rating.elo), "{won:?}");
        let upset = combined(&[(1.0, 2200.0)]).expect("there is a result");
        let expected = combined(&[(1.0, 1400.0)]).expect("there is a result");
        assert!(upset.rating.elo > expected.rating.elo + 50.0, "{upset:?} {expected:?}");
        let mixed = combined(&[(1.0, 1700.0), (0.5, 1900.0)]).expect("there are results");
        assert_eq!((mixed.games, mixed.score, mixed.opponents), (2, 1.5, 1800.0));
    }

    #[test]
    fn a_result_needs_a_score_and_a_rating_on_the_scale() {
        let game = |tags: &[(&str, &str)]| PgnGame {
            tags: tags.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
            ..PgnGame::default()
        };
        let known = [("BlackElo", "1900"), ("Result", "0-1")];
        let [board, blitz] = [EloScale::Fide, EloScale::LichessBlitz].map(RatingScale::of);
        let result = RatedResult::of(&game(&known), Colour::White, &board);
        assert_eq!(result, Some(RatedResult { score: 0.0, opponent: 1900.0 }));
        assert_eq!(RatedResult::of(&game(&known), Colour::Black, &board), None);
        assert_eq!(RatedResult::of(&game(&known), Colour::White, &blitz), None);
        assert_eq!(RatedResult::of(&game(&known[..1]), Colour::White, &board), None);
    }
}
