//! Players' decisions, with the traits of all moves and the probabilities that the human curve
//! gives the moves.
//!
//! A decisions file consists of a line of JSON with the players and then, for each decision:
//!
//! | bytes | content |
//! |-------|---------|
//! | 2, 1, 1 | the player's index, the number of moves, the index of the move played |
//! | 24 per move | `ln p` according to the human curve and Regan's δ, as f32; the traits, as i8 |
//!
//! Moves that are hardly ever played are left out. All numbers are little-endian.

use std::io::{BufRead, Error, ErrorKind, Read, Result, Write};

use serde::{Deserialize, Serialize};

use super::dot;
use super::players::{FIRST_PLY, GameRecords, StyledPlayer};
use stopdown::api;
use stopdown::board::{Game, colour_index};
use stopdown::player::{
    Elo, EloScale, Engine, MoveTrait, TargetRating, Traits, human_shares, traits,
};
use stopdown::selector::{Distribution, Values};
use stopdown::value::Depth;

/// Moves that are less likely than this are left out unless they were played.
const MIN_PROBABILITY: f64 = 1e-4;

/// The size of the hash table for the evaluations, in MiB.
const HASH: usize = 16;

/// The maximum number of games from which a player's decisions are taken.
const GAMES: usize = 40;

/// A player listed in a decisions file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerName {
    pub name: String,
    pub rating: f64,
}

/// A move that a player might have chosen.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    pub ln_p: f64,
    pub delta: f64,
    pub traits: Traits,
}

/// The choice of a move.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The index of the player.
    pub player: u16,
    pub chosen: usize,
    pub moves: Vec<Candidate>,
}

/// The contents of a decisions file.
#[derive(Clone, Debug, Default)]
pub struct StyleDecisions {
    pub players: Vec<PlayerName>,
    pub decisions: Vec<Decision>,
}

/// Evaluates every second decision of these players and writes the results.
pub fn write(
    records: &GameRecords,
    players: &[StyledPlayer],
    depth: Depth,
    to: &mut impl Write,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<()> {
    let names: Vec<PlayerName> = players
        .iter()
        .map(|player| PlayerName { name: player.name.clone(), rating: player.rating })
        .collect();
    writeln!(to, "{}", serde_json::to_string(&names)?)?;
    let mut engine = Engine::built_in(HASH);
    for (index, player) in players.iter().enumerate() {
        for side in player.sides.iter().take(GAMES) {
            let target = TargetRating::new(Elo(side.rating), None, EloScale::Fide);
            let mut game = Game::default();
            for &mv in &records.games[side.game] {
                let is_taken = game.position().turn() == side.colour
                    && game.ply() >= FIRST_PLY
                    && (game.ply() / 2 + side.game) % 2 == 0;
                if is_taken && let Some(decision) = decision(&mut engine, &game, depth, &target, mv)
                {
                    let decision = Decision { player: index as u16, ..decision };
                    to.write_all(&decision.to_bytes())?;
                }
                game.play(mv);
            }
        }
        progress(index + 1, players.len());
    }
    to.flush()
}

/// The decision to play `mv`, or `None` if no other move was legal.
fn decision(
    engine: &mut Engine,
    game: &Game,
    depth: Depth,
    target: &TargetRating,
    mv: stopdown::board::Move,
) -> Option<Decision> {
    if game.position().legal_moves().len() < 2 {
        return None;
    }
    let evaluation = api::evaluate(engine, game, depth);
    let values = Values::of(&evaluation, depth);
    let shares = human_shares(game, &evaluation, depth, target);
    let (traits, deltas) = (traits(game.position(), &evaluation, &values), values.deltas());
    let played = evaluation.moves.iter().position(|m| m.mv == mv)?;
    let kept = |&j: &usize| j == played || shares.probability(j) >= MIN_PROBABILITY;
    let kept: Vec<usize> = (0..evaluation.moves.len()).filter(kept).take(255).collect();
    let candidate = |&j: &usize| Candidate {
        ln_p: shares.ln_probability(j),
        delta: deltas[j],
        traits: traits[j],
    };
    Some(Decision {
        player: 0,
        chosen: kept.iter().position(|&j| j == played)?,
        moves: kept.iter().map(candidate).collect(),
    })
}

impl Decision {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.player.to_le_bytes().to_vec();
        bytes.extend([self.moves.len() as u8, self.chosen as u8]);
        for Candidate { ln_p, delta, traits } in &self.moves {
            bytes.extend((*ln_p as f32).to_le_bytes());
            bytes.extend((*delta as f32).to_le_bytes());
            bytes.extend(traits.map(|found| found as i8 as u8));
        }
        bytes
    }

    fn read(from: &mut impl Read) -> Result<Option<Decision>> {
        let mut head = [0; 4];
        match from.read(&mut head[..1])? {
            0 => return Ok(None),
            _ => from.read_exact(&mut head[1..])?,
        }
        let mut moves = Vec::with_capacity(usize::from(head[2]));
        for _ in 0..head[2] {
            let mut bytes = [0; 8 + MoveTrait::ALL.len()];
            from.read_exact(&mut bytes)?;
            let number =
                |at: usize| f64::from(f32::from_le_bytes([0, 1, 2, 3].map(|k| bytes[at + k])));
            let mut traits = Traits::default();
            let found = traits.iter_mut().zip(&bytes[8..]);
            found.for_each(|(found, &byte)| *found = f64::from(byte as i8));
            moves.push(Candidate { ln_p: number(0), delta: number(4), traits });
        }
        let player = u16::from_le_bytes([head[0], head[1]]);
        let chosen = usize::from(head[3]);
        let is_nan = |m: &Candidate| m.ln_p.is_nan() || m.delta.is_nan();
        if chosen >= moves.len() || moves.iter().any(is_nan) {
            return Err(damaged());
        }
        Ok(Some(Decision { player, chosen, moves }))
    }

    /// The probabilities of the moves according to the human curve.
    pub(super) fn distribution(&self) -> Distribution {
        Distribution::from_ln(self.moves.iter().map(|m| m.ln_p).collect())
    }

    /// The probabilities under a style with these weights.
    pub(super) fn tilted(&self, weights: &Traits) -> Distribution {
        let scores: Vec<f64> = self.moves.iter().map(|m| dot(&m.traits, weights)).collect();
        let deltas: Vec<f64> = self.moves.iter().map(|m| m.delta).collect();
        self.distribution().tilted(&scores, &deltas)
    }
}

fn damaged() -> Error {
    Error::new(
        ErrorKind::InvalidData,
        "a decision in the file is damaged; run `stopdown-lab tune traits` again",
    )
}

impl StyleDecisions {
    /// Whether a file with this start has decisions.
    pub fn are_in(start: &[u8]) -> bool {
        start.starts_with(b"[{\"name\"") || start == b"[]\n"
    }

    pub fn read(from: &mut impl BufRead) -> Result<StyleDecisions> {
        let mut names = String::new();
        from.read_line(&mut names)?;
        let mut all =
            StyleDecisions { players: serde_json::from_str(&names)?, decisions: Vec::new() };
        while let Some(decision) = Decision::read(from)? {
            if usize::from(decision.player) >= all.players.len() {
                return Err(damaged());
            }
            all.decisions.push(decision);
        }
        Ok(all)
    }
}

/// For each side of a game, returns how often its moves show each trait, and its number of moves.
/// Moves are evaluated at this depth.
pub fn events(engine: &mut Engine, game: &Game, depth: Depth) -> [(Traits, usize); 2] {
    let mut found = [(Traits::default(), 0); 2];
    let mut before = Game::new(game.start().clone());
    for &mv in game.moves() {
        let evaluation = api::evaluate(engine, &before, depth);
        let values = Values::of(&evaluation, depth);
        let all = traits(before.position(), &evaluation, &values);
        if let Some(played) = evaluation.moves.iter().position(|m| m.mv == mv) {
            let (sums, moves) = &mut found[colour_index(before.position().turn())];
            sums.iter_mut().zip(all[played]).for_each(|(sum, trait_of)| *sum += trait_of);
            *moves += 1;
        }
        before.play(mv);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_decisions_are_refused() {
        let candidate = Candidate { ln_p: -1.0, delta: 0.5, traits: Traits::default() };
        let good = Decision { player: 0, chosen: 1, moves: vec![candidate; 2] };
        let read = |decision: Decision| {
            let names = b"[{\"name\":\"A\",\"rating\":1500.0}]\n".to_vec();
            assert!(StyleDecisions::are_in(&names));
            StyleDecisions::read(&mut &[names, decision.to_bytes()].concat()[..])
        };
        assert_eq!(read(good.clone()).expect("it is complete").decisions.len(), 1);
        for bad in [
            Decision { player: 1, ..good.clone() },
            Decision { chosen: 2, ..good.clone() },
            Decision { moves: vec![Candidate { ln_p: f64::NAN, ..candidate }; 2], ..good },
        ] {
            let error = read(bad).expect_err("it is damaged");
            assert_eq!(error.kind(), ErrorKind::InvalidData);
        }
    }
}
