//! The available tablebases: the user's Syzygy files, and small tables that we build ourselves.
//!
//! Our tables are built in the background during a game. A player never waits for them longer than
//! its clock allows. Only tables that the game needs are built: for the current material, and for
//! the material after a capture or promotion. Distances to mate are built only for a player that
//! uses them. Our tables contain more than Syzygy files do (distances to mate and to conversion),
//! so they are preferred in positions with few pieces. In other positions, Syzygy files come first.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::board::{FiftyMoveResult, Game, Move, Position};
use crate::endgame::{
    BackgroundBuilder, Depths, Material, Metric, ProbeReport, RepetitionHistory, Syzygy,
    TableResult, Tables, default_directory,
};
use crate::search::{Oracle, SharedOracle};
use crate::value::{MAX_PLY, Value};

/// Tables with up to this many pieces are built automatically.
const AUTOMATIC_PIECES: usize = 4;

/// Returns whether the table for this material is small enough to be built automatically.
pub fn is_built_automatically(material: Material) -> bool {
    material.is_tabulated() && material.pieces() <= AUTOMATIC_PIECES
}

/// With up to this many pieces on the board, tables of the elementary endings are built in advance.
const PREPARED_PIECES: usize = 8;

/// Elementary endings whose tables are always built in advance.
const COMMON: [&str; 3] = ["KQK", "KRK", "KPK"];

/// The sources of tablebases, as configured by the user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// Directories of Syzygy files, or empty for none.
    pub syzygy: String,
    /// The maximum number of pieces in the Syzygy files that are used.
    pub probe_limit: usize,
    /// Whether the fifty-move rule applies. If it does, wins that take too long count as draws.
    pub fifty_moves: bool,
    /// Where our own tables are stored.
    pub own: TableFolder,
}

/// Where our own tables are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TableFolder {
    /// Do not build tables.
    #[default]
    Off,
    /// In the user's cache directory, or in memory if there is none.
    Cache,
    /// In this directory.
    Directory(PathBuf),
    /// In memory only.
    Memory,
}

impl TableFolder {
    /// Parses `auto`, `off`, or a directory.
    pub(crate) fn of(text: &str) -> TableFolder {
        match text.trim() {
            "" => TableFolder::Off,
            word if word.eq_ignore_ascii_case("off") => TableFolder::Off,
            word if word.eq_ignore_ascii_case("auto") => TableFolder::Cache,
            path => TableFolder::Directory(PathBuf::from(path)),
        }
    }
}

/// All available tablebases.
#[derive(Debug)]
pub struct Tablebases {
    sources: Sources,
    syzygy: Option<Arc<Syzygy>>,
    tables: Option<Arc<Tables>>,
    builder: Option<BackgroundBuilder>,
    /// Whether tables are built in the background, and not only while a move waits for them.
    is_background: bool,
    /// The tables requested so far, each with the number of metrics requested for it.
    requested: HashSet<(Material, usize)>,
}

/// The results of Syzygy files, for the search.
#[derive(Debug)]
struct SyzygyOracle(Arc<Syzygy>);

impl Oracle for SyzygyOracle {
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
    /// Without tablebases.
    pub(crate) fn none() -> Tablebases {
        Tablebases::default()
    }

    /// Opens the Syzygy files, and the tables that have been saved.
    pub fn new(sources: Sources) -> Tablebases {
        let mut tablebases = Tablebases::none();
        tablebases.set_sources(sources);
        tablebases
    }

    /// Changes the sources. Returns whether the Syzygy files changed.
    pub(crate) fn set_sources(&mut self, sources: Sources) -> bool {
        let is_new = |of: fn(&Sources) -> (&str, usize, bool)| of(&sources) != of(&self.sources);
        let files_changed = is_new(|s| (&s.syzygy, s.probe_limit, s.fifty_moves));
        if files_changed {
            let open = || Syzygy::open(&sources.syzygy, sources.probe_limit, sources.fifty_moves);
            self.syzygy = (!sources.syzygy.trim().is_empty()).then(|| Arc::new(open()));
        }
        if sources.own != self.sources.own {
            self.builder = None;
            self.requested.clear();
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

    /// The oracle for the search, if there are Syzygy files.
    pub(crate) fn oracle(&self) -> Option<SharedOracle> {
        let syzygy = self.syzygy.as_ref().filter(|syzygy| syzygy.found > 0)?;
        Some(Arc::new(SyzygyOracle(Arc::clone(syzygy))))
    }

    /// Describes the Syzygy files in use, or returns `None` if none were requested.
    pub(crate) fn describe_files(&self) -> Option<String> {
        let syzygy = self.syzygy.as_ref()?;
        let (found, pieces) = (syzygy.found, syzygy.max_pieces());
        Some(match found {
            0 => "no Syzygy files were found".to_owned(),
            _ => format!("using {found} Syzygy files with up to {pieces} pieces"),
        })
    }

    /// Returns messages about errors since the last call, one sentence each.
    pub(crate) fn take_notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        notices.extend(self.syzygy.iter().flat_map(|syzygy| syzygy.take_notices()));
        notices.extend(self.tables.iter().flat_map(|tables| tables.take_notices()));
        notices.extend(self.builder.iter().flat_map(BackgroundBuilder::take_errors));
        notices
    }

    /// Requests the tables that a position needs or will need soon, most urgent first. Distances to
    /// mate are requested only if the player uses them, or if they are very cheap.
    pub fn prepare(&mut self, position: &Position, by_mate: bool) {
        let pieces = position.occupied().count();
        let Some(tables) = self.tables.as_ref().filter(|_| pieces <= PREPARED_PIECES) else {
            return;
        };
        let is_paused = !self.is_background;
        let builder = self.builder.get_or_insert_with(|| {
            let builder = BackgroundBuilder::open(tables.clone());
            builder.pause(is_paused);
            builder
        });
        let (material, _) = Material::of(position);
        let near = pieces <= AUTOMATIC_PIECES + 1 && position.castling_rooks().is_empty();
        let here = near.then_some(material);
        let common = COMMON.iter().filter_map(|name| name.parse::<Material>().ok());
        let next = if near { material.conversions() } else { BTreeSet::new() };
        for material in here.into_iter().chain(common).chain(next) {
            let is_simple = material.pieces() < AUTOMATIC_PIECES;
            let metrics: &[Metric] = match Some(material) == here || is_simple {
                true if by_mate || is_simple => &[Metric::Dtc, Metric::Dtz, Metric::Dtm],
                true => &[Metric::Dtc, Metric::Dtz],
                false => &[Metric::Dtc],
            };
            if is_built_automatically(material) && self.requested.insert((material, metrics.len()))
            {
                builder.order(material, metrics);
            }
        }
    }

    /// Waits up to `longest` until the table of a position is built, all tables are done, or
    /// `is_enough` returns true. Does not wait if the position has too many pieces for our tables.
    pub(crate) fn wait_for(
        &self,
        position: &Position,
        longest: Duration,
        is_enough: impl Fn() -> bool,
    ) {
        let is_small = position.occupied().count() <= AUTOMATIC_PIECES;
        if let Some(builder) = self.builder.as_ref().filter(|_| is_small) {
            builder.pause(false);
            builder.wait(|| is_enough() || self.report(position).is_some(), longest);
            builder.pause(!self.is_background);
        }
    }

    /// Returns whether a table that can be built automatically is missing.
    pub(super) fn lacks_small_table(&self, position: &Position) -> bool {
        position.occupied().count() <= AUTOMATIC_PIECES && self.report(position).is_none()
    }

    /// Spends this much time on building tables, unless they are built in the background anyway.
    pub(super) fn build_for(&self, time: Duration, is_stopped: impl Fn() -> bool) {
        if let Some(builder) = self.builder.as_ref().filter(|_| !self.is_background) {
            builder.pause(false);
            builder.wait(is_stopped, time);
            builder.pause(true);
        }
    }

    /// Sets whether tables are built in the background.
    pub(crate) fn set_background(&mut self, is_background: bool) {
        self.is_background = is_background;
        self.builder.iter().for_each(|builder| builder.pause(!is_background));
    }

    /// Returns whether tables are being built.
    pub(crate) fn is_building(&self) -> bool {
        self.builder.as_ref().is_some_and(BackgroundBuilder::is_busy)
    }

    /// Waits until all requested tables are built.
    pub fn finish(&mut self) {
        self.builder.take().into_iter().for_each(BackgroundBuilder::finish);
    }

    /// Probes a position. Returns `None` if the result of any move is missing.
    pub fn report(&self, position: &Position) -> Option<ProbeReport> {
        let ours = || self.tables.as_ref()?.report(position);
        let files = || self.syzygy.as_ref()?.report(position);
        let mut report = match position.occupied().count() <= AUTOMATIC_PIECES {
            true => ours().or_else(files),
            false => files().or_else(ours),
        }?;
        if !self.sources.fifty_moves {
            report.moves.iter_mut().for_each(|m| m.applies_fifty_moves = false);
        }
        Some(report)
    }

    /// Probes a position like [`Tablebases::report`], but with the history of its game: a move that
    /// completes a threefold repetition is a draw.
    pub(crate) fn report_with_history(&self, game: &Game) -> Option<ProbeReport> {
        let mut report = self.report(game.position())?;
        let past = RepetitionHistory::of(game);
        for m in report.moves.iter_mut().filter(|m| past.occurrences(m) >= 2) {
            (m.result, m.depths, m.to_zero) = (TableResult::Draw, Depths::default(), None);
        }
        report.result = report.moves.iter().map(|m| m.result).max().unwrap_or(report.result);
        Some(report)
    }

    /// The true score of a move, with the line that it leads to.
    pub(crate) fn value(
        &self,
        position: &Position,
        report: &ProbeReport,
        mv: Move,
    ) -> (Value, Vec<Move>) {
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

    /// The line of best play after a move, up to the end of the game or to a position whose
    /// distance to mate is unknown.
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
            requested: HashSet::new(),
        }
    }
}

struct TableLine {
    moves: Vec<Move>,
    is_mate: bool,
}

/// The best move, if the distance to mate is known for every move that preserves the result.
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
