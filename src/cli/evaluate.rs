//! `evaluate`: evaluates every legal move.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use clap::Args;
use serde_json::json;

use super::engine::EngineArguments;
use super::engine::NetworkArguments;
use super::outcome::{CommandOutcome, CommandResult};
use super::output::{write_json, write_text};
use super::store::{close_cache, evaluator};
use super::{engine, value_parsers};
use crate::board::{Game, Position, STARTING_FEN};
use crate::config::Settings;
use crate::games::pgn::open_text;
use crate::games::read_position_line;
use crate::player::{Engine, Sources, TableFolder, Tablebases};
use crate::report::{self, EvaluationLine};
use crate::review::KnownEvaluations;
use crate::search::{Controls, EvaluationRequest, NoObserver, SharedOracle};
use crate::uci::{InputLine, read_line};
use crate::value::Depth;

const EXAMPLES: &str = "\
Examples:
  stopdown evaluate --depth 8
  stopdown evaluate --fen \"8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\" --depth 12 \\
      --json
  stopdown evaluate --epd positions.epd --depth 6 --cap 4 --json \\
      > values.jsonl
  cat fens.txt | stopdown evaluate - --depth 6
  stopdown evaluate --engine stockfish --engine-option Hash=64 --depth 10
  stopdown evaluate --epd positions.epd --depth 8 --store values.db";

/// Show the score of every legal move at every depth
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Read FENs from standard input, one per line, and print a line of JSON for each
    #[arg(value_name = "-", value_parser = ["-"], hide_possible_values = true, conflicts_with_all = ["fen", "epd"])]
    standard_input: Option<String>,

    /// Position to evaluate [default: the starting position]
    #[arg(long, conflicts_with = "epd")]
    fen: Option<String>,

    /// Evaluate the positions in this file, one FEN or EPD per line
    #[arg(long, value_name = "FILE")]
    epd: Option<PathBuf>,

    /// Search depth
    #[arg(long, short, value_name = "PLIES", default_value_t = 6)]
    #[arg(value_parser = value_parsers::depth)]
    depth: Depth,

    /// Compute only upper bounds for moves that score at least this much less than the best move
    #[arg(long, value_name = "PAWNS", value_parser = value_parsers::cap)]
    cap: Option<i32>,

    /// Number of threads for --engine; the built-in engine uses one per position
    #[arg(long, value_name = "N", value_parser = value_parsers::whole(1..=512_u16))]
    threads: Option<u16>,

    #[command(flatten)]
    engine: EngineArguments,

    #[command(flatten)]
    network: NetworkArguments,

    /// Probe the Syzygy tables in these folders during the search. Scores then depend on the tables,
    /// and the JSON output includes their fingerprint
    #[arg(long, value_name = "FOLDERS")]
    syzygy: Option<String>,

    /// Cache evaluations in this file
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,

    /// Write castling as in Chess960: the king takes the rook
    #[arg(long)]
    chess960: bool,

    /// Print a line of JSON for each position instead of a table
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, config: &Settings, out: &mut dyn Write) -> CommandResult {
    arguments.engine.reject_built_in_options(&[
        ("--cap", arguments.cap.is_some()),
        ("--syzygy", arguments.syzygy.is_some()),
        ("--eval-file", arguments.network.is_given()),
    ])?;
    let mut work = PositionWork::new(arguments, config)?;
    let outcome = work.run(arguments, out);
    let closed = work.cache.map_or(Ok(()), close_cache);
    outcome.and_then(|outcome| closed.map(|()| outcome))
}

/// The work to be done on every position.
struct PositionWork {
    engine: Engine,
    cache: Option<KnownEvaluations>,
    request: EvaluationRequest,
    chess960: bool,
}

impl PositionWork {
    fn run(&mut self, arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
        if arguments.standard_input.is_some() {
            return self.stream("standard input", &mut io::stdin().lock(), true, out);
        }
        if arguments.epd.as_deref().is_some_and(|path| path.as_os_str() == "-") {
            return self.stream("standard input", &mut io::stdin().lock(), arguments.json, out);
        }
        if let Some(path) = &arguments.epd {
            let name = path.display().to_string();
            let mut file = open_text(path, &Arc::default()).with_context(|| name.clone())?;
            anyhow::ensure!(
                !file.fill_buf()?.starts_with(b"["),
                "{name} looks like a PGN file, but --epd needs a position on each line; use stopdown analyse for games"
            );
            return self.stream(&name, &mut file, arguments.json, out);
        }
        let fen = arguments.fen.as_deref().unwrap_or(STARTING_FEN);
        let position = Position::from_fen(fen, arguments.chess960)?;
        self.one(position, arguments.json, out)?.map_err(anyhow::Error::msg)?;
        Ok(CommandOutcome::Done)
    }

    fn new(arguments: &Arguments, config: &Settings) -> anyhow::Result<PositionWork> {
        let is_own = !arguments.engine.is_given();
        let network = arguments.network.or_configured(config);
        let mut engine = arguments.engine.engine(network, config)?;
        if is_own {
            engine.set_threads(usize::try_from(config.threads)?);
        }
        if let Some(threads) = arguments.threads {
            engine.set_threads(usize::from(threads));
        }
        let own_hash = is_own.then_some(usize::try_from(config.hash)?);
        let mut tables = None;
        let cap = arguments.cap;
        if let Some(directories) = &arguments.syzygy {
            let oracle = oracle(directories, config)?;
            tables = Some(oracle.fingerprint());
            engine.set_oracle(Some(oracle));
        }
        let oracle = arguments.syzygy.is_some();
        let request =
            EvaluationRequest { cap, oracle, ..EvaluationRequest::depth(arguments.depth) };
        let open = |path: &PathBuf| {
            KnownEvaluations::open(Some(path), evaluator(&engine, own_hash, cap, tables))
        };
        let cache = arguments.store.as_ref().map(open).transpose()?;
        Ok(PositionWork { engine, cache, request, chess960: arguments.chess960 })
    }

    /// Evaluates a position and writes the result. Returns the reason if the position cannot be
    /// evaluated.
    fn one(
        &mut self,
        position: Position,
        json: bool,
        out: &mut dyn Write,
    ) -> anyhow::Result<Result<(), String>> {
        let started = Instant::now();
        let game = Game::new(position);
        let (engine, request) = (&mut self.engine, &self.request);
        let evaluation = match &mut self.cache {
            Some(cache) => cache.evaluate(engine, &game, request)?,
            None => engine.evaluate(&game, request, &Controls::new(), &mut NoObserver),
        };
        if let Err(fault) = engine::check(&mut self.engine)? {
            return Ok(Err(fault));
        }
        let position = game.position();
        if json {
            let line = EvaluationLine::new(position, &evaluation, Some(started.elapsed()));
            write_json(&line, out)?;
        } else {
            write_text(&report::evaluation(position, &evaluation, started.elapsed()), out)?;
            writeln!(out)?;
        }
        Ok(Ok(()))
    }

    /// Evaluates positions line by line. Each answer is written before the next line is read. For
    /// an invalid position or an engine failure, the answer is an error, so that every line
    /// except empty lines and comments gets one answer. The command then fails at the end.
    fn stream(
        &mut self,
        name: &str,
        mut input: &mut dyn BufRead,
        json: bool,
        out: &mut dyn Write,
    ) -> CommandResult {
        let (mut first_mistake, mut is_empty) = (None, true);
        for number in 1.. {
            let line = read_line(&mut input).with_context(|| name.to_owned())?;
            let answer = match line {
                None => break,
                Some(InputLine::TooLong(length)) => {
                    Err(format!("a line of {length} bytes is not a position"))
                }
                Some(InputLine::Text(line)) => match read_position_line(&line, self.chess960) {
                    None => continue,
                    Some(Ok(position)) => self.one(position, json, out)?,
                    Some(Err(error)) => Err(error.to_string()),
                },
            };
            is_empty = false;
            if let Err(error) = answer {
                let mistake = format!("{name}:{number}: {error}");
                if json {
                    write_json(&json!({"error": mistake}), out)?;
                } else {
                    writeln!(out, "{mistake}\n")?;
                }
                first_mistake.get_or_insert(mistake);
            }
            out.flush()?;
        }
        match first_mistake {
            Some(mistake) => Err(anyhow::Error::msg(mistake)),
            None if is_empty => {
                writeln!(io::stderr(), "stopdown: no positions in {name}")?;
                Ok(CommandOutcome::Negative)
            }
            None => Ok(CommandOutcome::Done),
        }
    }
}

/// Opens the tablebases in these folders. A problem with any file is an error, because evaluations
/// would differ without that file.
fn oracle(directories: &str, settings: &Settings) -> anyhow::Result<SharedOracle> {
    let tablebases = Tablebases::new(Sources {
        syzygy: directories.to_owned(),
        own: TableFolder::Off,
        ..settings.table_sources()
    });
    if let Some(notice) = tablebases.take_notices().into_iter().next() {
        anyhow::bail!(notice);
    }
    tablebases.oracle().with_context(|| format!("no Syzygy files in {directories}"))
}
