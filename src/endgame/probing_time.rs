//! Measures how long it takes to look up a position.

use std::hint::black_box;
use std::time::Duration;

use super::layout::Layout;
use super::material::Material;
use super::outcome::Metric;
use super::tables::Tables;
use crate::board::{Colour, Position};
use crate::clock::Instant;

/// The typical time to look up a position.
#[derive(Clone, Copy, Debug)]
pub struct ProbingTime {
    /// The time if the position's block is cached.
    pub cached: Duration,
    /// The time if the position's block must be read and decompressed.
    pub uncached: Duration,
}

/// Measures the time to look up positions with the given material. Only the blocks of these positions are read.
/// Returns `None` if there is no table file.
pub fn probing_time(tables: &Tables, material: Material) -> Option<ProbingTime> {
    const SAMPLE: usize = 10_000;
    const ROUND: usize = 400;
    let metric = Metric::ALL.into_iter().find(|&metric| tables.is_saved(material, metric))?;
    let fresh = Tables::in_directory(tables.directory()?);
    let layout = Layout::new(material);
    // With an odd step, the last piece stands on all squares.
    let step = (2 * layout.size / SAMPLE) | 1;
    let sample = (0..2 * layout.size).step_by(step).filter_map(|cell| {
        let turn = if cell < layout.size { Colour::White } else { Colour::Black };
        let squares = layout.squares(cell % layout.size)?;
        Position::from_fen(&layout.fen(&squares, turn), false).ok()
    });
    let positions: Vec<Position> = sample.collect();
    let time = |round: &[Position]| {
        let start = Instant::now();
        for position in round {
            black_box(fresh.probe(position, metric));
        }
        start.elapsed() / round.len() as u32
    };
    let mut times: Vec<[Duration; 2]> =
        positions.chunks(ROUND).map(|round| [time(round), time(round)]).collect();
    let &[uncached, _] = times.first()?;
    // The median ignores rounds in which the machine was busy.
    times.sort_by_key(|&[_, cached]| cached);
    times.get(times.len() / 2).map(|&[_, cached]| ProbingTime { cached, uncached })
}
