//! The moves that players of each rating would play in a position, as JSON for the chart on a page.

use serde::Serialize;

use crate::analyser::{MoveMark, lost_chances};
use crate::board::Game;
use crate::evaluation::RootEvaluation;
use crate::math::largest;
use crate::player::{Elo, EloScale, RATED_RANGE, TargetRating, human_shares};
use crate::selector::Values;
use crate::threads::share_out;
use crate::value::Depth;

/// The chart of a position.
#[derive(Clone, Debug, Serialize)]
pub struct MovesByRating {
    fen: String,
    scale: &'static str,
    depth: Depth,
    ratings: Vec<f64>,
    /// The share of players of each rating who make a mistake, in percent.
    mistakes: Vec<f64>,
    /// The most frequent moves and the best one.
    moves: Vec<MoveByRating>,
}

#[derive(Clone, Debug, Serialize)]
struct MoveByRating {
    uci: String,
    san: String,
    /// The score as text, from the point of view of the side to move.
    score: String,
    mark: Option<MoveMark>,
    best: bool,
    /// The share of players of each rating who would play the move, in percent.
    shares: Vec<f64>,
}

/// The distance between neighbouring ratings, in Elo. The chart draws straight lines between them.
const STEP: usize = 200;
/// The number of frequent moves in the chart.
const FREQUENT_MOVES: usize = 5;
/// Moves with a smaller share, in percent, at all ratings are left out.
const MIN_SHARE: f64 = 1.0;

impl MovesByRating {
    /// Computes the shares from an evaluation on `threads` threads. Results deeper than `depth` are
    /// ignored.
    pub fn new(
        game: &Game,
        evaluation: &RootEvaluation,
        depth: Depth,
        scale: EloScale,
        threads: usize,
    ) -> MovesByRating {
        let (low, high) = (*RATED_RANGE.start() as usize, *RATED_RANGE.end() as usize);
        let ratings: Vec<f64> = (low..=high).step_by(STEP).map(|elo| elo as f64).collect();
        let by_rating: Vec<Vec<f64>> = share_out(ratings.len(), threads, |number| {
            let rating = TargetRating::new(Elo(ratings[number]), None, scale);
            human_shares(game, evaluation, depth, &rating).probabilities().to_vec()
        });
        let values = Values::of(evaluation, depth);
        let values = values.deepest();
        let best_value = largest(values);
        let best = values.iter().position(|&value| value == best_value);
        let marks: Vec<Option<MoveMark>> =
            values.iter().map(|&value| MoveMark::of(lost_chances(best_value, value))).collect();
        let mistakes = by_rating.iter().map(|shares| {
            let marked = shares.iter().zip(&marks);
            let mistakes = marked.filter(|(_, mark)| **mark >= Some(MoveMark::Mistake));
            percent(mistakes.map(|(share, _)| share).sum())
        });
        let largest_share =
            |index: usize| by_rating.iter().map(|shares| shares[index]).fold(0.0, f64::max);
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&one, &other| largest_share(other).total_cmp(&largest_share(one)));
        let frequent = |(rank, index): (usize, &usize)| {
            rank < FREQUENT_MOVES && percent(largest_share(*index)) >= MIN_SHARE
        };
        let shown = order.iter().enumerate();
        let shown = shown.filter(|&(rank, index)| frequent((rank, index)) || Some(*index) == best);
        let position = game.position();
        let moves = shown.map(|(_, &index)| {
            let found = &evaluation.moves[index];
            MoveByRating {
                uci: position.uci(found.mv),
                san: position.san(found.mv),
                score: found.value().to_string(),
                mark: marks[index],
                best: Some(index) == best,
                shares: by_rating.iter().map(|shares| percent(shares[index])).collect(),
            }
        });
        MovesByRating {
            fen: position.fen(),
            scale: scale.name(),
            depth: depth.min(evaluation.depth),
            mistakes: mistakes.collect(),
            moves: moves.collect(),
            ratings,
        }
    }
}

/// A share in percent, with one decimal place.
fn percent(share: f64) -> f64 {
    (1000.0 * share).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::Engine;
    use crate::search::{Controls, EvaluationRequest, NoObserver};

    fn chart(moves: &[&str]) -> MovesByRating {
        let game = Game::from_uci(None, moves.iter().copied(), false).expect("legal");
        let request = EvaluationRequest::depth(4);
        let mut engine = Engine::built_in(1);
        let evaluation = engine.evaluate(&game, &request, &Controls::new(), &mut NoObserver);
        MovesByRating::new(&game, &evaluation, 4, EloScale::Fide, 2)
    }

    #[test]
    fn the_chart_has_the_frequent_moves_and_marks_the_best() {
        let chart = chart(&["e2e4", "e7e5", "d1h5"]);
        assert_eq!((chart.ratings.first(), chart.ratings.last()), (Some(&600.0), Some(&2800.0)));
        assert!(chart.moves.len() <= FREQUENT_MOVES + 1);
        assert_eq!(chart.moves.iter().filter(|m| m.best).count(), 1);
        assert!(chart.moves.iter().all(|m| !m.best || m.mark.is_none()));
        for number in 0..chart.ratings.len() {
            let sum: f64 = chart.moves.iter().map(|m| m.shares[number]).sum();
            assert!((50.0..=101.0).contains(&sum), "{chart:?}");
            assert!((0.0..=100.0).contains(&chart.mistakes[number]));
        }
    }

    #[test]
    fn a_position_without_moves_has_an_empty_chart() {
        let chart = chart(&["f2f3", "e7e5", "g2g4", "d8h4"]);
        assert!(chart.moves.is_empty() && chart.mistakes.iter().all(|&share| share == 0.0));
    }
}
