//! Games of the engine against itself, written down as quiet positions with their results.
//!
//! A game is a pure function of the options and its number, and is appended to the file in one
//! piece under a mark that names it. So a run that was interrupted goes on where it stopped, and
//! several runs with different seeds may share a file.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;

use super::positions::{PositionsHeader, PositionsWriter, Sample};
use super::{TuningError, draws, maker};
use stopdown::board::{Colour, Ending, Game, Move, PackedPosition};
use stopdown::eval::Network;
use stopdown::games::GameResult;
use stopdown::search::{Controls, Limits, Searcher, Silent};
use stopdown::threads::crew;
use stopdown::value::Value;

/// How games are played.
#[derive(Clone, Debug)]
pub struct SelfPlay {
    pub seed: u64,
    /// Games of this seed in the file when all is done.
    pub games: u64,
    /// Positions that a move may cost.
    pub nodes: u64,
    /// Where it is not 0, only every third position is written down, drawn by lot, and the other
    /// moves may cost so many.
    pub between: u64,
    /// Size of the table in MiB.
    pub hash: usize,
    /// Games played at the same time.
    pub threads: usize,
}

impl Default for SelfPlay {
    fn default() -> SelfPlay {
        SelfPlay { seed: 1, games: 5000, nodes: 5000, between: 0, hash: 4, threads: 1 }
    }
}

/// Watches games being made.
pub trait GameObserver {
    /// So many games of this seed are in the file; the last one gave so many positions.
    fn game_finished(&mut self, games: u64, positions: usize);
}

/// Raised whenever the same options give other games.
const VERSION: u32 = 2;

/// A game is won when both sides see so much for so many plies, and drawn when they see nothing
/// for longer.
const WON: i32 = 800;
const WON_PLIES: u32 = 5;
const DRAWN: i32 = 8;
const DRAWN_PLIES: u32 = 12;
/// Draws are not agreed upon before this ply, and always at the longest.
const EARLIEST_DRAW: usize = 80;
const LONGEST: usize = 400;
/// One position in so many is written down where not all are.
const SPARSE: u32 = 3;
/// An opening that is decided already teaches nothing.
const OPENING_BOUND: i32 = 400;
/// Beyond this the evaluation says how to win, not how much is won.
pub(super) const LARGEST_VALUE: i32 = 3000;

/// Plays the games that are still missing and appends them to the file.
pub fn make_games(
    options: &SelfPlay,
    evaluator: &Arc<Network>,
    path: &Path,
    command: &str,
    observer: &mut dyn GameObserver,
) -> Result<(), TuningError> {
    let between = match options.between {
        0 => String::new(),
        nodes => format!(" ({nodes} for two in three)"),
    };
    // Everything but the seed that positions depend on.
    let SelfPlay { nodes, hash, .. } = options;
    let how = format_args!("{nodes} nodes a move{between}, {hash} MiB, games of version {VERSION}");
    let header = PositionsHeader { maker: maker(evaluator, how), command: command.to_owned() };
    let mut writer = PositionsWriter::open(path, &header)?;
    let done = writer.games(options.seed)?;
    let missing: Vec<u64> = (0..options.games).filter(|number| !done.contains(number)).collect();
    let mut finished = options.games - missing.len() as u64;
    let next = AtomicUsize::new(0);
    let work = |stop: &AtomicBool, sender: &Sender<(u64, Vec<Sample>)>| {
        let mut searcher = Searcher::new(Arc::clone(evaluator), options.hash);
        while !stop.load(Ordering::Relaxed) {
            let Some(&number) = missing.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
            if sender.send((number, play(options, number, &mut searcher))).is_err() {
                return;
            }
        }
    };
    let mut written = Ok(());
    let keep = |(number, samples): (u64, Vec<Sample>)| {
        written = writer.append(options.seed, number, &samples);
        if written.is_err() {
            return ControlFlow::Break(());
        }
        finished += 1;
        observer.game_finished(finished, samples.len());
        ControlFlow::Continue(())
    };
    crew(options.threads, work, keep).map_err(TuningError::NoThread)?;
    written
}

/// Plays one game and keeps its quiet positions.
fn play(options: &SelfPlay, number: u64, searcher: &mut Searcher<Network>) -> Vec<Sample> {
    let mut random = draws(options.seed, number);
    searcher.clear();
    let game = opening(&mut random, options.nodes, searcher);
    let mut samples = Vec::new();
    let is_written = Cell::new(true);
    let choose = |game: &Game| {
        is_written.set(options.between == 0 || random.random_ratio(1, SPARSE));
        let nodes = if is_written.get() { options.nodes } else { options.between };
        think(game, nodes, searcher)
    };
    let outcome = play_out(game, choose, |game, m, white| {
        let quiet = is_written.get() && !game.position().in_check() && !m.is_noisy();
        if quiet && white.raw().abs() <= LARGEST_VALUE {
            samples.extend(PackedPosition::of(game.position()).map(|position| Sample {
                position,
                outcome: None,
                centipawns: white.raw() as i16,
                ply: game.ply() as u16,
            }));
        }
    });
    samples.iter_mut().for_each(|sample| sample.outcome = Some(outcome));
    samples
}

/// Plays a game until it is over or has long been clear. `choose` gives the mover's move and its
/// value; `played` sees the position, the move that is played there, and its value for White.
pub(super) fn play_out(
    mut game: Game,
    mut choose: impl FnMut(&Game) -> (Option<Move>, Value),
    mut played: impl FnMut(&Game, Move, Value),
) -> GameResult {
    let mut verdict = EarlyVerdict::default();
    loop {
        if let Some(ending) = game.ending() {
            let mated = ending == Ending::Checkmate;
            let winner = !game.position().turn();
            return if mated { GameResult::won_by(winner) } else { GameResult::Draw };
        }
        let (best, value) = choose(&game);
        let white = if game.position().turn() == Colour::White { value } else { -value };
        if let Some(outcome) = verdict.after(white, game.ply()) {
            return outcome;
        }
        let Some(m) = best else { return GameResult::Draw };
        played(&game, m, white);
        game.play(m);
    }
}

/// Eight or nine random plies that leave both sides a game.
pub(super) fn opening(
    random: &mut ChaCha8Rng,
    nodes: u64,
    searcher: &mut Searcher<Network>,
) -> Game {
    loop {
        let mut game = Game::default();
        for _ in 0..random.random_range(8..=9) {
            let moves = game.position().legal_moves();
            let Some(&m) = moves.choose(random) else { break };
            game.play(m);
        }
        if game.ending().is_none() && think(&game, nodes, searcher).1.raw().abs() <= OPENING_BOUND {
            return game;
        }
    }
}

/// The best move and its value, found with so many nodes.
pub(super) fn think(
    game: &Game,
    nodes: u64,
    searcher: &mut Searcher<Network>,
) -> (Option<Move>, Value) {
    let limits = Limits::nodes(nodes);
    let answer = searcher.best_move(game, &limits, &Controls::new(), &mut Silent);
    (answer.mv, answer.value)
}

/// Calls a game off when it has long been clear.
#[derive(Default)]
struct EarlyVerdict {
    winning: u32,
    losing: u32,
    level: u32,
}

impl EarlyVerdict {
    fn after(&mut self, white: Value, ply: usize) -> Option<GameResult> {
        let count = |holds: bool, plies: u32| if holds { plies + 1 } else { 0 };
        self.winning = count(white.raw() >= WON, self.winning);
        self.losing = count(white.raw() <= -WON, self.losing);
        self.level = count(white.raw().abs() <= DRAWN, self.level);
        if self.winning >= WON_PLIES {
            Some(GameResult::WhiteWins)
        } else if self.losing >= WON_PLIES {
            Some(GameResult::BlackWins)
        } else if (self.level >= DRAWN_PLIES && ply >= EARLIEST_DRAW) || ply >= LONGEST {
            Some(GameResult::Draw)
        } else {
            None
        }
    }
}
