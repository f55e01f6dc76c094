//! `stopdown-lab depth`: the value of a ply of search depth, from games or from a table of scores.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Context, ensure};

use crate::report::{depth_json, depth_report};
use crate::study::depth::{DepthStudy, RatedDepth, ScoreMatrix};
use stopdown::arena::{
    Book, ContestantSpec, JournalSettings, Order, Rules, Schedule, Tournament, guard_program,
    journal_path,
};
use stopdown::cli::support::{
    CommandOutcome, CommandResult, Progress, check_outputs, command_line, introduced,
    open_campaign, play_campaign, read_text, save, value_parsers, write_text,
};
use stopdown::config::Settings;
use stopdown::player::Roster;
use stopdown::report::html;

const EXAMPLES: &str = "\
The table for --matrix is comma-separated. The first line has the word depth, followed by the depths. \
Each of the other lines has a depth, followed by its scores against all depths, from 0 to 1.

Examples:
  stopdown-lab depth --from 1 --to 6 --games 100 --pgn study.pgn --resume --html study.html
  stopdown-lab depth --player \"cmd=/usr/games/toga2\" --from 1 --to 9 --save-matrix toga.csv
  stopdown-lab depth --matrix scores.csv --anchor 2893.9 --anchor-error 35.4 --json";

/// Measure the gain in Elo for each ply of search depth (Ferreira's study)
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Read the score of each depth against the others from this table instead of playing games
    #[arg(long, value_name = "FILE")]
    matrix: Option<PathBuf>,
    /// The player, specified as in `stopdown match`
    #[arg(long, value_name = "PLAYER", default_value = "self")]
    player: String,
    /// Lowest depth
    #[arg(long, value_name = "PLIES", default_value_t = 1)]
    from: u8,
    /// Highest depth
    #[arg(long, value_name = "PLIES", default_value_t = 6)]
    to: u8,
    /// Number of games between each pair of depths; it must be even, because every opening is
    /// played with both colours
    #[arg(long, default_value_t = 100, value_parser = value_parsers::even_games)]
    games: usize,
    /// Number of games to play at once
    #[arg(long, default_value_t = 1, value_parser = value_parsers::at_least_one)]
    concurrency: usize,
    /// Use the openings in this EPD, FEN or PGN file [default: built-in openings]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Write the games to this file, and a journal for --resume to FILE.jsonl
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Continue a study from its --pgn file
    #[arg(long, requires = "pgn")]
    resume: bool,
    /// Write the table of scores to this file
    #[arg(long, value_name = "FILE", conflicts_with = "matrix")]
    save_matrix: Option<PathBuf>,
    /// Rating of the player with the highest depth
    #[arg(long, value_name = "ELO", default_value_t = 0.0, value_parser = value_parsers::elo)]
    anchor: f64,
    /// Half-width of the 95% interval for --anchor
    #[arg(long, value_name = "ELO", default_value_t = 0.0, value_parser = value_parsers::elo)]
    anchor_error: f64,
    /// Write the results to this file as an HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, config: &Settings, out: &mut dyn Write) -> CommandResult {
    let games = arguments.pgn.iter().flat_map(|pgn| [pgn.clone(), journal_path(pgn)]);
    let read = arguments.matrix.iter().chain(&arguments.openings).cloned();
    let read: Vec<PathBuf> = read.chain(games).collect();
    check_outputs(arguments.html.iter().chain(&arguments.save_matrix), &read)?;
    let (matrix, games) = match &arguments.matrix {
        Some(path) => (read_text(path)?.parse().with_context(|| path.display().to_string())?, None),
        None => {
            let (matrix, games) = play(arguments, &config.profiles)?;
            (matrix, Some(games))
        }
    };
    if let Some(path) = &arguments.save_matrix {
        save(path, matrix.to_string())?;
    }
    let depth = *matrix.depths.last().context("the table has no depths")?;
    let anchor = RatedDepth { depth, elo: arguments.anchor, error: arguments.anchor_error };
    let study = DepthStudy::new(matrix, anchor);
    let report = depth_report(&study, games);
    if let Some(path) = &arguments.html {
        save(path, html::page(&report, &command_line()))?;
    }
    match arguments.json {
        true => writeln!(out, "{}", depth_json(&study))?,
        false => write_text(&report, out)?,
    }
    Ok(CommandOutcome::Done)
}

/// Plays the remaining games, and saves each before it is counted. Returns the scores and the
/// number of games between each pair of depths, which is higher than `--games` if an earlier run
/// played more.
fn play(arguments: &Arguments, profiles: &Roster) -> anyhow::Result<(ScoreMatrix, u64)> {
    ensure!(
        0 < arguments.from && arguments.from < arguments.to,
        "--from must be at least 1 and below --to"
    );
    let depths: Vec<u32> = (arguments.from.into()..=arguments.to.into()).collect();
    let schedule = Schedule::round_robin(depths.len());
    let (tournament, settings) = tournament(arguments, profiles, &schedule)?;
    let path = arguments.pgn.as_deref();
    let mut campaign = open_campaign(&tournament, path, &settings, arguments.resume)?;
    let pairings = schedule.pairings(arguments.games);
    let (all, progress) = (pairings.len(), Progress::new());
    play_campaign(&mut campaign, &pairings, &progress, |_, games| {
        progress.show(format_args!("{games} of {all} games"));
        Ok(ControlFlow::Continue(()))
    })?;
    let records = &campaign.records;
    if let faults @ 1.. = records.iter().filter(|record| record.is_fault()).count() {
        progress.tell(format_args!(
            "games that ended by a crash, an illegal move or lost time, and were not counted: {faults}"
        ));
    }
    let pairs = depths.len() * (depths.len() - 1) / 2;
    let games = (records.len() / pairs) as u64;
    Ok((ScoreMatrix::of_records(depths, records), games))
}

/// The games, and the settings that must match when a study is resumed. The number of games may
/// grow.
fn tournament(
    arguments: &Arguments,
    profiles: &Roster,
    schedule: &Schedule,
) -> anyhow::Result<(Tournament, JournalSettings)> {
    let book = Book::open_or_built_in(arguments.openings.as_deref())?;
    let rounds = arguments.games / 2;
    ensure!(
        rounds <= book.size(),
        "{} has only {} openings, and at fixed depths each opening gives only two different games; \
         give --openings with at least {rounds} openings, or lower --games",
        book.name,
        book.size()
    );
    let openings = book.select(Order::Sequential, None, rounds)?;
    let depths = arguments.from..=arguments.to;
    let player =
        |depth: u8| ContestantSpec::parse(&format!("{} depth={depth}", arguments.player), profiles);
    let players: Vec<ContestantSpec> = depths.clone().map(player).collect::<Result<_, _>>()?;
    let tournament = Tournament {
        event: "Depth study".to_owned(),
        names: depths.map(|depth| format!("Depth {depth}")).collect(),
        players,
        openings: schedule.openings(&openings),
        rules: Rules::default(),
        is_detailed: true,
        tables: None,
        concurrency: arguments.concurrency,
        guard: guard_program(),
    };
    let info = introduced(&tournament.players[0], tournament.guard.as_ref())?;
    let settings = JournalSettings::of([
        ("study", "depth".to_owned()),
        ("player", arguments.player.clone()),
        ("player is", info.identity),
        ("from", arguments.from.to_string()),
        ("to", arguments.to.to_string()),
        ("openings", book.identity),
    ]);
    Ok((tournament, settings))
}
