//! Positions for the study, from games of the engine against itself.
//!
//! What tells players apart is a position in which several moves are good: one in which all agree
//! says nothing. So positions are taken where the side to move is not in check, neither side is
//! winning, and at least [`CHOICES`] moves are nearly as good as the best.

use std::collections::HashSet;

use crate::board::Game;
use crate::math::streams::{Occasion, Purpose, Stream};
use crate::player::Engine;
use crate::search::{Controls, EvaluationRequest, Limits, Silent};

/// Plies at random before the engine plays.
const RANDOM_PLIES: u64 = 6;
const NODES: u64 = 2_000;
/// How deep moves are valued, over the full width.
const DEPTH: u8 = 4;
/// Beyond this a side is winning.
const LEVEL: i32 = 150;
const CHOICES: usize = 3;
/// Centipawns that a nearly best move may be worse.
const NEARLY: i32 = 25;
/// Of one game, and how many plies must lie between them.
const FROM_A_GAME: usize = 4;
const BETWEEN: usize = 8;
const LONGEST: usize = 120;

/// So many positions as a list with bars, a line for each game: the same for the same seed.
/// `observe` hears how many there are.
pub fn generate(seed: u64, wanted: usize, mut observe: impl FnMut(usize)) -> String {
    let mut engine = Engine::built_in(4);
    let mut seen = HashSet::new();
    let mut text = String::new();
    for number in 0.. {
        if seen.len() >= wanted {
            break;
        }
        let mut stream = Stream::new(Occasion { seed, game: number, ply: 0 }, Purpose::Simulation);
        engine.clear();
        let Some(game) = opening(&mut stream, &mut engine) else { continue };
        let plies = play(game, &mut stream, &mut engine, &mut seen, wanted);
        text += &plies;
        observe(seen.len());
    }
    text
}

/// Random moves that leave both sides a game.
fn opening(stream: &mut Stream, engine: &mut Engine) -> Option<Game> {
    let mut game = Game::default();
    for _ in 0..RANDOM_PLIES {
        let moves = game.position().legal_moves();
        let drawn = stream.index(&vec![1.0; moves.len()])?;
        game.play(moves[drawn]);
    }
    (game.ending().is_none() && value(&game, engine).1.abs() <= LEVEL).then_some(game)
}

fn value(game: &Game, engine: &mut Engine) -> (Option<crate::board::Move>, i32) {
    let found = engine.best_move(game, &Limits::nodes(NODES), &Controls::new(), &mut Silent);
    (found.mv, found.value.raw())
}

/// Plays a game and gives its line; empty when there was nothing in it to ask about.
fn play(
    mut game: Game,
    stream: &mut Stream,
    engine: &mut Engine,
    seen: &mut HashSet<u64>,
    wanted: usize,
) -> String {
    let mut words = Vec::new();
    let mut start = Game::default();
    for &m in game.moves() {
        words.push(start.position().uci(m));
        start.play(m);
    }
    // Nothing behind the last bar is needed.
    let mut marked = 0;
    let mut next = game.ply() + (stream.next_u64() % BETWEEN as u64) as usize;
    let mut taken = 0;
    while taken < FROM_A_GAME && seen.len() < wanted && game.ply() < LONGEST {
        let (Some(mv), value) = value(&game, engine) else { break };
        if game.ending().is_some() || value.abs() > 4 * LEVEL {
            break;
        }
        let is_due = game.ply() >= next && value.abs() <= LEVEL;
        if is_due && is_open(&game, engine) && seen.insert(game.position().key()) {
            words.push("|".to_owned());
            marked = words.len();
            next = game.ply() + BETWEEN + (stream.next_u64() % BETWEEN as u64) as usize;
            taken += 1;
        }
        words.push(game.position().uci(mv));
        game.play(mv);
    }
    words.truncate(marked);
    if words.is_empty() { String::new() } else { words.join(" ") + "\n" }
}

/// Are there several good moves?
fn is_open(game: &Game, engine: &mut Engine) -> bool {
    if game.position().in_check() {
        return false;
    }
    let request = EvaluationRequest::depth(DEPTH);
    let evaluation = engine.evaluate(game, &request, &Controls::new(), &mut Silent);
    let Some(best) = evaluation.best().map(|best| best.value().raw()) else { return false };
    let near = evaluation.moves.iter().filter(|m| m.value().raw() >= best - NEARLY);
    best.abs() <= LEVEL && near.count() >= CHOICES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::similarity::Suite;

    #[test]
    fn a_seed_gives_one_list_of_as_many_positions_as_wanted() {
        let text = generate(3, 3, |_| {});
        assert_eq!(Suite::parse("made", &text).expect("legal").positions.len(), 3);
        assert_eq!(text, generate(3, 3, |_| {}));
        assert_ne!(text, generate(4, 3, |_| {}));
    }
}
