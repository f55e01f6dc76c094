//! The replies that a fallible opponent is likely to choose, and the score to expect after them.
//!
//! A trap is worth something only if the opponent falls into it, and a shallow evaluation sees traps that do not exist.
//! Therefore only the likely replies are evaluated deeply. Two models predict the opponent's choice: one of humans with
//! the opponent's rating, and one of a program that looks only [`SHALLOW`] plies ahead.

use super::expected_score::ExpectedScore;
use super::{EloScale, TargetRating, human_shares};
use crate::board::{Game, GameEnd, Move, Position};
use crate::evaluation::{MoveEvaluation, RootEvaluation};
use crate::selector::Distribution;
use crate::value::{Depth, Value};

/// The depth at which the model of a weak program evaluates moves.
const SHALLOW: Depth = 3;
/// The difference in pawns that makes a move e times as likely in the model of a weak program.
const TEMPERATURE: f64 = 0.3;
/// The number of replies that are evaluated deeply: the likeliest ones, and the best one.
const LIKELY: usize = 6;

/// A rating that the opponent may have, with the expected score against such an opponent.
pub(super) struct LikelyRating {
    rating: TargetRating,
    score: ExpectedScore,
}

impl LikelyRating {
    pub fn new(rating: TargetRating) -> LikelyRating {
        let fide = rating.scale.on(EloScale::Fide, rating.elo.0);
        LikelyRating { rating, score: ExpectedScore::against(fide) }
    }

    /// The expected score if the opponent chooses each reply with its probability in `shares`.
    fn after_replies(&self, after: &Game, replies: &RootEvaluation, shares: &Distribution) -> f64 {
        let of_reply = |reply: &MoveEvaluation| {
            let mut game = after.clone();
            game.play(reply.mv);
            match game.ending() {
                Some(GameEnd::Checkmate) => 0.0,
                Some(_) => 0.5,
                None => self.score.of(-reply.value(), game.position()),
            }
        };
        shares.expected(&replies.moves.iter().map(of_reply).collect::<Vec<f64>>())
    }
}

/// The expected score in a position with this value for us, averaged over all likely ratings.
pub(super) fn mean_score(ratings: &[LikelyRating], value: Value, position: &Position) -> f64 {
    mean(ratings, |likely| likely.score.of(value, position))
}

/// The two expected scores after the opponent's choice among these replies, averaged over all likely ratings: if the
/// opponent chooses like a human, and if it chooses like a weak program.
pub(super) fn expected_scores(
    ratings: &[LikelyRating],
    after: &Game,
    replies: &RootEvaluation,
) -> [f64; 2] {
    let by_program = shares_of_program(replies);
    let human = mean(ratings, |likely| {
        let shares = human_shares(after, replies, replies.depth, &likely.rating);
        likely.after_replies(after, replies, &shares)
    });
    [human, mean(ratings, |likely| likely.after_replies(after, replies, &by_program))]
}

/// Returns the replies that deserve a deep evaluation, from a shallow evaluation of all of them.
pub(super) fn to_examine(
    ratings: &[LikelyRating],
    after: &Game,
    all: &RootEvaluation,
) -> Vec<Move> {
    let mut shares = shares_of_program(all).probabilities().to_vec();
    for likely in ratings {
        let human = human_shares(after, all, all.depth, &likely.rating);
        for (sum, share) in shares.iter_mut().zip(human.probabilities()) {
            *sum += share / ratings.len() as f64;
        }
    }
    let best = all.best().map(|best| best.mv);
    let mut replies: Vec<(f64, Move)> =
        shares.into_iter().zip(all.moves.iter().map(|m| m.mv)).collect();
    replies.sort_by(|(one, a), (other, b)| {
        (Some(*b) == best).cmp(&(Some(*a) == best)).then(other.total_cmp(one))
    });
    replies.into_iter().take(LIKELY).map(|(_, mv)| mv).collect()
}

/// The probabilities with which a program that looks a few plies ahead chooses these moves.
fn shares_of_program(replies: &RootEvaluation) -> Distribution {
    let seen = |m: &MoveEvaluation| {
        let shallow = &m.by_depth[..m.by_depth.len().min(usize::from(SHALLOW))];
        shallow.last().map_or(0.0, |found| found.value.pawns() / TEMPERATURE)
    };
    Distribution::from_ln(replies.moves.iter().map(seen).collect())
}

fn mean(ratings: &[LikelyRating], of: impl Fn(&LikelyRating) -> f64) -> f64 {
    ratings.iter().map(of).sum::<f64>() / ratings.len() as f64
}
