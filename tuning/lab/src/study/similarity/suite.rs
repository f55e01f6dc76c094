//! The positions that players are asked about.
//!
//! A list has one line for each game, with the moves from the starting position. Bars among the
//! moves mark the positions, so one line can contain several positions from the same game.
//!
//! Lists are generated from self-play ([`generate`]). Only positions with several good moves
//! distinguish between players. So in the chosen positions, the side to move is not in check,
//! neither side is winning, and at least [`CHOICES`] moves, including the best one, are nearly
//! equally good.

use std::collections::HashSet;
use std::path::Path;

use stopdown::board::{Game, GameError};
use stopdown::games::position_text;
use stopdown::math::streams::{Occasion, Purpose, Stream};
use stopdown::player::Engine;
use stopdown::search::{Controls, EvaluationRequest, Limits, NoObserver};

const BUILT_IN: &str = include_str!("../../../../similarity-positions.txt");

/// A list of positions, each with the moves that led to it.
#[derive(Clone, Debug)]
pub struct Suite {
    pub positions: Vec<Game>,
}

/// Why a list cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    #[error("the list of positions {0} cannot be read: {1}")]
    File(String, std::io::Error),
    #[error(
        "{0} line {1}: {2}; a line has moves from the starting position, such as e2e4 e7e5 g1f3"
    )]
    Line(String, usize, GameError),
    #[error("{0} has no positions")]
    Empty(String),
}

impl Suite {
    /// 2,000 positions from self-play (see `stopdown-lab similarity --make-positions`).
    pub fn built_in() -> Result<Suite, SuiteError> {
        Suite::parse("built-in", BUILT_IN)
    }

    pub fn open(path: &Path) -> Result<Suite, SuiteError> {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let bytes = std::fs::read(path)
            .map_err(|error| SuiteError::File(path.display().to_string(), error))?;
        Suite::parse(&name, &String::from_utf8_lossy(&bytes))
    }

    /// Parses a list. The name is for messages.
    pub fn parse(name: &str, text: &str) -> Result<Suite, SuiteError> {
        let mut positions = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let Some(line) = position_text(line) else { continue };
            let wrong = |error| SuiteError::Line(name.to_owned(), index + 1, error);
            let words = line.split_whitespace();
            let moves = words.filter(|word| !matches!(*word, "position" | "startpos" | "moves"));
            let mut played = Vec::new();
            let mut marked = Vec::new();
            for word in moves {
                match word {
                    "|" => marked.push(played.len()),
                    _ => played.push(word),
                }
            }
            if marked.is_empty() {
                marked.push(played.len());
            }
            for plies in marked {
                let moves = played[..plies].iter().copied();
                positions.push(Game::from_uci(None, moves, false).map_err(wrong)?);
            }
        }
        match positions.is_empty() {
            true => Err(SuiteError::Empty(name.to_owned())),
            false => Ok(Suite { positions }),
        }
    }

    /// Identifies a list by its content.
    pub fn fingerprint(&self) -> u64 {
        self.positions.iter().fold(0, |sum, game| sum.rotate_left(1) ^ game.position().key())
    }
}

/// The number of random plies before the engine plays.
const RANDOM_PLIES: u64 = 6;
const NODES: u64 = 2_000;
/// The depth of the full-width evaluation.
const DEPTH: u8 = 4;
/// The score beyond which a side is winning, in centipawns.
const LEVEL: i32 = 150;
const CHOICES: usize = 3;
/// The largest loss of a move that is nearly as good as the best, in centipawns.
const NEARLY: i32 = 25;
/// The maximum number of positions from one game, and the minimum distance between them in plies.
const FROM_A_GAME: usize = 4;
const BETWEEN: usize = 8;
const LONGEST: usize = 120;

/// Generates `wanted` positions as a list with bars, one line for each game. The same seed gives
/// the same list. `observe` receives the number of positions so far.
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

/// Random moves that leave the game balanced.
fn opening(stream: &mut Stream, engine: &mut Engine) -> Option<Game> {
    let mut game = Game::default();
    for _ in 0..RANDOM_PLIES {
        let moves = game.position().legal_moves();
        let drawn = stream.index(&vec![1.0; moves.len()])?;
        game.play(moves[drawn]);
    }
    (game.ending().is_none() && value(&game, engine).1.abs() <= LEVEL).then_some(game)
}

fn value(game: &Game, engine: &mut Engine) -> (Option<stopdown::board::Move>, i32) {
    let found = engine.best_move(game, &Limits::nodes(NODES), &Controls::new(), &mut NoObserver);
    (found.mv, found.value.raw())
}

/// Plays a game and returns its line. The line is empty if no position was suitable.
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
    // Moves after the last bar are not needed.
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

/// Whether there are several good moves.
fn is_open(game: &Game, engine: &mut Engine) -> bool {
    if game.position().in_check() {
        return false;
    }
    let request = EvaluationRequest::depth(DEPTH);
    let evaluation = engine.evaluate(game, &request, &Controls::new(), &mut NoObserver);
    let Some(best) = evaluation.best().map(|best| best.value().raw()) else { return false };
    let near = evaluation.moves.iter().filter(|m| m.value().raw() >= best - NEARLY);
    best.abs() <= LEVEL && near.count() >= CHOICES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_mark_positions_and_otherwise_the_end_of_the_line_does() {
        let text = "# a comment\n\ne2e4 | e7e5 g1f3 |\nposition startpos moves d2d4\n| c2c4\n";
        let suite = Suite::parse("test", text).expect("legal");
        let plies: Vec<usize> = suite.positions.iter().map(Game::ply).collect();
        assert_eq!(plies, [1, 3, 1, 0]);
        let other = Suite::parse("test", "e2e4\ne2e4 e7e5 g1f3\nd2d4\nc2c4").expect("legal");
        assert_ne!(suite.fingerprint(), other.fingerprint());
        let message = Suite::parse("x", "e2e4\ne2e5").expect_err("illegal").to_string();
        assert!(message.contains("x line 2") && message.contains("e2e5"), "{message}");
        assert!(Suite::parse("x", "# nothing").is_err());
    }

    #[test]
    fn the_built_in_positions_are_legal_different_and_undecided() {
        let suite = Suite::built_in().expect("legal");
        assert_eq!(suite.positions.len(), 2000);
        let mut keys: Vec<u64> = suite.positions.iter().map(|game| game.position().key()).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 2000);
        assert!(suite.positions.iter().all(|game| game.ending().is_none()));
    }

    #[test]
    fn a_seed_gives_one_list_of_the_requested_length() {
        let text = generate(3, 3, |_| {});
        assert_eq!(Suite::parse("made", &text).expect("legal").positions.len(), 3);
        assert_eq!(text, generate(3, 3, |_| {}));
        assert_ne!(text, generate(4, 3, |_| {}));
    }
}
