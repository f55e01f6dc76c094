//! `stopdown play`: a game against a human in the terminal, or through a pipe, and what a player types:
//! commands, and moves in any of the usual spellings.

mod board;
mod session;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use self::board::Style;
use self::session::TerminalSession;
use super::{CommandOutcome, CommandResult, bounds};
use crate::board::{Colour, Move, Position, STARTING_FEN, shorten};
use crate::config::Settings;
use crate::files::{read_if_there, write_whole};
use crate::player::{Aim, Elo, EloScale, PlayerSpec, Tablebases, TargetRating, USUAL_DEPTH};
use crate::sparring::{
    Opponent, OpponentSpec, SparringTable, SpellingError, fresh_seed, read_move,
};
use crate::value::{Depth, MAX_PLY};

const EXAMPLES: &str = "\
Moves are written Nf3 or g1f3; help lists what else can be said.

Examples:
  stopdown play --elo 1500
  stopdown play --profile club --colour black --save games.pgn
  stopdown play --imitator
  stopdown play --fen \"8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\" --depth 10";

/// Play a game in the terminal
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Play at this rating, or at the nearest there is
    #[arg(long, value_name = "ELO", conflicts_with_all = ["profile", "imitator"])]
    elo: Option<f64>,
    /// Whose ratings are meant: FIDE's, or those of blitz or rapid games on Lichess
    #[arg(long, value_name = "SCALE", requires = "elo")]
    #[arg(default_value = EloScale::Fide.word(), value_parser = bounds::elo_scale())]
    elo_scale: EloScale,
    /// Play as a player of engine.toml, such as beginner, club or master
    #[arg(long, value_name = "NAME", conflicts_with = "imitator")]
    profile: Option<String>,
    /// Find out how strong you are, and play as well as you do
    #[arg(long)]
    imitator: bool,
    /// Your colour
    #[arg(long, default_value = "white", value_parser = bounds::colour())]
    colour: Colour,
    /// Begin from this position
    #[arg(long)]
    fen: Option<String>,
    /// How many plies Stopdown looks ahead; with --profile or --imitator, the most that it does
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..MAX_PLY as i64))]
    depth: Option<Depth>,
    /// The same seed and moves give the same game; a new one if not given
    #[arg(long)]
    seed: Option<u64>,
    /// Add the game to this PGN file, after every move
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Draw the board with letters
    #[arg(long)]
    ascii: bool,
}

pub fn run(arguments: &Arguments, config: &Settings, out: &mut dyn Write) -> CommandResult {
    let human = arguments.colour;
    let position = Position::from_fen(arguments.fen.as_deref().unwrap_or(STARTING_FEN), false)?;
    let (opponent, seed) = (arguments.opponent(config)?, fresh_seed());
    let spec = opponent.make(seed)?;
    if let Some(introduction) = opponent.introduction() {
        writeln!(out, "Your opponent is {introduction}.")?;
    }
    let table = SparringTable::new(position, human);
    let style = Style::detect(human, arguments.ascii);
    let tablebases = Tablebases::new(config.table_sources());
    for notice in tablebases.take_notices() {
        writeln!(out, "{notice}")?;
    }
    let mut session =
        TerminalSession::new(table, (opponent, seed), Opponent::new(spec, tablebases)?, style)?;
    session.keeper = arguments.save.as_deref().map(Keeper::new);
    session.run(&mut io::stdin().lock(), out)?;
    Ok(CommandOutcome::Done)
}

impl Arguments {
    /// The opponent of the command line; where it names none, that of the options in engine.toml.
    fn opponent(&self, settings: &Settings) -> anyhow::Result<OpponentSpec> {
        let mut player = PlayerSpec::default();
        match (self.elo, &self.profile) {
            (Some(elo), _) => {
                player = PlayerSpec::rated(TargetRating::new(Elo(elo), None, self.elo_scale));
            }
            (None, Some(name)) => player.profile = Some(settings.profiles.get(name)?.clone()),
            (None, None) if self.imitator => player.imitator = Some(Aim::Equal),
            (None, None) => {
                player = settings.player();
                // Who plays at the usual depth has no depth to be spoken of.
                player.depth = player.depth.filter(|&depth| depth != USUAL_DEPTH);
            }
        }
        player.depth = self.depth.or(player.depth);
        let set = u64::try_from(settings.seed).ok().filter(|&seed| seed > 0);
        Ok(OpponentSpec { player, seed: self.seed.or(set), engine: Vec::new() })
    }
}

/// Keeps one game at the end of a file.
#[derive(Debug)]
struct Keeper {
    path: PathBuf,
    /// What this game looked like when it was last written.
    written: String,
}

impl Keeper {
    pub fn new(path: &Path) -> Keeper {
        Keeper { path: path.to_owned(), written: String::new() }
    }

    /// Writes the game in place of what it was before, behind the other games of the file.
    fn keep(&mut self, pgn: String) -> io::Result<()> {
        let mut content = read_if_there(&self.path)?;
        if content.ends_with(self.written.as_bytes()) {
            content.truncate(content.len() - self.written.len());
        }
        while !content.is_empty() && !content.ends_with(b"\n\n") {
            content.push(b'\n');
        }
        content.extend(pgn.as_bytes());
        write_whole(&self.path, &content)?;
        self.written = pgn;
        Ok(())
    }
}

const HELP: &str = "  Nf3, g1f3, O-O    play a move; e8=Q promotes
  undo              take back your last move and the answer to it
  hint              what Stopdown would play at full strength
  moves             all legal moves
  board, flip       show the board; turn it round
  fen               the position as FEN
  pgn [FILE]        show the game as PGN, or add it to a file
  draw, resign      offer a draw or accept one, give up
  new [white|black] start another game, with the colours swapped or with this one
  level 1500        change the rating of an opponent who has one
  quit              leave";

/// A line of input, understood.
#[derive(Clone, Debug, PartialEq)]
enum Words {
    Nothing,
    Play(Move),
    Undo,
    Hint,
    Moves,
    Board,
    Flip,
    Fen,
    Pgn(Option<String>),
    Draw,
    Resign,
    /// Another game, with this colour or else with the other one.
    New(Option<Colour>),
    /// Another rating for the opponent.
    Level(f64),
    Help,
    Quit,
}

/// Reads a line; what is wrong with it is said in a way that helps to write it right.
fn read_words(line: &str, position: &Position) -> Result<Words, String> {
    let line = line.trim();
    let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let words = match (first.to_lowercase().as_str(), rest.trim()) {
        ("", _) => Words::Nothing,
        ("pgn" | "save", "") => Words::Pgn(None),
        ("pgn" | "save", file) => Words::Pgn(Some(file.to_owned())),
        ("undo" | "takeback", "") => Words::Undo,
        ("hint", "") => Words::Hint,
        ("moves", "") => Words::Moves,
        ("board", "") => Words::Board,
        ("flip", "") => Words::Flip,
        ("fen", "") => Words::Fen,
        ("draw", "") => Words::Draw,
        ("resign", "") => Words::Resign,
        ("new", "") => Words::New(None),
        ("new", colour) => Words::New(Some(read_colour(colour)?)),
        ("level", elo) => Words::Level(read_rating(elo)?),
        ("help" | "?", "") => Words::Help,
        ("quit" | "exit" | "q", "") => Words::Quit,
        _ => Words::Play(read_move(line, position).map_err(|why| match why {
            SpellingError::NoMove(_) => format!("{why}; help lists the commands"),
            SpellingError::NotPlayable(_) => why.to_string(),
        })?),
    };
    Ok(words)
}

fn read_colour(text: &str) -> Result<Colour, String> {
    match text.to_lowercase().as_str() {
        "white" => Ok(Colour::White),
        "black" => Ok(Colour::Black),
        _ => Err(format!("\"{}\" is no colour: say new white, or new black", shorten(text))),
    }
}

fn read_rating(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|elo| elo.is_finite());
    number.ok_or_else(|| format!("\"{}\" is no rating: say level 1500, or so", shorten(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_words() {
        let start = Position::default();
        assert_eq!(read_words(" UNDO ", &start), Ok(Words::Undo));
        assert_eq!(read_words("", &start), Ok(Words::Nothing));
        let file = Some("my games.pgn".to_owned());
        assert_eq!(read_words("pgn my games.pgn", &start), Ok(Words::Pgn(file)));
        assert_eq!(read_words("New Black", &start), Ok(Words::New(Some(Colour::Black))));
        assert_eq!(read_words("level 1500", &start), Ok(Words::Level(1500.0)));
        for (text, expected) in [
            ("new green", "\"green\" is no colour"),
            ("level", "\"\" is no rating"),
            ("level nan", "no"),
        ] {
            let message = read_words(text, &start).expect_err(text);
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
