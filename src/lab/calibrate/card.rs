//! The stage that shows: a page of what the other stages have written.

use std::path::Path;

use anyhow::ensure;
use serde::de::DeserializeOwned;

use super::Arguments;
use super::ladder::{CHECK, LADDER, read};
use super::people::PEOPLE;
use crate::calibration::people::OfPool;
use crate::calibration::{Check, Ladder};
use crate::cli::page::{command_line, save};
use crate::report::{CalibrationPage, strength_by_level};

pub fn card(arguments: &Arguments) -> anyhow::Result<()> {
    let folder = &arguments.out;
    let (ladder, check) =
        (written::<Ladder>(&folder.join(LADDER))?, written::<Check>(&folder.join(CHECK))?);
    let people = written::<Vec<OfPool>>(&folder.join(PEOPLE))?.unwrap_or_default();
    ensure!(
        ladder.is_some() || check.is_some() || !people.is_empty(),
        "there is none of {LADDER}, {CHECK} and {PEOPLE} in {}: run it with --ladder first",
        folder.display()
    );
    if let Some(chart) = ladder.as_ref().and_then(strength_by_level) {
        save(&folder.join("levels.svg"), chart.svg())?;
    }
    let page = CalibrationPage { ladder: ladder.as_ref(), check: check.as_ref(), people: &people };
    save(&folder.join("card.html"), page.html(&command_line()))
}

/// What a stage has written, if it has been run.
fn written<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Option<T>> {
    path.exists().then(|| read(path)).transpose()
}
