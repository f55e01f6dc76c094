//! The setup of a game as requested by the page, and its validation.
//!
//! The page also stores a setup with the moves so far, to restore the game after a reload.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::host::Host;
use crate::arena::{PlayerClock, TimeControl};
use crate::board::{Colour, Game, Position};
use crate::games::pgn::PgnStream;
use crate::player::{Aim, Elo, EloScale, PlayerSpec, PlayingStyle, TargetRating};
use crate::selector::Competence;
use crate::session::{CasualGame, GameSetup, OpponentSpec, Over, fresh_seed};
use crate::value::Depth;

/// A request for a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    pub opponent: OpponentChoice,
    /// The engine that plays the person's side. `None` if the person plays.
    #[serde(default)]
    pub own: Option<OpponentChoice>,
    /// Whether the external engine given on the command line evaluates the moves.
    #[serde(default)]
    pub engine: bool,
    #[serde(default)]
    pub black: bool,
    /// A FEN or a game in PGN. Empty for the starting position.
    #[serde(default)]
    pub start: String,
    /// The number of plies to take from that game, or `None` for all.
    #[serde(default)]
    pub plies: Option<usize>,
    /// The moves in UCI notation that lead from `start` to the position in which this game begins.
    /// They are shown, but were not played in this game.
    #[serde(default)]
    pub before: Vec<String>,
    #[serde(default)]
    pub chess960: bool,
    #[serde(default)]
    pub clock: Option<ClockChoice>,
    /// Whether the opponent takes as much time as a person would.
    #[serde(default)]
    pub paced: bool,
    /// Whether the engine's strength stays the same when it is short of time.
    #[serde(default)]
    pub steady: bool,
    #[serde(default)]
    pub seed: Option<u64>,
    /// The moves so far, if this continues a game.
    #[serde(default)]
    pub moves: Vec<String>,
    /// The remaining time of White and Black in ms, if this continues a game.
    #[serde(default)]
    pub left: Option<[u64; 2]>,
    /// The way in which the game ended before the rules ended it, if it did.
    #[serde(default)]
    pub ended: Option<EarlyEnd>,
}

/// The end of a game by its players or by the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EarlyEnd {
    Agreed,
    WhiteResigned,
    BlackResigned,
    WhiteOutOfTime,
    BlackOutOfTime,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum OpponentChoice {
    Level {
        elo: f64,
        #[serde(default)]
        scale: EloScale,
        #[serde(default)]
        style: Option<PlayingStyle>,
    },
    Profile {
        name: String,
    },
    Imitator {
        offset: f64,
    },
    Competence {
        c: f64,
        curve: String,
        depth: Depth,
    },
    Full,
    /// Another person at the same board.
    Person,
}

impl EarlyEnd {
    /// Returns `None` if the rules ended the game.
    pub fn of(over: Over) -> Option<EarlyEnd> {
        match over {
            Over::Rules(_) => None,
            Over::Agreed => Some(EarlyEnd::Agreed),
            Over::Resigned(Colour::White) => Some(EarlyEnd::WhiteResigned),
            Over::Resigned(Colour::Black) => Some(EarlyEnd::BlackResigned),
            Over::OutOfTime(Colour::White) => Some(EarlyEnd::WhiteOutOfTime),
            Over::OutOfTime(Colour::Black) => Some(EarlyEnd::BlackOutOfTime),
        }
    }
}

impl From<EarlyEnd> for Over {
    fn from(ended: EarlyEnd) -> Over {
        match ended {
            EarlyEnd::Agreed => Over::Agreed,
            EarlyEnd::WhiteResigned => Over::Resigned(Colour::White),
            EarlyEnd::BlackResigned => Over::Resigned(Colour::Black),
            EarlyEnd::WhiteOutOfTime => Over::OutOfTime(Colour::White),
            EarlyEnd::BlackOutOfTime => Over::OutOfTime(Colour::Black),
        }
    }
}

/// The time control of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockChoice {
    minutes: f64,
    /// The increment in seconds.
    increment: f64,
}

/// A validated setup.
#[derive(Debug)]
pub struct Prepared {
    pub game: GameSetup,
    /// The description of a rated opponent.
    pub introduction: Option<String>,
    /// The setup with the defaults filled in, but without the moves.
    pub setup: Setup,
    /// The moves that led to the position in which the game begins.
    pub before: Game,
}

/// Returns the moves of a game in UCI notation.
fn uci_moves(game: &Game) -> Vec<String> {
    let mut position = game.start().clone();
    let mut moves = Vec::new();
    for &m in game.moves() {
        moves.push(position.uci(m));
        position.play(m);
    }
    moves
}

/// The maximum search depth of an opponent with a fixed competence. A deeper search would take too
/// long.
const MAX_DEPTH: Depth = 20;
/// The maximum number of plies in a game that is being continued.
const MAX_PLIES: usize = 1200;
/// The error if a game cannot start from the user's text.
const NO_START: &str = "this is neither a FEN nor a game; enter a FEN, or moves such as 1. e4 e5";

impl Setup {
    /// Validates the setup and fills in defaults. The error is for the page's user.
    pub fn prepare(&self, host: &Host) -> Result<Prepared, String> {
        let human = if self.black { Colour::Black } else { Colour::White };
        let seed = self.seed.unwrap_or_else(fresh_seed);
        let opponents = [self.own.as_ref(), Some(&self.opponent)];
        let [own, other] = opponents.map(|choice| choice.map(|choice| self.opponent(choice, host)));
        let players = [own.transpose()?.flatten(), other.transpose()?.flatten()];
        let introduction = match &players {
            [None, Some(opponent)] => opponent.introduction(),
            _ => None,
        };
        let mut specs = [None, None];
        for ((spec, player), seed) in
            specs.iter_mut().zip(&players).zip([seed.wrapping_add(1), seed])
        {
            let Some(player) = player else { continue };
            let made = player.make(seed);
            *spec = Some(made.map_err(|error| error.to_string())?);
        }
        if self.black {
            specs.reverse();
        }
        let before = self.before()?;
        let start = before.start();
        let mut setup = Setup {
            seed: Some(seed),
            plies: None,
            moves: Vec::new(),
            left: None,
            ended: None,
            ..self.clone()
        };
        setup.before = uci_moves(&before);
        setup.chess960 = start.is_chess960();
        setup.start = match *start == Position::default() {
            true => String::new(),
            false => start.fen(),
        };
        let mut casual = CasualGame::new(before.position().clone(), human);
        casual.people = specs.each_ref().map(Option::is_none);
        if before.moves().len().max(self.moves.len()) > MAX_PLIES {
            return Err(format!("the game has more than {MAX_PLIES} plies"));
        }
        for text in &self.moves {
            let played =
                casual.game.position().parse_uci(text).map_err(|error| error.to_string())?;
            casual.play(played, None);
        }
        if let Some(ended) = self.ended.filter(|_| casual.over().is_none()) {
            casual.end(ended.into());
        }
        let clocks = self.clocks()?;
        let game = GameSetup { casual, specs, clocks, paced: self.paced };
        Ok(Prepared { game, introduction, setup, before })
    }

    /// Returns the chosen opponent, or `None` for a person.
    fn opponent(
        &self,
        choice: &OpponentChoice,
        host: &Host,
    ) -> Result<Option<OpponentSpec>, String> {
        let mut player = PlayerSpec::default();
        match choice {
            OpponentChoice::Level { elo, scale, style } => {
                player = PlayerSpec::rated(TargetRating::new(Elo(*elo), None, *scale));
                player.style = *style;
            }
            OpponentChoice::Profile { name } => {
                let profiles = host.profiles();
                let found = profiles.get(name).map_err(|error| error.to_string())?;
                player.profile = Some(found.clone());
            }
            OpponentChoice::Imitator { offset } => player.imitator = Some(Aim::above(*offset)),
            OpponentChoice::Competence { c, curve, depth } => {
                if !(1..=MAX_DEPTH).contains(depth) {
                    return Err(format!("the search depth must be from 1 to {MAX_DEPTH} plies"));
                }
                player.depth = Some(*depth);
                player.curve = Some(curve.parse().map_err(|error| format!("{error}"))?);
                player.competence = Some(Competence::new(*c).map_err(|error| error.to_string())?);
            }
            OpponentChoice::Full => {}
            OpponentChoice::Person => return Ok(None),
        }
        player.clock_effect = self.steady.then_some(false);
        let engine = if self.engine { host.engine.clone() } else { Vec::new() };
        if self.engine && engine.is_empty() {
            return Err(
                "there is no external engine; start stopdown web with --engine PROGRAM".to_owned()
            );
        }
        Ok(Some(OpponentSpec { player, seed: None, engine }))
    }

    /// Returns the game that leads to the starting position of this one.
    fn before(&self) -> Result<Game, String> {
        let text = self.start.trim();
        let first = text.split_whitespace().next().unwrap_or_default();
        if text.is_empty() || first.matches('/').count() == 7 {
            let fen = Some(text).filter(|text| !text.is_empty());
            let moves = self.before.iter().map(String::as_str);
            return Game::from_uci(fen, moves, self.chess960).map_err(|error| error.to_string());
        }
        let game = PgnStream::new(text.as_bytes()).next();
        let game = game.ok_or(NO_START)?.map_err(|error| error.to_string())?;
        match game.replay(self.plies) {
            Ok(replayed)
                if !replayed.is_from_usual_start()
                    || game.replay(Some(1)).is_ok_and(|game| game.ply() > 0) =>
            {
                Ok(replayed)
            }
            Err(error) if game.replay(Some(1)).is_ok() || !game.tags.is_empty() => {
                Err(error.to_string())
            }
            _ => Err(NO_START.to_owned()),
        }
    }

    /// Returns the clocks of White and Black.
    fn clocks(&self) -> Result<[PlayerClock; 2], String> {
        let Some(ClockChoice { minutes, increment }) = self.clock else {
            return Ok([PlayerClock::new(None); 2]);
        };
        if !(0.1..=600.0).contains(&minutes) || !(0.0..=600.0).contains(&increment) {
            return Err(
                "the clock must be from 0.1 to 600 minutes, with an increment of at most 600 seconds"
                    .to_owned(),
            );
        }
        let time = Duration::from_secs_f64(60.0 * minutes);
        let increment = Duration::from_secs_f64(increment);
        let clock = PlayerClock::new(Some(TimeControl::Clock { moves: None, time, increment }));
        let left = self.left.map(|sides| sides.map(Duration::from_millis));
        Ok(left.map_or([clock; 2], |sides| sides.map(|left| clock.with_remaining(left))))
    }
}
