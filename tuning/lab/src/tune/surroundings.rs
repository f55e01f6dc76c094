//! Positions around those of games, with static labels.
//!
//! A search looks at far more than sensible games lead to: what if the queen were lost, the king
//! drawn out, a piece gone astray? A few random moves from a position of a game lead there, and
//! what an evaluator says of the place, provided that nothing hangs, costs a thousandth of a search.
//! So a network learns first what the evaluator knows everywhere, and then from games what it
//! does not. Between the two stands a short search of such places: a hundred nodes see what a glance
//! does not, and cost a tenth of what a position of a game does.

use std::path::Path;
use std::sync::Arc;

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;

use super::positions::{
    AROUND, MOST_POSITIONS, PositionsHeader, PositionsReader, PositionsWriter, Sample,
};
use super::selfplay::{GameObserver, LARGEST_VALUE, think};
use super::{TuningError, draws, maker};
use stopdown::board::{Game, MoveList, PackedPosition, Position, Selection, exchange_at_least};
use stopdown::eval::{Evaluator, Network};
use stopdown::search::Searcher;
use stopdown::value::Value;

/// How walks are made.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings {
    pub seed: u64,
    /// Walks from every position.
    pub walks: usize,
    /// Nodes of the search that values where they end; 0 is the static evaluation.
    pub nodes: u64,
}

/// The longest walk in plies.
const LONGEST: usize = 6;
/// Raised whenever the same options give other positions.
const VERSION: u32 = 1;
/// Size of a search's table in MiB. It is emptied for every game.
const HASH: usize = 1;

/// Appends the surroundings of every game of `games` that is not in the file yet, numbered as the
/// games come.
pub fn augment(
    options: &Surroundings,
    evaluator: &Arc<Network>,
    games: &Path,
    path: &Path,
    command: &str,
    observer: &mut dyn GameObserver,
) -> Result<(), TuningError> {
    let Surroundings { walks, nodes, .. } = options;
    let of = games.display();
    let how = format_args!("{walks} {AROUND} {of}, {nodes} nodes, version {VERSION}");
    let maker = maker(evaluator, how);
    let mut reader = PositionsReader::open(games)?;
    let mut writer =
        PositionsWriter::open(path, &PositionsHeader { maker, command: command.to_owned() })?;
    let done = writer.games(options.seed)?;
    let mut judge = Judge {
        evaluator,
        nodes: options.nodes,
        searcher: (options.nodes > 0).then(|| Searcher::new(Arc::clone(evaluator), HASH)),
    };
    let mut number = 0;
    while let Some(game) = reader.next_game()? {
        if !done.contains(&number) {
            let mut random = draws(options.seed, number);
            judge.searcher.iter_mut().for_each(Searcher::clear);
            let walks = game.samples.iter().flat_map(|s| std::iter::repeat_n(s, options.walks));
            let around = walks.filter_map(|s| walk(s, &mut judge, &mut random));
            let around: Vec<Sample> = around.take(MOST_POSITIONS).collect();
            writer.append(options.seed, number, &around)?;
            observer.game_finished(number + 1, around.len());
        }
        number += 1;
    }
    Ok(())
}

/// Who says what a place is worth.
struct Judge<'a> {
    evaluator: &'a Network,
    nodes: u64,
    /// `None`: the static evaluation is enough.
    searcher: Option<Searcher<Network>>,
}

impl Judge<'_> {
    /// For the side to move; `None` where a search finds that there was something to win after all.
    fn value(&mut self, position: &Position) -> Option<Value> {
        let Some(searcher) = &mut self.searcher else {
            return Some(self.evaluator.evaluate_afresh(position, &mut ()));
        };
        let (best, value) = think(&Game::new(position.clone()), self.nodes, searcher);
        best.filter(|mv| !mv.is_noisy()).map(|_| value)
    }
}

/// Where a walk ends, if it is a place to judge.
fn walk(sample: &Sample, judge: &mut Judge<'_>, random: &mut ChaCha8Rng) -> Option<Sample> {
    let mut position = sample.position.unpack()?;
    let plies = random.random_range(1..=LONGEST);
    for _ in 0..plies {
        position.play(*position.legal_moves().choose(random)?);
    }
    if !is_quiet(&position) {
        return None;
    }
    let own = judge.value(&position)?.raw();
    let white = if position.turn().is_white() { own } else { -own };
    (own.abs() <= LARGEST_VALUE).then_some(Sample {
        position: PackedPosition::of(&position)?,
        outcome: None,
        centipawns: white as i16,
        ply: sample.ply + plies as u16,
    })
}

/// Neither in check, nor with anything to win at once.
fn is_quiet(position: &Position) -> bool {
    if position.in_check() || position.is_insufficient_material() {
        return false;
    }
    let mut moves = MoveList::new();
    position.generate(Selection::Noisy, &mut moves);
    !moves.iter().any(|&m| exchange_at_least(position, m, 1)) && position.has_legal_move()
}
