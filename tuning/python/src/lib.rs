//! Stopdown as a Python module: [`stopdown::api`] with plain dictionaries and lists.
//!
//! Other Python threads run while the engine works. `stopdown.pyi` documents the functions for Python.

use std::ffi::CString;
use std::io::{self, BufRead};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use stopdown::api;
use stopdown::board::Game;
use stopdown::evaluation::{MoveEvaluation, RootEvaluation};
use stopdown::games::pgn::open_text;
use stopdown::player::{Elo, EloScale, Engine};
use stopdown::value::{Depth, Meaning, Value};

/// The size of the hash table in MiB. Levels are calibrated with this size.
const HASH: usize = 16;

// Python shows a default value in a function's signature only if it is a literal.
const _: () = assert!(api::CALIBRATED_DEPTH == 12);

const DEPTHS: RangeInclusive<Depth> = 1..=60;

/// Evaluate every legal move of a FEN or board at every depth from 1 to `depth` plies, best move first.
#[pyfunction]
#[pyo3(signature = (board, depth = 12))]
fn evaluate<'py>(
    py: Python<'py>,
    board: &Bound<'py, PyAny>,
    depth: i64,
) -> PyResult<Bound<'py, PyDict>> {
    let (game, depth) = (game(board)?, read_depth(depth)?);
    let evaluation = py.detach(|| api::evaluate(&mut Engine::built_in(HASH), &game, depth));
    let result = PyDict::new(py);
    result.set_item("fen", game.position().fen())?;
    result.set_item("depth", evaluation.depth)?;
    result.set_item("nodes", evaluation.nodes)?;
    result.set_item("moves", moves(py, &game, &evaluation)?)?;
    Ok(result)
}

/// Return the share of players with the given rating who would play each move, most likely move first.
///
/// The moves are written as in UCI: `e2e4`. Ratings above 3000 count as 3000. The dictionary is empty if there is no
/// legal move.
#[pyfunction]
#[pyo3(signature = (board, rating, scale = "FIDE", depth = 12))]
fn human_moves<'py>(
    py: Python<'py>,
    board: &Bound<'py, PyAny>,
    rating: f64,
    scale: &str,
    depth: i64,
) -> PyResult<Bound<'py, PyDict>> {
    let (game, scale, depth) = (game(board)?, read_scale(scale)?, read_depth(depth)?);
    let shares = py
        .detach(|| api::human_moves(&mut Engine::built_in(HASH), &game, Elo(rating), scale, depth));
    let shares = shares.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let result = PyDict::new(py);
    for (mv, share) in shares {
        result.set_item(game.position().uci(mv), share)?;
    }
    Ok(result)
}

/// A player of a given rating. Like a person with this rating, it makes mistakes.
///
/// The same seed gives the same choices.
#[pyclass(frozen)]
struct Opponent(Mutex<api::Opponent>);

#[pymethods]
impl Opponent {
    #[new]
    #[pyo3(signature = (rating, scale = "FIDE", seed = 1))]
    fn new(rating: f64, scale: &str, seed: u64) -> PyResult<Opponent> {
        let opponent = api::Opponent::new(Elo(rating), read_scale(scale)?, seed);
        let opponent = opponent.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Opponent(Mutex::new(opponent)))
    }

    /// Choose a move for the side to move, written as in UCI. Return None if there is no legal move.
    fn choose(&self, py: Python<'_>, board: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        let game = game(board)?;
        let choose = || self.0.lock().unwrap_or_else(PoisonError::into_inner).choose(&game);
        Ok(py.detach(choose).map(|mv| game.position().uci(mv)))
    }
}

/// Rate the players in PGN games by their moves, the player with the most moves first.
///
/// `pgn` is the text of the games, or the path of a file as an `os.PathLike`. `scale` must be the rating scale of the
/// games. `interval` contains the rating with a probability of 95%; both are limited to the range of the scale. With
/// fewer than 20 moves, a rating depends mostly on how players in general are distributed.
/// Duplicate games count once. Games that cannot be read are skipped with a warning, or with a message in `skipped` if
/// that is a list.
#[pyfunction]
#[pyo3(signature = (pgn, scale = "FIDE", depth = 12, skipped = None))]
fn rate<'py>(
    py: Python<'py>,
    pgn: &Bound<'py, PyAny>,
    scale: &str,
    depth: i64,
    skipped: Option<&Bound<'py, PyList>>,
) -> PyResult<Bound<'py, PyList>> {
    let (scale, depth, games) = (read_scale(scale)?, read_depth(depth)?, open_games(pgn)?);
    // Ctrl+C and other signals are noticed only if Python is asked.
    let interrupt = Mutex::new(None);
    let is_stopped = || match Python::attach(|py| py.check_signals()) {
        Ok(()) => false,
        Err(error) => {
            *interrupt.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            true
        }
    };
    let rated = py.detach(|| api::rate_games(games, scale, depth, &is_stopped));
    if let Some(error) = interrupt.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let rated = rated.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    for message in rated.skipped {
        if let Some(skipped) = skipped {
            skipped.append(message)?;
            continue;
        }
        let message = CString::new(format!("a game was skipped: {message}"))?;
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &message, 1)?;
    }
    let result = PyList::empty(py);
    for player in rated.players {
        let entry = PyDict::new(py);
        entry.set_item("name", player.name)?;
        entry.set_item("rating", player.rating)?;
        entry.set_item("interval", player.interval)?;
        entry.set_item("moves", player.moves)?;
        result.append(entry)?;
    }
    Ok(result)
}

/// Opens the text of games or a file with games.
fn open_games(pgn: &Bound<'_, PyAny>) -> PyResult<Box<dyn BufRead + Send>> {
    let Ok(text) = pgn.extract::<String>() else {
        let path: PathBuf = pgn.extract()?;
        return Ok(open_text(&path, &Arc::default())?);
    };
    if !text.contains(['\n', '[']) && text.contains(".pgn") {
        let message =
            format!("{text:?} is not the text of games; for a file, write Path({text:?})");
        return Err(PyValueError::new_err(message));
    }
    Ok(Box::new(io::Cursor::new(text)))
}

/// Reads a FEN, or a python-chess board with the moves that led to it.
fn game(board: &Bound<'_, PyAny>) -> PyResult<Game> {
    let (fen, moves, chess960) = if let Ok(fen) = board.extract::<String>() {
        (fen, Vec::new(), false)
    } else if board.hasattr("move_stack")? {
        let variant = board.getattr("uci_variant")?;
        if !variant.eq("chess")? {
            let message = format!("the variant {variant} is not supported, only chess is");
            return Err(PyValueError::new_err(message));
        }
        let start = board.call_method0("root")?.call_method0("fen")?.extract()?;
        let moves: PyResult<Vec<String>> = board
            .getattr("move_stack")?
            .try_iter()?
            .map(|mv| mv?.call_method0("uci")?.extract())
            .collect();
        (start, moves?, board.getattr("chess960")?.extract()?)
    } else {
        let message = "expected a FEN or a chess.Board";
        return Err(PyTypeError::new_err(message));
    };
    let moves = moves.iter().map(String::as_str);
    Game::from_uci(Some(&fen), moves, chess960)
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

fn read_scale(name: &str) -> PyResult<EloScale> {
    name.parse::<EloScale>().map_err(|error| PyValueError::new_err(error.to_string()))
}

fn read_depth(depth: i64) -> PyResult<Depth> {
    let (least, most) = DEPTHS.into_inner();
    Depth::try_from(depth).ok().filter(|depth| DEPTHS.contains(depth)).ok_or_else(|| {
        let message = format!("depth is {depth}, but must be from {least} to {most} plies");
        PyValueError::new_err(message)
    })
}

/// The moves in almost the same format as in `stopdown evaluate --json`.
fn moves<'py>(
    py: Python<'py>,
    game: &Game,
    evaluation: &RootEvaluation,
) -> PyResult<Bound<'py, PyList>> {
    let result = PyList::empty(py);
    for found in &evaluation.moves {
        result.append(one_move(py, game, found)?)?;
    }
    Ok(result)
}

fn one_move<'py>(
    py: Python<'py>,
    game: &Game,
    found: &MoveEvaluation,
) -> PyResult<Bound<'py, PyDict>> {
    let position = game.position();
    let entry = PyDict::new(py);
    entry.set_item("move", position.uci(found.mv))?;
    entry.set_item("san", position.san(found.mv))?;
    entry.set_item("value", score(py, found.value())?)?;
    entry.set_item("pawns", found.value().pawns())?;
    entry.set_item("exact", found.last().exact)?;
    let by_depth = PyList::empty(py);
    for at in &found.by_depth {
        by_depth.append(score(py, at.value)?)?;
    }
    entry.set_item("by_depth", by_depth)?;
    let line: Vec<String> = found.line.iter().map(|&mv| position.uci(mv)).collect();
    entry.set_item("pv", line)?;
    Ok(entry)
}

fn score<'py>(py: Python<'py>, value: Value) -> PyResult<Bound<'py, PyDict>> {
    let (key, number) = match value.meaning() {
        Meaning::Centipawns(centipawns) => ("cp", centipawns),
        Meaning::Mate(moves) => ("mate", moves),
        Meaning::Table(plies) => ("table", plies),
    };
    let result = PyDict::new(py);
    result.set_item(key, number)?;
    Ok(result)
}

/// Evaluate chess positions, predict human moves, and rate players by their moves.
#[pymodule]
#[pyo3(name = "stopdown")]
fn stopdown_python(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(human_moves, module)?)?;
    module.add_class::<Opponent>()?;
    module.add_function(wrap_pyfunction!(rate, module)?)
}
