//! Which positions of games are valued, and how.

use crate::board::{Colour, Game};
use crate::games::EvaluatorIdentity;
use crate::games::pgn::PgnGame;
use crate::math::streams::{Occasion, Purpose, Stream};
use crate::search::EvaluationRequest;

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
    /// Which positions of a game are valued, the one at its end among them.
    pub(super) fn chosen(&self, pgn: &PgnGame, game: &Game) -> Vec<bool> {
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
