//! Measures how soon the imitator recognises a player's rating.
//!
//! Decisions of players with known ratings are shown to the imitator one by one, like those of an
//! opponent. Its estimate is compared with the rating after a number of moves in the first game,
//! and after a number of games. It starts with no rating, with the true rating as a GUI would send
//! it, or with a false one. The sample excludes openings, time trouble and decided positions. In a
//! real game the imitator also sees those moves.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::sample::{careers, long_game};
use super::{Coverage, RatedDecision};
use stopdown::math::statistics::{mean, median};
use stopdown::player::{Elo, EloScale, Hypotheses, OpponentKnowledge};
use stopdown::policy::GameKind;
use stopdown::selector::{DepthWeights, Family};

/// The rating stated for an opponent before the first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub enum StatedRating {
    #[serde(alias = "Nothing")]
    None,
    #[serde(alias = "Rating")]
    Correct,
    /// A rating that is too high by [`StatedRating::EXCESS`].
    #[serde(alias = "Lie")]
    TooHigh,
}

/// The errors of the estimates for some players, given the stated rating and the moves seen.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct ImitatorResults {
    #[serde(alias = "told")]
    pub stated: StatedRating,
    /// The number of complete games seen. If it is zero, only the given number of moves in the
    /// first game was seen.
    pub games: usize,
    pub moves: usize,
    pub players: usize,
    /// The error of the estimate's median, over the players: `off` is the median of its absolute
    /// value, and `bias` is its signed mean.
    pub off: f64,
    pub bias: f64,
    /// For each of the [`Coverage::INTERVALS`], the fraction of players whose true rating is inside.
    pub held: [f64; 3],
}

/// The estimate is recorded after these numbers of moves in the first game, and after these numbers
/// of games.
const MOVES: [usize; 3] = [10, 20, 40];
const GAMES: [usize; 3] = [1, 3, 10];

/// The estimate for a player at one moment: its error, and which intervals contain the true
/// rating.
type Belief = (f64, [f64; 3]);

/// The point at which an estimate is recorded: the stated rating, the number of complete games
/// seen, and the number of moves in the first game.
type Moment = (StatedRating, usize, usize);

impl StatedRating {
    /// The amount by which the false rating is too high.
    pub const EXCESS: f64 = 500.0;

    const ALL: [StatedRating; 3] =
        [StatedRating::None, StatedRating::Correct, StatedRating::TooHigh];

    /// The rating stated for a player with this true rating.
    fn rating(self, truth: f64) -> Option<Elo> {
        match self {
            StatedRating::None => None,
            StatedRating::Correct => Some(Elo(truth)),
            StatedRating::TooHigh => Some(Elo(truth + StatedRating::EXCESS)),
        }
    }
}

impl ImitatorResults {
    /// Measures the players in one kind of game. Some players have a series of games. For each of
    /// the others, one game is used, if it is long enough.
    pub fn of(
        pool: GameKind,
        sample: &[&RatedDecision],
        series: &BTreeMap<u64, Vec<u64>>,
    ) -> Vec<ImitatorResults> {
        let family = Family::human(pool);
        let hypotheses =
            Hypotheses::of_rating(family, EloScale::of(family), &DepthWeights::deepest());
        let mut beliefs = BTreeMap::new();
        for (player, career) in &careers(sample) {
            let of_series = series.get(player).into_iter().flatten();
            let mut games: Vec<&Vec<&RatedDecision>> =
                of_series.filter_map(|game| career.get(game)).collect();
            if games.is_empty() {
                games.extend(long_game(career));
            }
            watch(&hypotheses, &games, &mut beliefs);
        }
        beliefs
            .into_iter()
            .map(|(moment, beliefs)| ImitatorResults::summary(moment, &beliefs))
            .collect()
    }

    fn summary((stated, games, moves): Moment, beliefs: &[Belief]) -> ImitatorResults {
        let off: Vec<f64> = beliefs.iter().map(|(off, _)| *off).collect();
        let sizes: Vec<f64> = off.iter().map(|off| off.abs()).collect();
        let held = |place| beliefs.iter().map(|(_, held)| held[place]).collect::<Vec<f64>>();
        ImitatorResults {
            stated,
            games,
            moves,
            players: beliefs.len(),
            off: median(&sizes),
            bias: mean(&off),
            held: std::array::from_fn(|place| mean(&held(place))),
        }
    }
}

/// Shows a player's games to the imitator and records its estimates.
fn watch(
    hypotheses: &Hypotheses,
    games: &[&Vec<&RatedDecision>],
    beliefs: &mut BTreeMap<Moment, Vec<Belief>>,
) {
    let ratings: Vec<f64> = games.iter().flat_map(|game| game.iter().map(|k| k.rating)).collect();
    if ratings.is_empty() {
        return;
    }
    let truth = mean(&ratings);
    let likelihoods = |game: &&Vec<&RatedDecision>| {
        let of = |k: &&RatedDecision| hypotheses.ln_likelihoods(&k.turn.values, k.turn.chosen);
        game.iter().map(of).collect::<Vec<_>>()
    };
    let likelihoods: Vec<Vec<Vec<f64>>> = games.iter().map(likelihoods).collect();
    for stated in StatedRating::ALL {
        let mut prior = OpponentKnowledge::new(hypotheses, stated.rating(truth));
        let mut note = |moment: Moment, prior: &OpponentKnowledge| {
            let held = Coverage::INTERVALS.map(|probability| {
                let (low, high) = prior.interval(probability);
                f64::from((low..=high).contains(&truth))
            });
            beliefs.entry(moment).or_default().push((prior.belief.median() - truth, held));
        };
        note((stated, 0, 0), &prior);
        for (game, found) in (1..).zip(&likelihoods) {
            for (moves, found) in (1..).zip(found) {
                Hypotheses::learn(&mut prior.belief, found);
                if game == 1 && MOVES.contains(&moves) {
                    note((stated, 0, moves), &prior);
                }
            }
            if GAMES.contains(&game) {
                note((stated, game, 0), &prior);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stopdown::analyser::StudiedMove;
    use stopdown::board::{Colour, Phase};
    use stopdown::selector::Values;

    /// A decision of a player between a good move and one that loses a pawn.
    fn decision(game: u64, ply: usize, chosen: usize) -> RatedDecision {
        let values = Values::by_depth(&vec![vec![0.0, -1.0]; 12]).expect("finite");
        let (colour, phase) = (Colour::White, Phase::Middlegame);
        let (repeats, after, opening, clock) = (false, None, Vec::new(), None);
        let turn = StudiedMove {
            game: 0,
            ply,
            colour,
            values,
            chosen,
            repeats,
            phase,
            after,
            opening,
            clock,
        };
        RatedDecision { turn, rating: 1500.0, pool: GameKind::Blitz, player: 7, game }
    }

    #[test]
    fn the_estimate_starts_at_the_stated_rating_and_follows_the_moves() {
        let games: Vec<RatedDecision> = (0..6)
            .flat_map(|n| std::array::from_fn::<_, 10, _>(move |_| decision(n / 3, n as usize, 1)))
            .collect();
        let sample: Vec<&RatedDecision> = games.iter().collect();
        let series = BTreeMap::from([(7, vec![0, 1])]);
        let found = ImitatorResults::of(GameKind::Blitz, &sample, &series);
        let row = |stated, games, moves| {
            let is_it = |row: &&ImitatorResults| {
                (row.stated, row.games, row.moves) == (stated, games, moves)
            };
            found.iter().find(is_it).expect("recorded after these moves")
        };
        assert!(row(StatedRating::Correct, 0, 0).off < 30.0, "{found:?}");
        assert_eq!(row(StatedRating::Correct, 0, 0).held, [1.0; 3]);
        let lies = [(0, 0), (0, 10), (0, 20), (1, 0)]
            .map(|(games, moves)| row(StatedRating::TooHigh, games, moves).bias);
        assert!(
            lies[0] > StatedRating::EXCESS - 60.0 && lies.is_sorted_by(|a, b| a > b),
            "{lies:?}"
        );
        // No player has three games.
        assert!(found.iter().all(|row| row.games < 3 && row.players == 1));
    }
}
