//! Games of a stage, told while they are played.

use std::time::Instant;

use super::Arguments;
use crate::arena::{GameRecord, guard_program};
use crate::calibration::{Entrant, Study, Told};
use crate::cli::archive::tell_made_anew;
use crate::cli::progress::{Progress, in_words};
use crate::player::Made;

/// The games of a study that keeps them in the working folder under this name.
pub fn play(
    arguments: &Arguments,
    name: &str,
    event: &str,
    entrants: &[Entrant],
) -> anyhow::Result<Vec<GameRecord>> {
    let pgn = arguments.work.join(format!("{name}.pgn"));
    let study = Study {
        event,
        entrants,
        pgn: &pgn,
        seed: arguments.seed,
        rounds: arguments.games / 2,
        concurrency: arguments.concurrency,
        identity: Made::here(String::new(), 0).players(),
        guard: guard_program(),
    };
    let (progress, started) = (Progress::new(), Instant::now());
    let mut played = 0;
    let records = study.run(&mut |told| match told {
        Told::SetAside(path) => progress.tell(format_args!(
            "{} has games of other players, another engine or another seed: it is now {}",
            pgn.display(),
            path.display()
        )),
        Told::TakenUp(path) => progress
            .tell(format_args!("the games in {} go on: they are of these players", path.display())),
        Told::MadeAnew(aside) => tell_made_anew(&progress, &pgn, &aside),
        Told::Games { done, all, last } => {
            played += usize::from(last.is_some());
            if let Some(record) = last {
                let [white, black] = [record.white, record.black].map(|side| &entrants[side].name);
                progress.tell_fault(record, white, black);
            }
            let speed = played as f64 / started.elapsed().as_secs_f64();
            let left = (played > 0).then(|| in_words(all.saturating_sub(done) as f64 / speed));
            let left = left.map_or(String::new(), |left| format!(", {left} left"));
            progress.show(format_args!("{name}: {done} of {all} games{left}"));
        }
    })?;
    progress.clear();
    Ok(records)
}
