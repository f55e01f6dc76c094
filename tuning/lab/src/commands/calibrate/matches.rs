//! The stage that plays games. It makes the ladder and the table of levels, and shows progress
//! after each game.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, ensure};
use serde::de::DeserializeOwned;

use super::arguments::Arguments;
use crate::calibrate::{Entrant, Ladder, Lineup, Rounds, Scores};
use crate::report::{calibration_report, levels_text};
use stopdown::arena::{GameRecord, guard_program};
use stopdown::cli::support::{
    Progress, command_line, in_words, introduced, open_campaign, play_campaign, read_text, save,
    write_text,
};
use stopdown::player::{Levels, TableOrigin};

pub const LEVELS: &str = "levels.toml";
pub const LADDER: &str = "ladder.json";

pub fn ladder(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Ladder> {
    let depth = arguments.depth;
    let lineup = match arguments.coarse {
        true => Lineup::coarse(depth),
        false => Lineup::full(depth).with_anchors(),
    };
    let made = TableOrigin::current(command_line(), 0);
    let (mut scores, mut seeds) = match &arguments.after {
        Some(path) => earlier_games(path, arguments, &lineup, &made)?,
        None => Default::default(),
    };
    if arguments.games > 0 {
        scores.add_records(&play(arguments, &lineup.entrants)?);
        seeds.insert(0, arguments.seed);
    }
    ensure!(scores.games() > 0, "a ladder needs games; give --games or --after");
    let ladder = Ladder { seeds, ..Ladder::of_scores(&lineup, depth, &scores, made) };
    let text = levels_text(&ladder.levels());
    let path = arguments.out.join(LEVELS);
    text.parse::<Levels>().with_context(|| format!("{} was not changed", path.display()))?;
    save(&arguments.out.join(LADDER), &(serde_json::to_string_pretty(&ladder)? + "\n"))?;
    save(&path, &text)?;
    if !arguments.json {
        write_text(&calibration_report(Some(&ladder), &[]), out)?;
        out.flush()?;
    }
    Ok(ladder)
}

/// Plays the ladder's games in the working folder, in the order of their numbers. After every
/// round, the next round is paired from the results so far.
fn play(arguments: &Arguments, entrants: &[Entrant]) -> anyhow::Result<Vec<GameRecord>> {
    let rounds = Rounds { entrants, seed: arguments.seed, count: arguments.games / 2 };
    let mut tournament = rounds.tournament("Ladder of levels")?;
    (tournament.concurrency, tournament.guard) = (arguments.concurrency, guard_program());
    let mut others = Vec::new();
    for (place, _) in entrants.iter().enumerate().filter(|(_, entrant)| entrant.is_anchor) {
        let info = introduced(&tournament.players[place], tournament.guard.as_ref())?;
        others.push((place, info.identity));
    }
    let settings = rounds.settings(TableOrigin::current(String::new(), 0).players(), &others);
    let pgn = arguments.work.join("ladder.pgn");
    let mut campaign = open_campaign(&tournament, Some(&pgn), &settings, true)?;
    let (progress, started, before) = (Progress::new(), Instant::now(), campaign.records.len());
    let all = rounds.games();
    for round in 0..rounds.count {
        let pairings = rounds.pairings(round, &campaign.records);
        let mut done = campaign.records.iter().filter(|record| rounds.has(record)).count();
        play_campaign(&mut campaign, &pairings, &progress, |record, games| {
            done += usize::from(rounds.has(record));
            let speed = (games - before) as f64 / started.elapsed().as_secs_f64();
            let left = in_words(all.saturating_sub(done) as f64 / speed);
            progress.show(format_args!("ladder: {done} of {all} games, {left} left"));
            Ok(ControlFlow::Continue(()))
        })?;
    }
    let mut records = campaign.records;
    records.retain(|record| rounds.has(record));
    records.sort_by_key(|record| record.game);
    Ok(records)
}

/// The scores from an earlier ladder, with its seeds.
fn earlier_games(
    path: &Path,
    arguments: &Arguments,
    lineup: &Lineup,
    made: &TableOrigin,
) -> anyhow::Result<(Scores, Vec<u64>)> {
    let named = || path.display().to_string();
    let earlier = earlier(path, arguments)?;
    let seed = arguments.seed;
    ensure!(
        arguments.games == 0 || !earlier.seeds.contains(&seed),
        "{} already has the games for seed {seed}; give another --seed, or --games 0",
        named()
    );
    let scores = earlier.counted(lineup, arguments.depth, made).with_context(named)?;
    Ok((scores, earlier.seeds))
}

/// Loads the ladder to continue from. The output may overwrite that file, so a copy is kept with
/// the games. If the run is resumed later, it uses the same earlier ladder.
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

/// Reads the output of a stage.
pub fn read<T: DeserializeOwned>(path: &Path) -> anyhow::Result<T> {
    serde_json::from_str(&read_text(path)?).with_context(|| {
        format!(
            "{} is not a result of this version of `stopdown-lab calibrate`; check the name, or run its stage again",
            path.display()
        )
    })
}
