//! Games of the engine against itself, written down as quiet positions with their results.
//!
//! A line is `FEN;result;centipawns`: White's result, and what the search saw for White.
//! A game is a pure function of the options and its number, and is appended to the file in one
//! piece under a line that names it. So a run that was interrupted goes on where it stopped, and
//! several runs with different seeds may share a file.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Arc;

use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use super::TuningError;
use crate::board::{Colour, Ending, Game};
use crate::eval::Evaluator;
use crate::search::{Controls, Limits, Searcher, Silent};
use crate::value::Value;

/// How games are played.
#[derive(Clone, Debug)]
pub struct SelfPlay {
    pub seed: u64,
    /// Games of this seed in the file when all is done.
    pub games: u64,
    /// Positions that a move may cost.
    pub nodes: u64,
    /// Size of the table in MiB.
    pub hash: usize,
}

impl Default for SelfPlay {
    fn default() -> SelfPlay {
        SelfPlay { seed: 1, games: 5000, nodes: 5000, hash: 4 }
    }
}

/// Watches games being made.
pub trait GameObserver {
    /// So many games of this seed are in the file; the last one gave so many positions.
    fn game_finished(&mut self, games: u64, positions: usize);
}

/// A game is won when both sides see so much for so many plies, and drawn when they see nothing
/// for longer.
const WON: i32 = 800;
const WON_PLIES: u32 = 5;
const DRAWN: i32 = 8;
const DRAWN_PLIES: u32 = 12;
/// Draws are not agreed upon before this ply, and always at the longest.
const EARLIEST_DRAW: usize = 80;
const LONGEST: usize = 400;
/// An opening that is decided already teaches nothing.
const OPENING_BOUND: i32 = 400;

/// Plays the games that are still missing and appends them to the file.
pub fn make_games<E: Evaluator>(
    options: &SelfPlay,
    evaluator: Arc<E>,
    path: &Path,
    observer: &mut dyn GameObserver,
) -> Result<(), TuningError> {
    let mut file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .open(path)
        .map_err(TuningError::file("open", path))?;
    let done = games_in(&mut file, options.seed).map_err(TuningError::file("read", path))?;
    let mut searcher = Searcher::new(evaluator, options.hash);
    for number in done..options.games {
        let record = play(options, number, &mut searcher);
        file.write_all(record.text(options.seed, number).as_bytes())
            .map_err(TuningError::file("write", path))?;
        observer.game_finished(number + 1, record.positions.len());
    }
    Ok(())
}

/// How many games of a seed are in the file. A last line that was cut off is closed.
fn games_in(file: &mut File, seed: u64) -> std::io::Result<u64> {
    let ours = format!("# seed {seed} game ");
    let mut next = 0;
    for line in BufReader::new(&mut *file).split(b'\n') {
        let line = line?;
        let number = line
            .strip_prefix(ours.as_bytes())
            .and_then(|rest| std::str::from_utf8(rest).ok()?.trim().parse::<u64>().ok());
        next = next.max(number.map_or(0, |number| number + 1));
    }
    if file.seek(SeekFrom::End(0))? > 0 {
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
    }
    Ok(next)
}

/// The quiet positions of a game, what the search thought of them, and the result, all from
/// White's view.
struct Record {
    positions: Vec<(String, Value)>,
    result: f32,
}

impl Record {
    fn text(&self, seed: u64, number: u64) -> String {
        let mut text = format!("# seed {seed} game {number}\n");
        for (fen, value) in &self.positions {
            writeln!(text, "{fen};{};{}", self.result, value.raw())
                .expect("a string takes everything");
        }
        text
    }
}

/// Plays one game.
fn play<E: Evaluator>(options: &SelfPlay, number: u64, searcher: &mut Searcher<E>) -> Record {
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    random.set_stream(number);
    searcher.clear();
    let mut game = opening(&mut random, options, searcher);
    let mut positions = Vec::new();
    let mut verdict = Verdict::default();
    let result = loop {
        if let Some(ending) = game.ending() {
            break if ending == Ending::Checkmate { lost(game.position().turn()) } else { 0.5 };
        }
        let (best, value) = think(&game, options, searcher);
        let white = if game.position().turn() == Colour::White { value } else { -value };
        if let Some(result) = verdict.after(white, game.ply()) {
            break result;
        }
        let Some(m) = best else { break 0.5 };
        if !game.position().in_check() && !m.is_noisy() && !value.is_decisive() {
            positions.push((game.position().fen(), white));
        }
        game.play(m);
    };
    Record { positions, result }
}

/// Eight or nine random plies that leave both sides a game.
fn opening<E: Evaluator>(
    random: &mut ChaCha8Rng,
    options: &SelfPlay,
    searcher: &mut Searcher<E>,
) -> Game {
    loop {
        let mut game = Game::default();
        for _ in 0..random.random_range(8..=9) {
            let moves = game.position().legal_moves();
            let Some(&m) = moves.choose(random) else { break };
            game.play(m);
        }
        if game.ending().is_none() && think(&game, options, searcher).1.raw().abs() <= OPENING_BOUND
        {
            return game;
        }
    }
}

fn think<E: Evaluator>(
    game: &Game,
    options: &SelfPlay,
    searcher: &mut Searcher<E>,
) -> (Option<crate::board::Move>, Value) {
    let limits = Limits::nodes(options.nodes);
    let answer = searcher.best_move(game, &limits, &Controls::new(), &mut Silent);
    (answer.mv, answer.value)
}

/// White's result when this side has lost.
fn lost(side: Colour) -> f32 {
    if side == Colour::White { 0.0 } else { 1.0 }
}

/// Calls a game off when it has long been clear.
#[derive(Default)]
struct Verdict {
    winning: u32,
    losing: u32,
    level: u32,
}

impl Verdict {
    fn after(&mut self, white: Value, ply: usize) -> Option<f32> {
        let count = |holds: bool, plies: u32| if holds { plies + 1 } else { 0 };
        self.winning = count(white.raw() >= WON, self.winning);
        self.losing = count(white.raw() <= -WON, self.losing);
        self.level = count(white.raw().abs() <= DRAWN, self.level);
        if self.winning >= WON_PLIES {
            Some(1.0)
        } else if self.losing >= WON_PLIES {
            Some(0.0)
        } else if (self.level >= DRAWN_PLIES && ply >= EARLIEST_DRAW) || ply >= LONGEST {
            Some(0.5)
        } else {
            None
        }
    }
}
