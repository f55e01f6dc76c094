//! `analyse --merge`: what several runs have found, put together to what one run would have.
//!
//! A run leaves its values in a store or in lines of `--per-game`. Stores go into one, from which the
//! games are then read; lines are games already.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::Context as _;

use super::study::StudyArguments;
use crate::analyser::Surveyed;
use crate::config::Config;
use crate::games::Store;
use crate::report::{LineConditions, read_game_line};

/// What the files that are to be merged are.
#[derive(Default)]
struct Parts {
    stores: Vec<String>,
    lines: Vec<String>,
    games: Vec<String>,
}

/// How a file of SQLite begins.
const SQLITE: &[u8] = b"SQLite format 3\0";

impl Parts {
    fn sort(files: &[String]) -> anyhow::Result<Parts> {
        let mut parts = Parts::default();
        for name in files {
            let mut start = Vec::new();
            let file = File::open(name).with_context(|| name.clone())?;
            file.take(SQLITE.len() as u64).read_to_end(&mut start).with_context(|| name.clone())?;
            let kind = match &start[..] {
                [] => continue, // a part without games
                SQLITE => &mut parts.stores,
                [b'{', ..] => &mut parts.lines,
                _ => &mut parts.games,
            };
            kind.push(name.clone());
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
    opening: usize,
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
    for name in &parts.lines {
        let file = BufReader::new(File::open(name).with_context(|| name.clone())?);
        for (number, line) in file.lines().enumerate() {
            let at = || format!("{name}, line {}", number + 1);
            let (surveyed, conditions) =
                read_game_line(&line.with_context(at)?, number).with_context(at)?;
            fits(study, needed, &conditions, first.get_or_insert_with(|| conditions.clone()))
                .with_context(at)?;
            if study.wants(&surveyed.pgn) {
                take(surveyed)?;
            }
        }
    }
    if let Some(LineConditions { assessor, .. }) = first {
        let ours = study.assessor(config)?;
        let is_other = assessor != ours;
        anyhow::ensure!(
            !is_other || parts.games.is_empty(),
            "the lines are valued by {assessor}, and the games would be by {ours}: give the same \
             --engine, --evaluation and --cap"
        );
        *stranger = is_other.then_some(assessor);
    }
    match parts.games.is_empty() {
        true => Ok(0),
        false => study.survey(&parts.games, config, opening, take),
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
