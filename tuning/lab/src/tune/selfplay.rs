//! Self-play games, stored as quiet positions with their results.
//!
//! A game depends only on the options and its number. It is appended to the file atomically, under
//! a mark that identifies it. So an interrupted run resumes where it stopped, and several runs with
//! different seeds may share a file.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;

use super::positions::{PositionsOutput, Sample};
use super::{TuningError, maker, random_stream};
use stopdown::board::{Colour, Game, GameEnd, Move, PackedPosition};
use stopdown::eval::Network;
use stopdown::games::GameResult;
use stopdown::search::{Controls, Limits, NoObserver, Searcher};
use stopdown::threads::run_workers;
use stopdown::value::Value;

/// The settings of self-play.
#[derive(Clone, Debug, clap::Args)]
pub struct SelfPlay {
    /// Stop when the file holds this many games with this seed
    #[arg(long, default_value_t = 5000)]
    pub games: u64,
    /// Nodes per move
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// Record only one position in three, and search the other moves with NODES nodes, to play more
    /// games in the same time; 0 records every position
    #[arg(long, value_name = "NODES", default_value_t = 0)]
    pub between: u64,
    /// Seed for the openings
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Number of games to play at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    pub threads: u16,
    /// Hash size in MiB
    #[arg(skip = 4_usize)]
    pub hash: usize,
}

/// Observes the games of a run.
pub trait GameObserver {
    /// Called with the number of games with this seed in the file, and the number of positions from
    /// the last game.
    fn game_finished(&mut self, games: u64, positions: usize);
}

/// Increment this when a change to the code makes the same options give different games.
const VERSION: u32 = 2;

/// The rules for adjudication. A game is won when one side has been ahead by at least `WON`
/// centipawns for `WON_PLIES` plies in a row. It is drawn when neither side has been ahead by more
/// than `DRAWN` for `DRAWN_PLIES` plies in a row.
const WON: i32 = 800;
const WON_PLIES: u32 = 5;
const DRAWN: i32 = 8;
const DRAWN_PLIES: u32 = 12;
/// The earliest ply for adjudicating a draw, and the ply at which every unfinished game is
/// adjudicated as a draw.
const EARLIEST_DRAW: usize = 80;
const LONGEST: usize = 400;
/// In sparse mode, one position in `SPARSE` is stored.
const SPARSE: u32 = 3;
/// Openings in which either side is further ahead than this are skipped, because the game is
/// already decided.
const OPENING_BOUND: i32 = 400;
/// Positions with a larger score are not stored. In such positions, the evaluation only ranks the ways to win.
pub(super) const MAX_VALUE: i32 = 3000;

/// Plays the missing games and appends them to the file.
pub fn make_games(
    options: &SelfPlay,
    evaluator: &Arc<Network>,
    to: PositionsOutput<'_>,
    observer: &mut dyn GameObserver,
) -> Result<(), TuningError> {
    let between = match options.between {
        0 => String::new(),
        nodes => format!(" ({nodes} for two in three)"),
    };
    // All settings on which the positions depend, except the seed.
    let SelfPlay { nodes, hash, .. } = options;
    let how = format_args!("{nodes} nodes a move{between}, {hash} MiB, games of version {VERSION}");
    let mut writer = to.open(maker(evaluator, how))?;
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
    run_workers(options.threads.into(), work, keep).map_err(TuningError::NoThread)?;
    written
}

/// Plays one game and returns its quiet positions.
fn play(options: &SelfPlay, number: u64, searcher: &mut Searcher<Network>) -> Vec<Sample> {
    let mut random = random_stream(options.seed, number);
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
        if quiet && white.raw().abs() <= MAX_VALUE {
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

/// Plays a game until it ends or is adjudicated. `choose` returns a move and its value for the
/// mover. `played` receives each position with the move played and its value for White.
pub(super) fn play_out(
    mut game: Game,
    mut choose: impl FnMut(&Game) -> (Option<Move>, Value),
    mut played: impl FnMut(&Game, Move, Value),
) -> GameResult {
    let mut verdict = Adjudicator::default();
    loop {
        if let Some(ending) = game.ending() {
            let mated = ending == GameEnd::Checkmate;
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

/// Eight or nine random plies that leave the game balanced.
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

/// Searches for the best move with `nodes` nodes. Returns the move and its value.
pub(super) fn think(
    game: &Game,
    nodes: u64,
    searcher: &mut Searcher<Network>,
) -> (Option<Move>, Value) {
    let limits = Limits::nodes(nodes);
    let answer = searcher.best_move(game, &limits, &Controls::new(), &mut NoObserver);
    (answer.mv, answer.value)
}

/// Adjudicates games whose result is no longer in doubt.
#[derive(Default)]
struct Adjudicator {
    winning: u32,
    losing: u32,
    level: u32,
}

impl Adjudicator {
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
