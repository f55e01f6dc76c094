//! Syzygy tables as the player uses them: results while searching, distances at the root.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::board::{Distance, LookupError, Move, Position, SyzygyFiles, Verdict};
use crate::value::Value;

use super::material::Material;
use super::outcome::GameResult;

/// A user's Syzygy files.
#[derive(Debug)]
pub struct Syzygy {
    files: SyzygyFiles,
    found: usize,
    /// Positions with more men are not looked up.
    probe_limit: usize,
    minds_fifty_moves: bool,
    /// Materials whose files turned out to be broken: asked once, then left alone.
    broken: Mutex<HashSet<Material>>,
    notices: Mutex<Vec<String>>,
}

/// What Syzygy says of a legal move, from the mover's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyzygyMove {
    pub mv: Move,
    pub verdict: Verdict,
    /// Plies left after the move; `None` where the DTZ file is missing.
    pub distance: Option<Distance>,
}

impl Syzygy {
    /// Opens the tables of several directories, separated as the system separates paths, or by
    /// semicolons. A file that cannot be used does not keep the others from being used.
    pub fn open(paths: &str, probe_limit: usize, minds_fifty_moves: bool) -> Syzygy {
        let mut syzygy = Syzygy {
            files: SyzygyFiles::default(),
            found: 0,
            probe_limit,
            minds_fifty_moves,
            broken: Mutex::default(),
            notices: Mutex::default(),
        };
        for directory in directories(paths) {
            if let Err(error) = syzygy.add_directory(&directory) {
                syzygy.note(format!("Syzygy directory {}: {error}", directory.display()));
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
                Ok(()) => self.found += 1,
                Err(error) => self.note(format!("Syzygy file {}: {error}", file.display())),
            }
        }
        Ok(())
    }

    /// How many files are in use.
    pub fn found(&self) -> usize {
        self.found
    }

    /// Men of the largest position that is looked up.
    pub fn max_men(&self) -> usize {
        self.files.max_men().min(self.probe_limit)
    }

    /// What went wrong since this was last asked, one sentence each.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.notices.lock().expect("no writer panics"))
    }

    fn note(&self, notice: String) {
        self.notices.lock().expect("no writer panics").push(notice);
    }

    /// The value of a position inside a search: only right after a capture or pawn move, when the
    /// fifty-move counter cannot spoil it. Wins that the rule makes draws count as draws.
    pub fn value(&self, position: &Position) -> Option<Value> {
        if position.halfmoves() != 0 || !self.covers(position) {
            return None;
        }
        let verdict = self.ask(position, || self.files.verdict_after_zeroing(position))?;
        Some(match self.result(verdict) {
            GameResult::Win => Value::TABLE,
            GameResult::Draw => Value::DRAW,
            GameResult::Loss => -Value::TABLE,
        })
    }

    /// The result of a position as its fifty-move counter stands.
    pub fn verdict(&self, position: &Position) -> Option<Verdict> {
        if !self.covers(position) {
            return None;
        }
        self.ask(position, || self.files.verdict(position))
    }

    /// What a verdict means for the game, with or without the fifty-move rule. A win that may be
    /// cursed is counted on for no more than a draw, and a loss that may be blessed is feared.
    pub fn result(&self, verdict: Verdict) -> GameResult {
        match verdict {
            Verdict::Win => GameResult::Win,
            Verdict::Loss | Verdict::MaybeLoss => GameResult::Loss,
            Verdict::CursedWin | Verdict::MaybeWin if !self.minds_fifty_moves => GameResult::Win,
            Verdict::BlessedLoss if !self.minds_fifty_moves => GameResult::Loss,
            _ => GameResult::Draw,
        }
    }

    /// All legal moves of a root position, best first: by verdict, then quickly won or slowly
    /// lost. `None` if any of them is not in the tables.
    pub fn root_moves(&self, position: &Position) -> Option<Vec<SyzygyMove>> {
        if !self.covers(position) {
            return None;
        }
        let moves = position.legal_moves();
        let looked_up = moves.iter().map(|&mv| {
            let after = position.after(mv);
            let verdict = reversed(self.ask(&after, || self.files.verdict(&after))?);
            let distance = self.ask(&after, || self.files.distance(&after)).map(negated);
            Some(SyzygyMove { mv, verdict, distance })
        });
        let mut found = looked_up.collect::<Option<Vec<SyzygyMove>>>()?;
        found.sort_by_key(|m| {
            let plies = m.distance.map_or(0, |distance| distance.range().1 as i32);
            let slowness = if m.verdict > Verdict::Draw { plies } else { -plies };
            let zeroing = m.mv.is_capture() || m.mv.role() == crate::board::Role::Pawn;
            // A winning capture or pawn move starts a new count: its own is over.
            let slowness = if zeroing && m.verdict > Verdict::Draw { 0 } else { slowness };
            (std::cmp::Reverse(m.verdict), slowness)
        });
        Some(found)
    }

    fn covers(&self, position: &Position) -> bool {
        position.occupied().count() <= self.max_men() && position.castling_rooks().is_empty()
    }

    fn ask<T>(
        &self,
        position: &Position,
        look_up: impl FnOnce() -> Result<T, LookupError>,
    ) -> Option<T> {
        let (material, _) = Material::of(position);
        if self.broken.lock().expect("no writer panics").contains(&material) {
            return None;
        }
        match look_up() {
            Ok(found) => Some(found),
            Err(LookupError::Absent(_)) => None,
            Err(LookupError::Broken(error)) => {
                if self.broken.lock().expect("no writer panics").insert(material) {
                    self.note(format!("Syzygy table {material} is left out: {error}"));
                }
                None
            }
        }
    }
}

fn reversed(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Loss => Verdict::Win,
        Verdict::MaybeLoss => Verdict::MaybeWin,
        Verdict::BlessedLoss => Verdict::CursedWin,
        Verdict::Draw => Verdict::Draw,
        Verdict::CursedWin => Verdict::BlessedLoss,
        Verdict::MaybeWin => Verdict::MaybeLoss,
        Verdict::Win => Verdict::Loss,
    }
}

fn negated(distance: Distance) -> Distance {
    match distance {
        Distance::Exact(plies) => Distance::Exact(-plies),
        Distance::Rounded(plies) => Distance::Rounded(-plies),
    }
}

fn directories(paths: &str) -> Vec<PathBuf> {
    let none = paths.trim().is_empty() || paths.trim() == "<empty>";
    let parts = paths.split(';').flat_map(std::env::split_paths);
    if none { Vec::new() } else { parts.filter(|path| !path.as_os_str().is_empty()).collect() }
}
