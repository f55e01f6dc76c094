//! `stopdown ladder`: plays games between many players and rates them together.

use std::collections::HashSet;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, ensure};

use super::outcome::{CommandOutcome, CommandResult, counted_once};
use super::output::{
    Progress, check_outputs, command_line, reject_duplicates, save, write_json, write_text,
};
use super::tournament::{
    GameLines, Games, MatchConditions, PlayerArguments, PreparedTournament, open_campaign,
    parse_rating, play_campaign, player_words,
};
use super::value_parsers;
use crate::arena::ratings::{Crosstable, PointScale, RatingList, RatingRules};
use crate::arena::{Schedule, journal_path};
use crate::config::Settings;
use crate::games::pgn::{PlayersAndResult, open_text, read_results};
use crate::player::Roster;
use crate::report::{RatingsJson, html, ratings};
use crate::words::counted;

const HELP: &str = concat!(
    player_words!(),
    "
Ratings are fitted to all games at once, as in Ordo. A rating with \">\" or \"<\" is a bound for a player \
who won or lost every game. ERROR is half the width of the 95% interval, relative to the anchor if there \
is one, otherwise to the average. CFS (chance for superiority) is the \
probability that a player is stronger than the next one.

Examples:
  stopdown ladder --player \"self depth=2\" --player \"self depth=4\" \\
      --player \"self depth=6\" --games 40
  stopdown ladder --players players.txt --gauntlet 1 --st 0.1 --games 100 \\
      --pgn games.pgn --resume
  stopdown ladder --pgn games.pgn more.pgn --anchor \"Toga II 3.0\"=2850 \\
      --html ladder.html"
);

/// Make a rating list of many players, from new games or from PGN files
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    #[command(flatten)]
    lineup: PlayerArguments,
    /// Let the first N players meet all the others, but not each other [default: a round robin]
    #[arg(long, value_name = "N", value_parser = value_parsers::at_least_one)]
    gauntlet: Option<usize>,
    /// Number of games for each pair of players; it must be even, because every opening is played
    /// with both colours
    #[arg(long, default_value_t = 20, value_parser = value_parsers::even_games)]
    games: usize,
    #[command(flatten)]
    conditions: MatchConditions,
    /// If players are given, save the games in this file, and a journal for --resume in FILE.jsonl.
    /// Otherwise, compute ratings from the games in these files
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pgn: Vec<PathBuf>,
    /// Continue the tournament saved in the --pgn file, if there is one
    #[arg(long, requires = "pgn")]
    resume: bool,
    /// Fix a player's rating, for example Toga=2850; may be repeated
    #[arg(long = "anchor", value_name = "NAME=ELO", value_parser = parse_rating)]
    anchors: Vec<(String, f64)>,
    /// Average of all ratings, if there is no anchor
    #[arg(long, value_name = "ELO", default_value_t = 2300.0, value_parser = value_parsers::elo)]
    average: f64,
    /// Advantage of playing White [default: fitted to the games]
    #[arg(long, value_name = "ELO", value_parser = value_parsers::elo)]
    white_advantage: Option<f64>,
    /// Use the scale of `match`, where 400 points mean odds of ten to one, instead of Ordo's scale,
    /// where 202 points mean a score of 76%
    #[arg(long)]
    logistic: bool,
    /// Estimate the errors from N simulated tournaments, 100 to 1,000,000
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(100..=1_000_000))]
    simulations: Option<u64>,
    /// Print the list after every GAMES games; 0 prints it only at the end
    #[arg(long, value_name = "GAMES", default_value_t = 100, value_parser = value_parsers::count::<u64>)]
    interval: u64,
    /// Write the list to this file as a web page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, config: &Settings, out: &mut dyn Write) -> CommandResult {
    let words = arguments.lineup.words()?;
    let journals = arguments.pgn.iter().map(|pgn| journal_path(pgn));
    let inputs = arguments.conditions.openings.iter().chain(arguments.lineup.file());
    let used: Vec<PathBuf> = arguments.pgn.iter().chain(inputs).cloned().chain(journals).collect();
    reject_duplicates(&arguments.pgn)?;
    check_outputs(&arguments.html, &used)?;
    arguments.check_anchors()?;
    let table = match words.is_empty() {
        true => read(arguments)?,
        false => play(arguments, &words, &config.profiles, out)?,
    };
    let list = RatingList::new(&table, &arguments.rules())?;
    if let Some(path) = &arguments.html {
        save(path, html::page(&ratings(&list), &command_line()))?;
    }
    match arguments.json {
        true => write_json(&RatingsJson::new(&list), out)?,
        false => write_text(&ratings(&list), out)?,
    }
    Ok(if list.problem.is_some() { CommandOutcome::Negative } else { CommandOutcome::Done })
}

impl Arguments {
    fn check_anchors(&self) -> anyhow::Result<()> {
        let mut names = HashSet::new();
        match self.anchors.iter().find(|(name, _)| !names.insert(name)) {
            Some((name, _)) => anyhow::bail!("--anchor is given twice for {name}"),
            None => Ok(()),
        }
    }

    fn rules(&self) -> RatingRules {
        RatingRules {
            scale: if self.logistic { PointScale::logistic() } else { PointScale::ordo() },
            average: self.average,
            anchors: self.anchors.clone(),
            advantage: self.white_advantage,
            simulations: self.simulations.map(|count| (count, 1)),
        }
    }
}

/// Reads the games from the files.
fn read(arguments: &Arguments) -> anyhow::Result<Crosstable> {
    ensure!(
        !arguments.pgn.is_empty(),
        "give at least two players with --player, or games to rate with --pgn"
    );
    ensure!(arguments.gauntlet.is_none(), "--gauntlet needs players; add them with --player");
    ensure!(!arguments.resume, "to continue a tournament, give its players again, with --resume");
    let mut table = Crosstable::default();
    let mut known = HashSet::new();
    let mut duplicates = 0;
    let games = |count: usize| counted(count, "game");
    for path in &arguments.pgn {
        let tell = |text: String| Progress::new().tell(format_args!("{}: {text}", path.display()));
        let named = || path.display().to_string();
        let file = open_text(path, &Arc::default()).with_context(named)?;
        let (mut played, mut unplayed) = (0, Vec::new());
        let add = |game: PlayersAndResult| match game.fingerprint {
            None => unplayed.push(game),
            Some(fingerprint) => {
                played += 1;
                if known.insert(fingerprint) {
                    table.add(&game.white, &game.black, game.result);
                } else {
                    duplicates += 1;
                }
            }
        };
        let others = read_results(file, add).with_context(named)?;
        if others > 0 {
            tell(format!(
                "skipped {} without two players and a result in their tags",
                games(others)
            ));
        }
        if played == 0 {
            // The moves have been removed from the file, so nothing shows which games were played.
            unplayed.iter().for_each(|game| table.add(&game.white, &game.black, game.result));
        } else if !unplayed.is_empty() {
            tell(format!("skipped {} without moves, which were not played", games(unplayed.len())));
        }
        if played + unplayed.len() + others == 0 {
            tell("no games with tags".to_owned());
        }
    }
    if duplicates > 0 {
        Progress::new().tell(counted_once(duplicates));
    }
    Ok(table)
}

/// Plays the remaining games. Every game is saved before it is counted.
fn play(
    arguments: &Arguments,
    words: &[String],
    profiles: &Roster,
    out: &mut dyn Write,
) -> anyhow::Result<Crosstable> {
    ensure!(words.len() > 1, "a ladder needs at least two players");
    ensure!(
        arguments.pgn.len() < 2,
        "when players are given, give only one --pgn file, to save their games in"
    );
    let schedule = match arguments.gauntlet {
        None => Schedule::round_robin(words.len()),
        Some(challengers) => {
            let possible = (1..words.len()).contains(&challengers);
            ensure!(possible, "--gauntlet is out of range: each side needs at least one player");
            Schedule::gauntlet(challengers, words.len())
        }
    };
    let journal_name = |number| format!("player {}", number + 1);
    let players: Vec<&str> = words.iter().map(String::as_str).collect();
    let rounds = arguments.games / 2;
    let PreparedTournament { mut tournament, mut settings, .. } = arguments.conditions.tournament(
        &players,
        journal_name,
        profiles,
        Games { openings: rounds, odds: None },
    )?;
    "Ladder".clone_into(&mut tournament.event);
    tournament.openings = schedule.openings(&tournament.openings);
    if let Some(challengers) = arguments.gauntlet {
        settings.0.insert("gauntlet".to_owned(), challengers.to_string());
    }
    let path = arguments.pgn.first().map(PathBuf::as_path);
    let mut campaign = open_campaign(&tournament, path, &settings, arguments.resume)?;
    let mut table = Crosstable::of_players(&tournament.names);
    // If an anchor does not exist, report that before the games are played, not afterwards.
    RatingList::new(&table, &arguments.rules())?;
    campaign.records.iter().for_each(|record| table.add_record(record));
    let pairings = schedule.pairings(arguments.games);
    let all = pairings.len() as u64;
    let progress = Progress::new();
    let lines = GameLines::new(&campaign, pairings.len(), false);
    play_campaign(&mut campaign, &pairings, &progress, |record, done| {
        table.add_record(record);
        let games = table.games();
        if !arguments.json {
            progress.clear();
            writeln!(out, "{}", lines.line(record, done))?;
            out.flush()?;
        }
        progress.show(format_args!("{games} of {all} games"));
        let due = arguments.interval > 0 && games.is_multiple_of(arguments.interval);
        if due && games < all && !arguments.json {
            let quick = RatingRules { simulations: None, ..arguments.rules() };
            progress.clear();
            writeln!(out, "After {games} of {all} games:")?;
            write_text(&ratings(&RatingList::new(&table, &quick)?), out)?;
            writeln!(out)?;
            out.flush()?;
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(table)
}
