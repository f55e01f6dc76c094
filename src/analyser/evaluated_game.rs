//! A game whose positions have been valued, and the decisions in it; and which positions of games are
//! valued, and how.

use std::ops::Range;

use super::{Turn, TurnRules};
use crate::board::{Colour, Game, Phase, place_of};
use crate::evaluation::RootEvaluation;
use crate::games::EvaluatorIdentity;
use crate::games::pgn::PgnGame;
use crate::math::largest;
use crate::math::streams::{Occasion, Purpose, Stream};
use crate::player::seen;
use crate::search::EvaluationRequest;
use crate::selector::{Family, Values};
use crate::threads::share_out;
use crate::value::Depth;

/// Moves of a game that a thread looks at in one go.
const PORTION: usize = 8;

/// A game with what its moves are worth.
#[derive(Clone, Debug)]
pub struct EvaluatedGame {
    /// Its place among all games, from 0.
    pub number: usize,
    pub pgn: PgnGame,
    pub game: Game,
    /// By ply; `None` where nothing was asked, the last one for the position at the end.
    pub evaluations: Vec<Option<RootEvaluation>>,
}

impl EvaluatedGame {
    /// The decisions of the game, valued at depths up to `depth` where that was asked, each with the
    /// number of moves played before it.
    ///
    /// Those that the rules let count are seen as players of the family see them who have these ratings,
    /// by sides; of a side with none nobody wants to know. To ask the policy network takes longer than
    /// all the rest, and so is shared out.
    pub fn turns(
        &self,
        depth: Depth,
        family: Family,
        threads: usize,
        rules: &TurnRules,
        ratings: impl Fn(Colour) -> Vec<f64>,
    ) -> Vec<(usize, Turn)> {
        let ratings = [Colour::White, Colour::Black].map(ratings);
        let moves = self.game.moves().len();
        let portion = if family.pool().is_some() { PORTION } else { moves.max(1) };
        let turns = |number: usize| {
            let range = number * portion..moves.min((number + 1) * portion);
            self.turns_between(range, depth, family, rules, &ratings)
        };
        share_out(moves.div_ceil(portion), threads, turns).into_iter().flatten().collect()
    }

    fn turns_between(
        &self,
        range: Range<usize>,
        depth: Depth,
        family: Family,
        rules: &TurnRules,
        ratings: &[Vec<f64>; 2],
    ) -> Vec<(usize, Turn)> {
        let mut turns = Vec::new();
        let mut before = Game::new(self.game.start().clone());
        let mut met = vec![before.position().key()];
        for (played, &mv) in self.game.moves()[..range.end].iter().enumerate() {
            if played < range.start {
                before.play(mv);
                met.push(before.position().key());
                continue;
            }
            let ply = self.game.start().plies() + played;
            let colour = before.position().turn();
            let phase = Phase::of(before.position());
            let evaluation = self.evaluations[played].as_ref();
            let place = evaluation.and_then(|e| e.moves.iter().position(|m| m.mv == mv));
            let (values, chosen) = match (evaluation, place) {
                (Some(evaluation), Some(chosen)) => (Values::of(evaluation, depth), chosen),
                _ => (Values::default(), 0),
            };
            let key = before.position().after(mv).key();
            let repeats = met[..played].contains(&met[played]) || met.contains(&key);
            let (game, after) = (self.number, self.value_after(played, depth));
            let mut turn = Turn { game, ply, colour, values, chosen, repeats, phase, after };
            let ratings = &ratings[place_of(colour)];
            let is_seen = !ratings.is_empty() && turn.is_valued() && rules.against(&turn).is_none();
            if let Some(evaluation) = evaluation.filter(|_| is_seen) {
                turn.values = seen(&before, evaluation, depth, family, ratings);
            }
            turns.push((played, turn));
            before.play(mv);
            met.push(key);
        }
        turns
    }

    /// What the position after a move is worth to its player, by the evaluation there.
    fn value_after(&self, ply: usize, depth: Depth) -> Option<f64> {
        let next = self.evaluations.get(ply + 1)?.as_ref()?;
        let values = Values::of(next, depth);
        let best = largest(values.deepest());
        best.is_finite().then_some(-best)
    }
}

/// What is valued, and how.
#[derive(Clone, Debug)]
pub struct EvaluationConditions {
    pub request: EvaluationRequest,
    /// Who values, and all that his values depend on.
    pub evaluator: EvaluatorIdentity,
    /// Moves at the beginning of a game that are left out.
    pub opening: usize,
    /// Whose turns of a game are valued.
    pub sides: Sides,
    /// How many of them, where not all are: always the same ones of a game.
    pub sample: Option<usize>,
}

/// Sides of games.
#[derive(Clone, Debug)]
pub enum Sides {
    Both,
    /// Of players whose names contain one of these, whatever the case.
    Named(Vec<String>),
    Picked(fn(&PgnGame, Colour) -> bool),
}

impl Sides {
    pub fn has(&self, game: &PgnGame, colour: Colour) -> bool {
        match self {
            Sides::Both => true,
            Sides::Named(names) => {
                let name = game.name(colour).unwrap_or_default().to_lowercase();
                names.iter().any(|wanted| name.contains(&wanted.to_lowercase()))
            }
            Sides::Picked(is_picked) => is_picked(game, colour),
        }
    }
}

impl EvaluationConditions {
    /// All positions are valued.
    pub fn of_all(
        request: EvaluationRequest,
        evaluator: EvaluatorIdentity,
    ) -> EvaluationConditions {
        EvaluationConditions { request, evaluator, opening: 0, sides: Sides::Both, sample: None }
    }

    /// Which positions of a game are valued, the one at its end among them.
    pub fn chosen(&self, pgn: &PgnGame, game: &Game) -> Vec<bool> {
        let wanted = |colour| self.sides.has(pgn, colour);
        let (white, black) = (wanted(Colour::White), wanted(Colour::Black));
        let mut position = game.start().clone();
        let mut chosen = Vec::with_capacity(game.ply() + 1);
        for ply in 0..=game.ply() {
            let is_wanted = if position.turn().is_white() { white } else { black };
            let is_late = position.fullmoves() as usize > self.opening;
            chosen.push(is_wanted && is_late && position.has_legal_move());
            game.moves().get(ply).iter().for_each(|&&mv| position.play(mv));
        }
        let Some(sample) = self.sample else { return chosen };
        // Nothing is chosen after the last move.
        let mut drawn: Vec<(u64, usize)> =
            (0..game.ply()).filter(|&ply| chosen[ply]).map(|ply| (0, ply)).collect();
        let mut stream =
            Stream::new(Occasion { seed: pgn.fingerprint(), game: 0, ply: 0 }, Purpose::Simulation);
        drawn.iter_mut().for_each(|(lot, _)| *lot = stream.next_u64());
        drawn.sort_unstable();
        chosen.fill(false);
        drawn.iter().take(sample).for_each(|&(_, ply)| chosen[ply] = true);
        chosen
    }
}
