//! Words that several commands share: under which conditions games are played.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::ensure;
use clap::ValueEnum;

use super::bounds;
use crate::arena::{Book, ContestantSpec, DrawRule, Opening, Order, ResignRule, Rules};
use crate::endgame::Syzygy;
use crate::player::Roster;

/// How a player is written, for the help texts.
macro_rules! player_words {
    () => {
        "\
A player is a list of words:
  self                     our own engine; option.Hash=16, option.EvalFile=FILE
  profile=NAME             as a player of engine.toml; depth= then bounds what it sees
  imitator=N               follows its opponent, N Elo above him, and looks at most
                           depth=PLIES ahead
  elo=N                    of this level (elo-scale=fide, lichess or lichess-rapid), by curve=NAME or else by
                           that of people, at depth=12
  competence=C             as Ep(c); curve=NAME, kappa=, sensitivity=, consistency=,
                           depth-weights=0.5,0,0.5 as in engine.toml
  engine=PROGRAM           all this on the values of another UCI engine; its options, dir=
                           and patience= as with cmd=
  seed=N                   what its moves are drawn from (1 for the first player, 2 for ...)
  cmd=PROGRAM              any UCI engine; quote a program with arguments: cmd='engine -x'
  dir=DIRECTORY            where that engine is started
  option.NAME=VALUE        one of its options
  name=NAME                what to call it
  tc=[MOVES/]TIME[+INCREMENT], st=SECONDS, depth=PLIES, nodes=NODES
  margin=MILLISECONDS      what the clock forgives on every move (50)
  patience=SECONDS         how long an engine without a clock may say nothing new (120)
"
    };
}
pub(crate) use player_words;

#[derive(Debug, clap::Args)]
pub struct MatchConditions {
    /// Words that hold for all players unless they say otherwise
    #[arg(long, value_name = "WORDS", default_value = "")]
    each: String,
    /// The clock of all players: [MOVES/]TIME[+INCREMENT] in seconds
    #[arg(long, value_name = "CONTROL")]
    tc: Option<String>,
    /// Seconds for every move of all players
    #[arg(long, value_name = "SECONDS", conflicts_with = "tc")]
    st: Option<String>,
    /// The depth of all players
    #[arg(long, value_name = "PLIES")]
    depth: Option<String>,
    /// The nodes of all players for every move
    #[arg(long, value_name = "NODES")]
    nodes: Option<String>,
    /// How many games are played at once
    #[arg(long, default_value_t = 1, value_parser = bounds::at_least_one)]
    pub concurrency: usize,
    /// Openings from an EPD, FEN or PGN file instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    pub openings: Option<PathBuf>,
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
    /// End games as soon as Syzygy tables in this directory know the result
    #[arg(long, value_name = "DIRECTORY")]
    tb: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OrderName {
    Sequential,
    Random,
}

impl MatchConditions {
    /// A player of his own words and those for all.
    pub fn player(&self, own: &str, profiles: &Roster) -> anyhow::Result<ContestantSpec> {
        let common =
            [("tc", &self.tc), ("st", &self.st), ("depth", &self.depth), ("nodes", &self.nodes)];
        let common = common
            .iter()
            .filter_map(|(key, value)| value.as_ref().map(|value| format!("{key}={value} ")));
        let words = format!("{}{} {own}", common.collect::<String>(), self.each.trim());
        let spec = ContestantSpec::parse(&words, profiles)?;
        let limits = spec.limits;
        ensure!(
            limits.time.is_some() || limits.depth.is_some() || limits.nodes.is_some(),
            "the player \"{own}\" may think for ever: give --tc, --st, --depth or --nodes"
        );
        Ok(spec)
    }

    /// The book, and as many of its openings as wanted or as there are.
    pub fn openings(&self, wanted: usize) -> anyhow::Result<(Book, Vec<Opening>)> {
        let book = Book::open_or_built_in(self.openings.as_deref())?;
        let order = match self.order {
            OrderName::Sequential => Order::Sequential,
            OrderName::Random => Order::Random(self.seed),
        };
        let openings = book.select(order, self.plies, wanted)?;
        Ok((book, openings))
    }

    pub fn rules(&self) -> Rules {
        Rules { draw: self.draw, resign: self.resign, max_moves: self.max_moves }
    }

    pub fn tables(&self) -> anyhow::Result<Option<Arc<Syzygy>>> {
        let Some(directory) = &self.tb else { return Ok(None) };
        let tables = Syzygy::open(directory, usize::MAX, true);
        let notices = tables.take_notices().join("; ");
        ensure!(tables.found > 0, "there are no Syzygy tables in {directory} {notices}");
        Ok(Some(Arc::new(tables)))
    }

    /// What must be the same when games are resumed.
    pub fn settings(&self, book: &Book) -> Vec<(&'static str, String)> {
        let tables = self.tb.iter().map(|directory| ("tables", directory.clone()));
        let all = [
            ("openings", book.identity.clone()),
            ("order", format!("{:?}", self.order)),
            ("seed", self.seed.to_string()),
            ("plies", format!("{:?}", self.plies)),
            ("rules", format!("{:?}", self.rules())),
        ];
        all.into_iter().chain(tables).collect()
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

/// Numbers with colons between them.
pub fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let number = |part: &str| part.parse().map_err(|_| format!("\"{part}\" is not a number"));
    text.split(':').map(number).collect()
}
