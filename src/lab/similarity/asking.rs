//! The part of `similarity` that asks players for moves.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail, ensure};

use super::Arguments;
use crate::arena::similarity::{Answer, Column, Interviewee, Suite, interview, scaled_time};
use crate::arena::{
    ContestantSpec, EngineSpec, Journal, JournalError, JournalSettings, PlayerCard, TimeControl,
    guard_program,
};
use crate::cli::lineup::introduce_all;
use crate::cli::progress::Progress;
use crate::player::Roster;

/// Asks what is outstanding; every answer is saved before the next.
pub fn ask(
    arguments: &Arguments,
    words: &[String],
    profiles: &Roster,
) -> anyhow::Result<Vec<Column>> {
    let mut suite = match &arguments.positions {
        Some(path) => Suite::open(path)?,
        None => Suite::built_in()?,
    };
    let settings = settings(&suite);
    suite.positions.truncate(arguments.first.unwrap_or(usize::MAX));
    let (mut journal, mut answers) = match &arguments.answers {
        None => (None, Vec::new()),
        Some(path) => {
            if !arguments.resume && path.exists() {
                return Err(JournalError::Exists(path.clone()).into());
            }
            let (journal, answers) = Journal::open(path, &settings)?;
            (Some(journal), answers)
        }
    };
    let guard = guard_program();
    let mut interviewees = interviewees(arguments, words, profiles, guard.as_ref())?;
    for interviewee in &mut interviewees {
        let own = |answer: &&Answer| answer.player == interviewee.name;
        let words = interviewee.words();
        if let Some(other) = answers.iter().filter(own).find(|answer| answer.words != words) {
            let (name, other) = (&interviewee.name, &other.words);
            bail!(
                "{name} has answered as {other} and is now {words}; call him name=SOMETHING ELSE"
            );
        }
        let answered = answers.iter().filter(own).filter(|answer| answer.mv.is_some());
        let done: HashSet<(u32, usize)> = answered.map(|a| (a.run, a.position)).collect();
        let runs = if arguments.twice { 1..=2 } else { 1..=1 };
        let all = runs.flat_map(|run| (0..suite.positions.len()).map(move |at| (run, at)));
        interviewee.questions = all.filter(|question| !done.contains(question)).collect();
    }
    let all: usize = interviewees.iter().map(|interviewee| interviewee.questions.len()).sum();
    let progress = Progress::new();
    let mut saved = Ok(());
    let mut asked = 0;
    interview(&suite, &interviewees, arguments.concurrency, guard.as_ref(), |answer| {
        if let Some(Err(error)) = journal.as_mut().map(|journal| journal.append(&answer)) {
            saved = Err(error);
            return ControlFlow::Break(());
        }
        asked += 1;
        progress.show(format_args!("{asked} of {all} questions, now {}", answer.player));
        answers.push(answer);
        ControlFlow::Continue(())
    })?;
    progress.clear();
    saved.context("the answer could not be saved")?;
    let column = |interviewee: &Interviewee| {
        let own = answers.iter().filter(|answer| answer.player == interviewee.name);
        let own: Vec<Answer> = own.cloned().collect();
        let name = sim_name(interviewee);
        let is_own = matches!(interviewee.spec.engine, EngineSpec::Own { .. });
        let families = is_own.then(|| "Stopdown".to_owned()).into_iter().collect();
        Column { families, ..Column::of_answers(&name, suite.positions.len(), &own) }
    };
    Ok(interviewees.iter().map(column).collect())
}

/// The players, each with the time that he gets.
fn interviewees(
    arguments: &Arguments,
    words: &[String],
    profiles: &Roster,
    guard: Option<&PathBuf>,
) -> anyhow::Result<Vec<Interviewee>> {
    ensure!(arguments.time >= 1.0 && arguments.time < 1e9, "--time is in milliseconds, at least 1");
    let base = Duration::from_secs_f64(arguments.time / 1000.0);
    let each = arguments.each.trim();
    let specs =
        words.iter().map(|words| ContestantSpec::parse(&format!("{each} {words}"), profiles));
    let specs: Vec<ContestantSpec> = specs.collect::<Result<_, _>>()?;
    let cards = introduce_all(&specs, guard)?;
    let rated = |name: &str| {
        let found = arguments.ratings.iter().find(|(rated, _)| rated == name);
        found.map(|(_, rating)| *rating)
    };
    let names: Vec<&str> = cards.iter().map(|card| card.name.as_str()).collect();
    let is_asked = |name: &String| names.contains(&name.as_str());
    if let Some((unknown, _)) = arguments.ratings.iter().find(|(name, _)| !is_asked(name)) {
        bail!("\"{unknown}\" is rated and is not asked; there are {}", names.join(", "));
    }
    let highest = arguments.ratings.iter().map(|(_, rating)| *rating).fold(f64::MIN, f64::max);
    let reference = arguments.reference.unwrap_or(highest);
    let interviewee = |(mut spec, card): (ContestantSpec, PlayerCard)| {
        let PlayerCard { name, identity, .. } = card;
        let limits = &mut spec.limits;
        if let Some(TimeControl::Clock { .. }) = limits.time {
            bail!("{name} has a clock; positions are asked one by one: give it st=SECONDS");
        }
        if limits.time.is_none() && limits.depth.is_none() && limits.nodes.is_none() {
            let time = match (rated(&name), arguments.ratings.is_empty()) {
                (Some(rating), _) => scaled_time(base, reference - rating),
                (None, true) => base,
                (None, false) => bail!("{name} has no --rating to scale its time by"),
            };
            limits.time = Some(TimeControl::PerMove(time));
        }
        Ok(Interviewee { name, identity, spec, questions: Vec::new() })
    };
    specs.into_iter().zip(cards).map(interviewee).collect()
}

/// As the similarity tester calls an engine.
fn sim_name(interviewee: &Interviewee) -> String {
    let Interviewee { name, spec, .. } = interviewee;
    match spec.limits.time {
        Some(TimeControl::PerMove(time)) => {
            format!("{name} (time: {} ms  scale: 1.0)", time.as_millis())
        }
        _ => format!("{name} ({})", spec.limits),
    }
}

/// What must be the same when answers are added to. More of the positions may be asked about.
fn settings(suite: &Suite) -> JournalSettings {
    let pairs = [
        ("study", "similarity".to_owned()),
        ("chance", "of its own for every position".to_owned()),
        ("positions", format!("{} ({:016x})", suite.positions.len(), suite.fingerprint())),
    ];
    JournalSettings(BTreeMap::from(pairs.map(|(key, value)| (key.to_owned(), value))))
}
