//! Making tables: what has to be made first, whether memory suffices, and making it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::MAX_PIECES;
use super::compressed::{Compressed, compress};
use super::layout::Layout;
use super::links::{Links, MissingTable};
use super::material::Material;
use super::outcome::{Metric, TableKey};
use super::solve::{BuildObserver, Problem, Stopped};
use super::table::{self, TableError, TableFault, TableSummary};
use super::tables::Tables;
use crate::memory;

/// A table that was made.
#[derive(Clone, Debug)]
pub struct Built {
    pub summary: TableSummary,
    pub time: Duration,
    /// Where it was saved.
    pub path: Option<PathBuf>,
}

/// Why tables could not be made. Those already made stay.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error(
        "{key} needs {} MiB of memory and {} MiB are free; \
         close other programs, or leave this table out",
        needed >> 20, free >> 20
    )]
    Memory { key: TableKey, needed: u64, free: u64 },
    #[error(transparent)]
    Missing(#[from] MissingTable),
    #[error(transparent)]
    File(#[from] TableError),
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl TableKey {
    /// Bytes needed while this table is made, with the tables that it is made from.
    pub fn memory(self) -> u64 {
        let cells = |material| 2 * Layout::new(material).size as u64;
        // Solving and packing take three bytes a cell at their peak.
        let needs = self.needs().into_iter().map(|need| cells(need.material));
        3 * cells(self.material) + needs.sum::<u64>()
    }

    /// The tables that this one is made from.
    fn needs(self) -> Vec<TableKey> {
        let others = self.material.conversions().into_iter().filter(|m| m.is_tabulated());
        let mut needs: Vec<TableKey> =
            others.map(|material| TableKey { material, metric: self.metric.beyond() }).collect();
        if self.metric == Metric::Dtz {
            needs.push(TableKey { material: self.material, metric: Metric::Dtc });
        }
        needs
    }
}

/// Are there never too many of its kind for memory? All of one piece more are hundreds of large ones.
fn is_light(material: Material) -> bool {
    material.pieces() < MAX_PIECES
}

/// What has to be made so that all tables asked for are there, in order.
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
        for need in job.needs() {
            add(need, tables, seen, jobs);
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

/// Makes the tables of a plan, in its order. Each is saved as soon as it is made, so a build that
/// is broken off goes on from there the next time.
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
        let needs = job.needs();
        tables.release(|key| is_light(key.material) || needs.contains(&key));
        let start = Instant::now();
        build_one(tables, job, threads, u64::MAX, observer)?;
        let table = tables.table(job.material, job.metric).ok_or(MissingTable(job))?;
        let path = tables.directory().map(|directory| table::path(directory, job));
        built.push(Built { summary: table.summary(), time: start.elapsed(), path });
    }
    Ok(built)
}

/// Refuses a plan that needs more memory than is free.
pub fn check_memory(jobs: &[TableKey]) -> Result<(), BuildError> {
    let hungriest = jobs.iter().max_by_key(|job| job.memory());
    if let (Some(job), Some(free)) = (hungriest, memory::available()) {
        let (needed, key) = (job.memory(), *job);
        if needed > free {
            return Err(BuildError::Memory { key, needed, free });
        }
    }
    Ok(())
}

/// Makes one table, or takes it from a file that has come since it was last looked for. One that is
/// larger than there is `room` for stays in memory. Gives the bytes of what was made, compressed.
pub(super) fn build_one(
    tables: &Tables,
    job: TableKey,
    threads: usize,
    room: u64,
    observer: &dyn BuildObserver,
) -> Result<u64, BuildError> {
    let TableKey { material, metric } = job;
    if tables.look_again(job) {
        return Ok(0);
    }
    let table = {
        let layout = Layout::new(material);
        let links = Links::new(&layout, metric.beyond(), tables)?;
        let results = match metric {
            Metric::Dtz => {
                let of_conversions = TableKey { material, metric: Metric::Dtc };
                Some(tables.linked(of_conversions).ok_or(MissingTable(of_conversions))?)
            }
            _ => None,
        };
        let problem = Problem { layout, metric, links, results, threads };
        problem.solve(observer)?
    };
    let is_small = tables.keeps_small;
    let table = if is_small { table } else { table.packed() };
    if !is_small && tables.directory().is_none() {
        tables.insert(table);
        return Ok(0);
    }
    let bytes = compress(&table, threads);
    let size = bytes.len() as u64;
    // Should saving fail, the table is there for as long as the program runs.
    let saved = tables.directory().filter(|_| size <= room);
    let saved = saved.map(|directory| table::save(directory, job, &bytes));
    match (is_small, &saved) {
        (false, _) => {
            tables.insert(table);
        }
        (true, Some(Ok(path))) => {
            drop((table, bytes));
            let table = Compressed::open(path, job);
            tables.insert_compressed(job, table.map_err(|fault| fault.of(path))?);
        }
        (true, _) => {
            drop(table);
            let table = Compressed::in_memory(job, bytes);
            tables.insert_compressed(job, table);
        }
    }
    saved.transpose()?;
    Ok(size)
}

/// Makes sure that the directory is there and can be written to, before hours are spent; takes away
/// what killed programs have left.
pub(super) fn prepare(directory: &Path) -> Result<(), TableError> {
    std::fs::create_dir_all(directory)
        .and_then(|()| table::try_writing(directory))
        .map_err(|error| TableFault::Unwritable(error).of(directory))?;
    table::sweep(directory);
    Ok(())
}
