//! `split`: selects games by their tags, and copies them into several files in one pass.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use serde::Serialize;

use super::analyse::source::{STANDARD_INPUT, Source};
use super::outcome::{CommandOutcome, CommandResult, accept_unreadable};
use super::output::{NamedDraft, check_outputs, reject_duplicates, write_json};
use super::value_parsers;
use crate::files::allow_many_open_files;
use crate::games::pgn::PgnGame;
use crate::games::{DateLimit, GameFilter, Shard, TimeControlClass};

const EXAMPLES: &str = "\
Examples:
  stopdown split month.pgn.zst --parts 100 --out part-{}.pgn
  stopdown split month.pgn.zst --time-control blitz --min-rating 2000 \\
      --out blitz.pgn
  stopdown split month.pgn.zst --one-in 1000 | stopdown analyse -";

/// Select games by their tags, and split large PGN files
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// PGN files, which may be compressed (.gz, .zst); `-` reads standard input
    #[arg(value_name = "GAMES", required = true)]
    games: Vec<String>,

    /// Number of parts N; part I contains the games that `analyse --shard I/N` analyses
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parsers::whole(1..=1_000_000_u64))]
    parts: u64,

    /// Write to this file, with the number of the part in place of {} [default: standard output]
    #[arg(long, short, value_name = "FILE", conflicts_with = "json")]
    out: Option<String>,

    /// Print a line of JSON for each game, with its part, fingerprint, file and line
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    filter: FilterArguments,

    /// Accept up to N unreadable games; with --json, any number unless a file cannot be read to its end
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = value_parsers::count::<usize>)]
    tolerate: usize,
}

/// The games to select.
#[derive(Args, Debug)]
struct FilterArguments {
    /// Minimum rating of both players
    #[arg(long, value_name = "ELO", value_parser = value_parsers::elo)]
    min_rating: Option<f64>,

    /// Maximum rating of both players
    #[arg(long, value_name = "ELO", value_parser = value_parsers::elo)]
    max_rating: Option<f64>,

    /// Time control: ultrabullet, bullet, blitz, rapid, classical, correspondence, or an exact one
    /// such as 180+2; may be repeated
    #[arg(long = "time-control", value_name = "CLASS", value_delimiter = ',')]
    time_controls: Vec<TimeControlClass>,

    /// Earliest date, such as 2024.01.31, 2024.01 or 2024
    #[arg(long, value_name = "DATE")]
    since: Option<DateLimit>,

    /// Latest date
    #[arg(long, value_name = "DATE")]
    until: Option<DateLimit>,

    /// Select only games with a player who has this title, such as GM; may be repeated
    #[arg(long = "title", value_name = "TITLE", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    titles: Vec<String>,

    /// Leave out games with a player who has this title, such as BOT; may be repeated
    #[arg(long = "without-title", value_name = "TITLE", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    without_titles: Vec<String>,

    /// Select one game in N; every run selects the same games
    #[arg(long, value_name = "N", value_parser = value_parsers::whole(1..=1_000_000_000_u64))]
    one_in: Option<u64>,
}

impl FilterArguments {
    /// The filter. Returns an error if no game can pass it.
    fn filter(&self) -> anyhow::Result<GameFilter> {
        if let (Some(min), Some(max)) = (self.min_rating, self.max_rating) {
            anyhow::ensure!(
                min <= max,
                "--min-rating {min} is above --max-rating {max}; swap them"
            );
        }
        if let (Some(since), Some(until)) = (&self.since, &self.until) {
            anyhow::ensure!(
                !since.is_after(until),
                "--since {since} is after --until {until}; swap them"
            );
        }
        Ok(GameFilter {
            min_rating: self.min_rating,
            max_rating: self.max_rating,
            time_controls: self.time_controls.clone(),
            since: self.since.clone(),
            until: self.until.clone(),
            titles: self.titles.clone(),
            without_titles: self.without_titles.clone(),
            one_in: self.one_in,
        })
    }
}

/// A game as a line of JSON.
#[derive(Serialize)]
struct GameJson<'a> {
    part: u64,
    fingerprint: String,
    file: &'a str,
    line: usize,
    pgn: &'a str,
}

/// An unreadable game as a line of JSON.
#[derive(Serialize)]
struct UnreadableJson<'a> {
    file: &'a str,
    line: usize,
    error: String,
}

/// The placeholder for the number of the part in a file name.
const PLACEHOLDER: &str = "{}";

/// The maximum number of files that are written at the same time.
const MAX_FILES: u64 = 1000;

/// The destination of the games.
enum Destination<'a> {
    Files(Vec<NamedDraft>),
    Output(&'a mut dyn Write),
    Json(&'a mut dyn Write),
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    allow_many_open_files();
    reject_duplicates(&arguments.games)?;
    let filter = arguments.filter.filter()?;
    let mut destination = arguments.destination(out)?;
    let (mut met, mut taken, mut unreadable) = (0_u64, 0_u64, 0);
    for name in &arguments.games {
        let mut source = Source::open(name)?;
        while let Some(text) = source.next_text() {
            let text = match text {
                Ok(text) => text,
                Err(error) => {
                    unreadable += 1;
                    if error.fault.ends_text() && unreadable > arguments.tolerate {
                        anyhow::bail!(error.in_file(source.name()));
                    }
                    match &mut destination {
                        Destination::Json(out) => {
                            let (file, line) = (source.name(), error.line);
                            let error = error.fault.to_string();
                            write_json(&UnreadableJson { file, line, error }, out)?;
                        }
                        _ => writeln!(io::stderr(), "{}", error.in_file(source.name()))?,
                    }
                    continue;
                }
            };
            for (game, text) in text.games_with_text() {
                met += 1;
                if filter.selects(&game) {
                    taken += 1;
                    let pgn = complete_text(text, &game);
                    destination.write(&game, &pgn, source.name(), arguments.parts)?;
                }
            }
        }
    }
    // With JSON, unreadable games appear as lines in the output.
    if !arguments.json {
        accept_unreadable(unreadable, arguments.tolerate)?;
    }
    destination.finish()?;
    writeln!(io::stderr(), "stopdown: {taken} of {met} games selected")?;
    Ok(if taken == 0 { CommandOutcome::Negative } else { CommandOutcome::Done })
}

impl Arguments {
    fn destination<'a>(&self, out: &'a mut dyn Write) -> anyhow::Result<Destination<'a>> {
        let Some(pattern) = self.out.as_deref() else {
            anyhow::ensure!(
                self.json || self.parts == 1,
                "several parts cannot be written to standard output; add --out part-{{}}.pgn"
            );
            return Ok(if self.json { Destination::Json(out) } else { Destination::Output(out) });
        };
        anyhow::ensure!(
            self.parts == 1 || pattern.contains(PLACEHOLDER),
            "--out needs {PLACEHOLDER} in place of the number of the part, as in part-{{}}.pgn"
        );
        anyhow::ensure!(
            self.parts <= MAX_FILES,
            "at most {MAX_FILES} files can be written at once; reduce --parts"
        );
        let path = |part: u64| PathBuf::from(pattern.replace(PLACEHOLDER, &part.to_string()));
        let paths: Vec<PathBuf> = (1..=self.parts).map(path).collect();
        let inputs = self.games.iter().filter(|name| *name != STANDARD_INPUT);
        check_outputs(&paths, &inputs.collect::<Vec<_>>())?;
        let drafts = paths.iter().map(|path| NamedDraft::new(path));
        Ok(Destination::Files(drafts.collect::<anyhow::Result<_>>()?))
    }
}

impl Destination<'_> {
    fn write(&mut self, game: &PgnGame, pgn: &str, file: &str, parts: u64) -> anyhow::Result<()> {
        let fingerprint = game.fingerprint();
        let part = Shard::of_game(fingerprint, parts).number();
        match self {
            Destination::Files(drafts) => drafts[part as usize - 1].write(pgn),
            Destination::Output(out) => Ok(out.write_all(pgn.as_bytes())?),
            Destination::Json(out) => {
                let (line, fingerprint) = (game.line, format!("{fingerprint:016x}"));
                Ok(write_json(&GameJson { part, fingerprint, file, line, pgn }, out)?)
            }
        }
    }

    fn finish(self) -> anyhow::Result<()> {
        match self {
            Destination::Files(drafts) => drafts.into_iter().try_for_each(NamedDraft::finish),
            Destination::Output(out) | Destination::Json(out) => Ok(out.flush()?),
        }
    }
}

/// Completes the text of a game with a result and an empty line, so that another game can follow.
fn complete_text(text: &str, game: &PgnGame) -> String {
    // Without a result, the next game could be read as a continuation of this one.
    let end = if game.result.is_some() { "\n\n" } else { "\n*\n\n" };
    [text.trim(), end].concat()
}
