//! Positions around those from games, labelled by static evaluations or short searches.
//!
//! A search visits many positions that sensible games rarely reach, with a lost queen, an exposed
//! king or a misplaced piece. A few random moves from a game position lead to such positions. If
//! they are quiet, a static evaluation is enough, at a thousandth of the cost of a search. So a
//! network first learns what the evaluator knows about all kinds of positions, and then learns from
//! games. A short search of such positions is a compromise: a hundred nodes see more than a static
//! evaluation, at a tenth of the cost of a game position.

use std::path::Path;
use std::sync::Arc;

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;

use super::positions::{AROUND, MAX_POSITIONS, PositionsOutput, PositionsReader, Sample};
use super::selfplay::{GameObserver, MAX_VALUE, think};
use super::{TuningError, maker, random_stream};
use stopdown::board::{Game, MoveList, PackedPosition, Position, Selection, see_at_least};
use stopdown::eval::{Evaluator, Network};
use stopdown::search::Searcher;
use stopdown::value::Value;

/// The settings of the walks.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Surroundings {
    /// Number of walks from each position
    #[arg(long, value_name = "N", default_value_t = 8, requires = "around")]
    pub walks: usize,
    /// Record the score of a search with NODES nodes instead; 0 uses the static evaluation
    #[arg(id = "look", long, value_name = "NODES", default_value_t = 0, requires = "around")]
    pub nodes: u64,
    /// The seed of the walks.
    #[arg(skip)]
    pub seed: u64,
}

/// The longest walk in plies.
const LONGEST: usize = 6;
/// Increment this when a change to the code makes the same options give different positions.
const VERSION: u32 = 1;
/// The size of the hash table in MiB. The table is cleared before every game.
const HASH: usize = 1;

/// For every game in the file `games` that is not yet in the file `to`, appends positions around
/// it to `to`. Games are numbered in order.
pub fn augment(
    options: &Surroundings,
    evaluator: &Arc<Network>,
    games: &Path,
    to: PositionsOutput<'_>,
    observer: &mut dyn GameObserver,
) -> Result<(), TuningError> {
    let Surroundings { walks, nodes, .. } = options;
    let of = games.display();
    let how = format_args!("{walks} {AROUND} {of}, {nodes} nodes, version {VERSION}");
    let mut reader = PositionsReader::open(games)?;
    let mut writer = to.open(maker(evaluator, how))?;
    let done = writer.games(options.seed)?;
    let mut labeller = Labeller {
        evaluator,
        nodes: options.nodes,
        searcher: (options.nodes > 0).then(|| Searcher::new(Arc::clone(evaluator), HASH)),
    };
    let mut number = 0;
    while let Some(game) = reader.next_game()? {
        if !done.contains(&number) {
            let mut random = random_stream(options.seed, number);
            labeller.searcher.iter_mut().for_each(Searcher::clear);
            let walks = game.samples.iter().flat_map(|s| std::iter::repeat_n(s, options.walks));
            let around = walks.filter_map(|s| walk(s, &mut labeller, &mut random));
            let around: Vec<Sample> = around.take(MAX_POSITIONS).collect();
            writer.append(options.seed, number, &around)?;
            observer.game_finished(number + 1, around.len());
        }
        number += 1;
    }
    Ok(())
}

/// Evaluates final positions.
struct Labeller<'a> {
    evaluator: &'a Network,
    nodes: u64,
    /// The searcher. `None` selects the static evaluation.
    searcher: Option<Searcher<Network>>,
}

impl Labeller<'_> {
    /// The value for the side to move. Returns `None` if the search finds that the position was
    /// not quiet.
    fn value(&mut self, position: &Position) -> Option<Value> {
        let Some(searcher) = &mut self.searcher else {
            return Some(self.evaluator.evaluate_afresh(position));
        };
        let (best, value) = think(&Game::new(position.clone()), self.nodes, searcher);
        best.filter(|mv| !mv.is_noisy()).map(|_| value)
    }
}

/// Makes a random walk. Returns its final position if that is suitable.
fn walk(sample: &Sample, labeller: &mut Labeller<'_>, random: &mut ChaCha8Rng) -> Option<Sample> {
    let mut position = sample.position.unpack()?;
    let plies = random.random_range(1..=LONGEST);
    for _ in 0..plies {
        position.play(*position.legal_moves().choose(random)?);
    }
    if !is_quiet(&position) {
        return None;
    }
    let own = labeller.value(&position)?.raw();
    let white = if position.turn().is_white() { own } else { -own };
    (own.abs() <= MAX_VALUE).then_some(Sample {
        position: PackedPosition::of(&position)?,
        outcome: None,
        centipawns: white as i16,
        ply: sample.ply + plies as u16,
    })
}

/// Whether the game is not over, and the side to move is not in check and cannot win material at
/// once.
fn is_quiet(position: &Position) -> bool {
    if position.in_check() || position.is_insufficient_material() {
        return false;
    }
    let mut moves = MoveList::new();
    position.generate(Selection::Noisy, &mut moves);
    !moves.iter().any(|&m| see_at_least(position, m, 1)) && position.has_legal_move()
}
