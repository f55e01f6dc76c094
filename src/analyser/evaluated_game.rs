//! Evaluated games and their decisions, and the selection of positions to evaluate.

use std::ops::Range;

use super::clocks::clock_before;
use super::{Omission, StudiedMove, StudyRules};
use crate::board::{Colour, Game, Move, Phase, colour_index};
use crate::evaluation::RootEvaluation;
use crate::games::EvaluatorIdentity;
use crate::games::pgn::PgnGame;
use crate::math::largest;
use crate::math::streams::{Occasion, Purpose, Stream};
use crate::player::{Perception, ln_shares_of_move};
use crate::search::EvaluationRequest;
use crate::selector::{Family, Values};
use crate::threads::share_out;
use crate::value::Depth;

/// The number of opening moves by each side that can count for ratings.
const OPENING_MOVES: usize = 8;
/// The number of moves in a unit of work for a thread.
const UNIT_OF_WORK: usize = 8;

/// A game with the evaluations of its positions.
#[derive(Clone, Debug)]
pub struct EvaluatedGame {
    /// The index of the game among all games, from 0.
    pub number: usize,
    /// The game as it is in the file.
    pub pgn: PgnGame,
    /// The game with its moves replayed.
    pub game: Game,
    /// One entry for each ply, `None` if the position was not evaluated. The last entry is for the
    /// final position.
    pub evaluations: Vec<Option<RootEvaluation>>,
}

impl EvaluatedGame {
    /// Returns the decisions in the game, each with the number of moves played before it.
    ///
    /// `ratings` returns the ratings for a side. Each decision that counts includes the
    /// probability that the policy gives to every legal move, for players with these ratings. Each
    /// opening move that counts towards ratings includes its probability at every rating. If a side
    /// has no ratings, its decisions include neither. Evaluating the policy network takes most of
    /// the time, so this work is split among threads.
    pub fn decisions(
        &self,
        settings: &DecisionSettings<'_>,
        threads: usize,
        ratings: impl Fn(Colour) -> Vec<f64>,
    ) -> Vec<(usize, StudiedMove)> {
        let ratings = [Colour::White, Colour::Black].map(ratings);
        let moves = self.game.moves().len();
        let unit = if settings.family.pool().is_some() { UNIT_OF_WORK } else { moves.max(1) };
        let decisions = |number: usize| {
            let range = number * unit..moves.min((number + 1) * unit);
            self.decisions_between(range, settings, &ratings)
        };
        share_out(moves.div_ceil(unit), threads, decisions).into_iter().flatten().collect()
    }

    fn decisions_between(
        &self,
        range: Range<usize>,
        settings: &DecisionSettings<'_>,
        ratings: &[Vec<f64>; 2],
    ) -> Vec<(usize, StudiedMove)> {
        let mut decisions = Vec::new();
        let mut before = Game::new(self.game.start().clone());
        for (played, &mv) in self.game.moves()[..range.end].iter().enumerate() {
            if played >= range.start {
                let ratings = &ratings[colour_index(before.position().turn())];
                let evaluation = self.evaluations[played].as_ref();
                let decision = settings.decision(&before, mv, evaluation, ratings);
                let (game, after) = (self.number, self.value_after(played, settings.depth));
                let clock = clock_before(&self.pgn, played);
                decisions.push((played, StudiedMove { game, after, clock, ..decision }));
            }
            before.play(mv);
        }
        decisions
    }

    /// The evaluation of the position after a move, from the point of view of the player who made
    /// it.
    fn value_after(&self, ply: usize, depth: Depth) -> Option<f64> {
        let next = self.evaluations.get(ply + 1)?.as_ref()?;
        let values = Values::of(next, depth);
        let best = largest(values.deepest());
        best.is_finite().then_some(-best)
    }
}

/// How moves are prepared for measurement.
#[derive(Clone, Copy, Debug)]
pub struct DecisionSettings<'r> {
    /// The depth up to which evaluations are used.
    pub depth: Depth,
    /// The curve of the players with whom the moves are compared.
    pub family: Family,
    /// The moves that count.
    pub rules: &'r StudyRules,
}

impl DecisionSettings<'_> {
    /// The decision to play a move after these moves of a game. It includes the
    /// probabilities for `ratings` that [`EvaluatedGame::decisions`] describes.
    pub fn decision(
        &self,
        before: &Game,
        mv: Move,
        evaluation: Option<&RootEvaluation>,
        ratings: &[f64],
    ) -> StudiedMove {
        let &DecisionSettings { depth, family, rules } = self;
        let position = before.position();
        let played_index = evaluation.and_then(|e| e.moves.iter().position(|m| m.mv == mv));
        let (values, chosen) = match (evaluation, played_index) {
            (Some(evaluation), Some(chosen)) => (Values::of(evaluation, depth), chosen),
            _ => (Values::default(), 0),
        };
        let earlier = before.repeatable_keys();
        let mut decision = StudiedMove {
            game: 0,
            ply: before.plies(),
            colour: position.turn(),
            values,
            chosen,
            repeats: earlier.contains(&position.key())
                || earlier.contains(&position.after(mv).key()),
            phase: Phase::of(position),
            after: None,
            opening: Vec::new(),
            clock: None,
        };
        if ratings.is_empty() {
            return decision;
        }
        // From other positions, players do not choose their opening moves from memory.
        let rates_openings = rules.rated_openings && before.is_from_usual_start();
        match (rules.omission(&decision), evaluation) {
            (None, Some(evaluation)) => {
                decision.values = Perception { depth, family, ratings }.values(before, evaluation);
            }
            (Some(Omission::Opening), _)
                if rates_openings && decision.number() <= OPENING_MOVES =>
            {
                decision.opening = ln_shares_of_move(before, mv, family);
            }
            _ => {}
        }
        decision
    }
}

/// The choice of positions to evaluate, and how to evaluate them.
#[derive(Clone, Debug)]
pub struct EvaluationConditions {
    /// The request to the evaluator for each position.
    pub request: EvaluationRequest,
    /// The evaluator and everything that its evaluations depend on.
    pub evaluator: EvaluatorIdentity,
    /// The number of opening moves to leave out.
    pub opening: usize,
    /// The sides whose decisions are evaluated.
    pub sides: Sides,
    /// The number of decisions to evaluate in each game, if it is limited. The sample is the same
    /// in every run.
    pub sample: Option<usize>,
}

/// A selection of sides in games.
#[derive(Clone, Debug)]
pub enum Sides {
    /// White and Black in every game.
    Both,
    /// Players whose names contain one of these strings, ignoring case.
    Named(Vec<String>),
    /// The player with exactly this name.
    Player(String),
    /// The sides for which this function returns true.
    Picked(fn(&PgnGame, Colour) -> bool),
}

impl Sides {
    /// Returns whether the selection includes this side of a game.
    pub(crate) fn has(&self, game: &PgnGame, colour: Colour) -> bool {
        match self {
            Sides::Both => true,
            Sides::Named(names) => {
                let name = game.name(colour).unwrap_or_default().to_lowercase();
                names.iter().any(|wanted| name.contains(&wanted.to_lowercase()))
            }
            Sides::Player(wanted) => game.name(colour).is_some_and(|name| name.trim() == wanted),
            Sides::Picked(is_picked) => is_picked(game, colour),
        }
    }
}

impl EvaluationConditions {
    /// Creates conditions that select all positions.
    pub fn of_all(
        request: EvaluationRequest,
        evaluator: EvaluatorIdentity,
    ) -> EvaluationConditions {
        EvaluationConditions { request, evaluator, opening: 0, sides: Sides::Both, sample: None }
    }

    /// Returns whether each position of a game, including the final one, is to be evaluated.
    pub(crate) fn chosen(&self, pgn: &PgnGame, game: &Game) -> Vec<bool> {
        let wanted = |colour| self.sides.has(pgn, colour);
        let (white, black) = (wanted(Colour::White), wanted(Colour::Black));
        let mut position = game.start().clone();
        let mut chosen = Vec::with_capacity(game.ply() + 1);
        for ply in 0..=game.ply() {
            let is_wanted = if position.turn().is_white() { white } else { black };
            let is_after_opening = position.fullmoves() as usize > self.opening;
            chosen.push(is_wanted && is_after_opening && position.has_legal_move());
            game.moves().get(ply).iter().for_each(|&&mv| position.play(mv));
        }
        let Some(sample) = self.sample else { return chosen };
        // The final position is never part of the sample.
        let mut lots: Vec<(u64, usize)> =
            (0..game.ply()).filter(|&ply| chosen[ply]).map(|ply| (0, ply)).collect();
        let mut stream =
            Stream::new(Occasion { seed: pgn.fingerprint(), game: 0, ply: 0 }, Purpose::Simulation);
        lots.iter_mut().for_each(|(lot, _)| *lot = stream.next_u64());
        lots.sort_unstable();
        chosen.fill(false);
        lots.iter().take(sample).for_each(|&(_, ply)| chosen[ply] = true);
        chosen
    }
}
