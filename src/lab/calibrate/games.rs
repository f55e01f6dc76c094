//! Games of a stage, round by round, told while they are played.

use std::ops::ControlFlow;
use std::time::Instant;

use super::Arguments;
use crate::arena::{GameRecord, guard_program};
use crate::calibration::{Entrant, Rounds};
use crate::cli::campaign;
use crate::cli::lineup::introduced;
use crate::cli::output::{Progress, in_words};
use crate::player::Made;

/// The games of a study that keeps them in the working folder under this name, in the order of their
/// numbers. After every round the next is made from what it has come to.
pub fn play(
    arguments: &Arguments,
    name: &str,
    event: &str,
    entrants: &[Entrant],
) -> anyhow::Result<Vec<GameRecord>> {
    let rounds = Rounds { entrants, seed: arguments.seed, count: arguments.games / 2 };
    let mut tournament = rounds.tournament(event)?;
    (tournament.concurrency, tournament.guard) = (arguments.concurrency, guard_program());
    let mut others = Vec::new();
    for (place, _) in entrants.iter().enumerate().filter(|(_, entrant)| entrant.is_anchor) {
        let card = introduced(&tournament.players[place], tournament.guard.as_ref())?;
        others.push((place, card.identity));
    }
    let settings = rounds.settings(Made::here(String::new(), 0).players(), &others);
    let pgn = arguments.work.join(format!("{name}.pgn"));
    let mut campaign = campaign::open(&tournament, Some(&pgn), &settings, true)?;
    let (progress, started, before) = (Progress::new(), Instant::now(), campaign.records.len());
    let all = rounds.games();
    for round in 0..rounds.count {
        let pairings = rounds.pairings(round, &campaign.records);
        campaign::play(&mut campaign, &pairings, &progress, |records| {
            let done = records.iter().filter(|record| rounds.has(record)).count();
            let speed = (records.len() - before) as f64 / started.elapsed().as_secs_f64();
            let left = in_words(all.saturating_sub(done) as f64 / speed);
            progress.show(format_args!("{name}: {done} of {all} games, {left} left"));
            Ok(ControlFlow::Continue(()))
        })?;
    }
    let mut records = campaign.records;
    records.retain(|record| rounds.has(record));
    records.sort_by_key(|record| record.game);
    Ok(records)
}
