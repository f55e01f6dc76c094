//! Measures how long it takes to look up a position.

use std::hint::black_box;
use std::time::Duration;

use super::material::Material;
use super::outcome::Metric;
use super::tables::Tables;
use crate::board::Position;
use crate::clock::Instant;

/// The typical time to look up a position.
#[derive(Clone, Copy, Debug)]
pub struct ProbingTime {
    /// The time if the position's block is cached.
    pub cached: Duration,
    /// The time if the position's block must be read and decompressed.
    pub uncached: Duration,
}

/// Measures the time to look up positions with the given material. Returns `None` if there is no
/// table file.
pub fn probing_time(tables: &Tables, material: Material) -> Option<ProbingTime> {
    const SAMPLE: usize = 10_000;
    const ROUND: usize = 400;
    let table = Metric::ALL.iter().find_map(|&metric| tables.table(material, metric))?;
    let fresh = Tables::in_directory(tables.directory()?);
    let step = (2 * table.layout.size / SAMPLE).max(1);
    let fens = table.entries().step_by(step).map(|e| table.layout.fen(&e.squares, e.turn));
    let positions: Vec<Position> =
        fens.filter_map(|fen| Position::from_fen(&fen, false).ok()).collect();
    let time = |round: &[Position]| {
        let start = Instant::now();
        for position in round {
            black_box(fresh.probe(position, table.metric));
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
