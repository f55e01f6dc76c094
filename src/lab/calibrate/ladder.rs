//! The stage that plays: the ladder with its table of levels.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, ensure};
use serde::de::DeserializeOwned;

use super::Arguments;
use super::games::play;
use crate::calibration::{Ladder, Lineup, Scores};
use crate::cli::output::{command_line, save};
use crate::player::{Levels, Made};
use crate::report::{ladder_text, levels_text};

pub const LEVELS: &str = "levels.toml";
pub const LADDER: &str = "ladder.json";

pub fn ladder(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Ladder> {
    let depth = arguments.depth;
    let lineup = match arguments.coarse {
        true => Lineup::of_few(depth),
        false => Lineup::of_paths(depth).with_anchors(),
    };
    let made = Made::here(command_line(), 0);
    let (mut scores, mut seeds) = match &arguments.after {
        Some(path) => earlier_games(path, arguments, &lineup, &made)?,
        None => Default::default(),
    };
    if arguments.games > 0 {
        scores.add_records(&play(arguments, "ladder", "Ladder of levels", &lineup.entrants)?);
        seeds.insert(0, arguments.seed);
    }
    ensure!(scores.games() > 0, "without games there is no ladder: give --games or --after");
    let ladder = Ladder { seeds, ..Ladder::of_scores(&lineup, depth, &scores, made) };
    let text = levels_text(&ladder.levels());
    let path = arguments.out.join(LEVELS);
    text.parse::<Levels>().with_context(|| format!("{} is left as it is", path.display()))?;
    save(&arguments.out.join(LADDER), &(serde_json::to_string_pretty(&ladder)? + "\n"))?;
    save(&path, &text)?;
    if !arguments.json {
        writeln!(out, "{}", ladder_text(&ladder))?;
        out.flush()?;
    }
    Ok(ladder)
}

/// The scores of an earlier ladder, and what its games were drawn from.
fn earlier_games(
    path: &Path,
    arguments: &Arguments,
    lineup: &Lineup,
    made: &Made,
) -> anyhow::Result<(Scores, Vec<u64>)> {
    let named = || path.display().to_string();
    let earlier = earlier(path, arguments)?;
    let seed = arguments.seed;
    ensure!(
        arguments.games == 0 || !earlier.seeds.contains(&seed),
        "{} has the games of seed {seed} already: give another --seed, or --games 0",
        named()
    );
    let scores = earlier.counted(lineup, arguments.depth, made).with_context(named)?;
    Ok((scores, earlier.seeds))
}

/// The ladder that is to be gone on from. The one that is written may lie where it was read, so it is
/// kept beside the games: when they go on later, they do so after the same.
fn earlier(path: &Path, arguments: &Arguments) -> anyhow::Result<Ladder> {
    let kept = arguments.work.join(format!("before-seed-{}.json", arguments.seed));
    let named: Ladder = read(path)?;
    if arguments.games == 0 {
        return Ok(named);
    }
    let others: Vec<u64> =
        named.seeds.iter().copied().filter(|&seed| seed != arguments.seed).collect();
    if others.len() == named.seeds.len() {
        save(&kept, std::fs::read(path)?)?;
        return Ok(named);
    }
    let before: Option<Ladder> = kept.exists().then(|| read(&kept)).transpose()?;
    Ok(before.filter(|before| before.seeds == others).unwrap_or(named))
}

/// What a stage has written.
pub fn read<T: DeserializeOwned>(path: &Path) -> anyhow::Result<T> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    serde_json::from_str(&text).with_context(|| {
        format!("{}: another version wrote it; run its stage again", path.display())
    })
}
