//! `analyse --merge`: what several runs have found, put together to what one run would have.
//!
//! A run leaves its values in a store or in lines of `--per-game`. Stores go into one, from which the
//! games are then read; lines are games already.

use std::io::{self, BufRead, Write as _};
use std::path::Path;

use anyhow::Context as _;

use super::source::{STANDARD_INPUT, open};
use super::study::StudyArguments;
use crate::analyser::{Sides, Surveyed};
use crate::config::Config;
use crate::games::Store;
use crate::report::{LineConditions, read_game_line};

/// What the files that are to be merged are.
#[derive(Default)]
struct Parts {
    stores: Vec<String>,
    lines: Vec<(String, Box<dyn BufRead>)>,
    games: Vec<String>,
}

/// How a file of SQLite begins.
const SQLITE: &[u8] = b"SQLite format 3\0";

impl Parts {
    fn sort(files: &[String]) -> anyhow::Result<Parts> {
        let mut parts = Parts::default();
        for name in files {
            let mut text = open(name).with_context(|| name.clone())?;
            match text.fill_buf().with_context(|| name.clone())? {
                [] => {} // a part without games
                start if start.starts_with(SQLITE) => parts.stores.push(name.clone()),
                start if start.trim_ascii_start().starts_with(b"{") => {
                    parts.lines.push((name.clone(), text));
                }
                _ if name == STANDARD_INPUT => {
                    anyhow::bail!("standard input has no lines of --per-game; name files of games")
                }
                _ => parts.games.push(name.clone()),
            }
        }
        Ok(parts)
    }
}

/// Hands over the games of all parts in order, those of lines first. Gives the number of those that
/// had to be left out. Values after the first `needed` moves must be there, those after the first
/// `opening` are found where they are not. Who has valued the lines is told where this run would have
/// been another.
pub fn merge(
    study: &StudyArguments,
    config: &Config,
    (opening, sides): (usize, Sides),
    needed: usize,
    stranger: &mut Option<String>,
    mut take: impl FnMut(Surveyed) -> anyhow::Result<()>,
) -> anyhow::Result<usize> {
    let parts = Parts::sort(&study.games)?;
    if !parts.stores.is_empty() {
        let path = study.store.as_deref().context(
            "say with --store FILE where the values of these stores are to be put together",
        )?;
        anyhow::ensure!(
            !parts.games.is_empty(),
            "a store holds values and no games; give the PGN files too"
        );
        let mut store = Store::open(path)?;
        for other in &parts.stores {
            store.take_in(Path::new(other))?;
        }
        store.commit()?;
    }
    let mut first = None;
    for (name, text) in parts.lines {
        for (number, line) in text.lines().enumerate() {
            let at = || format!("{name}, line {}", number + 1);
            let line = line.with_context(at)?;
            if line.trim().is_empty() {
                continue;
            }
            let (surveyed, conditions) = read_game_line(&line, number).with_context(at)?;
            fits(study, needed, &conditions, first.get_or_insert_with(|| conditions.clone()))
                .with_context(at)?;
            if study.wants(&surveyed.pgn) {
                take(surveyed)?;
            }
        }
    }
    if let Some(LineConditions { assessor, opening: without, .. }) = first {
        if without > opening {
            writeln!(
                io::stderr(),
                "the first {without} moves have no values in these lines, and so none in the page and the \
                 table; lines made with --skip {opening} have them"
            )?;
        }
        let ours = study.assessor(config)?;
        let is_other = assessor != ours;
        anyhow::ensure!(
            !is_other || parts.games.is_empty(),
            "the lines are valued by {assessor}, and the games would be by {ours}: give the same \
             --engine, --eval-file and --cap"
        );
        *stranger = is_other.then_some(assessor);
    }
    match parts.games.is_empty() {
        true => Ok(0),
        false => study.survey(&parts.games, config, (opening, sides), take),
    }
}

/// Values of different conditions make no one result.
fn fits(
    study: &StudyArguments,
    needed: usize,
    found: &LineConditions,
    first: &LineConditions,
) -> anyhow::Result<()> {
    let LineConditions { assessor, depth, opening } = found;
    anyhow::ensure!(
        *assessor == first.assessor,
        "its values are of {assessor}, and those of the first line of {}",
        first.assessor
    );
    anyhow::ensure!(*depth == study.depth, "its values are of depth {depth}; say --depth {depth}");
    anyhow::ensure!(
        *opening <= needed,
        "its first {opening} moves have no values; {}",
        match needed {
            0 => "make the lines with --skip 0".to_owned(),
            _ => format!("say --skip {opening} or more"),
        }
    );
    Ok(())
}
