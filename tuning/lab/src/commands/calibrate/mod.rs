//! `stopdown-lab calibrate`: measures the meaning of levels from human games and matches.

mod arguments;
mod matches;
mod people;

use std::io::Write;
use std::path::Path;

use anyhow::{Context, ensure};
use serde::de::DeserializeOwned;

use self::matches::{LADDER, read};
use self::people::PEOPLE;
use crate::calibrate::Ladder;
use crate::calibrate::people::PoolResults;
use crate::report::{calibration_report, strength_by_level};
use stopdown::cli::support::{CommandOutcome, CommandResult, command_line, save};
use stopdown::report::{drawing, html};

pub use arguments::Arguments;

/// The results of the stages.
#[derive(Debug, Default, serde::Serialize)]
struct StageResults {
    #[serde(skip_serializing_if = "Option::is_none")]
    people: Option<Vec<PoolResults>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ladder: Option<Ladder>,
}

/// Runs the requested stages in order.
pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    ensure!(
        arguments.games.is_multiple_of(2),
        "--games must be even: every opening is played with both colours"
    );
    ensure!(arguments.games > 0 || arguments.ladder, "--games 0 needs --ladder");
    for folder in [&arguments.work, &arguments.out] {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    }
    let of_people = arguments.people.is_requested();
    let all = !(of_people || arguments.ladder || arguments.card);
    let mut results = StageResults::default();
    if of_people {
        results.people = Some(people::run(&arguments.people, arguments, out)?);
    }
    if all || arguments.ladder {
        results.ladder = Some(matches::ladder(arguments, out)?);
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
    let people = written::<Vec<PoolResults>>(&folder.join(PEOPLE))?.unwrap_or_default();
    ensure!(
        ladder.is_some() || !people.is_empty(),
        "{} has neither {LADDER} nor {PEOPLE}; run the command with --ladder first",
        folder.display()
    );
    if let Some(chart) = ladder.as_ref().and_then(strength_by_level) {
        save(&folder.join("levels.svg"), drawing::svg(&chart))?;
    }
    let report = calibration_report(ladder.as_ref(), &people);
    save(&folder.join("card.html"), html::page(&report, &command_line()))
}

/// Reads the output of a stage if the stage has been run.
fn written<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Option<T>> {
    path.exists().then(|| read(path)).transpose()
}
