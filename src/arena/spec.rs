//! Parses descriptions of players, such as `cmd=/usr/games/toga2 option.Hash=16 name=Toga` or `self
//! profile=club depth=6`.
//!
//! A player is described by a list of words. `self` means our own engine, and `cmd=` an external
//! UCI engine. The other words set options, limits and, for our own engine, its strength: `self
//! profile=club seed=7` or `self competence=7.2 depth=4`. With `engine=stockfish`, our player
//! chooses among moves that Stockfish has evaluated. If two words set the same thing, the last one
//! counts. So settings for all players can precede those of each player.

use std::path::PathBuf;
use std::time::Duration;

use super::time_control::{MoveLimits, TimeControl, TimeControlError, parse_seconds};
use crate::board::shorten;
use crate::external::{CommandError, ExternalSpec, PATIENCE, split_words};
use crate::player::{
    DEEPEST, Elo, ImitatorConfig, MAX_HASH, PlayerSpec, Roster, ScaledRating, Skill, SpecError,
    TargetRating, USUAL_DEPTH, Who,
};
use crate::suggest;

/// A player of a match: an engine with its options and limits.
#[derive(Clone, Debug, PartialEq)]
pub struct ContestantSpec {
    /// The words of the specification.
    pub text: String,
    /// The name in results, or `None` for the default name.
    pub name: Option<String>,
    /// The engine that chooses the moves.
    pub engine: EngineSpec,
    /// The limits on each move.
    pub limits: MoveLimits,
    /// The amount by which each move may exceed its time limit.
    pub margin: Duration,
    /// The longest time that an engine may take to answer a command or, without a clock, may search
    /// without progress.
    pub patience: Duration,
}

/// A player's engine.
#[derive(Clone, Debug, PartialEq)]
pub enum EngineSpec {
    /// Our own engine, in this process.
    Internal(InternalSpec),
    /// Another UCI engine, in its own process.
    External(ExternalSpec),
}

/// Our own engine, in this process.
#[derive(Clone, Debug, PartialEq)]
pub struct InternalSpec {
    /// An external engine that evaluates the moves instead of our own.
    pub engine: Option<Box<ExternalSpec>>,
    /// The size of the hash table, in MiB.
    pub hash: usize,
    /// The file of the network, or `None` for the built-in one.
    pub network: Option<PathBuf>,
    /// The playing strength: full, a profile or the imitator.
    pub who: Who,
    /// The opponent whose errors the player exploits, if it plays at full strength.
    pub(crate) exploits: Option<ScaledRating>,
    /// The default name: the profile's name or the player's parameters.
    pub label: String,
    /// A note if the search depth does not suit the player's rating.
    pub depth_note: Option<String>,
    /// The seed for random choices. By default it is the profile's seed, or else the player's number
    /// in the list, from 1.
    pub seed: Option<u64>,
    /// Whether an imitator remembers its opponent from game to game. Always false for other players.
    pub remembers: bool,
}

/// Why a player was rejected.
#[derive(Debug, thiserror::Error)]
pub enum ContestantError {
    /// Neither our own engine nor a program is given. Contains the specification.
    #[error("the player \"{0}\" needs the word self, or cmd=PROGRAM")]
    NoEngine(String),
    /// Both our own engine and a program are given. Contains the specification.
    #[error("the player \"{0}\" has both self and cmd=PROGRAM; remove one of them")]
    TwoEngines(String),
    /// A word is unknown. Contains the word.
    #[error(
        "unknown word \"{}\" in a player's description{}",
        shorten(.0),
        hint(.0)
    )]
    Word(String),
    /// A value is not valid. Contains the word and the kind of value that it needs.
    #[error("\"{0}\" is not valid; expected a {1}")]
    Number(String, &'static str),
    /// The time control is not valid.
    #[error(transparent)]
    TimeControl(#[from] TimeControlError),
    /// An engine's command line is not valid.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The player's profile or parameters are not valid.
    #[error(transparent)]
    Player(#[from] SpecError),
    /// A word that applies only to our own engine was given for another engine. Contains the word.
    #[error(
        "\"{0}\" works only with self; remove it, or write \"self engine=PROGRAM\" instead of \
         \"cmd=PROGRAM\""
    )]
    NotInternal(String),
    /// A weakened player was given a node limit.
    #[error("up to level 2800, a weakened player has a fixed depth; use depth= instead of nodes=")]
    Nodes,
    /// A weakened player, or one with `engine=`, was given `exploit=`.
    #[error("exploit= needs self at full strength; remove engine= and the settings that weaken it")]
    Exploit,
    /// A player other than an imitator was given `memory=true`.
    #[error("only an imitator remembers its opponent; add imitator=0, or remove memory=")]
    Memory,
    /// Our own engine does not have this option in matches. Contains its name.
    #[error("self has no option \"{0}\"; use option.Hash or option.EvalFile")]
    InternalOption(String),
    /// A working directory is given, but no external engine.
    #[error("dir= works only for external engines; use it with cmd=PROGRAM or engine=PROGRAM")]
    Directory,
}

/// On a busy machine, scheduling alone can delay a move by this much.
const DEFAULT_MARGIN: Duration = Duration::from_millis(50);

const DEFAULT_HASH: usize = 16;

impl ContestantSpec {
    /// Parses the description of a player. `profiles` are the available profiles of our own engine.
    pub fn parse(text: &str, profiles: &Roster) -> Result<ContestantSpec, ContestantError> {
        let written = text.split_whitespace().collect::<Vec<&str>>().join(" ");
        let mut words = SpecWords::default();
        split_words(text)?.iter().try_for_each(|word| words.take(word, profiles))?;
        words.finish(written)
    }

    /// Creates a player with our own engine. The words in `engine` describe an external engine that
    /// evaluates its moves.
    pub(crate) fn internal(
        player: PlayerSpec,
        seed: Option<u64>,
        engine: &[String],
    ) -> Result<ContestantSpec, ContestantError> {
        let limits = MoveLimits { depth: player.depth, ..MoveLimits::default() };
        let mut words =
            SpecWords { is_internal: true, player, seed, limits, ..SpecWords::default() };
        engine.iter().try_for_each(|word| words.take(word, &Roster::default()))?;
        words.finish("self".to_owned())
    }

    /// The rating that the player is meant to play at, if any.
    pub(crate) fn rating(&self) -> Option<ScaledRating> {
        match &self.engine {
            EngineSpec::Internal(InternalSpec { who: Who::Profile(profile), .. }) => profile.rating,
            _ => None,
        }
    }

    /// A note if the search depth does not suit the player's rating.
    pub(crate) fn depth_note(&self) -> Option<&str> {
        match &self.engine {
            EngineSpec::Internal(own) => own.depth_note.as_deref(),
            EngineSpec::External(_) => None,
        }
    }

    /// Returns the configuration of an imitator that remembers its opponent from game to game, or `None`
    /// for any other player.
    pub(crate) fn remembers(&self) -> Option<&ImitatorConfig> {
        match &self.engine {
            EngineSpec::Internal(InternalSpec {
                who: Who::Imitator(config),
                remembers: true,
                ..
            }) => Some(config),
            _ => None,
        }
    }

    /// Returns whether moves are chosen at random, so that games from the same opening differ.
    pub(crate) fn chooses_at_random(&self) -> bool {
        let EngineSpec::Internal(own) = &self.engine else { return false };
        own.who != Who::FullStrength && own.who.nodes().is_none()
    }
}

/// The words parsed so far.
#[derive(Default)]
struct SpecWords {
    is_internal: bool,
    command: Option<String>,
    name: Option<String>,
    /// The directory and options for an external engine. If there is no external engine, the
    /// options belong to our own engine.
    external: ExternalSpec,
    limits: MoveLimits,
    margin: Option<Duration>,
    patience: Option<Duration>,
    engine: Option<String>,
    player: PlayerSpec,
    seed: Option<u64>,
    exploits: Option<Elo>,
    memory: Option<bool>,
    /// The last word that is valid only for our own engine.
    internal_word: Option<String>,
}

/// The words that can describe a player, except for `option.NAME`.
const WORDS: [&str; 15] = [
    "self", "cmd", "dir", "name", "tc", "st", "nodes", "margin", "patience", "engine", "profile",
    "imitator", "memory", "seed", "exploit",
];

fn all_words() -> impl Iterator<Item = &'static str> {
    WORDS.into_iter().chain(PlayerSpec::SKILL)
}

/// Completes the message about an unknown word.
fn hint(word: &str) -> String {
    match word.split_once('=') {
        Some((key, _)) => suggest::hint(key, all_words(), "match"),
        None if all_words().any(|known| known == word) => format!("; write {word}=VALUE"),
        None if suggest::similar(word, ["self"]).is_some() => "; did you mean \"self\"?".to_owned(),
        None => format!("; to play against a program, write cmd={}", shorten(word)),
    }
}

impl SpecWords {
    /// Builds the player from all words.
    fn finish(mut self, text: String) -> Result<ContestantSpec, ContestantError> {
        let engine = match (self.is_internal, self.command.take()) {
            (true, Some(_)) => return Err(ContestantError::TwoEngines(text)),
            (false, None) => return Err(ContestantError::NoEngine(text)),
            (true, None) => {
                let own = self.finish_internal()?;
                self.limits.depth = self.limits.depth.or(own.who.depth());
                self.limits.nodes = self.limits.nodes.or(own.who.nodes());
                EngineSpec::Internal(own)
            }
            (false, Some(command)) => {
                if let Some(word) = self.internal_word {
                    return Err(ContestantError::NotInternal(word));
                }
                let ExternalSpec { program, arguments, .. } = ExternalSpec::of_command(&command)?;
                EngineSpec::External(ExternalSpec { program, arguments, ..self.external })
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

    fn finish_internal(&mut self) -> Result<InternalSpec, ContestantError> {
        let (limits, external) = (self.limits, std::mem::take(&mut self.external));
        if self.player.profile.is_none() {
            self.player.depth = limits.depth;
        }
        let who = self.player.player()?;
        let label = match &who {
            Who::FullStrength => "Stopdown".to_owned(),
            Who::Imitator(_) => "Imitator".to_owned(),
            Who::Profile(profile) if !profile.name.is_empty() => profile.name.clone(),
            Who::Profile(profile) => label(self.player.target_rating(), &profile.parts()[0].1),
        };
        let is_weakened = who != Who::FullStrength && who.nodes().is_none();
        if is_weakened && limits.nodes.is_some() {
            return Err(ContestantError::Nodes);
        }
        let exploits = self.exploits.map(|elo| ScaledRating { elo, scale: self.player.scale });
        if let Some(ScaledRating { elo, scale }) = exploits {
            let target = TargetRating::new(elo, None, scale);
            if !target.is_available() {
                return Err(SpecError::Rating(target).into());
            }
        }
        if exploits.is_some() && (who != Who::FullStrength || self.engine.is_some()) {
            return Err(ContestantError::Exploit);
        }
        let is_imitator = matches!(who, Who::Imitator(_));
        if self.memory == Some(true) && !is_imitator {
            return Err(ContestantError::Memory);
        }
        let remembers = is_imitator && self.memory.unwrap_or(true);
        let label = exploits.map_or(label.clone(), |e| format!("{label} exploiting {}", e.brief()));
        let engine = self.engine.as_deref().map(ExternalSpec::of_command).transpose()?;
        if engine.is_none() && external.directory.is_some() {
            return Err(ContestantError::Directory);
        }
        let own_options = if engine.is_some() { &[][..] } else { &external.options };
        let (hash, network) = engine_options(own_options)?;
        let label = match engine.as_ref().map(|engine| engine.short_name()) {
            None => label,
            Some(engine) if who == Who::FullStrength => engine.to_owned(),
            Some(engine) => format!("{label} of {engine}"),
        };
        let engine = engine.map(|ExternalSpec { program, arguments, .. }| {
            Box::new(ExternalSpec { program, arguments, ..external })
        });
        let seed = self.seed;
        let target = self.player.target_rating();
        let depth_note = target.and_then(|target| target.depth_note(limits.depth?));
        Ok(InternalSpec {
            engine,
            hash,
            network,
            who,
            exploits,
            label,
            depth_note,
            seed,
            remembers,
        })
    }

    fn take(&mut self, word: &str, profiles: &Roster) -> Result<(), ContestantError> {
        let unknown = || ContestantError::Word(word.to_owned());
        let wants = |what| ContestantError::Number(word.to_owned(), what);
        if word == "self" {
            self.is_internal = true;
            return Ok(());
        }
        let (key, value) = word.split_once('=').ok_or_else(unknown)?;
        match key {
            "cmd" => self.command = Some(value.to_owned()),
            "dir" => self.external.directory = Some(value.into()),
            "name" if value.trim().is_empty() => return Err(wants("name")),
            "name" => self.name = Some(value.to_owned()),
            "tc" => self.limits.time = Some(value.parse()?),
            "st" => {
                let time = parse_seconds(value).filter(|time| !time.is_zero());
                let time = time.ok_or_else(|| wants("number of seconds above 0"))?;
                self.limits.time = Some(TimeControl::PerMove(time));
            }
            "depth" => {
                let depth = value.parse().ok().filter(|depth| *depth > 0);
                self.limits.depth =
                    Some(depth.ok_or_else(|| wants("number of plies from 1 to 255"))?);
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
                self.patience = Some(patience.ok_or_else(|| wants("number of seconds above 0"))?);
            }
            _ if self.take_internal(key, value, profiles)? => {
                self.internal_word = Some(word.to_owned())
            }
            _ => {
                let option = key.strip_prefix("option.").filter(|name| !name.is_empty());
                self.external.set(option.ok_or_else(unknown)?, value);
            }
        }
        Ok(())
    }

    /// Handles a word that is valid only for our own engine. Returns false for any other word.
    fn take_internal(
        &mut self,
        key: &str,
        value: &str,
        profiles: &Roster,
    ) -> Result<bool, ContestantError> {
        match key {
            "engine" => self.engine = Some(value.to_owned()),
            "profile" => {
                let found = profiles.get(value).map_err(SpecError::from)?;
                self.player.profile = Some(found.clone());
            }
            "imitator" => self.player.set_imitator(value)?,
            "exploit" => {
                let wanted = |_| ContestantError::Number(format!("{key}={value}"), "rating");
                let elo = Elo(value.parse().map_err(wanted)?);
                self.exploits = Some(elo);
            }
            "memory" => {
                let [field, value, wanted] = [key, value, "true or false"].map(str::to_owned);
                let is_on = value.parse();
                self.memory = Some(is_on.map_err(|_| SpecError::Value { field, value, wanted })?);
            }
            "seed" => {
                let wants = |_| {
                    ContestantError::Number(format!("{key}={value}"), "whole number of at least 0")
                };
                self.seed = Some(value.parse().map_err(wants)?);
            }
            _ => return Ok(self.player.set(key, value)?),
        }
        Ok(true)
    }
}

/// The default name of a weakened player: `1500`, `1700 Lichess-Blitz`, `levelled c=7` or `regan s=0.1 c=0.5`. The style
/// is appended, and the depth if it is not the default: `1500 attacker d4`.
fn label(target: Option<TargetRating>, skill: &Skill) -> String {
    let curve = &skill.selector.curve;
    let numbers = match (target, curve.parameters()) {
        (Some(TargetRating { elo, scale, .. }), _) => ScaledRating { elo, scale }.brief(),
        (None, [_, ("rating", rating)]) => format!("{} {rating}", curve.family()),
        (None, [("competence", c), _]) => format!("{} c={c}", curve.family()),
        (None, [(_, s), (_, c)]) => format!("{} s={s} c={c}", curve.family()),
    };
    let numbers = match skill.style {
        Some(style) => format!("{numbers} {}", style.name().to_lowercase()),
        None => numbers,
    };
    let usual = if skill.nodes.is_some() { DEEPEST } else { USUAL_DEPTH };
    if skill.depth == usual { numbers } else { format!("{numbers} d{}", skill.depth) }
}

/// The size of the hash table, and the file of the network.
fn engine_options(
    options: &[(String, String)],
) -> Result<(usize, Option<PathBuf>), ContestantError> {
    let (mut hash, mut network) = (DEFAULT_HASH, None);
    for (name, value) in options {
        match name.to_ascii_lowercase().as_str() {
            "hash" => {
                let number = value.parse().ok().filter(|hash| (1..=MAX_HASH).contains(hash));
                let wanted = || ContestantError::Number(format!("{name}={value}"), "size in MiB");
                hash = number.ok_or_else(wanted)?;
            }
            "evalfile" => network = (!value.is_empty()).then(|| value.into()),
            _ => return Err(ContestantError::InternalOption(name.clone())),
        }
    }
    Ok((hash, network))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_external_engine_with_all_options_is_parsed() {
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
        let shallow = MoveLimits { depth: Some(1), ..MoveLimits::default() };
        assert_eq!(shallow.to_string(), "1 ply");
        let EngineSpec::Internal(own) = spec.engine else { panic!("not our own") };
        assert_eq!((own.hash, own.who, &*own.label), (16, Who::FullStrength, "Stopdown"));
    }

    #[test]
    fn errors_name_the_wrong_word() {
        let cases = [
            ("depth=6", "needs the word self, or cmd=PROGRAM"),
            ("self cmd=x", "both"),
            ("self depht=6", "\"depht=6\" in a player's description; did you mean \"depth\"?"),
            ("self depth=0", "depth=0"),
            ("self depth=300", "depth=300"),
            ("self nodes=-1", "nodes=-1"),
            ("self tc=fast", "fast"),
            ("self 'name=x", "not closed"),
            ("self option.Threads=2", "Threads"),
            ("self option.Evaluation=Network", "Evaluation"),
            ("cmd= depth=3", "no engine program"),
            ("self engine= depth=3", "no engine program"),
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
