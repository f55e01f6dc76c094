//! What the results of a player's games say about the player's rating.
//!
//! The higher a player is rated above the opponent, the more points the player scores. A draw counts
//! as half a win and half a loss. Results are evidence from outside the moves, so they are kept
//! apart: a report gives the rating with and without them.
//!
//! This is true over the board. Online, players meet opponents with almost the same rating, and
//! results say little about the difference, so only games over the board count.

use serde::{Deserialize, Serialize};

use super::scale::{Rating, RatingScale};
use crate::board::Colour;
use crate::games::GameResult;
use crate::games::pgn::PgnGame;
use crate::math::exact::{exp, ln};
use crate::math::grid::Posterior;
use crate::math::sums::{Count, Fine, FineCurve, additive};
use crate::player::EloScale;

/// The difference in rating at which the stronger player scores ten points for each point of the
/// weaker one. The rating formula says 400. In 247,269 games over the board from 2012 to 2022, this
/// value fits best.
const TENFOLD: f64 = 520.0;

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
    /// The log-likelihood of the results at each point of the rating grid.
    ln_likelihood: FineCurve<2>,
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
    /// rating is unknown.
    pub fn of(game: &PgnGame, colour: Colour, scale: &RatingScale) -> Option<RatedResult> {
        let result = game.result.as_deref().or_else(|| game.tag("Result"))?;
        let score = GameResult::parse(result)?.half_points(colour) as f64 / 2.0;
        let is_rated = scale.is_over_the_board() && game.rating_scale() == EloScale::Fide;
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
    /// The sums of one game, at these ratings.
    pub fn of(result: Option<&RatedResult>, ratings: &[f64]) -> ResultSums {
        let Some(result) = result else {
            let ln_likelihood = FineCurve::of(&vec![0.0; ratings.len()]);
            return ResultSums { ln_likelihood, ..ResultSums::default() };
        };
        let found: Vec<f64> = ratings.iter().map(|&elo| result.ln_likelihood(elo)).collect();
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
    pub fn combine(&self, rating: &Rating, ratings: &[f64]) -> Option<RatingWithResults> {
        if self.games.items() == 0 || self.len() != ratings.len() {
            return None;
        }
        let before = Posterior::normal(ratings.to_vec(), rating.elo, rating.deviation);
        let mut belief = before.ok()?;
        belief.update(&self.ln_likelihood.values().collect::<Vec<f64>>());
        let (elo, deviation) = (belief.mean(), belief.standard_deviation());
        Some(RatingWithResults {
            rating: Rating { elo, deviation, ..rating.clone() },
            games: self.games.items(),
            score: self.score.value(),
            opponents: self.opponents.value() / self.games.value(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::grid::evenly_spaced;

    const MOVES: Rating = Rating {
        elo: 1800.0,
        deviation: 150.0,
        alone: 1800.0,
        sampling: 100.0,
        by_games: 100.0,
        decisions: 200,
    };

    fn combined(results: &[(f64, f64)]) -> Option<RatingWithResults> {
        let ratings = evenly_spaced(600.0, 2800.0, 45);
        let mut sums = ResultSums::of(None, &ratings);
        for &(score, opponent) in results {
            let of_game = ResultSums::of(Some(&RatedResult { score, opponent }), &ratings);
            crate::math::sums::Additive::add(&mut sums, &of_game);
        }
        sums.combine(&MOVES, &ratings)
    }

    #[test]
    fn results_shift_the_rating_and_narrow_its_interval() {
        assert_eq!(combined(&[]), None);
        let even = combined(&[(0.5, 1800.0); 10]).expect("there are results");
        assert!((even.rating.elo - 1800.0).abs() < 1.0 && even.rating.deviation < 100.0);
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
