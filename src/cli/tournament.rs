//! Common parts of matches, ladders and studies: players, conditions, and progress messages.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, anyhow, ensure};
use clap::ValueEnum;

use super::output::{Progress, in_words, read_text};
use super::value_parsers;
use crate::arena::{
    Book, Campaign, CampaignError, ContestantSpec, DrawRule, GameRecord, JournalSettings, Odds,
    Order, Pairing, PlayerInfo, ResignRule, Rules, Tournament, guard_program, introduce,
    try_opening,
};
use crate::endgame::Syzygy;
use crate::external::Fault;
use crate::games::pgn::BYTE_ORDER_MARK;
use crate::player::Roster;

/// Explains how to specify a player, for help texts.
macro_rules! player_words {
    () => {
        "\
Describe a player with a quoted list of words:
  self                Stopdown; option.Hash=N or option.EvalFile=FILE may follow
  profile=NAME        self as a named opponent; depth= limits its search
  elo=N               self with this rating; also curve=NAME, and scale=NAME
                      for the rating scale, as in stopdown play --scale
  style=NAME          style of a level or a named opponent
  imitator=N          self, playing N Elo above its opponent; depth= limits its
                      search; memory=false makes it forget its opponent after
                      every game
  exploit=N           self at full strength, setting problems for an
                      opponent rated N
  competence=C        self as a player of competence C; also curve=, kappa=,
                      sensitivity=, consistency= and depth-weights=0.5,0,0.5
                      as in engine.toml
  engine=PROGRAM      self with the evaluations of another UCI engine
  seed=N              seed for its random choices [default: 1 for the first
                      player, 2 for the second]
  cmd=PROGRAM         any UCI engine; quote a command with arguments:
                      cmd='engine -x'
  dir=FOLDER          folder in which this engine starts
  option.NAME=VALUE   option of this engine
  name=NAME           name in the results
  tc=[MOVES/]TIME[+INCREMENT], st=SECONDS, depth=PLIES, nodes=N
                      clock in seconds, seconds per move, search depth, nodes
                      per move
  margin=MS           milliseconds by which a player may overrun its clock
                      [default: 50]
  patience=SECONDS    seconds without output before the engine is considered
                      dead [default: 120]
"
    };
}
pub(crate) use player_words;

/// The text of `player_words` as a constant, for help texts assembled at run time.
pub const PLAYER_WORDS: &str = player_words!();

#[derive(Debug, clap::Args)]
pub struct MatchConditions {
    /// Words that describe all players; a player's own words take precedence
    #[arg(long, value_name = "WORDS", default_value = "", hide_default_value = true)]
    each: String,
    /// Clock for all players, [MOVES/]TIME[+INCREMENT] in seconds; for example, 10+0.1
    #[arg(long, value_name = "CONTROL")]
    tc: Option<String>,
    /// Seconds per move for all players
    #[arg(long, value_name = "SECONDS", conflicts_with = "tc")]
    st: Option<String>,
    /// Search depth for all players
    #[arg(long, value_name = "PLIES")]
    depth: Option<String>,
    /// Nodes per move for all players
    #[arg(long, value_name = "NODES")]
    nodes: Option<String>,
    /// Number of games to play at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parsers::at_least_one)]
    concurrency: usize,
    /// EPD, FEN or PGN file of openings [default: built-in openings]
    #[arg(long, value_name = "FILE")]
    pub openings: Option<PathBuf>,
    /// Order of the openings
    #[arg(long, value_enum, default_value_t = OrderName::Sequential)]
    order: OrderName,
    /// Seed for the random order
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parsers::count::<u64>)]
    seed: u64,
    /// Play at most PLIES plies of each opening
    #[arg(long, value_name = "PLIES", value_parser = value_parsers::count::<usize>)]
    plies: Option<usize>,
    /// From move FROM on, adjudicate a draw when both scores have stayed within CENTIPAWNS of 0 for
    /// MOVES moves; for example, 40:8:10
    #[arg(long, value_name = "FROM:MOVES:CENTIPAWNS", value_parser = parse_draw)]
    draw: Option<DrawRule>,
    /// Adjudicate a loss when a player has been at least CENTIPAWNS behind for MOVES moves; for
    /// example, 3:600
    #[arg(long, value_name = "MOVES:CENTIPAWNS", value_parser = parse_resign)]
    resign: Option<ResignRule>,
    /// Adjudicate a game as a draw after MOVES moves
    #[arg(long, value_name = "MOVES", value_parser = value_parsers::at_least_one)]
    max_moves: Option<usize>,
    /// Add the number of nodes and the random choices to the comments in the PGN file, and tags that
    /// describe players below full strength
    #[arg(long, requires = "pgn")]
    details: bool,
    /// Adjudicate a game when its position is in the Syzygy tables in this folder
    #[arg(long, value_name = "FOLDER")]
    tb: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OrderName {
    Sequential,
    Random,
}

/// The odds given by the first player, as named on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OddsName {
    Pawn,
    Knight,
    Rook,
    Queen,
    Openings,
}

impl OddsName {
    /// The missing piece, or `None` if the openings contain the odds.
    fn piece(self) -> Option<Odds> {
        match self {
            OddsName::Pawn => Some(Odds::Pawn),
            OddsName::Knight => Some(Odds::Knight),
            OddsName::Rook => Some(Odds::Rook),
            OddsName::Queen => Some(Odds::Queen),
            OddsName::Openings => None,
        }
    }

    fn text(self) -> &'static str {
        match self {
            OddsName::Pawn => "pawn",
            OddsName::Knight => "knight",
            OddsName::Rook => "rook",
            OddsName::Queen => "queen",
            OddsName::Openings => "openings",
        }
    }
}

/// The number of openings that are needed, and the odds that the first player gives, if any.
#[derive(Clone, Copy, Debug)]
pub struct Games {
    pub openings: usize,
    pub odds: Option<OddsName>,
}

impl MatchConditions {
    /// Parses a player from its own words and those for all players.
    fn player(&self, own: &str, profiles: &Roster) -> anyhow::Result<ContestantSpec> {
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
            "the player \"{own}\" has no limit; set --tc, --st, --depth or --nodes"
        );
        Ok(spec)
    }

    /// Prepares a tournament between these players, with openings for these games. `journal_name`
    /// returns each player's name in the journal's settings.
    pub fn tournament(
        &self,
        players: &[&str],
        journal_name: impl Fn(usize) -> String,
        profiles: &Roster,
        games: Games,
    ) -> anyhow::Result<PreparedTournament> {
        let players = players.iter().map(|words| self.player(words, profiles));
        let players: Vec<ContestantSpec> = players.collect::<Result<_, _>>()?;
        let Games { openings: needed, odds } = games;
        let book = Book::open_or_built_in(self.openings.as_deref())?;
        let order = match self.order {
            OrderName::Sequential => Order::Sequential,
            OrderName::Random => Order::Random(self.seed),
        };
        let (openings, book_name) = match odds.and_then(OddsName::piece) {
            Some(piece) => {
                let opening = piece.opening()?;
                let name = opening.name.clone();
                (vec![opening], name)
            }
            None => (book.select(order, self.plies, needed)?, book.name.clone()),
        };
        // From the same opening, deterministic players repeat their games, which adds no
        // information.
        if openings.len() < needed && !players.iter().any(ContestantSpec::chooses_at_random) {
            Progress::new().tell(format_args!(
                "Openings will be repeated, because there are too few ({}: {}). Players that are limited by \
                 depth or nodes will repeat their games.",
                book_name,
                openings.len()
            ));
        }
        for player in &players {
            if let Some(note) = player.depth_note() {
                Progress::new().tell(format_args!("The player \"{}\":{note}", player.text));
            }
        }
        let guard = guard_program();
        let players_info = introduce_all(&players, guard.as_ref())?;
        // A player that cannot play Chess960 would lose all these games.
        if let Some(opening) = openings.iter().find(|opening| opening.game.start().is_chess960()) {
            for player in &players {
                try_opening(player, guard.as_ref(), &opening.game)
                    .with_context(|| format!("the player \"{}\"", player.text))?;
            }
        }
        let mut settings = JournalSettings::of(self.settings(&book));
        if let Some(odds) = odds {
            settings.0.insert("odds".to_owned(), odds.text().to_owned());
        }
        for (number, (player, info)) in players.iter().zip(&players_info).enumerate() {
            let name = journal_name(number);
            settings.0.insert(format!("{name} is"), info.identity.clone());
            settings.0.insert(name, player.text.clone());
        }
        let tournament = Tournament {
            event: String::new(),
            names: players_info.iter().map(|info| info.name.clone()).collect(),
            players,
            openings,
            rules: self.rules(),
            is_detailed: self.details,
            tables: self.tables()?,
            concurrency: self.concurrency,
            guard,
        };
        Ok(PreparedTournament { tournament, players_info, book: book_name, settings })
    }

    fn rules(&self) -> Rules {
        Rules { draw: self.draw, resign: self.resign, max_moves: self.max_moves }
    }

    fn tables(&self) -> anyhow::Result<Option<Arc<Syzygy>>> {
        let Some(directory) = &self.tb else { return Ok(None) };
        let tables = Syzygy::open(directory, usize::MAX, true);
        let notices: String =
            tables.take_notices().iter().map(|notice| format!("; {notice}")).collect();
        ensure!(tables.found > 0, "no Syzygy tables in {directory}{notices}");
        Ok(Some(Arc::new(tables)))
    }

    /// The conditions that must not change when games are resumed.
    fn settings(&self, book: &Book) -> impl Iterator<Item = (&'static str, String)> {
        let order = match self.order {
            OrderName::Sequential => "sequential".to_owned(),
            OrderName::Random => format!("random, seed {}", self.seed),
        };
        let draw = self
            .draw
            .map(|DrawRule { from, moves, centipawns }| format!("{from}:{moves}:{centipawns}"));
        let resign =
            self.resign.map(|ResignRule { moves, centipawns }| format!("{moves}:{centipawns}"));
        let all = [
            ("openings", Some(book.identity.clone())),
            ("order", Some(order)),
            ("plies", self.plies.map(|plies| plies.to_string())),
            ("draw", draw),
            ("resign", resign),
            ("max-moves", self.max_moves.map(|moves| moves.to_string())),
            ("tables", self.tb.clone()),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value?)))
    }
}

/// A tournament that is ready to start.
#[derive(Debug)]
pub struct PreparedTournament {
    /// The tournament without the name of the event.
    pub tournament: Tournament,
    pub players_info: Vec<PlayerInfo>,
    /// The name of the opening book.
    pub book: String,
    /// The settings that must not change when the games are resumed. Callers may add more.
    pub settings: JournalSettings,
}

fn parse_draw(text: &str) -> Result<DrawRule, String> {
    match whole_numbers(text)[..] {
        [Some(from), Some(moves), Some(centipawns)] if moves >= 1 => {
            Ok(DrawRule { from, moves, centipawns: centipawns.cast_signed() })
        }
        _ => Err("write FROM:MOVES:CENTIPAWNS in whole numbers, for example 40:8:10".to_owned()),
    }
}

fn parse_resign(text: &str) -> Result<ResignRule, String> {
    match whole_numbers(text)[..] {
        [Some(moves), Some(centipawns)] if moves >= 1 && centipawns >= 1 => {
            Ok(ResignRule { moves, centipawns: centipawns.cast_signed() })
        }
        _ => Err("write MOVES:CENTIPAWNS in whole numbers, for example 3:600".to_owned()),
    }
}

/// Parses numbers between 0 and a million, separated by colons.
fn whole_numbers(text: &str) -> Vec<Option<u32>> {
    let number = |part: &str| part.parse().ok().filter(|&number| number <= 1_000_000);
    text.split(':').map(number).collect()
}

/// Parses numbers separated by colons.
pub fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let number = |part: &str| part.parse().map_err(|_| format!("\"{part}\" is not a number"));
    text.split(':').map(number).collect()
}

#[derive(Debug, clap::Args)]
// No doc comment, because clap would show it as the description of the command.
#[allow(missing_docs)]
pub struct PlayerArguments {
    /// A player, described by words (see below); repeat the option for each player
    #[arg(long = "player", value_name = "PLAYER")]
    players: Vec<String>,
    /// File with more players, one per line
    #[arg(long = "players", value_name = "FILE")]
    file: Option<PathBuf>,
}

impl PlayerArguments {
    /// The file of players, which must not be overwritten.
    pub fn file(&self) -> Option<&PathBuf> {
        self.file.as_ref()
    }

    /// Each player's words, from the command line and the file.
    pub fn words(&self) -> anyhow::Result<Vec<String>> {
        let mut words = self.players.clone();
        if let Some(path) = &self.file {
            let text = read_text(path)?;
            let lines = text.trim_start_matches(BYTE_ORDER_MARK).lines().map(str::trim);
            let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
            words.extend(lines.map(str::to_owned));
        }
        Ok(words)
    }
}

/// Starts every player once to find out its identity, and numbers players with the same name.
pub fn introduce_all(
    players: &[ContestantSpec],
    guard: Option<&PathBuf>,
) -> anyhow::Result<Vec<PlayerInfo>> {
    let players_info = players.iter().map(|player| introduced(player, guard));
    let mut players_info: Vec<PlayerInfo> = players_info.collect::<Result<_, _>>()?;
    let names: Vec<String> = players_info.iter().map(|info| info.name.clone()).collect();
    for (info, name) in players_info.iter_mut().zip(unique_names(&names)) {
        info.name = name;
    }
    Ok(players_info)
}

/// Starts a player once to find out its identity.
pub fn introduced(player: &ContestantSpec, guard: Option<&PathBuf>) -> anyhow::Result<PlayerInfo> {
    introduce(player, guard).map_err(|fault| {
        let advice = match fault {
            Fault::Crashed(_) => "; run it in a terminal to see why",
            _ => "",
        };
        anyhow!("the player \"{}\": {}{advice}", player.text, fault.described("the engine"))
    })
}

/// Makes names unique by appending numbers to duplicates.
fn unique_names(names: &[String]) -> Vec<String> {
    let is_duplicate = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
    let mut taken: BTreeSet<String> =
        names.iter().filter(|name| !is_duplicate(name)).cloned().collect();
    let mut number = |name: &String| {
        let mut all = (1..).map(|number| format!("{name} {number}"));
        all.find(|name| taken.insert(name.clone())).expect("numbers do not end")
    };
    names.iter().map(|name| if is_duplicate(name) { number(name) } else { name.clone() }).collect()
}

/// Parses `NAME=ELO`.
pub fn parse_rating(text: &str) -> Result<(String, f64), String> {
    let parts = text.rsplit_once('=');
    let rating = parts.and_then(|(name, rating)| {
        let rating = value_parsers::elo(rating.trim()).ok()?;
        (!name.trim().is_empty()).then(|| (name.trim().to_owned(), rating))
    });
    rating.ok_or_else(|| "write NAME=ELO, for example \"Toga II 3.0\"=2850".to_owned())
}

/// Opens the saved games, if there are any. Prints a message if an old file had to be renamed.
pub fn open_campaign<'a>(
    tournament: &'a Tournament,
    pgn: Option<&Path>,
    settings: &JournalSettings,
    resume: bool,
) -> Result<Campaign<'a>, CampaignError> {
    let Some(path) = pgn else { return Ok(Campaign::unsaved(tournament)) };
    let campaign = Campaign::open(tournament, path, settings, resume)?;
    if let Some(aside) = campaign.set_aside() {
        Progress::new().tell(format_args!(
            "{} did not match its journal; the old file was renamed to {}, and the games were saved again \
             from the journal",
            path.display(),
            aside.display()
        ));
    }
    Ok(campaign)
}

/// Writes a line for each finished game, with the number of games so far and the time left.
pub struct GameLines {
    names: Vec<String>,
    start: Instant,
    /// The number of games that were finished in an earlier run.
    before: usize,
    all: usize,
    /// Whether the match may end early, so that the time left is an upper limit.
    may_end_early: bool,
}

impl GameLines {
    pub fn new(campaign: &Campaign<'_>, all: usize, may_end_early: bool) -> GameLines {
        let (names, before) = (campaign.tournament.names.clone(), campaign.records.len());
        GameLines { names, start: Instant::now(), before, all, may_end_early }
    }

    /// The line for this game when `done` games are finished, in the format of fastchess: `Finished
    /// game 3 (A vs B): 1-0 {White mates}, 3 of 100 games, 4 min left`.
    pub fn line(&self, record: &GameRecord, done: usize) -> String {
        let GameRecord { game, white, black, result, reason, .. } = record;
        let [white, black] = [*white, *black].map(|side| &self.names[side]);
        let all = self.all;
        let time_left = self.time_left(done).map(|time| format!(", {time} left"));
        format!(
            "Finished game {game} ({white} vs {black}): {result} {{{reason}}}, {done} of {all} games{}",
            time_left.unwrap_or_default()
        )
    }

    fn time_left(&self, done: usize) -> Option<String> {
        let (played, left) = (done.checked_sub(self.before)?, self.all.checked_sub(done)?);
        let seconds = self.start.elapsed().as_secs_f64() * left as f64 / played as f64;
        let limit = if self.may_end_early { "at most " } else { "" };
        (left > 0 && played > 0).then(|| format!("{limit}{}", in_words(seconds)))
    }
}

/// Plays the remaining games and prints faults. `finished` receives each game, and the number of
/// games so far.
pub fn play_campaign(
    campaign: &mut Campaign<'_>,
    pairings: &[Pairing],
    progress: &Progress,
    mut finished: impl FnMut(&GameRecord, usize) -> anyhow::Result<ControlFlow<()>>,
) -> anyhow::Result<()> {
    let names = &campaign.tournament.names;
    let outcome = campaign.play(pairings, |record, done| {
        if record.is_fault() {
            let [white, black] = [record.white, record.black].map(|side| &names[side]);
            let (game, reason) = (record.game, &record.reason);
            progress.tell(format_args!("game {game} ({white} v {black}): {reason}"));
        }
        finished(record, done)
    });
    progress.clear();
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicate_names_become_unique() {
        let names = ["A", "B", "A", "A 1"].map(str::to_owned);
        assert_eq!(unique_names(&names), ["A 2", "B", "A 3", "A 1"]);
        let names = ["A", "A 1", "A", "A 1"].map(str::to_owned);
        assert_eq!(unique_names(&names), ["A 1", "A 1 1", "A 2", "A 1 2"]);
    }
}
