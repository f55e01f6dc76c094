//! Syzygy tables: results for the search, and distances at the root.
//!
//! Syzygy files round distances where the fifty-move rule does not matter, so the true distance may be the given number
//! or one more. They store distances for only one side to move. For the other side, the distance is computed from its
//! best move, so it may come from a rounded distance even if it is reported as exact. In Syzygy files, a side that is
//! mated counts as lost in 1 ply; in our tables, as lost in 0 plies.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::material::Material;
use super::outcome::{Metric, TableResult};
use super::probe::{Depths, FIFTY_MOVES, MoveReport, ProbeReport};
use crate::board::{FiftyMoveResult, LookupError, Move, Position, SyzygyFiles};
use crate::math::continue_fingerprint;

/// A user's Syzygy files.
#[derive(Debug)]
pub struct Syzygy {
    files: SyzygyFiles,
    /// The number of files in use.
    pub found: usize,
    /// A hash of the settings, and of the names and sizes of the files.
    pub fingerprint: u64,
    /// Positions with more pieces than this are not looked up.
    probe_limit: usize,
    /// Whether the fifty-move rule applies.
    applies_fifty_moves: bool,
    /// The material signatures whose files are corrupt. These files are not used again.
    broken: Mutex<HashSet<Material>>,
    /// Whether `broken` has entries. If it has none, a search does not need to lock it.
    any_broken: AtomicBool,
    notices: Mutex<Vec<String>>,
}

impl Syzygy {
    /// Opens the tables in several directories, separated by semicolons or by the separator of the operating system.
    /// Unusable files are reported and skipped.
    pub fn open(paths: &str, probe_limit: usize, applies_fifty_moves: bool) -> Syzygy {
        let mut syzygy = Syzygy {
            files: SyzygyFiles::default(),
            found: 0,
            fingerprint: (probe_limit as u64) << 1 | u64::from(applies_fifty_moves),
            probe_limit,
            applies_fifty_moves,
            broken: Mutex::default(),
            any_broken: AtomicBool::new(false),
            notices: Mutex::default(),
        };
        for directory in directories(paths) {
            if let Err(error) = syzygy.add_directory(&directory) {
                syzygy.note(format!("Syzygy folder {}: {error}", directory.display()));
            }
        }
        syzygy
    }

    fn add_directory(&mut self, directory: &Path) -> std::io::Result<()> {
        let mut files: Vec<PathBuf> = fs::read_dir(directory)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|e| e == "rtbw" || e == "rtbz"))
            .collect();
        files.sort();
        for file in files {
            match self.files.add(&file) {
                Ok(()) => {
                    self.found += 1;
                    self.fingerprint = mixed(self.fingerprint, &file);
                }
                Err(error) => self.note(format!("Syzygy file {}: {error}", file.display())),
            }
        }
        Ok(())
    }

    /// The maximum number of pieces in a position that can be looked up.
    pub(crate) fn max_pieces(&self) -> usize {
        self.files.max_pieces().min(self.probe_limit)
    }

    /// Returns the messages about faulty files since the last call.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.notices.lock().expect("no writer panics"))
    }

    fn note(&self, notice: String) {
        self.notices.lock().expect("no writer panics").push(notice);
    }

    /// The result of a position for the search. Only positions right after a capture or pawn move have one, because
    /// elsewhere the fifty-move counter could change the result. If the fifty-move rule turns a win or loss into a
    /// draw, the result is a draw.
    pub fn result(&self, position: &Position) -> Option<TableResult> {
        if position.halfmoves() != 0 || !self.covers(position) {
            return None;
        }
        let result = self.ask(position, || self.files.result_after_zeroing(position))?;
        Some(match result {
            FiftyMoveResult::CursedWin | FiftyMoveResult::BlessedLoss
                if self.applies_fifty_moves =>
            {
                TableResult::Draw
            }
            _ => without_fifty_moves(result),
        })
    }

    /// A report on a position, like [`super::Tables::report`]. Its results ignore the fifty-move rule. For each move,
    /// it gives a number of plies that can be checked against that rule. Returns `None` if a move is not in the files.
    pub fn report(&self, position: &Position) -> Option<ProbeReport> {
        if !self.covers(position) {
            return None;
        }
        let (material, _) = Material::of(position);
        let legal = position.legal_moves();
        let mut moves =
            legal.iter().map(|&mv| self.move_report(position, mv)).collect::<Option<Vec<_>>>()?;
        let wins = |m: &MoveReport| m.result == TableResult::Win;
        let in_time = |m: &MoveReport| wins(m) && m.is_in_time(position.halfmoves());
        if !moves.iter().any(in_time) {
            // A rounded distance stands for one of two values, and the larger was used. With the larger values, every
            // win takes too long for the fifty-move rule. With the smaller values, a win may come in time.
            for m in moves.iter_mut().filter(|m| wins(m)) {
                let least = self.plies(&position.after(m.mv)).map(|(least, _)| least);
                m.to_zero = least.or(m.to_zero);
            }
        }
        let result = self.ask(position, || self.files.result_after_zeroing(position))?;
        let depth = self.plies(position).map(|(_, most)| most);
        let depths = |dtz| Depths { dtz, ..Depths::default() };
        let longest = depths(Some(FIFTY_MOVES as u16));
        let result = without_fifty_moves(result);
        Some(ProbeReport { material, result, depths: depths(depth), longest, moves })
    }

    fn move_report(&self, position: &Position, mv: Move) -> Option<MoveReport> {
        let after = position.after(mv);
        let result = self.ask(&after, || self.files.result_after_zeroing(&after))?;
        let result = without_fifty_moves(result).reversed();
        let zeroing = Metric::Dtz.is_reached_by(mv);
        let plies = || self.plies(&after).map(|(_, most)| most);
        let to_zero = if result == TableResult::Draw { None } else { plies() };
        let dtz = if zeroing { to_zero.map(|_| 0) } else { to_zero };
        let depths = Depths { dtz, ..Depths::default() };
        Some(MoveReport { mv, result, depths, zeroing, to_zero, applies_fifty_moves: true })
    }

    /// The minimum and maximum number of plies to the next capture, pawn move or mate. `None` if the file is missing.
    fn plies(&self, position: &Position) -> Option<(u16, u16)> {
        if !position.has_legal_move() {
            return Some((0, 0));
        }
        let (least, most) = self.ask(position, || self.files.distance(position))?.range();
        Some((u16::try_from(least).ok()?, u16::try_from(most).ok()?))
    }

    fn covers(&self, position: &Position) -> bool {
        position.occupied().count() <= self.max_pieces() && position.castling_rooks().is_empty()
    }

    /// Looks up a position, unless its file is known to be corrupt.
    fn ask<T>(
        &self,
        position: &Position,
        look_up: impl FnOnce() -> Result<T, LookupError>,
    ) -> Option<T> {
        if self.any_broken.load(Ordering::Relaxed) {
            let (material, _) = Material::of(position);
            if self.broken.lock().expect("no writer panics").contains(&material) {
                return None;
            }
        }
        match look_up() {
            Ok(found) => Some(found),
            Err(LookupError::Absent(_)) => None,
            Err(LookupError::Broken(error)) => {
                let (material, _) = Material::of(position);
                self.any_broken.store(true, Ordering::Relaxed);
                if self.broken.lock().expect("no writer panics").insert(material) {
                    self.note(format!(
                        "the Syzygy table {material} is corrupt and will not be used: {error}"
                    ));
                }
                None
            }
        }
    }
}

/// Adds the name and size of a file to a fingerprint.
fn mixed(fingerprint: u64, file: &Path) -> u64 {
    let size = fs::metadata(file).map_or(0, |metadata| metadata.len());
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    continue_fingerprint(fingerprint, name.bytes().chain(size.to_le_bytes()))
}

/// The result if the fifty-move rule is ignored.
pub fn without_fifty_moves(result: FiftyMoveResult) -> TableResult {
    match result {
        FiftyMoveResult::Win | FiftyMoveResult::CursedWin => TableResult::Win,
        FiftyMoveResult::Draw => TableResult::Draw,
        FiftyMoveResult::Loss | FiftyMoveResult::BlessedLoss => TableResult::Loss,
    }
}

fn directories(paths: &str) -> Vec<PathBuf> {
    let none = paths.trim().is_empty() || paths.trim() == "<empty>";
    let parts = paths.split(';').flat_map(std::env::split_paths);
    if none { Vec::new() } else { parts.filter(|path| !path.as_os_str().is_empty()).collect() }
}
