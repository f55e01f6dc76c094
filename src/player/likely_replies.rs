//! The replies that a fallible opponent is likely to choose, and the score to expect after them.
//!
//! A trap is worth something only if the opponent falls into it, and a shallow evaluation sees traps that do not exist.
//! Therefore only the replies that humans with the opponent's rating are likely to choose are evaluated deeply.

use super::expected_score::ExpectedScore;
use super::{EloScale, TargetRating, human_shares};
use crate::board::{Game, GameEnd, Move};
use crate::evaluation::{MoveEvaluation, RootEvaluation};

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

    /// The expected score after this reply.
    fn after_reply(&self, after: &Game, reply: &MoveEvaluation) -> f64 {
        let mut game = after.clone();
        game.play(reply.mv);
        match game.ending() {
            Some(ending) => 1.0 - final_score(ending),
            None => self.score.of(-reply.value(), game.position()),
        }
    }

    /// The expected score if the opponent chooses among these replies.
    fn after_choice(&self, after: &Game, replies: &RootEvaluation) -> f64 {
        let shares = human_shares(after, replies, replies.depth, &self.rating);
        let scores = replies.moves.iter().map(|reply| self.after_reply(after, reply));
        shares.expected(&scores.collect::<Vec<f64>>())
    }
}

/// The score of the side that made the last move of a game with this ending.
pub(super) fn final_score(ending: GameEnd) -> f64 {
    if ending == GameEnd::Checkmate { 1.0 } else { 0.5 }
}

/// The expected score after this reply, averaged over all likely ratings.
pub(super) fn score_after(ratings: &[LikelyRating], after: &Game, reply: &MoveEvaluation) -> f64 {
    mean(ratings, |likely| likely.after_reply(after, reply))
}

/// The expected score after the opponent's choice among these replies, averaged over all likely ratings.
pub(super) fn expected_score(
    ratings: &[LikelyRating],
    after: &Game,
    replies: &RootEvaluation,
) -> f64 {
    mean(ratings, |likely| likely.after_choice(after, replies))
}

/// Returns the replies that deserve a deep evaluation, from a shallow evaluation of all of them.
pub(super) fn to_examine(
    ratings: &[LikelyRating],
    after: &Game,
    all: &RootEvaluation,
) -> Vec<Move> {
    let mut shares = vec![0.0; all.moves.len()];
    for likely in ratings {
        let human = human_shares(after, all, all.depth, &likely.rating);
        for (sum, share) in shares.iter_mut().zip(human.probabilities()) {
            *sum += share;
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

fn mean(ratings: &[LikelyRating], of: impl Fn(&LikelyRating) -> f64) -> f64 {
    ratings.iter().map(of).sum::<f64>() / ratings.len() as f64
}
