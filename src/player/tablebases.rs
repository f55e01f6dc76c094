//! The tables at hand: Syzygy files of the user, and small tables that we make ourselves.
//!
//! Ours are made in the background while a game goes on, and nobody waits for them longer than his
//! clock allows. Only what this game needs is made: the tables of the pieces on the board and of what a
//! capture or promotion makes of them; the distance to mate only for who plays by it. They know more of a
//! position (the distance to mate, and to conversion), so where they reach they come first; beyond that the
//! files do.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::board::{FiftyMoveResult, Game, Move, Position};
use crate::endgame::{
    BackgroundBuilder, Depths, Material, Metric, Past, ProbeReport, Syzygy, TableResult, Tables,
    default_directory,
};
use crate::search::{Oracle, SharedOracle};
use crate::value::{MAX_PLY, Value};

/// Materials of so many pieces are made unasked.
const MADE_UNASKED: usize = 4;

/// Is the table of a material so small that it is made without being asked for?
pub fn is_made_unasked(material: Material) -> bool {
    material.is_tabulated() && material.pieces() <= MADE_UNASKED
}

/// With so many pieces left the elementary endings are in sight.
const SIMPLE: usize = 8;

/// The endings that every player should know.
const COMMON: [&str; 3] = ["KQK", "KRK", "KPK"];

/// Where tables come from, as the user has set it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// Directories of Syzygy files; empty: none.
    pub syzygy: String,
    pub probe_limit: usize,
    /// Wins that the fifty-move rule makes draws are no wins.
    pub fifty_moves: bool,
    pub own: TableFolder,
}

/// Where our own tables are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TableFolder {
    /// There are none.
    #[default]
    Off,
    /// In the user's cache directory, or in memory where there is none.
    Cache,
    Directory(PathBuf),
    /// In memory only.
    Memory,
}

impl TableFolder {
    /// `auto`, `off`, or a directory.
    pub fn of(text: &str) -> TableFolder {
        match text.trim() {
            "" => TableFolder::Off,
            word if word.eq_ignore_ascii_case("off") => TableFolder::Off,
            word if word.eq_ignore_ascii_case("auto") => TableFolder::Cache,
            path => TableFolder::Directory(PathBuf::from(path)),
        }
    }
}

/// All that a player can look up.
#[derive(Debug)]
pub struct Tablebases {
    sources: Sources,
    syzygy: Option<Arc<Syzygy>>,
    tables: Option<Arc<Tables>>,
    builder: Option<BackgroundBuilder>,
    /// Tables are made whenever there are any to make, not only while somebody waits for them.
    is_background: bool,
    /// What has been asked for, in how many metrics.
    ordered: HashSet<(Material, usize)>,
}

/// A file's results, for the search.
#[derive(Debug)]
struct Files(Arc<Syzygy>);

impl Oracle for Files {
    fn result(&self, position: &Position) -> Option<Value> {
        self.0.result(position).map(|result| match result {
            TableResult::Win => Value::TABLE,
            TableResult::Draw => Value::DRAW,
            TableResult::Loss => -Value::TABLE,
        })
    }

    fn most_pieces(&self) -> usize {
        self.0.max_pieces()
    }

    fn fingerprint(&self) -> u64 {
        self.0.fingerprint
    }
}

impl Tablebases {
    /// No tables.
    pub fn none() -> Tablebases {
        Tablebases::default()
    }

    pub fn new(sources: Sources) -> Tablebases {
        let mut tablebases = Tablebases::none();
        tablebases.arrange(sources);
        tablebases
    }

    /// Takes its tables from these sources from now on. Tells whether the files changed.
    pub fn arrange(&mut self, sources: Sources) -> bool {
        let is_new = |of: fn(&Sources) -> (&str, usize, bool)| of(&sources) != of(&self.sources);
        let files_changed = is_new(|s| (&s.syzygy, s.probe_limit, s.fifty_moves));
        if files_changed {
            let open = || Syzygy::open(&sources.syzygy, sources.probe_limit, sources.fifty_moves);
            self.syzygy = (!sources.syzygy.trim().is_empty()).then(|| Arc::new(open()));
        }
        if sources.own != self.sources.own {
            self.builder = None;
            self.ordered.clear();
            self.tables = match &sources.own {
                TableFolder::Off => None,
                TableFolder::Directory(directory) => Some(Tables::in_directory(directory)),
                TableFolder::Memory => Some(Tables::in_memory()),
                TableFolder::Cache => {
                    Some(default_directory().map_or_else(Tables::in_memory, Tables::in_directory))
                }
            }
            .map(|tables| Arc::new(tables.compressed()));
        }
        self.sources = sources;
        files_changed
    }

    /// What the search may ask.
    pub fn oracle(&self) -> Option<SharedOracle> {
        let syzygy = self.syzygy.as_ref().filter(|syzygy| syzygy.found > 0)?;
        Some(Arc::new(Files(Arc::clone(syzygy))))
    }

    /// One sentence about the files in use; `None` where none are wanted.
    pub fn describe_files(&self) -> Option<String> {
        let syzygy = self.syzygy.as_ref()?;
        let (found, pieces) = (syzygy.found, syzygy.max_pieces());
        Some(format!("{found} Syzygy files are in use, up to {pieces} pieces"))
    }

    /// What went wrong since this was last asked, one sentence each.
    pub fn take_notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        notices.extend(self.syzygy.iter().flat_map(|syzygy| syzygy.take_notices()));
        notices.extend(self.tables.iter().flat_map(|tables| tables.take_notices()));
        notices.extend(self.builder.iter().flat_map(BackgroundBuilder::take_errors));
        notices
    }

    /// Has the tables made that a position needs or will soon need, first things first. Distances to
    /// mate are left out unless the player goes by them, or they cost next to nothing.
    pub fn prepare(&mut self, position: &Position, by_mate: bool) {
        let pieces = position.occupied().count();
        let Some(tables) = self.tables.as_ref().filter(|_| pieces <= SIMPLE) else { return };
        let is_paused = !self.is_background;
        let builder = self.builder.get_or_insert_with(|| {
            let builder = BackgroundBuilder::open(tables.clone());
            builder.pause(is_paused);
            builder
        });
        let (material, _) = Material::of(position);
        let near = pieces <= MADE_UNASKED + 1 && position.castling_rooks().is_empty();
        let here = near.then_some(material);
        let common = COMMON.iter().filter_map(|name| name.parse::<Material>().ok());
        let next = if near { material.conversions() } else { BTreeSet::new() };
        for material in here.into_iter().chain(common).chain(next) {
            let is_simple = material.pieces() < MADE_UNASKED;
            let metrics: &[Metric] = match Some(material) == here || is_simple {
                true if by_mate || is_simple => &[Metric::Dtc, Metric::Dtz, Metric::Dtm],
                true => &[Metric::Dtc, Metric::Dtz],
                false => &[Metric::Dtc],
            };
            if is_made_unasked(material) && self.ordered.insert((material, metrics.len())) {
                builder.order(material, metrics);
            }
        }
    }

    /// Waits for a table that is being made, until it is there or all is done or `is_enough`.
    pub fn wait_for(&self, position: &Position, longest: Duration, is_enough: impl Fn() -> bool) {
        let is_small = position.occupied().count() <= MADE_UNASKED;
        if let Some(builder) = self.builder.as_ref().filter(|_| is_small) {
            builder.pause(false);
            builder.wait(|| is_enough() || self.report(position).is_some(), longest);
            builder.pause(!self.is_background);
        }
    }

    /// Is a table missing that would be made unasked?
    pub(super) fn lacks_small_table(&self, position: &Position) -> bool {
        position.occupied().count() <= MADE_UNASKED && self.report(position).is_none()
    }

    /// Makes tables for this long, unless that is done in the background.
    pub(super) fn make_for(&self, time: Duration, is_stopped: impl Fn() -> bool) {
        if let Some(builder) = self.builder.as_ref().filter(|_| !self.is_background) {
            builder.pause(false);
            builder.wait(is_stopped, time);
            builder.pause(true);
        }
    }

    /// Says whether tables are made in the background.
    pub fn set_background(&mut self, is_background: bool) {
        self.is_background = is_background;
        self.builder.iter().for_each(|builder| builder.pause(!is_background));
    }

    /// Are tables being made?
    pub fn is_making(&self) -> bool {
        self.builder.as_ref().is_some_and(BackgroundBuilder::is_busy)
    }

    /// Waits until everything is made that was ordered so far.
    pub fn finish(&mut self) {
        self.builder.take().into_iter().for_each(BackgroundBuilder::finish);
    }

    /// All that is known of a position, or `None` where something is missing.
    pub fn report(&self, position: &Position) -> Option<ProbeReport> {
        let ours = || self.tables.as_ref()?.report(position);
        let files = || self.syzygy.as_ref()?.report(position);
        let mut report = match position.occupied().count() <= MADE_UNASKED {
            true => ours().or_else(files),
            false => files().or_else(ours),
        }?;
        if !self.sources.fifty_moves {
            report.moves.iter_mut().for_each(|m| m.minds_fifty_moves = false);
        }
        Some(report)
    }

    /// [`Tablebases::report`] with the game's past in view: a move to a position that has been there
    /// twice makes a draw.
    pub fn report_in(&self, game: &Game) -> Option<ProbeReport> {
        let mut report = self.report(game.position())?;
        let past = Past::of(game);
        for m in report.moves.iter_mut().filter(|m| past.occurrences(m) >= 2) {
            (m.result, m.depths, m.to_zero) = (TableResult::Draw, Depths::default(), None);
        }
        report.result = report.moves.iter().map(|m| m.result).max().unwrap_or(report.result);
        Some(report)
    }

    /// What a move of a report is truly worth, with the line that it leads to.
    pub fn value(&self, position: &Position, report: &ProbeReport, mv: Move) -> (Value, Vec<Move>) {
        let line = self.line(position, mv);
        let found = report.moves.iter().find(|m| m.mv == mv);
        let result =
            found.map_or(FiftyMoveResult::Draw, |m| m.fifty_move_result(position.halfmoves()));
        let mates = line.is_mate && line.moves.len() < MAX_PLY;
        let value = match result {
            FiftyMoveResult::Win if mates => Value::mate_in(line.moves.len()),
            FiftyMoveResult::Loss if mates => Value::mated_in(line.moves.len()),
            FiftyMoveResult::Win => Value::TABLE,
            FiftyMoveResult::Loss => -Value::TABLE,
            _ => Value::DRAW,
        };
        (value, line.moves)
    }

    /// Best play after a move, as far as distances to mate are known and the rules let it go on.
    fn line(&self, position: &Position, mv: Move) -> TableLine {
        let mut line = TableLine { moves: vec![mv], is_mate: false };
        let mut game = Game::new(position.clone());
        game.play(mv);
        while game.ending().is_none() && line.moves.len() < MAX_PLY {
            let best = self.report(game.position()).and_then(|report| best_by_mate(&report));
            let Some(best) = best else { break };
            line.moves.push(best);
            game.play(best);
        }
        line.is_mate = !game.position().has_legal_move() && game.position().in_check();
        line
    }
}

impl Default for Tablebases {
    fn default() -> Tablebases {
        Tablebases {
            sources: Sources::default(),
            syzygy: None,
            tables: None,
            builder: None,
            is_background: true,
            ordered: HashSet::new(),
        }
    }
}

struct TableLine {
    moves: Vec<Move>,
    is_mate: bool,
}

/// The move of perfect play, if the distance to mate of every move that counts is known.
fn best_by_mate(report: &ProbeReport) -> Option<Move> {
    let keeping = || report.moves.iter().filter(|m| m.result == report.result);
    if report.result == TableResult::Draw || keeping().any(|m| m.depths.dtm.is_none()) {
        return None;
    }
    let best = match report.result {
        TableResult::Win => keeping().min_by_key(|m| m.depths.dtm),
        _ => keeping().max_by_key(|m| m.depths.dtm),
    };
    best.map(|m| m.mv)
}
