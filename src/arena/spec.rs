//! Players as words: `cmd=/usr/games/toga2 option.Hash=16 name=Toga`, `self profile=club depth=6`.
//!
//! A specification is a list of words. `self` is our own engine, `cmd=` any UCI engine; the rest
//! sets options, limits and, of our own engine, how it is stopped down. Of words that say the same thing the last counts, so that common
//! settings can stand before a player's own.

use std::path::PathBuf;
use std::time::Duration;

use super::own_spec::{OwnSpec, OwnWords};
use super::time_control::{MoveLimits, TimeControl, TimeControlError, parse_seconds};
use crate::external::{CommandError, ExternalSpec, PATIENCE, split_words};
use crate::player::{PlayerSpec, Roster, SpecError, Who};

/// Everything that defines who takes part in a match: a player with an engine and limits.
#[derive(Clone, Debug, PartialEq)]
pub struct ContestantSpec {
    /// The words it was made from.
    pub text: String,
    /// The name to go by; engines bring one of their own.
    pub name: Option<String>,
    pub engine: EngineSpec,
    pub limits: MoveLimits,
    /// What the clock forgives on every move.
    pub margin: Duration,
    /// How long an engine may be silent where no clock bounds it.
    pub patience: Duration,
}

#[derive(Clone, Debug, PartialEq)]
pub enum EngineSpec {
    Own(OwnSpec),
    External(ExternalSpec),
}

/// Why the words make no player.
#[derive(Debug, thiserror::Error)]
pub enum ContestantError {
    #[error("the player \"{0}\" has neither cmd=PROGRAM nor the word self")]
    NoEngine(String),
    #[error("the player \"{0}\" has both cmd=PROGRAM and the word self")]
    TwoEngines(String),
    #[error(
        "\"{0}\" is not understood in a player; known are self, cmd=, dir=, name=, tc=, st=, \
         depth=, nodes=, margin= (milliseconds), patience= (seconds), option.NAME= and, with self, \
         {known}",
        known = OwnWords::known()
    )]
    Word(String),
    #[error("\"{0}\" wants a {1}")]
    Number(String, &'static str),
    #[error(transparent)]
    TimeControl(#[from] TimeControlError),
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error(transparent)]
    Player(#[from] SpecError),
    #[error("\"{0}\" is only for our own engine, the word self")]
    NotOwn(String),
    #[error("a player below full strength looks ahead by plies: give it depth= instead of nodes=")]
    Nodes,
    #[error("our own engine has no option \"{0}\" here; it has Hash and EvalFile")]
    OwnOption(String),
    #[error("dir= is for another engine: give cmd=PROGRAM, or engine=PROGRAM with self")]
    Directory,
}

/// Scheduling alone can cost this much on a busy machine.
const DEFAULT_MARGIN: Duration = Duration::from_millis(50);

impl ContestantSpec {
    /// Reads a player; of our own engine `profiles` are those that he can name.
    pub fn parse(text: &str, profiles: &Roster) -> Result<ContestantSpec, ContestantError> {
        let written = text.split_whitespace().collect::<Vec<&str>>().join(" ");
        let mut words = SpecWords::default();
        split_words(text)?.iter().try_for_each(|word| words.take(word, profiles))?;
        words.finish(written)
    }

    /// Our own engine as this player, with words about another engine, whose values are chosen among.
    pub fn own(
        player: PlayerSpec,
        seed: Option<u64>,
        engine: &[String],
    ) -> Result<ContestantSpec, ContestantError> {
        let limits = MoveLimits { depth: player.depth, ..MoveLimits::default() };
        let own = OwnWords::of(player, seed);
        let mut words = SpecWords { is_own: true, own, limits, ..SpecWords::default() };
        engine.iter().try_for_each(|word| words.take(word, &Roster::default()))?;
        words.finish("self".to_owned())
    }

    /// Does chance have a part in his moves, so that games from the same opening differ?
    pub fn draws_moves(&self) -> bool {
        matches!(&self.engine, EngineSpec::Own(own) if own.who != Who::FullStrength)
    }
}

/// What the words read so far have said.
#[derive(Default)]
struct SpecWords {
    is_own: bool,
    own: OwnWords,
    command: Option<String>,
    directory: Option<PathBuf>,
    name: Option<String>,
    options: Vec<(String, String)>,
    limits: MoveLimits,
    margin: Option<Duration>,
    patience: Option<Duration>,
}

impl SpecWords {
    /// The player of all these words.
    fn finish(mut self, text: String) -> Result<ContestantSpec, ContestantError> {
        let engine = match (self.is_own, self.command) {
            (true, Some(_)) => return Err(ContestantError::TwoEngines(text)),
            (false, None) => return Err(ContestantError::NoEngine(text)),
            (true, None) => {
                let own = self.own.finish(self.limits, self.options, self.directory)?;
                self.limits.depth = self.limits.depth.or(own.who.depth());
                EngineSpec::Own(own)
            }
            (false, Some(command)) => {
                if let Some(word) = self.own.last() {
                    return Err(ContestantError::NotOwn(word.to_owned()));
                }
                let (directory, options) = (self.directory, self.options);
                let engine = ExternalSpec::of_command(&command)?;
                EngineSpec::External(ExternalSpec { directory, options, ..engine })
            }
        };
        Ok(ContestantSpec {
            text,
            name: self.name,
            engine,
            limits: self.limits,
            margin: self.margin.unwrap_or(DEFAULT_MARGIN),
            patience: self.patience.unwrap_or(PATIENCE),
        })
    }

    fn take(&mut self, word: &str, profiles: &Roster) -> Result<(), ContestantError> {
        let unknown = || ContestantError::Word(word.to_owned());
        let wants = |what| ContestantError::Number(word.to_owned(), what);
        if word == "self" {
            self.is_own = true;
            return Ok(());
        }
        let (key, value) = word.split_once('=').ok_or_else(unknown)?;
        match key {
            "cmd" => self.command = Some(value.to_owned()),
            "dir" => self.directory = Some(value.into()),
            "name" => self.name = Some(value.to_owned()),
            "tc" => self.limits.time = Some(value.parse()?),
            "st" => {
                let time = parse_seconds(value).filter(|time| !time.is_zero());
                let time = time.ok_or_else(|| wants("time in seconds"))?;
                self.limits.time = Some(TimeControl::PerMove(time));
            }
            "depth" => {
                let depth = value.parse().ok().filter(|depth| *depth > 0);
                self.limits.depth = Some(depth.ok_or_else(|| wants("number of plies, 1 to 255"))?);
            }
            "nodes" => {
                let nodes = value.parse().ok().filter(|nodes| *nodes > 0);
                self.limits.nodes = Some(nodes.ok_or_else(|| wants("number of nodes above 0"))?);
            }
            "margin" => {
                let margin = value.parse().map_err(|_| wants("number of milliseconds"))?;
                self.margin = Some(Duration::from_millis(margin));
            }
            "patience" => {
                let patience = parse_seconds(value).filter(|time| !time.is_zero());
                self.patience = Some(patience.ok_or_else(|| wants("time in seconds above 0"))?);
            }
            _ if self.own.take(key, value, profiles)? => {}
            _ => {
                let option = key.strip_prefix("option.").filter(|name| !name.is_empty());
                let option = option.ok_or_else(unknown)?;
                self.options.retain(|(name, _)| !name.eq_ignore_ascii_case(option));
                self.options.push((option.to_owned(), value.to_owned()));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_external_engine_in_full() {
        let text = "cmd='/opt/my engine/run -x \"a b\"' dir=/tmp name='My Engine' st=0.5 nodes=100 \
                    option.Hash=16 \"option.Clear Hash=\" option.hash=32 margin=7";
        let spec = ContestantSpec::parse(text, &Roster::default()).expect("sound");
        let EngineSpec::External(external) = spec.engine else { panic!("not external") };
        assert_eq!(external.program, "/opt/my");
        assert_eq!(external.arguments, ["engine/run", "-x", "a b"]);
        assert_eq!(external.directory, Some("/tmp".into()));
        let options = [("Clear Hash", ""), ("hash", "32")].map(|(a, b)| (a.into(), b.into()));
        assert_eq!(external.options, options);
        assert_eq!(spec.name.as_deref(), Some("My Engine"));
        assert_eq!(spec.limits.to_string(), "0.5/move, 100 nodes");
        assert_eq!(spec.margin, Duration::from_millis(7));
    }

    #[test]
    fn later_words_win() {
        let text = "tc=10+0.1 depth=3 self tc=5 depth=6";
        let spec = ContestantSpec::parse(text, &Roster::default()).expect("sound");
        assert_eq!(spec.limits.to_string(), "5, 6 plies");
        assert_eq!(
            spec.engine,
            EngineSpec::Own(OwnSpec {
                hash: 16,
                engine: None,
                network: None,
                who: Who::FullStrength,
                label: "Stopdown".to_owned(),
                seed: None
            })
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cases = [
            ("depth=6", "neither"),
            ("self cmd=x", "both"),
            ("self depht=6", "depht=6"),
            ("self depth=0", "depth=0"),
            ("self depth=300", "depth=300"),
            ("self nodes=-1", "nodes=-1"),
            ("self tc=fast", "fast"),
            ("self 'name=x", "not closed"),
            ("self option.Threads=2", "Threads"),
            ("self option.Evaluation=Network", "Evaluation"),
            ("cmd= depth=3", "program is missing"),
            ("self engine= depth=3", "program is missing"),
            ("self dir=/tmp depth=3", "dir="),
            ("cmd=x engine=y depth=3", "engine=y"),
        ];
        for (text, expected) in cases {
            let message =
                ContestantSpec::parse(text, &Roster::default()).expect_err(text).to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
