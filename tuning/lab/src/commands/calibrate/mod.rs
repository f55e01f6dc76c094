//! `stopdown-lab calibrate`: measures the meaning of levels with human games and by matches.

mod ladder;
mod people;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde::de::DeserializeOwned;

use self::ladder::{LADDER, read};
use self::people::PEOPLE;
use crate::calibrate::Ladder;
use crate::calibrate::people::OfPool;
use crate::report::{calibration_report, strength_by_level};
use stopdown::cli::support::{CommandOutcome, CommandResult, command_line, save, value_parsers};
use stopdown::player::USUAL_DEPTH;
use stopdown::report::html;
use stopdown::value::Depth;

const HELP: &str = "\
Games of people are valued, and the curves fitted to their moves as functions of their ratings. Then
players of all curves, from those who move at random to the best, meet each other in rounds, and one
list of ratings is fitted to all games. Engines of others (/usr/games) are measured beside them if
they are installed. Every finished game is kept in the folder --work: a run that was broken off goes
on where it was when it is started again, and more --games may be asked for later. Games of other
players or another seed want another folder.

The stages, in this order; without any of these words the last three are done:
  --people   value GAMES, fit, and write people.toml and people.json; players play by the numbers that
             are built in, so those written count once the program is built with them
  --ladder   play, fit, and write levels.toml and ladder.json
  --card     write card.html and levels.svg from what the others have written

Examples:
  stopdown-lab calibrate --work target/calibration --people games/*.pgn
  stopdown-lab calibrate --work target/calibration
  stopdown-lab calibrate --work target/calibration --games 400 --ladder
  stopdown-lab calibrate --work more --seed 2 --after tuning/calibration/ladder.json --ladder
  stopdown-lab calibrate --work try --out try --coarse --games 20 --depth 3";

/// Fit the curves to games of people, find out by games which rating each player has, and write the
/// tables of both
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// Where games are kept
    #[arg(long, value_name = "FOLDER")]
    work: PathBuf,
    /// Where results are written
    #[arg(long, value_name = "FOLDER", default_value = "tuning/calibration")]
    out: PathBuf,
    /// Games of every player of the dial's own curve, a third as many of all others; an even number,
    /// for openings are played with both colours. With 0 the ladder is fitted to those of --after
    #[arg(long, default_value_t = 200)]
    games: usize,
    /// How far ahead players look
    #[arg(long, value_name = "PLIES", default_value_t = USUAL_DEPTH, value_parser = clap::value_parser!(u8).range(1..=100))]
    depth: Depth,
    /// Who meets whom is drawn from this
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The ladder.json of an earlier ladder whose games count too; they are of another seed
    #[arg(long, value_name = "FILE")]
    after: Option<PathBuf>,
    /// How many games are played at once
    #[arg(long, default_value_t = 2, value_parser = value_parsers::at_least_one)]
    concurrency: usize,
    /// Only a dozen players, to see whether all works
    #[arg(long)]
    coarse: bool,
    #[command(flatten)]
    people: people::PeopleArguments,
    /// Measure the players of all curves
    #[arg(long)]
    ladder: bool,
    /// Write the page of the results
    #[arg(long)]
    card: bool,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

/// The results of the stages.
#[derive(Debug, Default, serde::Serialize)]
struct StageResults {
    #[serde(skip_serializing_if = "Option::is_none")]
    people: Option<Vec<OfPool>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ladder: Option<Ladder>,
}

/// Runs the requested stages in order.
pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    ensure!(
        arguments.games.is_multiple_of(2),
        "--games must be even: every opening is played with both colours"
    );
    ensure!(
        arguments.games > 0 || arguments.ladder,
        "without --games nothing but --ladder can be done"
    );
    for folder in [&arguments.work, &arguments.out] {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("the folder {}", folder.display()))?;
    }
    let of_people = arguments.people.is_asked_for();
    let all = !(of_people || arguments.ladder || arguments.card);
    let mut results = StageResults::default();
    if of_people {
        results.people = Some(people::run(&arguments.people, arguments, out)?);
    }
    if all || arguments.ladder {
        results.ladder = Some(ladder::ladder(arguments, out)?);
    }
    if arguments.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&results)?)?;
    }
    if all || arguments.card {
        card(arguments)?;
    }
    Ok(CommandOutcome::Done)
}

pub fn card(arguments: &Arguments) -> anyhow::Result<()> {
    let folder = &arguments.out;
    let ladder = written::<Ladder>(&folder.join(LADDER))?;
    let people = written::<Vec<OfPool>>(&folder.join(PEOPLE))?.unwrap_or_default();
    ensure!(
        ladder.is_some() || !people.is_empty(),
        "there is neither {LADDER} nor {PEOPLE} in {}: run it with --ladder first",
        folder.display()
    );
    if let Some(chart) = ladder.as_ref().and_then(strength_by_level) {
        save(&folder.join("levels.svg"), chart.svg())?;
    }
    let report = calibration_report(ladder.as_ref(), &people);
    save(&folder.join("card.html"), html::page(&report, &command_line()))
}

/// Reads the output of a stage if the stage has been run.
fn written<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Option<T>> {
    path.exists().then(|| read(path)).transpose()
}
