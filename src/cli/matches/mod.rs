//! `stopdown match`: games between two players, and what they say about their strength.

mod arguments;

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::ControlFlow;

use super::lineup::introduce_all;
use super::progress::Progress;
use super::{CommandOutcome, campaign};
use crate::arena::{
    Book, Campaign, ContestantSpec, JournalSettings, MatchResult, PlayerCard, Tournament,
    guard_program, match_pairings,
};
use crate::config::Config;
use crate::math::sprt::Verdict;
use crate::report::{match_json, match_summary};

pub use self::arguments::Arguments;

pub fn run(
    arguments: &Arguments,
    config: &Config,
    out: &mut dyn Write,
) -> anyhow::Result<CommandOutcome> {
    let conditions = &arguments.conditions;
    let player = |own| conditions.player(own, &config.profiles);
    let players = [player(&arguments.a)?, player(&arguments.b)?];
    let (book, openings) = conditions.openings(arguments.games.div_ceil(2))?;
    let guard = guard_program();
    let cards = introduce_all(&players, guard.as_ref())?;
    let tournament = Tournament {
        event: format!("{} v {}", cards[0].name, cards[1].name),
        names: cards.iter().map(|card| card.name.clone()).collect(),
        players: players.to_vec(),
        openings,
        rules: conditions.rules(),
        tables: conditions.tables()?,
        concurrency: conditions.concurrency,
        guard,
    };
    let settings = settings(arguments, &players, &cards, &book);
    let path = arguments.pgn.as_deref();
    let mut campaign = campaign::open(&tournament, path, &settings, arguments.resume)?;
    let sides = [0, 1].map(|side| (cards[side].clone(), players[side].limits));
    let mut result = MatchResult::new(sides, &book.name, arguments.sprt);
    campaign.records.iter().for_each(|record| result.add(record));
    if !is_decided(&result) {
        play(arguments, &mut campaign, &mut result, out)?;
    }
    if arguments.json {
        writeln!(out, "{:#}", match_json(&result))?;
    } else {
        write_summary(&result, out)?;
    }
    Ok(CommandOutcome::Done)
}

/// Plays what is outstanding, as long as the result is open.
fn play(
    arguments: &Arguments,
    campaign: &mut Campaign<'_>,
    result: &mut MatchResult,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let progress = Progress::new();
    let tournament = campaign.tournament;
    if !tournament.players.iter().any(ContestantSpec::draws_moves) {
        warn_of_repetition(&progress, arguments.games, tournament.openings.len());
    }
    campaign::play(campaign, &match_pairings(arguments.games), &progress, |records| {
        records.last().into_iter().for_each(|record| result.add(record));
        progress.show(standing(result, arguments.games));
        let games = result.games.total();
        if is_decided(result) {
            return Ok(ControlFlow::Break(()));
        }
        let due = arguments.interval > 0 && games.is_multiple_of(arguments.interval);
        if due && !arguments.json && games < arguments.games as u64 {
            progress.clear();
            write_summary(result, out)?;
        }
        Ok(ControlFlow::Continue(()))
    })
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

/// Games of players without chance are repeated with their opening, and count for nothing new.
fn warn_of_repetition(progress: &Progress, games: usize, openings: usize) {
    if games > 2 * openings {
        progress.tell(format_args!(
            "there are only {openings} openings: from game {} on they are played again, and \
             players that count depth or nodes repeat their games",
            2 * openings + 1
        ));
    }
}

fn standing(result: &MatchResult, games: usize) -> String {
    let [losses, draws, wins] = result.games.0;
    let elo = result.pairs.elo();
    format!(
        "{} of {games} games: +{wins} ={draws} -{losses}, Elo {:+.1} +/- {:.1}",
        result.games.total(),
        elo.value,
        elo.error
    )
}

/// What must be the same when a match is resumed. More games and another test may be asked for.
fn settings(
    arguments: &Arguments,
    players: &[ContestantSpec],
    cards: &[PlayerCard],
    book: &Book,
) -> JournalSettings {
    let own = [
        ("a", players[0].text.clone()),
        ("b", players[1].text.clone()),
        ("a is", cards[0].identity.clone()),
        ("b is", cards[1].identity.clone()),
    ];
    let all = own.into_iter().chain(arguments.conditions.settings(book));
    JournalSettings(BTreeMap::from_iter(all.map(|(key, value)| (key.to_owned(), value))))
}
