//! `stopdown match`: games between two players, and what they say about their strength.

use std::collections::{BTreeMap, HashSet};
use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::ValueEnum;

use super::Outcome;
use crate::arena::{
    Archive, Book, DrawRule, GameRecord, MatchResult, Order, Pairing, PlayerSpec, ResignRule,
    Rules, Settings, Tournament, introduce, match_pairings,
};
use crate::math::sprt::{Sprt, Verdict};
use crate::report::{match_json, match_summary};

const PLAYERS: &str = "\
A player is a list of words:
  self                     our own engine; option.Hash=16
  cmd=PROGRAM              any UCI engine; quote a program with arguments: cmd='engine -x'
  dir=DIRECTORY            where that engine is started
  option.NAME=VALUE        one of its options
  name=NAME                what to call it
  tc=[MOVES/]TIME[+INCREMENT], st=SECONDS, depth=PLIES, nodes=NODES
  margin=MILLISECONDS      what the clock forgives on every move (50)
  patience=SECONDS         how long an engine without a clock may be silent (120)

Examples:
  stopdown match --a self --b \"cmd=/usr/games/toga2 option.Hash=16\" --tc 10+0.1 --games 100
  stopdown match --a \"self depth=6\" --b \"self depth=5\" --games 200 --concurrency 2
  stopdown match --a cmd=./new --b cmd=./old --tc 5+0.05 --games 40000 --sprt 0:5 \\
      --openings book.epd --order random --pgn test.pgn --resume";

/// Play a match between two players
#[derive(Debug, clap::Args)]
#[command(after_help = PLAYERS)]
pub struct Arguments {
    /// The first player, whose score is given
    #[arg(long, value_name = "PLAYER")]
    a: String,
    /// The second player
    #[arg(long, value_name = "PLAYER")]
    b: String,
    /// Words that hold for both players unless they say otherwise
    #[arg(long, value_name = "WORDS", default_value = "")]
    each: String,
    /// The clock of both players: [MOVES/]TIME[+INCREMENT] in seconds
    #[arg(long, value_name = "CONTROL")]
    tc: Option<String>,
    /// Seconds for every move of both players
    #[arg(long, value_name = "SECONDS", conflicts_with = "tc")]
    st: Option<String>,
    /// The depth of both players
    #[arg(long, value_name = "PLIES")]
    depth: Option<String>,
    /// The nodes of both players for every move
    #[arg(long, value_name = "NODES")]
    nodes: Option<String>,
    /// How many games, colours alternating on every opening
    #[arg(long, default_value_t = 100)]
    games: usize,
    /// How many games are played at once
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
    /// Openings from an EPD, FEN or PGN file instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// The order of the openings
    #[arg(long, value_enum, default_value_t = OrderName::Sequential)]
    order: OrderName,
    /// What a random order is drawn from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Take at most this many plies of an opening
    #[arg(long)]
    plies: Option<usize>,
    /// Draw games: from move FROM on, after MOVES moves within CENTIPAWNS of zero, as 40:8:10
    #[arg(long, value_name = "FROM:MOVES:CENTIPAWNS", value_parser = parse_draw)]
    draw: Option<DrawRule>,
    /// Give up games: after MOVES moves lost by CENTIPAWNS, as 3:600
    #[arg(long, value_name = "MOVES:CENTIPAWNS", value_parser = parse_resign)]
    resign: Option<ResignRule>,
    /// Draw games that have this many moves
    #[arg(long, value_name = "MOVES")]
    max_moves: Option<u32>,
    /// Stop when a difference of ELO0 or of ELO1 (normalised) is established, as 0:5
    #[arg(long, value_name = "ELO0:ELO1[:ALPHA:BETA]", value_parser = parse_sprt)]
    #[arg(allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Write the games to this file, and what --resume needs to FILE.jsonl
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Go on with the match in the PGN file, if there is one
    #[arg(long, requires = "pgn")]
    resume: bool,
    /// Print the standing after every so many games; 0 only at the end
    #[arg(long, value_name = "GAMES", default_value_t = 10)]
    interval: u64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OrderName {
    Sequential,
    Random,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let players = [player(arguments, &arguments.a)?, player(arguments, &arguments.b)?];
    let book = match &arguments.openings {
        Some(path) => Book::open(path)?,
        None => Book::built_in(),
    };
    let order = match arguments.order {
        OrderName::Sequential => Order::Sequential,
        OrderName::Random => Order::Random(arguments.seed),
    };
    let openings = book.select(order, arguments.plies, arguments.games.div_ceil(2))?;
    let mut cards = [introduce(&players[0])?, introduce(&players[1])?];
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
    };
    let (mut archive, records) = match &arguments.pgn {
        None => (None, Vec::new()),
        Some(path) => {
            let (archive, records) =
                Archive::open(path, &settings(arguments, &players), arguments.resume)?;
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

fn player(arguments: &Arguments, own: &str) -> anyhow::Result<PlayerSpec> {
    let common = [
        ("tc", &arguments.tc),
        ("st", &arguments.st),
        ("depth", &arguments.depth),
        ("nodes", &arguments.nodes),
    ];
    let common = common
        .iter()
        .filter_map(|(key, value)| value.as_ref().map(|value| format!("{key}={value} ")));
    let words = format!("{}{} {own}", common.collect::<String>(), arguments.each);
    let spec = PlayerSpec::parse(&words)?;
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
fn settings(arguments: &Arguments, players: &[PlayerSpec; 2]) -> Settings {
    let openings = arguments.openings.as_ref();
    let openings = openings.map_or("built-in".to_owned(), |path| path.display().to_string());
    let pairs = [
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("a", players[0].text.clone()),
        ("b", players[1].text.clone()),
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

/// The line that lives at the bottom of a terminal; elsewhere only faults are told.
struct Progress {
    games: usize,
    on_terminal: bool,
}

impl Progress {
    fn new(games: usize) -> Progress {
        Progress { games, on_terminal: std::io::stderr().is_terminal() }
    }

    /// Should the terminal be gone, nobody is there to be told.
    fn tell(&self, result: &MatchResult, record: &GameRecord) {
        let mut stderr = std::io::stderr();
        if !matches!(record.termination.as_str(), "normal" | "adjudication") {
            self.clear();
            let players = &result.players;
            let (white, black) =
                (&players[record.white].card.name, &players[record.black].card.name);
            let reason = &record.reason;
            let _ = writeln!(stderr, "game {} ({white} v {black}): {reason}", record.game);
        }
        if self.on_terminal {
            let [losses, draws, wins] = result.games.0;
            let elo = result.pairs.elo();
            let _ = write!(
                stderr,
                "\r\x1b[K{} of {} games: +{wins} ={draws} -{losses}, Elo {:+.1} +/- {:.1}",
                result.games.total(),
                self.games,
                elo.value,
                elo.error
            );
            let _ = stderr.flush();
        }
    }

    fn clear(&self) {
        if self.on_terminal {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

fn parse_draw(text: &str) -> Result<DrawRule, String> {
    match numbers(text)?[..] {
        [from, moves, centipawns] if from >= 0.0 && moves >= 1.0 && centipawns >= 0.0 => {
            let (from, moves) = (from as u32, moves as u32);
            Ok(DrawRule { from, moves, centipawns: centipawns as i32 })
        }
        _ => Err("write FROM:MOVES:CENTIPAWNS, as 40:8:10".to_owned()),
    }
}

fn parse_resign(text: &str) -> Result<ResignRule, String> {
    match numbers(text)?[..] {
        [moves, centipawns] if moves >= 1.0 && centipawns >= 1.0 => {
            Ok(ResignRule { moves: moves as u32, centipawns: centipawns as i32 })
        }
        _ => Err("write MOVES:CENTIPAWNS, as 3:600".to_owned()),
    }
}

fn parse_sprt(text: &str) -> Result<Sprt, String> {
    let sprt = match numbers(text)?[..] {
        [elo0, elo1] => Sprt::new(elo0, elo1, 0.05, 0.05),
        [elo0, elo1, alpha, beta] => Sprt::new(elo0, elo1, alpha, beta),
        _ => return Err("write ELO0:ELO1 or ELO0:ELO1:ALPHA:BETA, as 0:5".to_owned()),
    };
    sprt.map_err(|error| error.to_string())
}

fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let number = |part: &str| part.parse().map_err(|_| format!("\"{part}\" is not a number"));
    text.split(':').map(number).collect()
}
