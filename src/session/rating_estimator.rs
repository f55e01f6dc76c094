//! Estimates a player's rating from their moves, across all games of a session.
//!
//! The moves are measured in the same way as in a report, so a report on the same moves does not
//! contradict the estimate. They are evaluated twice. The quick evaluations are shallow, so the
//! estimate keeps up with the game. The thorough ones have the depth at which the rating scale was
//! calibrated, and later replace the quick ones.

use std::collections::BTreeMap;

use crate::analyser::{
    DecisionSettings, GameContext, Measured, PlayerSummary, RatingScale, StudiedMove,
    StudyAccumulator, StudyPlan,
};
use crate::board::{Colour, Game, Move};
use crate::evaluation::RootEvaluation;
use crate::math::statistics::normal_interval;
use crate::player::{EloScale, Engine, Levels, all_ratings, situation};
use crate::search::{Controls, EvaluationRequest, NoObserver};
use crate::value::Depth;

/// The size of the hash table in MiB.
const HASH: usize = 16;
/// The depth of a quick estimate in plies. It takes a few milliseconds per move.
const QUICK_DEPTH: Depth = 5;
/// The probability that the interval contains the player's rating.
const INTERVAL_PROBABILITY: f64 = 0.9;

/// How thoroughly moves were evaluated for an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thoroughness {
    /// At low depth, within milliseconds.
    Quick,
    /// At the depth at which the rating scale was calibrated.
    Full,
}

/// The rating that a player's moves suggest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatingEstimate {
    pub rating: f64,
    /// The 90% credible interval.
    pub interval: (f64, f64),
    /// The number of moves that count in a report.
    pub counted: usize,
    /// The number of moves used as evidence: those that count in a report, and opening moves.
    pub evidence: usize,
}

/// Estimates the rating of one side. It keeps what it has learnt from game to game.
#[derive(Debug)]
pub struct RatingEstimator {
    engine: Engine,
    accumulator: StudyAccumulator,
    quick: EvidenceAtDepth,
    thorough: EvidenceAtDepth,
    /// The number of the last game.
    game_number: Option<u64>,
    /// The situation that was evaluated in advance, with its evaluation.
    ahead: Option<(u64, RootEvaluation)>,
}

/// What the player's moves show if they are evaluated to one depth.
#[derive(Debug)]
struct EvidenceAtDepth {
    depth: Depth,
    earlier_games: Evidence,
    /// The last known state of the game.
    game: Game,
    /// The player's moves in this game, by the number of moves before them.
    moves: BTreeMap<usize, Evidence>,
}

#[derive(Clone, Debug, Default)]
struct Evidence {
    summary: PlayerSummary,
    moves: usize,
}

impl Default for RatingEstimator {
    fn default() -> RatingEstimator {
        let scale = RatingScale::of(EloScale::default());
        let plan = StudyPlan::usual(scale, Levels::built_in().depth);
        RatingEstimator {
            engine: Engine::built_in(HASH),
            quick: EvidenceAtDepth::new(QUICK_DEPTH),
            thorough: EvidenceAtDepth::new(plan.depth()),
            accumulator: StudyAccumulator::new(&plan, Measured::Rating, 1),
            game_number: None,
            ahead: None,
        }
    }
}

impl RatingEstimator {
    /// Takes note of the number of the game that comes next. A game with another number is a new one, unless it
    /// continues the last game.
    pub fn enter_game(&mut self, number: u64, game: &Game) {
        if self.game_number.replace(number) != Some(number) && game.is_new_after(&self.quick.game) {
            self.thorough.complete_from(&self.quick);
            [&mut self.quick, &mut self.thorough].into_iter().for_each(EvidenceAtDepth::end_game);
        }
    }

    /// Returns the estimate from the moves of this side. If the controls stop the work, the
    /// estimate covers only the moves used so far.
    pub fn estimate(
        &mut self,
        game: &Game,
        side: Colour,
        thoroughness: Thoroughness,
        controls: &Controls,
    ) -> RatingEstimate {
        let at_depth = match thoroughness {
            Thoroughness::Quick => &mut self.quick,
            Thoroughness::Full => &mut self.thorough,
        };
        for (before, mv) in at_depth.continue_with(game, side) {
            let found;
            let evaluation = match &self.ahead {
                // Opening moves are used as evidence without being evaluated.
                _ if self.accumulator.plan.rules.is_opening(before.plies()) => None,
                Some((ahead, evaluation))
                    if evaluation.depth >= at_depth.depth && *ahead == situation(&before) =>
                {
                    Some(evaluation)
                }
                _ => {
                    found = evaluate(&mut self.engine, &before, at_depth.depth, controls);
                    if found.is_none() {
                        break;
                    }
                    found.as_ref()
                }
            };
            let plan = &self.accumulator.plan;
            let settings = DecisionSettings {
                depth: at_depth.depth,
                ..plan.decision_settings(plan.scale.family())
            };
            let decision = settings.decision(&before, mv, evaluation, &all_ratings());
            let evidence = evidence(&self.accumulator, decision);
            at_depth.moves.insert(before.ply(), evidence);
        }
        let Evidence { summary, moves } = at_depth.evidence();
        let rating = self.accumulator.rate(&summary);
        let (rating, deviation) = match (rating, self.accumulator.plan.scale.prior) {
            (Some(rating), _) => (rating.elo, rating.deviation),
            (None, prior) => prior.unwrap_or_default(),
        };
        RatingEstimate {
            rating,
            interval: normal_interval(rating, deviation, INTERVAL_PROBABILITY),
            counted: summary.tally().used,
            evidence: moves,
        }
    }

    /// Evaluates the legal moves while the side to move thinks. This saves time for both estimates
    /// after the move.
    pub fn evaluate_ahead(&mut self, game: &Game, controls: &Controls) {
        if !self.accumulator.plan.rules.is_opening(game.plies()) {
            let found = evaluate(&mut self.engine, game, self.thorough.depth, controls);
            self.ahead = found.map(|evaluation| (situation(game), evaluation));
        }
    }
}

impl EvidenceAtDepth {
    fn new(depth: Depth) -> EvidenceAtDepth {
        EvidenceAtDepth {
            depth,
            earlier_games: Evidence::default(),
            game: Game::default(),
            moves: BTreeMap::new(),
        }
    }

    /// Takes note of the state of the game. Returns the moves of this side that have not been used,
    /// each with the game before it.
    fn continue_with(&mut self, game: &Game, side: Colour) -> Vec<(Game, Move)> {
        self.go_to(game);
        let mut new = Vec::new();
        game.for_each_move(|before, mv| {
            if before.position().turn() == side && !self.moves.contains_key(&before.ply()) {
                new.push((before.clone(), mv));
            }
        });
        new
    }

    /// Adds evidence from another depth for the moves that are missing here. A new game can begin before all moves of
    /// the last one have been evaluated to the full depth.
    fn complete_from(&mut self, other: &EvidenceAtDepth) {
        self.go_to(&other.game);
        for (&number, evidence) in &other.moves {
            self.moves.entry(number).or_insert_with(|| evidence.clone());
        }
    }

    /// Counts the moves of the last game as moves of an earlier game.
    fn end_game(&mut self) {
        self.earlier_games = self.evidence();
        self.moves.clear();
    }

    /// Takes note of a new state of the game. Evidence from moves that were taken back is discarded.
    fn go_to(&mut self, game: &Game) {
        let common = game.common_moves(&self.game);
        self.moves.retain(|&number, _| number < common);
        self.game = game.clone();
    }

    /// The evidence from all games.
    fn evidence(&self) -> Evidence {
        self.moves.values().fold(self.earlier_games.clone(), |mut sum, of| {
            sum.summary += &of.summary;
            sum.moves += of.moves;
            sum
        })
    }
}

/// Evaluates all legal moves, or returns `None` if it is stopped.
fn evaluate(
    engine: &mut Engine,
    game: &Game,
    depth: Depth,
    controls: &Controls,
) -> Option<RootEvaluation> {
    let request = EvaluationRequest::depth(depth);
    let evaluation = engine.evaluate(game, &request, controls, &mut NoObserver);
    (evaluation.depth >= depth).then_some(evaluation)
}

/// Measures one move.
fn evidence(accumulator: &StudyAccumulator, decision: StudiedMove) -> Evidence {
    let is_rated_opening = !decision.opening.is_empty();
    let summary = accumulator.measure(&[(decision, None)], &GameContext::default());
    let moves = summary.tally().used + usize::from(is_rated_opening);
    Evidence { summary, moves }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyser::EvaluatedGame;
    use crate::games::pgn::PgnGame;

    const DEPTH: Depth = 3;
    const MOVES: &str = "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 c1e3 e7e5 d4b3 c8e6 \
        f2f3 f8e7 d1d2 e8g8 e1c1 b8d7 g2g4 b7b5 g4g5 b5b4 c3e2 f6e8 f3f4 a6a5 f4f5 a5a4";

    fn game() -> Game {
        Game::from_uci(None, MOVES.split_whitespace(), false).expect("legal")
    }

    fn estimator() -> RatingEstimator {
        let mut estimator = RatingEstimator::default();
        (estimator.quick.depth, estimator.thorough.depth) = (DEPTH - 1, DEPTH);
        estimator
    }

    fn estimate(estimator: &mut RatingEstimator, game: &Game, side: Colour) -> RatingEstimate {
        estimator.estimate(game, side, Thoroughness::Full, &Controls::new())
    }

    #[test]
    fn a_report_on_the_same_moves_gives_the_same_rating() {
        let game = game();
        let mut engine = Engine::built_in(1);
        let evaluations = (0..=game.ply())
            .map(|ply| evaluate(&mut engine, &game.until(ply), DEPTH, &Controls::new()));
        let evaluations = evaluations.collect();
        let evaluated =
            EvaluatedGame { number: 0, pgn: PgnGame::default(), game: game.clone(), evaluations };
        let plan = estimator().accumulator.plan;
        let settings =
            DecisionSettings { depth: DEPTH, ..plan.decision_settings(plan.scale.family()) };
        let decisions = evaluated.decisions(&settings, 1, |_| all_ratings());
        for side in [Colour::White, Colour::Black] {
            let of_side = decisions.iter().filter(|(_, decision)| decision.colour == side);
            let of_side: Vec<_> = of_side.map(|(_, decision)| (decision.clone(), None)).collect();
            let mut estimator = estimator();
            let summary = estimator.accumulator.measure(&of_side, &GameContext::default());
            let expected = estimator.accumulator.rate(&summary).expect("there are moves");
            let found = estimate(&mut estimator, &game, side);
            assert!((found.rating - expected.elo).abs() < 0.1, "{found:?} {expected:?}");
            assert_eq!((found.counted, found.evidence), (expected.decisions, 15));
        }
    }

    #[test]
    fn moves_count_once_and_those_taken_back_do_not_count() {
        let (game, mut gradual) = (game(), estimator());
        for ply in 0..=game.ply() {
            gradual.evaluate_ahead(&game.until(ply), &Controls::new());
            estimate(&mut gradual, &game.until(ply), Colour::White);
        }
        assert_eq!(
            estimate(&mut gradual, &game, Colour::White),
            estimate(&mut estimator(), &game, Colour::White)
        );
        let shorter = game.until(24);
        let found = estimate(&mut gradual, &shorter, Colour::White);
        assert_eq!(found, estimate(&mut estimator(), &shorter, Colour::White));
    }

    #[test]
    fn both_estimates_use_the_evaluation_made_in_advance() {
        let (mut estimator, stopped) = (estimator(), Controls::new());
        let (before, after) = (game().until(20), game().until(21));
        let counted = |estimator: &mut RatingEstimator, game: &Game, controls: &Controls| {
            [Thoroughness::Quick, Thoroughness::Full].map(|thoroughness| {
                estimator.estimate(game, Colour::White, thoroughness, controls).counted
            })
        };
        let [quick, thorough] = counted(&mut estimator, &before, &Controls::new());
        stopped.stop();
        let unchanged = counted(&mut estimator, &after, &stopped);
        assert_eq!(unchanged, [quick, thorough], "a stopped search evaluated the move");
        estimator.evaluate_ahead(&before, &Controls::new());
        assert_eq!(counted(&mut estimator, &after, &stopped), [quick + 1, thorough + 1]);
    }

    #[test]
    fn earlier_games_count() {
        let (game, mut estimator) = (game(), estimator());
        estimator.estimate(&game, Colour::White, Thoroughness::Quick, &Controls::new());
        let first = estimate(&mut estimator, &game, Colour::White);
        estimator.enter_game(2, &Game::default());
        let second = estimate(&mut estimator, &game, Colour::White);
        assert_eq!(second.counted, 2 * first.counted);
        let width = |of: RatingEstimate| of.interval.1 - of.interval.0;
        assert!(width(second) < width(first), "{first:?} {second:?}");
    }

    #[test]
    fn moves_of_an_earlier_game_count_even_if_they_were_only_read_quickly() {
        let (game, mut estimator) = (game(), estimator());
        let quick = |estimator: &mut RatingEstimator, game: &Game| {
            estimator.estimate(game, Colour::White, Thoroughness::Quick, &Controls::new())
        };
        let first = quick(&mut estimator, &game);
        let part = estimate(&mut estimator, &game.until(20), Colour::White);
        assert!(part.counted < first.counted);
        estimator.enter_game(2, &Game::default());
        assert_eq!(
            estimate(&mut estimator, &Game::default(), Colour::White).counted,
            first.counted
        );
        // The second game is used only quickly.
        quick(&mut estimator, &game);
        estimator.enter_game(3, &Game::default());
        assert_eq!(
            estimate(&mut estimator, &Game::default(), Colour::White).counted,
            2 * first.counted
        );
    }

    #[test]
    fn a_game_that_is_taken_back_to_its_start_is_no_earlier_game() {
        let (game, mut estimator) = (game(), estimator());
        for (number, game) in [(1, &game), (1, &Game::default()), (1, &game), (2, &game)] {
            estimator.enter_game(number, game);
            estimate(&mut estimator, game, Colour::White);
            assert_eq!(
                estimator.thorough.earlier_games.moves,
                0,
                "game {number}, {} plies",
                game.ply()
            );
        }
    }

    #[test]
    fn without_moves_the_estimate_is_the_prior_of_reports() {
        let mut estimator = RatingEstimator::default();
        let prior = estimator.accumulator.plan.scale.prior.expect("the scale has a prior");
        let estimate = estimate(&mut estimator, &Game::default(), Colour::White);
        assert_eq!((estimate.rating, estimate.evidence), (prior.0, 0));
    }
}
