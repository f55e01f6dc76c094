//! Positions around those of games, valued at a glance.
//!
//! A search looks at far more than sensible games lead to: what if the queen were lost, the king
//! drawn out, a piece gone astray? A few random moves from a position of a game lead there, and
//! what an evaluator says of the place, provided that nothing hangs, costs a thousandth of a search.
//! So a network learns first what the evaluator knows everywhere, and then from games what it
//! does not.

use std::path::Path;

use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use super::TuningError;
use super::positions::{Header, MOST_POSITIONS, Reader, Sample, Writer};
use super::selfplay::{GameObserver, LARGEST_VALUE};
use crate::board::{MoveList, Position, Selection, exchange_at_least};
use crate::eval::Evaluator;

/// How walks are made.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings {
    pub seed: u64,
    /// Walks from every position.
    pub walks: usize,
}

/// The longest walk in plies.
const LONGEST: usize = 6;
/// Raised whenever the same options give other positions.
const VERSION: u32 = 1;

/// Appends the surroundings of every game of `games` that is not in the file yet, numbered as the
/// games come.
pub fn survey<E: Evaluator>(
    options: &Surroundings,
    evaluator: &E,
    games: &Path,
    path: &Path,
    command: &str,
    observer: &mut dyn GameObserver,
) -> Result<(), TuningError> {
    let maker = format!(
        "Stopdown {} with weights {:016x}, {} walks around positions of {}, version {VERSION}",
        env!("CARGO_PKG_VERSION"),
        evaluator.fingerprint(),
        options.walks,
        games.display()
    );
    let mut writer = Writer::open(path, &Header { maker, command: command.to_owned() })?;
    let done = writer.games(options.seed)?;
    let mut reader = Reader::open(games)?;
    let mut cache = evaluator.new_cache();
    let mut number = 0;
    while let Some(game) = reader.next_game()? {
        if !done.contains(&number) {
            let mut random = ChaCha8Rng::seed_from_u64(options.seed);
            random.set_stream(number);
            let walks = game.samples.iter().flat_map(|s| std::iter::repeat_n(s, options.walks));
            let around = walks.filter_map(|s| walk(s, evaluator, &mut cache, &mut random));
            let around: Vec<Sample> = around.take(MOST_POSITIONS).collect();
            writer.append(options.seed, number, &around)?;
            observer.game_finished(number + 1, around.len());
        }
        number += 1;
    }
    Ok(())
}

/// Where a walk ends, if it is a place to judge.
fn walk<E: Evaluator>(
    sample: &Sample,
    evaluator: &E,
    cache: &mut E::Cache,
    random: &mut ChaCha8Rng,
) -> Option<Sample> {
    let mut position = sample.position.unpack()?;
    let plies = random.random_range(1..=LONGEST);
    for _ in 0..plies {
        position.play(*position.legal_moves().choose(random)?);
    }
    if !is_quiet(&position) {
        return None;
    }
    let own = evaluator.evaluate_afresh(&position, cache).raw();
    let white = if position.turn().is_white() { own } else { -own };
    (own.abs() <= LARGEST_VALUE).then_some(Sample {
        position: position.pack()?,
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
