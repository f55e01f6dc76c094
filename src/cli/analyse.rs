//! `analyse`: from the moves of games to competence, rating and likelihood.

use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;

use super::Outcome;
use super::deposits::assessor;
use super::engine::EngineArguments;
use super::evaluation::EvaluationArguments;
use super::progress::Progress;
use crate::analyser::{
    By, Conditions, Ledger, Plan, Rules, Scale, SurveyError, SurveyWatcher, survey,
};
use crate::board::Colour;
use crate::config::Config;
use crate::games::pgn::{PgnError, PgnGame, PgnStream, StreamError, open_text, unpacked};
use crate::games::{Assessor, Store, StoreError};
use crate::player::Engine;
use crate::report::{analysis_json, analysis_text};
use crate::search::EvaluationRequest;
use crate::selector::Family;
use crate::value::{Depth, MAX_PLY};

const EXAMPLES: &str = "\
Examples:
  stopdown analyse games.pgn
  stopdown analyse games.pgn.zst --player Carlsen --store values.db --depth 10
  stopdown analyse games.pgn --by rating-band --json > bands.jsonl
  zcat games.pgn.gz | stopdown analyse - --depth 8 --cap 4";

/// From the moves of games to competence, rating and likelihood
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// PGN files, packed or not; `-` is standard input
    #[arg(value_name = "GAMES", required = true)]
    games: Vec<String>,

    /// The depth of the values in plies
    #[arg(long, short, default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..MAX_PLY as i64))]
    depth: Depth,

    /// Depths at which apparent competence is shown as well
    #[arg(long, value_name = "P,P,...", value_delimiter = ',')]
    at: Vec<Depth>,

    /// Only the moves of players whose name contains this; may be given again
    #[arg(long = "player", value_name = "NAME")]
    players: Vec<String>,

    /// One report for each player, event, rating-band, colour, phase or year
    #[arg(long, value_name = "WHAT", default_value = "player")]
    by: By,

    /// Fewer used moves make no report
    #[arg(long, value_name = "N", default_value_t = 1)]
    least: usize,

    /// Moves at the beginning of a game that do not count
    #[arg(long, value_name = "N", default_value_t = 8)]
    skip: usize,

    /// Turns at which the best move is worth more than this either way do not count
    #[arg(long, value_name = "PAWNS", default_value_t = 3.0)]
    advantage: f64,

    /// Turns at which the best and the played move both are worth more than this do not count
    #[arg(long, value_name = "PAWNS")]
    decided: Option<f64>,

    /// Count repetitions
    #[arg(long)]
    repetitions: bool,

    /// Count only moves
    #[arg(long)]
    forced: bool,

    /// The curve whose competence is shown
    #[arg(long, value_name = "NAME", default_value = "levelled")]
    curve: Family,

    /// What players without a rating in the games are measured against
    #[arg(long, value_name = "ELO")]
    rating: Option<f64>,

    /// Moves in a window of evidence
    #[arg(long, value_name = "N", default_value_t = 20)]
    window: usize,

    /// Among how many honest players a result is expected how often
    #[arg(long, value_name = "N", default_value_t = 1000.0)]
    honest: f64,

    /// Put normal noise of this variance, in square pawns, on the values
    #[arg(long, value_name = "V")]
    noise: Option<f64>,

    /// The seed of the noise
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Pawns below the best move beyond which a move need not be valued exactly
    #[arg(long, value_name = "PAWNS")]
    cap: Option<f64>,

    /// How many positions are valued at once; the values do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,

    #[command(flatten)]
    engine: EngineArguments,

    #[command(flatten)]
    evaluation: EvaluationArguments,

    /// Keep the values in this file; what it has already is not valued again
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,

    /// Write a line of JSON for each report
    #[arg(long)]
    json: bool,
}

/// What stops an analysis.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error(transparent)]
    Survey(#[from] SurveyError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

pub fn run(arguments: &Arguments, config: &Config, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let plan = arguments.plan()?;
    let (engines, assessor) = arguments.engines(config)?;
    let cap = arguments.centipawns();
    let request = EvaluationRequest { cap, ..EvaluationRequest::depth(arguments.depth) };
    let opening = arguments.skip;
    let conditions = Conditions { request, assessor, opening, lines: false };
    let mut store = arguments.store.as_deref().map(Store::open).transpose()?;
    let mut watch = Watch { progress: Progress::new(), left_out: 0 };
    let mut ledger = Ledger::new(arguments.by, arguments.depth)?;
    let mut faults = Vec::new();
    let games =
        arguments.games.iter().map(|name| Source::open(name)).collect::<Result<Vec<_>, _>>()?;
    let games = games.into_iter().flatten().filter_map(|game| match game {
        Ok(game) => arguments.wants(&game).then_some(game),
        Err(fault) => {
            faults.push(fault);
            None
        }
    });
    let add = |surveyed| -> Result<(), Trouble> {
        Ok(ledger.add(&surveyed, |colour| arguments.is_wanted(&surveyed.pgn, colour))?)
    };
    survey(games, engines, &conditions, store.as_mut(), &mut watch, add)?;
    watch.progress.clear();
    if let Some(store) = &mut store {
        store.commit()?;
    }
    let mut reports = 0;
    for (place, _, turns) in ledger.subjects() {
        if turns < arguments.least {
            continue;
        }
        let report = ledger.report(place, &plan)?;
        if report.tally.used < arguments.least {
            continue;
        }
        reports += 1;
        if arguments.json {
            writeln!(out, "{}", analysis_json(&report, &plan, arguments.honest))?;
        } else {
            writeln!(out, "{}", analysis_text(&report, &plan, arguments.honest))?;
        }
    }
    for fault in &faults {
        writeln!(io::stderr(), "{fault}")?;
    }
    let missing = faults.len() + watch.left_out;
    anyhow::ensure!(missing == 0, "{missing} games were left out by error");
    Ok(if reports > 0 { Outcome::Done } else { Outcome::Negative })
}

impl Arguments {
    fn plan(&self) -> anyhow::Result<Plan> {
        let positive = |name: &str, value: Option<f64>| match value {
            Some(value) if !(value.is_finite() && value >= 0.0) => {
                anyhow::bail!("{name} is {value}; it must be a number from 0 up")
            }
            _ => Ok(()),
        };
        positive("--advantage", Some(self.advantage))?;
        positive("--decided", self.decided)?;
        positive("--noise", self.noise)?;
        positive("--honest", Some(self.honest))?;
        positive("--cap", self.cap)?;
        let mut depths: Vec<Depth> =
            self.at.iter().copied().filter(|&depth| depth > 0 && depth < self.depth).collect();
        depths.push(self.depth);
        depths.sort_unstable();
        depths.dedup();
        let rules = Rules {
            opening: self.skip,
            repetitions: !self.repetitions,
            advantage: Some(self.advantage),
            forced: !self.forced,
            decided: self.decided,
        };
        Ok(Plan {
            rules,
            depths,
            family: self.curve,
            scale: Scale::published(),
            rating: self.rating,
            window: self.window,
            noise: self.noise.map(|variance| (variance, self.seed)),
            ..Plan::default()
        })
    }

    /// An engine for each thread, and who they are to a store: the same as `evaluate` is.
    fn engines(&self, config: &Config) -> anyhow::Result<(Vec<Engine>, Assessor)> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let count = self.threads.map_or(cores, usize::from);
        let hash = usize::try_from(config.settings.hash)?;
        let mut engines = Vec::with_capacity(count);
        for _ in 0..count {
            engines.push(match self.engine.start()? {
                Some(analyst) => Engine::External(Box::new(analyst)),
                None => {
                    let mut own = Engine::new(&self.evaluation.or_configured(config)?, 1)?;
                    own.set_hash(hash)?;
                    own
                }
            });
        }
        let first = engines.first().context("no thread to work with")?;
        let own_hash = (!self.engine.is_given()).then_some(hash);
        let assessor = assessor(first, own_hash, self.centipawns(), None);
        Ok((engines, assessor))
    }

    fn centipawns(&self) -> Option<i32> {
        self.cap.map(|pawns| (pawns * 100.0).round() as i32)
    }

    fn wants(&self, game: &PgnGame) -> bool {
        [Colour::White, Colour::Black].iter().any(|&colour| self.is_wanted(game, colour))
    }

    /// Are this side's moves asked for?
    fn is_wanted(&self, game: &PgnGame, colour: Colour) -> bool {
        let tag = if colour == Colour::White { "White" } else { "Black" };
        let name = game.tag(tag).unwrap_or_default().to_lowercase();
        let is_named = |wanted: &String| name.contains(&wanted.to_lowercase());
        self.players.is_empty() || self.players.iter().any(is_named)
    }
}

/// The games of a file.
struct Source {
    name: String,
    games: PgnStream<Box<dyn io::BufRead + Send>>,
}

impl Source {
    fn open(name: &str) -> anyhow::Result<Source> {
        let text = match name {
            "-" => unpacked(BufReader::new(io::stdin())),
            path => open_text(Path::new(path)),
        };
        let text = text.with_context(|| name.to_owned())?;
        Ok(Source { name: name.to_owned(), games: PgnStream::new(text) })
    }
}

impl Iterator for Source {
    type Item = Result<PgnGame, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let named = |error: StreamError| format!("{}: {error}", self.name);
        self.games.next().map(|game| game.map_err(named))
    }
}

/// Tells how far it is.
struct Watch {
    progress: Progress,
    left_out: usize,
}

impl SurveyWatcher for Watch {
    fn positions(&mut self, done: u64, known: u64) {
        self.progress.show(format_args!("{done} positions valued, {known} of them known before"));
    }

    fn left_out(&mut self, error: &PgnError) {
        self.left_out += 1;
        self.progress.tell(error);
    }
}
