//! `stopdown ladder`: plays games between many players and rates them together.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, ensure};

use super::outcome::{CommandOutcome, CommandResult};
use super::output::{Progress, can_save, command_line, named_once, save, write_json, write_text};
use super::tournament::{
    MatchConditions, PlayerArguments, PreparedTournament, open_campaign, parse_rating,
    play_campaign, player_words,
};
use super::value_parsers;
use crate::arena::ratings::{Crosstable, PointScale, RatingList, RatingRules};
use crate::arena::{Schedule, journal_path};
use crate::config::Settings;
use crate::games::pgn::{open_text, read_results};
use crate::player::Roster;
use crate::report::{RatingsJson, html, ratings};

const HELP: &str = concat!(
    player_words!(),
    "
Ratings are fitted to all games at once, as Ordo does it; \">\" and \"<\" stand before the bound of
somebody who has won or lost everything. An error is half the 95 % interval, against the anchor if
there is one, else against the average. CFS is how sure it is that a player is better than the next.

Examples:
  stopdown ladder --player \"self depth=2\" --player \"self depth=4\" --player \"self depth=6\" --games 40
  stopdown ladder --players players.txt --gauntlet 1 --st 0.1 --games 100 --pgn games.pgn --resume
  stopdown ladder --pgn games.pgn more.pgn --anchor \"Toga II 3.0\"=2850 --html ladder.html"
);

/// Rate many players by games between them, or by games already played
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    #[command(flatten)]
    lineup: PlayerArguments,
    /// Only the first N players meet the others, and not each other; else everybody meets everybody
    #[arg(long, value_name = "N")]
    gauntlet: Option<usize>,
    /// Games between any two; an even number, for openings are played with both colours
    #[arg(long, default_value_t = 20, value_parser = value_parsers::even_games)]
    games: usize,
    #[command(flatten)]
    conditions: MatchConditions,
    /// With players: write the games to this file, and what --resume needs to FILE.jsonl. Without
    /// players: rate the games in these files
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pgn: Vec<PathBuf>,
    /// Go on with the games in the PGN file, if there are some
    #[arg(long, requires = "pgn")]
    resume: bool,
    /// Give a player's rating, as Toga=2850; with one anchor all else is relative to it, several
    /// are held fast
    #[arg(long = "anchor", value_name = "NAME=ELO", value_parser = parse_rating)]
    anchors: Vec<(String, f64)>,
    /// The average of all ratings where there is no anchor
    #[arg(long, value_name = "ELO", default_value_t = 2300.0, value_parser = value_parsers::elo)]
    average: f64,
    /// What the white pieces are worth, instead of finding out
    #[arg(long, value_name = "ELO", allow_hyphen_values = true)]
    white_advantage: Option<f64>,
    /// Take 400 points for odds of ten to one, as `match` does, instead of Ordo's 202 for 76 %
    #[arg(long)]
    logistic: bool,
    /// Find the errors by playing all games again so often with the odds found
    #[arg(long, value_name = "N")]
    simulations: Option<u64>,
    /// Print the standing after every so many games; 0 only at the end
    #[arg(long, value_name = "GAMES", default_value_t = 100)]
    interval: u64,
    /// Write the result to this file as a page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, config: &Settings, out: &mut dyn Write) -> CommandResult {
    let words = arguments.lineup.words()?;
    let journals = arguments.pgn.iter().map(|pgn| journal_path(pgn));
    let openings = arguments.conditions.openings.clone();
    let used: Vec<PathBuf> =
        arguments.pgn.iter().cloned().chain(journals).chain(openings).collect();
    named_once(&arguments.pgn)?;
    can_save(&arguments.html, &used)?;
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
    Ok(if list.trouble.is_some() { CommandOutcome::Negative } else { CommandOutcome::Done })
}

impl Arguments {
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
    ensure!(!arguments.pgn.is_empty(), "give at least two --player, or games to rate with --pgn");
    let mut table = Crosstable::default();
    for path in &arguments.pgn {
        let named = || path.display().to_string();
        let file = open_text(path, &Arc::default()).with_context(named)?;
        let add = |game: crate::games::pgn::PlayersAndResult| {
            table.add(&game.white, &game.black, game.result);
        };
        let others = read_results(file, add).with_context(named)?;
        if others > 0 {
            let path = path.display();
            Progress::new()
                .tell(format_args!("{path}: {others} games without two players and a result"));
        }
    }
    Ok(table)
}

/// Plays the remaining games. Every game is saved before it counts.
fn play(
    arguments: &Arguments,
    words: &[String],
    profiles: &Roster,
    out: &mut dyn Write,
) -> anyhow::Result<Crosstable> {
    ensure!(words.len() > 1, "a ladder needs at least two players");
    ensure!(arguments.pgn.len() < 2, "with players there is one --pgn, the file to be written");
    let schedule = match arguments.gauntlet {
        None => Schedule::round_robin(words.len()),
        Some(challengers) => {
            let possible = (1..words.len()).contains(&challengers);
            ensure!(possible, "--gauntlet must leave at least one player on either side");
            Schedule::gauntlet(challengers, words.len())
        }
    };
    let journal_name = |number| format!("player {}", number + 1);
    let players: Vec<&str> = words.iter().map(String::as_str).collect();
    let rounds = arguments.games / 2;
    let PreparedTournament { mut tournament, mut settings, .. } =
        arguments.conditions.tournament(&players, journal_name, profiles, rounds)?;
    "Ladder".clone_into(&mut tournament.event);
    tournament.openings = schedule.openings(&tournament.openings);
    settings.0.insert("gauntlet".to_owned(), format!("{:?}", arguments.gauntlet));
    let path = arguments.pgn.first().map(PathBuf::as_path);
    let mut campaign = open_campaign(&tournament, path, &settings, arguments.resume)?;
    let mut table = Crosstable::of_players(&tournament.names);
    // Report an anchor that does not exist before the games rather than after them.
    RatingList::new(&table, &arguments.rules())?;
    campaign.records.iter().for_each(|record| table.add_record(record));
    let pairings = schedule.pairings(arguments.games);
    let all = pairings.len() as u64;
    let progress = Progress::new();
    play_campaign(&mut campaign, &pairings, &progress, |records| {
        records.last().into_iter().for_each(|record| table.add_record(record));
        let games = table.games();
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
