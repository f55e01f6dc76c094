//! `evaluate`: the value of every legal move.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::Args;
use serde::Serialize;

use super::evaluation::EvaluationArguments;
use super::{Outcome, positions};
use crate::board::{Game, Position, STARTING_FEN};
use crate::config::{Config, Settings};
use crate::evaluation::{Assessment, MoveEvaluation, RootEvaluation};
use crate::player::{Engine, Library, Place, Sources};
use crate::search::{Controls, EvaluationRequest, SharedOracle, Silent};
use crate::value::{Depth, MAX_PLY, Meaning, Value};

const EXAMPLES: &str = "\
Examples:
  stopdown evaluate --depth 8
  stopdown evaluate --fen \"8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\" --depth 12 --json
  stopdown evaluate --epd positions.epd --depth 6 --cap 4 --json > values.jsonl
  cat fens.txt | stopdown evaluate - --depth 6";

/// Value every legal move of a position, at every depth
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// `-` reads FENs from standard input, one a line, and writes one line of JSON each
    #[arg(value_name = "-", value_parser = ["-"], conflicts_with_all = ["fen", "epd"])]
    standard_input: Option<String>,

    /// The position; the starting position if nothing else is given
    #[arg(long, conflicts_with = "epd")]
    fen: Option<String>,

    /// A file of positions, FEN or EPD, one a line
    #[arg(long, value_name = "FILE")]
    epd: Option<PathBuf>,

    /// The deepest depth in plies
    #[arg(long, short, default_value_t = 6, value_parser = clap::value_parser!(u8).range(1..MAX_PLY as i64))]
    depth: Depth,

    /// Pawns below the best move beyond which a move need not be valued exactly
    #[arg(long, value_name = "PAWNS")]
    cap: Option<f64>,

    /// Threads to share the work; the values do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,

    #[command(flatten)]
    evaluation: EvaluationArguments,

    /// Let Syzygy files in these directories tell results below the root; the values then depend on
    /// them, and JSON names them by a fingerprint
    #[arg(long, value_name = "DIRECTORIES")]
    syzygy: Option<String>,

    /// Write castling as Chess960 does
    #[arg(long)]
    chess960: bool,

    /// Write a line of JSON for each position instead of a table
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, config: &Config, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    if arguments.cap.is_some_and(|cap| !(0.0..=1000.0).contains(&cap)) {
        anyhow::bail!("--cap is a number of pawns from 0 to 1000");
    }
    let mut work = Work::new(arguments, config)?;
    if arguments.standard_input.is_some() {
        return work.stream("standard input", &mut io::stdin().lock(), true, out);
    }
    if let Some(path) = &arguments.epd {
        let name = path.display().to_string();
        let file = File::open(path).with_context(|| name.clone())?;
        return work.stream(&name, &mut BufReader::new(file), arguments.json, out);
    }
    let fen = arguments.fen.as_deref().unwrap_or(STARTING_FEN);
    let found = work.one(Position::from_fen(fen, arguments.chess960)?, arguments.json, out)?;
    Ok(if found { Outcome::Done } else { Outcome::Negative })
}

/// What is done with every position.
struct Work {
    engine: Engine,
    request: EvaluationRequest,
    chess960: bool,
}

impl Work {
    fn new(arguments: &Arguments, config: &Config) -> anyhow::Result<Work> {
        let mut engine = Engine::new(&arguments.evaluation.or_configured(config)?, 1)?;
        engine.set_hash(usize::try_from(config.settings.hash)?)?;
        let threads = match arguments.threads {
            Some(threads) => usize::from(threads),
            None => usize::try_from(config.settings.threads)?,
        };
        engine.set_threads(threads);
        let cap = arguments.cap.map(|pawns| (pawns * 100.0).round() as i32);
        if let Some(directories) = &arguments.syzygy {
            engine.set_oracle(Some(oracle(directories, &config.settings)?));
        }
        let oracle = arguments.syzygy.is_some();
        let request =
            EvaluationRequest { cap, oracle, ..EvaluationRequest::depth(arguments.depth) };
        Ok(Work { engine, request, chess960: arguments.chess960 })
    }

    /// Evaluates a position and writes what comes out. Was there a legal move?
    fn one(&mut self, position: Position, json: bool, out: &mut dyn Write) -> anyhow::Result<bool> {
        let started = Instant::now();
        let game = Game::new(position);
        let evaluation = self.engine.evaluate(&game, &self.request, &Controls::new(), &mut Silent);
        let position = game.position();
        if json {
            write_json(&Line::new(position, &evaluation, started.elapsed()), out)?;
        } else {
            write_table(position, &evaluation, started.elapsed(), out)?;
        }
        Ok(!evaluation.moves.is_empty())
    }

    /// Evaluates positions line by line; each answer is out before the next line is read. A line
    /// that holds no position is answered with an error in its place, so that answers and
    /// questions stay in step, and makes the whole run fail at its end.
    fn stream(
        &mut self,
        name: &str,
        input: &mut dyn BufRead,
        json: bool,
        out: &mut dyn Write,
    ) -> anyhow::Result<Outcome> {
        let mut bytes = Vec::new();
        let mut first_mistake = None;
        let mut found = false;
        for number in 1.. {
            bytes.clear();
            if input.read_until(b'\n', &mut bytes).with_context(|| name.to_owned())? == 0 {
                break;
            }
            let line = String::from_utf8_lossy(&bytes);
            match positions::read_line(&line, self.chess960) {
                None => continue,
                Some(Ok(position)) => found |= self.one(position, json, out)?,
                Some(Err(error)) => {
                    let mistake = format!("{name}, line {number}: {error}");
                    if json {
                        write_json(&Mistake { error: mistake.clone() }, out)?;
                    } else {
                        writeln!(out, "{mistake}\n")?;
                    }
                    first_mistake.get_or_insert(mistake);
                }
            }
            out.flush()?;
        }
        match first_mistake {
            Some(mistake) => Err(anyhow::Error::msg(mistake)),
            None => Ok(if found { Outcome::Done } else { Outcome::Negative }),
        }
    }
}

/// The files of these directories. Values with some of them missing would be other values, so
/// whatever is wrong with one is an error.
fn oracle(directories: &str, settings: &Settings) -> anyhow::Result<SharedOracle> {
    let library = Library::new(Sources {
        syzygy: directories.to_owned(),
        probe_limit: usize::try_from(settings.syzygy_probe_limit)?,
        fifty_moves: settings.syzygy_fifty_moves,
        own: Place::Off,
    });
    if let Some(notice) = library.take_notices().into_iter().next() {
        anyhow::bail!(notice);
    }
    library.oracle().with_context(|| format!("there are no Syzygy files in {directories}"))
}

/// A position's evaluation as JSON.
#[derive(Serialize)]
struct Line {
    fen: String,
    depth: Depth,
    nodes: u64,
    time_ms: u128,
    /// The fingerprint of the files that were asked, if any were.
    #[serde(skip_serializing_if = "Option::is_none")]
    syzygy: Option<String>,
    moves: Vec<MoveLine>,
}

#[derive(Serialize)]
struct MoveLine {
    #[serde(rename = "move")]
    uci: String,
    san: String,
    value: JsonValue,
    pawns: f64,
    /// Only written where a cap was asked for and hit: the move is worth at most this.
    #[serde(skip_serializing_if = "is_true")]
    exact: bool,
    by_depth: Vec<DepthLine>,
    pv: Vec<String>,
}

#[derive(Serialize)]
struct DepthLine {
    #[serde(flatten)]
    value: JsonValue,
    #[serde(skip_serializing_if = "is_true")]
    exact: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum JsonValue {
    Cp(i32),
    Mate(i32),
    /// Won (or lost, if negative) by a table so many plies on.
    Table(i32),
}

#[derive(Serialize)]
struct Mistake {
    error: String,
}

fn is_true(truth: &bool) -> bool {
    *truth
}

impl Line {
    fn new(position: &Position, evaluation: &RootEvaluation, elapsed: Duration) -> Line {
        Line {
            fen: position.fen(),
            depth: evaluation.depth,
            nodes: evaluation.nodes,
            time_ms: elapsed.as_millis(),
            syzygy: evaluation.oracle.map(|fingerprint| format!("{fingerprint:016x}")),
            moves: evaluation.moves.iter().map(|m| MoveLine::new(position, m)).collect(),
        }
    }
}

impl MoveLine {
    fn new(position: &Position, evaluation: &MoveEvaluation) -> MoveLine {
        let last = evaluation.last();
        let depth_line = |a: &Assessment| DepthLine { value: a.value.into(), exact: a.exact };
        MoveLine {
            uci: position.uci(evaluation.mv),
            san: position.san(evaluation.mv),
            value: last.value.into(),
            pawns: last.value.pawns(),
            exact: last.exact,
            by_depth: evaluation.by_depth.iter().map(depth_line).collect(),
            pv: evaluation.line.iter().map(|&m| position.uci(m)).collect(),
        }
    }
}

impl From<Value> for JsonValue {
    fn from(value: Value) -> JsonValue {
        match value.meaning() {
            Meaning::Mate(moves) => JsonValue::Mate(moves),
            Meaning::Centipawns(centipawns) => JsonValue::Cp(centipawns),
            Meaning::Table(plies) => JsonValue::Table(plies),
        }
    }
}

fn write_json(line: &impl Serialize, out: &mut dyn Write) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *out, line).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

fn write_table(
    position: &Position,
    evaluation: &RootEvaluation,
    elapsed: Duration,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    writeln!(out, "{}", position.fen())?;
    if evaluation.moves.is_empty() {
        let why = if position.in_check() { "checkmate" } else { "stalemate" };
        writeln!(out, "no legal move: {why}\n")?;
        return Ok(());
    }
    let (depth, nodes) = (evaluation.depth, evaluation.nodes);
    writeln!(out, "depth {depth}, {nodes} nodes, {:.3} s\n", elapsed.as_secs_f64())?;
    write!(out, "{:<8}{:>9} ", "move", "value")?;
    for depth in 1..=depth {
        write!(out, "{:>8}", format!("d{depth}"))?;
    }
    writeln!(out, "   line")?;
    for m in &evaluation.moves {
        let last = m.last();
        let mark = if last.exact { "" } else { "<" };
        write!(out, "{:<8}{:>9} ", position.san(m.mv), format!("{mark}{}", last.value))?;
        for assessment in &m.by_depth {
            let mark = if assessment.exact { "" } else { "<" };
            write!(out, "{:>8}", format!("{mark}{}", assessment.value))?;
        }
        writeln!(out, "   {}", line_in_san(position, m))?;
    }
    writeln!(out)?;
    Ok(())
}

fn line_in_san(position: &Position, evaluation: &MoveEvaluation) -> String {
    let mut position = position.clone();
    let mut words = Vec::new();
    for &m in &evaluation.line {
        words.push(position.san(m));
        position.play(m);
    }
    words.join(" ")
}
