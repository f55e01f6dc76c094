//! The stages that play: the ladder with its table of levels, and the check of the table.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, ensure};
use serde::Serialize;

use super::Arguments;
use super::games::play;
use crate::calibration::{Check, Ladder, Lineup, Scores, dial};
use crate::cli::page::{command_line, save};
use crate::player::{Levels, Made};
use crate::report::{check_text, ladder_text, levels_text};

pub const LEVELS: &str = "levels.toml";
pub const LADDER: &str = "ladder.json";
pub const CHECK: &str = "check.json";

pub fn ladder(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Ladder> {
    let depth = arguments.depth;
    let lineup = match arguments.coarse {
        true => Lineup::of_few(depth),
        false => Lineup::of_paths(depth).with_anchors(),
    };
    let made = Made::here(command_line(), 0);
    let (mut scores, mut seeds) = (Scores::default(), vec![arguments.seed]);
    if let Some(path) = &arguments.after {
        let named = || path.display().to_string();
        let earlier = earlier(path, arguments)?;
        scores = earlier.counted(&lineup, depth, &made, arguments.seed).with_context(named)?;
        seeds.extend(earlier.seeds);
    }
    scores.add_records(&play(arguments, "ladder", "Ladder of levels", &lineup.entrants)?);
    let ladder = Ladder { seeds, ..Ladder::of_scores(&lineup, depth, &scores, made) };
    let text = levels_text(&ladder.levels());
    let path = arguments.out.join(LEVELS);
    text.parse::<Levels>().with_context(|| format!("{} is left as it is", path.display()))?;
    save_json(arguments, LADDER, &ladder)?;
    save(&path, &text)?;
    if !arguments.json {
        writeln!(out, "{}", ladder_text(&ladder))?;
        out.flush()?;
    }
    Ok(ladder)
}

/// The ladder that is to be gone on from. The one that is written may lie where it was read, so it is
/// kept beside the games: when they go on later, they do so after the same.
fn earlier(path: &Path, arguments: &Arguments) -> anyhow::Result<Ladder> {
    let read = |path: &Path| -> anyhow::Result<Ladder> {
        let named = || path.display().to_string();
        serde_json::from_str(&std::fs::read_to_string(path).with_context(named)?)
            .with_context(named)
    };
    let kept = arguments.work.join(format!("before-seed-{}.json", arguments.seed));
    let named = read(path)?;
    let others: Vec<u64> =
        named.seeds.iter().copied().filter(|&seed| seed != arguments.seed).collect();
    if others.len() == named.seeds.len() {
        save(&kept, std::fs::read(path)?)?;
        return Ok(named);
    }
    let before = kept.exists().then(|| read(&kept)).transpose()?;
    Ok(before.filter(|before| before.seeds == others).unwrap_or(named))
}

/// Of the table in the folder of results, which may just have been made; else of the built-in one.
pub fn check(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Check> {
    let path = arguments.out.join(LEVELS);
    let levels = match path.exists() {
        true => {
            let named = || path.display().to_string();
            std::fs::read_to_string(&path).with_context(named)?.parse().with_context(named)?
        }
        false => Levels::built_in().clone(),
    };
    ensure!(
        levels.depth == arguments.depth,
        "the table is of players who look {} plies ahead: give --depth {}",
        levels.depth,
        levels.depth
    );
    let (set, entrants): (Vec<f64>, Vec<_>) = dial(&levels).into_iter().unzip();
    ensure!(set.len() > 2, "the table has too few ratings to check");
    let records = play(arguments, "check", "Check of the levels", &entrants)?;
    let made = Made::here(command_line(), records.len());
    let check = Check::new(&set, &records, made, &levels);
    save_json(arguments, CHECK, &check)?;
    if !arguments.json {
        write!(out, "{}", check_text(&check))?;
        out.flush()?;
    }
    Ok(check)
}

fn save_json(arguments: &Arguments, name: &str, result: &impl Serialize) -> anyhow::Result<()> {
    save(&arguments.out.join(name), &(serde_json::to_string_pretty(result)? + "\n"))
}
