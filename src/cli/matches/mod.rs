//! `stopdown match`: games between two players, and what they say about their strength.

mod arguments;
mod progress;

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::ops::ControlFlow;

use anyhow::{Context, ensure};

use self::arguments::OrderName;
use self::progress::Progress;
use super::Outcome;
use crate::arena::{
    Archive, Book, GameRecord, MatchResult, Order, Pairing, PlayerCard, PlayerSpec, Rules,
    Settings, Tournament, guard_program, introduce, match_pairings,
};
use crate::config::Config;
use crate::math::sprt::Verdict;
use crate::player::Roster;
use crate::report::{match_json, match_summary};

pub use self::arguments::Arguments;

pub fn run(arguments: &Arguments, config: &Config, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let player = |own| player(arguments, own, &config.profiles);
    let players = [player(&arguments.a)?, player(&arguments.b)?];
    let book = match &arguments.openings {
        Some(path) => Book::open(path)?,
        None => Book::built_in(),
    };
    let order = match arguments.order {
        OrderName::Sequential => Order::Sequential,
        OrderName::Random => Order::Random(arguments.seed),
    };
    let openings = book.select(order, arguments.plies, arguments.games.div_ceil(2))?;
    let guard = guard_program();
    let mut cards =
        [introduce(&players[0], guard.as_ref())?, introduce(&players[1], guard.as_ref())?];
    if cards[0].name == cards[1].name {
        cards[0].name.push_str(" 1");
        cards[1].name.push_str(" 2");
    }
    let tournament = Tournament {
        event: format!("{} v {}", cards[0].name, cards[1].name),
        names: cards.iter().map(|card| card.name.clone()).collect(),
        players: players.to_vec(),
        openings,
        rules: rules(arguments),
        concurrency: arguments.concurrency,
        guard,
    };
    let (mut archive, records) = match &arguments.pgn {
        None => (None, Vec::new()),
        Some(path) => {
            let (archive, records) =
                Archive::open(path, &settings(arguments, &players, &cards), arguments.resume)?;
            (Some(archive), records)
        }
    };
    let [a, b] = cards;
    let sides = [(a, players[0].limits), (b, players[1].limits)];
    let mut result = MatchResult::new(sides, &book.name, arguments.sprt);
    records.iter().for_each(|record| result.add(record));
    let pairings = outstanding(arguments.games, &records);
    if !is_decided(&result) {
        play(arguments, &tournament, &pairings, archive.as_mut(), &mut result, out)?;
    }
    if arguments.json {
        writeln!(out, "{:#}", match_json(&result))?;
    } else {
        write_summary(&result, out)?;
    }
    Ok(Outcome::Done)
}

/// Plays what is outstanding; every game is saved before anything is said about it.
fn play(
    arguments: &Arguments,
    tournament: &Tournament,
    pairings: &[Pairing],
    mut archive: Option<&mut Archive>,
    result: &mut MatchResult,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut trouble = Ok(());
    let progress = Progress::new(arguments.games);
    if !tournament.players.iter().any(PlayerSpec::draws_moves) {
        progress.warn_of_repetition(tournament.openings.len());
    }
    tournament.run(pairings, |record| {
        let told = (|| -> anyhow::Result<()> {
            if let Some(archive) = archive.as_deref_mut() {
                archive.append(&record).context("the game could not be saved")?;
            }
            result.add(&record);
            progress.tell(result, &record);
            let games = result.games.total();
            let due = arguments.interval > 0 && games.is_multiple_of(arguments.interval);
            if due && !arguments.json && games < arguments.games as u64 && !is_decided(result) {
                progress.clear();
                write_summary(result, out)?;
            }
            Ok(())
        })();
        let failed = told.is_err();
        trouble = told;
        if failed || is_decided(result) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })?;
    progress.clear();
    trouble
}

fn write_summary(result: &MatchResult, out: &mut dyn Write) -> std::io::Result<()> {
    let rule = "-".repeat(50);
    write!(out, "{rule}\n{}{rule}\n", match_summary(result))?;
    out.flush()
}

fn is_decided(result: &MatchResult) -> bool {
    let ratio = result.log_likelihood_ratio();
    let verdict = result.sprt.zip(ratio).map(|(sprt, ratio)| sprt.verdict(ratio));
    verdict.is_some_and(|verdict| verdict != Verdict::Undecided)
}

fn player(arguments: &Arguments, own: &str, profiles: &Roster) -> anyhow::Result<PlayerSpec> {
    let common = [
        ("tc", &arguments.tc),
        ("st", &arguments.st),
        ("depth", &arguments.depth),
        ("nodes", &arguments.nodes),
    ];
    let common = common
        .iter()
        .filter_map(|(key, value)| value.as_ref().map(|value| format!("{key}={value} ")));
    let words = format!("{}{} {own}", common.collect::<String>(), arguments.each.trim());
    let spec = PlayerSpec::parse(&words, profiles)?;
    let limits = spec.limits;
    ensure!(
        limits.time.is_some() || limits.depth.is_some() || limits.nodes.is_some(),
        "the player \"{own}\" may think for ever: give --tc, --st, --depth or --nodes"
    );
    Ok(spec)
}

fn rules(arguments: &Arguments) -> Rules {
    Rules { draw: arguments.draw, resign: arguments.resign, max_moves: arguments.max_moves }
}

/// What must be the same when a match is resumed. More games and another test may be asked for.
fn settings(arguments: &Arguments, players: &[PlayerSpec; 2], cards: &[PlayerCard; 2]) -> Settings {
    let openings = arguments.openings.as_ref();
    let openings = openings.map_or("built-in".to_owned(), |path| path.display().to_string());
    let pairs = [
        ("a", players[0].text.clone()),
        ("b", players[1].text.clone()),
        ("a is", cards[0].identity.clone()),
        ("b is", cards[1].identity.clone()),
        ("openings", openings),
        ("order", format!("{:?}", arguments.order)),
        ("seed", arguments.seed.to_string()),
        ("plies", format!("{:?}", arguments.plies)),
        ("rules", format!("{:?}", rules(arguments))),
    ];
    Settings(BTreeMap::from(pairs.map(|(key, value)| (key.to_owned(), value))))
}

fn outstanding(games: usize, records: &[GameRecord]) -> Vec<Pairing> {
    let done: HashSet<usize> = records.iter().map(|record| record.game).collect();
    match_pairings(games).into_iter().filter(|pairing| !done.contains(&pairing.game)).collect()
}
