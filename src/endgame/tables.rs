//! The tables at hand: those in a directory, read when first asked for, and those made since.
//!
//! Reading a large file takes time, most of it on a busy machine. So nobody who asks for one table
//! waits for another's file; and who cannot wait at all says so with [`Tables::read_on_order`].

use std::collections::HashMap;
use std::hint::black_box;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant};

use crate::board::{Move, Position};
use crate::folders::{Purpose, users_folder};

use super::file;
use super::links::Source;
use super::material::Material;
use super::outcome::{Metric, Outcome};
use super::probe::is_goal;
use super::problem::in_passing;
use super::table::Table;

/// Tables of so many men are read in no time.
const SMALL: usize = 3;

type Known = HashMap<(Material, Metric), Option<Arc<Table>>>;

/// A set of tables that threads may share.
#[derive(Debug, Default)]
pub struct Tables {
    directory: Option<PathBuf>,
    /// What has been asked for; `None` is what is known not to be there. Never held while reading.
    known: RwLock<Known>,
    read_on_order: bool,
    notices: Mutex<Vec<String>>,
}

impl Tables {
    /// Tables that live in memory only.
    pub fn in_memory() -> Tables {
        Tables::default()
    }

    /// Tables of a directory. It need not exist as long as nothing is saved.
    pub fn in_directory(directory: impl Into<PathBuf>) -> Tables {
        Tables { directory: Some(directory.into()), ..Tables::default() }
    }

    /// Of more than [`SMALL`] men files are read by [`Tables::look_again`] alone; until then they are
    /// not at hand.
    pub fn read_on_order(self) -> Tables {
        Tables { read_on_order: true, ..self }
    }

    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Is there a file of this table, sound or not?
    pub fn is_saved(&self, material: Material, metric: Metric) -> bool {
        let metric = metric.stored_for(material);
        let path = self.directory().map(|directory| file::path(directory, material, metric));
        path.is_some_and(|path| path.exists())
    }

    /// Adds a table for as long as the program runs.
    pub fn insert(&self, table: Table) -> Arc<Table> {
        let table = Arc::new(table);
        let key = (table.material(), table.metric());
        self.known.write().expect("no reader panics").insert(key, Some(table.clone()));
        table
    }

    /// Lets go of the tables that nobody needs now and that can be read again.
    pub fn release(&self, is_needed: impl Fn(Material, Metric) -> bool) {
        self.known.write().expect("no reader panics").retain(|&(material, metric), table| {
            table.is_none() || is_needed(material, metric) || !self.is_saved(material, metric)
        });
    }

    /// What went wrong with files since this was last asked, one sentence each.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.notices.lock().expect("no writer panics"))
    }

    /// The table of a material. A file that cannot be used is set aside and spoken of once.
    pub fn table(&self, material: Material, metric: Metric) -> Option<Arc<Table>> {
        let key = (material, metric.stored_for(material));
        match self.known.read().expect("no writer panics").get(&key) {
            Some(known) => return known.clone(),
            None if !material.is_tabulated() => return None,
            None if self.read_on_order && material.men() > SMALL => return None,
            None => {}
        }
        self.look_again(material, metric)
    }

    /// [`Tables::table`], but a file that was not there before is looked for again: another program
    /// may have made it.
    pub fn look_again(&self, material: Material, metric: Metric) -> Option<Arc<Table>> {
        let key = (material, metric.stored_for(material));
        let at_hand = self.known.read().expect("no writer panics").get(&key).cloned().flatten();
        if at_hand.is_some() {
            return at_hand;
        }
        let found = self.load(key.0, key.1).map(Arc::new);
        let mut known = self.known.write().expect("no reader panics");
        let entry = known.entry(key).or_default();
        // It may have been made in the meantime.
        *entry = entry.take().or(found);
        entry.clone()
    }

    fn load(&self, material: Material, metric: Metric) -> Option<Table> {
        let directory = self.directory.as_deref()?;
        let error = match file::load(directory, material, metric) {
            Ok(table) => return table,
            Err(error) => error,
        };
        let mut notice = error.to_string();
        if error.is_content() {
            notice += &match file::set_aside(directory, material, metric) {
                Ok(aside) => format!("; kept as {}, to be made again", aside.display()),
                // Another thread or program was quicker.
                Err(error) if error.kind() == ErrorKind::NotFound => return None,
                Err(error) => format!("; it could not be renamed: {error}"),
            };
        }
        self.notices.lock().expect("no writer panics").push(notice);
        None
    }

    /// The outcome of a position for the side to move, or `None` where no table has it.
    pub fn probe(&self, position: &Position, metric: Metric) -> Option<Outcome> {
        if position.occupied().count() > super::MAX_MEN || position.castling_rooks().any() {
            return None;
        }
        let (material, swapped) = Material::of(position);
        if material.men() == 2 {
            return Some(Outcome::Draw);
        }
        let table = self.table(material, metric)?;
        let squares = table.layout().squares_of(position, swapped);
        let turn = if swapped { !position.turn() } else { position.turn() };
        let outcome = table.get(turn, &squares)?;
        if position.en_passant().is_none() {
            return Some(outcome);
        }
        let moves = position.legal_moves();
        let captures = moves.iter().filter(|m| m.is_en_passant());
        let values: Option<Vec<Outcome>> =
            captures.map(|&m| self.value_of(position, m, metric)).collect();
        let forced = moves.iter().all(|m| m.is_en_passant());
        let capture = values?.into_iter().reduce(Outcome::or);
        Some(capture.map_or(outcome, |capture| in_passing(outcome, capture, forced)))
    }

    /// What a legal move is worth to the mover. Where it reaches the metric's goal, any table that
    /// tells the result will do.
    pub fn value_of(&self, position: &Position, mv: Move, metric: Metric) -> Option<Outcome> {
        let after = position.after(mv);
        if !is_goal(mv, metric) {
            return self.probe(&after, metric).map(Outcome::before);
        }
        let others = Metric::ALL.iter().filter_map(|&other| self.probe(&after, other));
        others.map(Outcome::converting).next()
    }
}

/// How long looking up a position of a material takes on average; `None` without a table.
pub fn probing_time(tables: &Tables, material: Material) -> Option<Duration> {
    const SAMPLE: usize = 20_000;
    const ROUND: usize = 500;
    let table = Metric::ALL.iter().find_map(|&metric| tables.table(material, metric))?;
    let step = (2 * table.layout().size() / SAMPLE).max(1);
    let fens = table.entries().step_by(step).map(|e| table.layout().fen(&e.squares, e.turn));
    let positions: Vec<Position> =
        fens.filter_map(|fen| Position::from_fen(&fen, false).ok()).collect();
    // Rounds in which the machine did something else fall out of the median.
    let mut times: Vec<Duration> = positions
        .chunks(ROUND)
        .map(|round| {
            let start = Instant::now();
            for position in round {
                black_box(tables.probe(position, table.metric()));
            }
            start.elapsed() / round.len() as u32
        })
        .collect();
    times.sort();
    times.get(times.len() / 2).copied()
}

/// Where tables are kept unless the user says otherwise: the system's place for files that can be
/// made again. `None` where the environment does not tell.
pub fn default_directory() -> Option<PathBuf> {
    users_folder(Purpose::Cache).map(|cache| cache.join("endgame"))
}

impl Source for Tables {
    fn table(&self, material: Material, metric: Metric) -> Option<Arc<Table>> {
        Tables::table(self, material, metric)
    }
}
