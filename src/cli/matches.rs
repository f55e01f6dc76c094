//! `stopdown match`: plays games between two players and estimates the difference in strength.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

use super::outcome::{CommandOutcome, CommandResult};
use super::output::{Progress, write_json};
use super::tournament::{
    GameLines, Games, MatchConditions, OddsName, PreparedTournament, numbers, open_campaign,
    play_campaign, player_words,
};
use super::value_parsers;
use crate::arena::{Campaign, MatchResult, Pairing, match_pairings, odds_pairings};
use crate::config::Settings;
use crate::math::sprt::{Sprt, Verdict};
use crate::report::{MatchJson, match_summary};

pub fn run(arguments: &Arguments, config: &Settings, out: &mut dyn Write) -> CommandResult {
    let words = [arguments.a.as_str(), arguments.b.as_str()];
    let journal_name = |number: usize| ["a", "b"][number].to_owned();
    let pairings = match arguments.odds {
        None => match_pairings(arguments.games),
        Some(_) => odds_pairings(arguments.games),
    };
    let openings = pairings.last().map_or(0, |last| last.opening);
    let games = Games { openings, odds: arguments.odds };
    let has_book = arguments.conditions.openings.is_some();
    anyhow::ensure!(
        arguments.odds.is_none_or(|odds| has_book == (odds == OddsName::Openings)),
        "--odds openings needs an --openings file; if --odds names a piece, leave --openings out"
    );
    let PreparedTournament { mut tournament, players_info, book, settings } =
        arguments.conditions.tournament(&words, journal_name, &config.profiles, games)?;
    if tournament.concurrency > 1 && tournament.players.iter().any(|one| one.remembers().is_some())
    {
        Progress::new().tell(
            "An imitator that remembers its opponent plays one game at a time, so --concurrency has no effect. \
             To play several games at once, add memory=false: it then forgets its opponent after every game.",
        );
    }
    tournament.event = format!("{} v {}", players_info[0].name, players_info[1].name);
    let path = arguments.pgn.as_deref();
    let mut campaign = open_campaign(&tournament, path, &settings, arguments.resume)?;
    let sides = [0, 1].map(|side| (players_info[side].clone(), tournament.players[side].limits));
    let mut result = MatchResult::new(sides, &book, arguments.sprt);
    campaign.records.iter().for_each(|record| result.add(record));
    if !is_decided(&result) {
        play(arguments, &pairings, &mut campaign, &mut result, out)?;
    }
    if arguments.json {
        write_json(&MatchJson::new(&result), out)?;
    } else {
        write_summary(&result, out)?;
    }
    Ok(CommandOutcome::Done)
}

/// Plays the remaining games until the match is decided.
fn play(
    arguments: &Arguments,
    pairings: &[Pairing],
    campaign: &mut Campaign<'_>,
    result: &mut MatchResult,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let progress = Progress::new();
    let lines = GameLines::new(campaign, arguments.games, arguments.sprt.is_some());
    play_campaign(campaign, pairings, &progress, |record, done| {
        result.add(record);
        if !arguments.json {
            progress.clear();
            writeln!(out, "{}", lines.line(record, done))?;
            out.flush()?;
        }
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

fn standing(result: &MatchResult, games: usize) -> String {
    let [losses, draws, wins] = result.games.0;
    let score = format!("{} of {games} games: +{wins} ={draws} -{losses}", result.games.total());
    if !result.has_enough_games() {
        return score;
    }
    let elo = result.pairs.elo();
    format!("{score}, Elo {:+.1} +/- {:.1}", elo.value, elo.error)
}

const PLAYERS: &str = concat!(
    player_words!(),
    "
Examples:
  stopdown match --a self --b \"cmd=/usr/games/toga2 option.Hash=16\" \\
      --tc 10+0.1 --games 100
  stopdown match --a \"self profile=club\" --b \"self competence=7 depth=4\"
  stopdown match --a \"self engine=stockfish profile=club\" --b self --st 1
  stopdown match --a \"self exploit=1600\" --b \"self elo=1600\" \\
      --odds knight --st 0.1
  stopdown match --a \"self depth=6\" --b \"self depth=5\" --games 200 \\
      --concurrency 2
  stopdown match --a cmd=./new --b cmd=./old --tc 5+0.05 --games 40000 \\
      --sprt 0:5 --openings book.epd --order random --pgn test.pgn --resume"
);

/// Play a match between two players
#[derive(Debug, clap::Args)]
#[command(after_help = PLAYERS)]
pub struct Arguments {
    /// First player; results are from this player's point of view
    #[arg(long, value_name = "PLAYER")]
    a: String,
    /// Second player
    #[arg(long, value_name = "PLAYER")]
    b: String,
    #[command(flatten)]
    conditions: MatchConditions,
    /// Number of games; every opening is played with both colours
    #[arg(long, default_value_t = 100, value_parser = value_parsers::games)]
    games: usize,
    /// Let the first player play White in every game, without this piece. With `openings`, the odds
    /// come from the positions in the --openings file
    #[arg(long, value_enum, value_name = "PIECE")]
    odds: Option<OddsName>,
    /// Stop when a sequential test (SPRT) accepts a difference of ELO0 or of ELO1, in normalised
    /// Elo; for example, 0:5
    #[arg(long, value_name = "ELO0:ELO1[:ALPHA:BETA]", value_parser = parse_sprt)]
    #[arg(allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Save the games in this file, and a journal for --resume in FILE.jsonl
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Continue the match in the --pgn file, if there is one
    #[arg(long, requires = "pgn")]
    resume: bool,
    /// Print the result after every GAMES games; 0 prints it only at the end
    #[arg(long, value_name = "GAMES", default_value_t = 10, value_parser = value_parsers::count::<u64>)]
    interval: u64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

fn parse_sprt(text: &str) -> Result<Sprt, String> {
    let sprt = match numbers(text)?[..] {
        [elo0, elo1] => Sprt::new(elo0, elo1, 0.05, 0.05),
        [elo0, elo1, alpha, beta] => Sprt::new(elo0, elo1, alpha, beta),
        _ => return Err("write ELO0:ELO1 or ELO0:ELO1:ALPHA:BETA, for example 0:5".to_owned()),
    };
    sprt.map_err(|error| error.to_string())
}
