//! Builds tables: finds the order in which to build them, checks the memory, and saves each table.
//!
//! Building a table needs the tables for all captures and promotions. A DTZ table with pawns also
//! needs the DTC table with the same material. [`plan`] lists all missing tables in an order in
//! which they can be built.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::compressed::{Compressed, compress};
use super::layout::Layout;
use super::links::{Links, MissingTable};
use super::material::{MAX_PIECES, Material};
use super::observer::{BuildObserver, Stopped};
use super::outcome::{Metric, TableKey};
use super::solve::Problem;
use super::table::{self, TableError, TableFault, TableSummary};
use super::tables::Tables;
use crate::clock::Instant;
use crate::free_memory;

/// A table that has been built.
#[derive(Clone, Debug)]
pub struct Built {
    /// The numbers of wins, draws and losses, and the longest win.
    pub(crate) summary: TableSummary,
    /// The time that it took to build and save the table.
    pub(crate) time: Duration,
    /// The file, if the table was saved.
    pub(crate) path: Option<PathBuf>,
}

/// Limits for building a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct BuildLimits {
    pub threads: usize,
    /// The maximum number of compressed bytes to save.
    pub room: u64,
}

/// Why tables could not be built. Tables built before the error are kept.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// There is not enough free memory.
    #[error(
        "{key} needs {} MiB of memory, but only {} MiB are free; \
         close other programs, or leave this table out",
        needed >> 20, free >> 20
    )]
    Memory {
        /// The table that needs the most memory.
        key: TableKey,
        /// The memory that it needs, in bytes.
        needed: u64,
        /// The free memory, in bytes.
        free: u64,
    },
    /// A table that is reached by a capture or promotion has not been built.
    #[error(transparent)]
    Missing(#[from] MissingTable),
    /// A table could not be read or written.
    #[error(transparent)]
    File(#[from] TableError),
    /// The observer has stopped the build.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// The number of bytes needed to build a table, including the tables that it is built from.
pub fn memory_needed(job: TableKey) -> u64 {
    let cells = |material| 2 * Layout::new(material).size as u64;
    // With fewer than five pieces, no win is longer than the 127 plies that fit into a byte.
    let bytes_per_cell = |material: Material| if material.pieces() < MAX_PIECES { 1 } else { 2 };
    let held = |material| bytes_per_cell(material) * cells(material);
    let sources = sources(job).into_iter().map(|source| held(source.material));
    // Solving takes two bytes per cell, and packing the cells into bytes takes a third.
    3 * cells(job.material) + sources.sum::<u64>()
}

/// The tables needed to build a table.
fn sources(job: TableKey) -> Vec<TableKey> {
    let TableKey { material, metric } = job;
    let mut sources: Vec<TableKey> = material
        .conversions()
        .into_iter()
        .filter(|conversion| conversion.is_tabulated())
        .map(|conversion| TableKey { material: conversion, metric: metric.after_conversion() })
        .collect();
    if metric == Metric::Dtz {
        sources.push(TableKey { material, metric: Metric::Dtc });
    }
    sources
}

/// The tables that are missing for a request, in the order in which they must be built.
pub fn plan(
    tables: &Tables,
    materials: impl IntoIterator<Item = Material>,
    metrics: &[Metric],
) -> Vec<TableKey> {
    fn add(
        job: TableKey,
        tables: &Tables,
        seen: &mut BTreeSet<TableKey>,
        jobs: &mut Vec<TableKey>,
    ) {
        if !seen.insert(job) || tables.look_again(job) {
            return;
        }
        for source in sources(job) {
            add(source, tables, seen, jobs);
        }
        jobs.push(job);
    }
    let mut seen = BTreeSet::new();
    let mut jobs = Vec::new();
    for material in materials {
        for &metric in metrics {
            add(TableKey::of(material, metric), tables, &mut seen, &mut jobs);
        }
    }
    jobs
}

/// Builds the tables of a plan in order. Each is saved as soon as it is built, so an interrupted
/// build can be resumed later.
pub fn build(
    tables: &Tables,
    jobs: &[TableKey],
    threads: usize,
    observer: &dyn BuildObserver,
) -> Result<Vec<Built>, BuildError> {
    if let Some(directory) = tables.directory() {
        prepare(directory)?;
    }
    check_memory(jobs)?;
    let mut built = Vec::new();
    for (index, &job) in jobs.iter().enumerate() {
        observer.begins(job, index + 1, jobs.len());
        let needed = sources(job);
        tables.release(|key| needed.contains(&key));
        let start = Instant::now();
        build_one(tables, job, BuildLimits { threads, room: u64::MAX }, observer)?;
        let table = tables.table(job.material, job.metric).ok_or(MissingTable(job))?;
        let path = tables.directory().map(|directory| table::path(directory, job));
        built.push(Built { summary: table.summary(), time: start.elapsed(), path });
    }
    Ok(built)
}

/// Returns an error if a plan needs more memory than is free.
pub fn check_memory(jobs: &[TableKey]) -> Result<(), BuildError> {
    let largest = jobs.iter().max_by_key(|job| memory_needed(**job));
    if let (Some(job), Some(free)) = (largest, free_memory::available()) {
        let (needed, key) = (memory_needed(*job), *job);
        if needed > free {
            return Err(BuildError::Memory { key, needed, free });
        }
    }
    Ok(())
}

/// Builds one table, unless its file has appeared in the meantime. If its compressed size is at
/// most `room` bytes, saves it; otherwise keeps it only in memory. Returns the compressed size in
/// bytes, or 0 if the table was not compressed.
pub(super) fn build_one(
    tables: &Tables,
    job: TableKey,
    limits: BuildLimits,
    observer: &dyn BuildObserver,
) -> Result<u64, BuildError> {
    let BuildLimits { threads, room } = limits;
    let TableKey { material, metric } = job;
    if tables.look_again(job) {
        return Ok(0);
    }
    let solved = {
        let layout = Layout::new(material);
        let links = Links::new(&layout, metric.after_conversion(), tables)?;
        let results = match metric {
            Metric::Dtz => {
                let dtc = TableKey { material, metric: Metric::Dtc };
                Some(tables.linked(dtc).ok_or(MissingTable(dtc))?)
            }
            _ => None,
        };
        Problem { layout, metric, links, results, threads }.solve(observer)?
    };
    let keeps_compressed = tables.keeps_compressed;
    let table = if keeps_compressed { solved } else { solved.packed() };
    if !keeps_compressed && tables.directory().is_none() {
        tables.insert(table);
        return Ok(0);
    }
    let bytes = compress(&table, threads);
    let size = bytes.len() as u64;
    // If saving fails, the table remains in memory.
    let saved = tables
        .directory()
        .filter(|_| size <= room)
        .map(|directory| table::save(directory, job, &bytes));
    match (keeps_compressed, &saved) {
        (false, _) => {
            tables.insert(table);
        }
        (true, Some(Ok(path))) => {
            drop((table, bytes));
            let opened = Compressed::open(path, job).map_err(|fault| fault.of(path))?;
            tables.insert_compressed(job, opened);
        }
        (true, _) => {
            drop(table);
            tables.insert_compressed(job, Compressed::in_memory(job, bytes));
        }
    }
    saved.transpose()?;
    Ok(size)
}

/// Creates the directory, checks that it is writable, and removes unfinished files left behind by programs that
/// were killed. This is done first, because building can take hours.
pub(super) fn prepare(directory: &Path) -> Result<(), TableError> {
    std::fs::create_dir_all(directory)
        .and_then(|()| table::try_writing(directory))
        .map_err(|error| TableFault::Unwritable(error).of(directory))?;
    table::sweep(directory);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::cache::LoadedTable;
    use super::*;

    #[test]
    fn a_build_keeps_only_the_tables_that_the_next_one_needs() {
        let folder = tempfile::tempdir().expect("a folder");
        let tables = Tables::in_directory(folder.path());
        let materials = ["KQK", "KRK"].map(|name| name.parse().expect("a material"));
        let jobs = plan(&tables, materials, &[Metric::Dtc]);
        build(&tables, &jobs, 1, &()).expect("it can be built");
        let is_whole =
            |material| matches!(tables.lookup(material, Metric::Dtc), Some(LoadedTable::Whole(_)));
        assert_eq!(materials.map(is_whole), [false, true]);
    }

    #[test]
    fn tables_with_five_pieces_may_need_two_bytes_per_cell() {
        let key = |name: &str, metric| TableKey::of(name.parse().expect("a material"), metric);
        let cells = |name: &str| 2 * Layout::new(name.parse().expect("a material")).size as u64;
        // DTZ is built from DTC with the same pieces, and from the tables after captures and promotions.
        let needed = memory_needed(key("KRPKB", Metric::Dtz));
        let five = ["KRPKB", "KQRKB", "KRRKB", "KRBKB", "KRNKB"].map(cells).iter().sum::<u64>();
        assert!(needed > 3 * cells("KRPKB") + 2 * five, "{needed} bytes");
    }
}
