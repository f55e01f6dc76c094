//! The stages that play: the ladder with its table of levels, and the check of the table.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Arguments;
use super::games::play;
use crate::calibration::{Check, Checked, Ladder, Lineup, Scores, dial};
use crate::cli::page::{command_line, save};
use crate::player::{Levels, Made};
use crate::report::{check_text, ladder_text, levels_text};
use crate::value::Depth;

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
    // With those who have played before and play no longer.
    let mut all = lineup.clone();
    let mut known = EarlierGames::default();
    if let Some(path) = &arguments.after {
        known.add_ladder(path, arguments, &mut all, &made)?;
    }
    if let Some(path) = &arguments.checked {
        known.add_check(path, depth, &mut all, &made)?;
    }
    let EarlierGames { mut scores, mut seeds, checked } = known;
    if arguments.games > 0 {
        scores.add_records(&play(arguments, "ladder", "Ladder of levels", &lineup.entrants)?);
        seeds.insert(0, arguments.seed);
    }
    ensure!(scores.games() > 0, "without games there is no ladder: give --games or --after");
    let ladder = Ladder { seeds, checked, ..Ladder::of_scores(&all, depth, &scores, made) };
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

/// Games of other studies that count too.
#[derive(Default)]
struct EarlierGames {
    scores: Scores,
    seeds: Vec<u64>,
    checked: Vec<Checked>,
}

impl EarlierGames {
    fn add_ladder(
        &mut self,
        path: &Path,
        arguments: &Arguments,
        lineup: &mut Lineup,
        made: &Made,
    ) -> anyhow::Result<()> {
        let named = || path.display().to_string();
        let earlier = earlier(path, arguments)?;
        let seed = arguments.seed;
        ensure!(
            arguments.games == 0 || !earlier.seeds.contains(&seed),
            "{} has the games of seed {seed} already: give another --seed, or --games 0",
            named()
        );
        let counted = earlier.finished().counted(lineup, arguments.depth, made);
        self.scores.merge(counted.with_context(named)?);
        self.seeds.extend(earlier.seeds);
        self.checked.extend(earlier.checked);
        Ok(())
    }

    fn add_check(
        &mut self,
        path: &Path,
        depth: Depth,
        lineup: &mut Lineup,
        made: &Made,
    ) -> anyhow::Result<()> {
        let named = || path.display().to_string();
        let check: Check = read(path)?;
        let identity = check.identity();
        ensure!(
            !self.checked.contains(&identity),
            "the games of {} are among those of the ladder already",
            named()
        );
        self.scores.merge(check.finished().counted(lineup, depth, made).with_context(named)?);
        self.checked.push(identity);
        Ok(())
    }
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
    let check = Check::new(&set, &Scores::of_records(&records), arguments.seed, made, &levels);
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
