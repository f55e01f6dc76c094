//! Another engine that evaluates the moves of a session: its options beside ours.
//!
//! Where both have an option of one name, ours is shown. An option that means the same to both is told to
//! both. Strength is ours alone.

use std::time::Duration;

use crate::config::{self, EngineOption, Settings};
use crate::external::{Analyst, Declared, ExternalSpec, UciClient, guard_program};
use crate::player::Engine;

/// Means nothing where another engine values the moves; if it has such an option, it is its own.
const IDLE: &str = "EvalFile";

/// Told to both as they are. `Hash` and `Threads` go their own way, `MultiPV` and `UCI_Chess960` as
/// the search needs them.
const SHARED: [&str; 8] = [
    "Ponder",
    "Move Overhead",
    "UCI_AnalyseMode",
    "UCI_ShowWDL",
    "UCI_Opponent",
    "SyzygyPath",
    "SyzygyProbeLimit",
    "Syzygy50MoveRule",
];

#[derive(Debug)]
pub struct ExternalEngine {
    /// How to start it again, should it be lost.
    spec: ExternalSpec,
    patience: Duration,
    pub identity: ExternalIdentity,
    /// Set since it was last told.
    wanted: Vec<(String, String)>,
}

/// What a front end shows of another engine.
#[derive(Clone, Debug)]
pub struct ExternalIdentity {
    pub name: String,
    pub author: String,
    /// All options that it has.
    declared: Vec<Declared>,
}

impl ExternalIdentity {
    /// Of an engine that has been started.
    pub fn of(client: &UciClient) -> ExternalIdentity {
        ExternalIdentity {
            name: client.known_as().to_owned(),
            author: client.author.clone().unwrap_or_else(|| "its author".to_owned()),
            declared: client.options.clone(),
        }
    }

    /// The options that are its own.
    pub fn options(&self) -> impl Iterator<Item = &Declared> {
        let is_ours = |name: &str| {
            config::find(name).is_ok_and(|option| option.is_shown && !is_idle(option.name))
        };
        self.declared.iter().filter(move |option| !is_ours(&option.name))
    }

    /// Is there such an option of its own?
    pub fn has(&self, name: &str) -> bool {
        self.options().any(|option| option.name.eq_ignore_ascii_case(name))
    }
}

/// Has this option of ours no meaning where another engine evaluates the moves?
pub fn is_idle(name: &str) -> bool {
    name == IDLE
}

/// An option that means the same to both: what the command line has set of it holds for both.
pub fn option_in_common(name: &str) -> Option<&'static EngineOption> {
    let is_common = |name: &str| SHARED.contains(&name) || ["Hash", "Threads"].contains(&name);
    config::find(name).ok().filter(|option| is_common(option.name))
}

impl ExternalEngine {
    /// Describes an engine that has been started.
    pub fn new(analyst: &Analyst, settings: &Settings) -> ExternalEngine {
        let client = &analyst.client;
        let identity = ExternalIdentity::of(client);
        let (spec, patience) = (client.spec.clone(), client.patience);
        let mut external = ExternalEngine { spec, patience, identity, wanted: Vec::new() };
        SHARED.iter().for_each(|name| external.share(name, settings));
        external
    }

    /// The engine once more, as it was when it came. It is started when it is needed.
    pub fn again(&self) -> Analyst {
        let mut analyst = Analyst::new(self.spec.clone(), self.patience, guard_program());
        analyst.client.options.clone_from(&self.identity.declared);
        analyst
    }

    /// Takes a value for one of its own options.
    pub fn set(&mut self, name: &str, value: &str) {
        let found = self.identity.options().find(|option| option.name.eq_ignore_ascii_case(name));
        self.wanted.extend(found.map(|option| (option.name.clone(), value.to_owned())));
    }

    /// An option of ours has been set: it is to hear of it too, if it means the same there.
    pub fn share(&mut self, name: &str, settings: &Settings) {
        if !SHARED.contains(&name) {
            return;
        }
        let theirs = self.identity.declared.iter().find(|theirs| theirs.name == name);
        let value = config::find(name).ok().and_then(|ours| ours.value(settings));
        if let (Some(theirs), Some(value)) = (theirs, value) {
            let value = match value.parse::<i64>() {
                Ok(number) => theirs.nearest(number).to_string(),
                Err(_) if value.is_empty() => "<empty>".to_owned(),
                Err(_) => value,
            };
            let mut set = self.spec.options.iter().chain(&self.wanted);
            if theirs.default != value || set.any(|(known, _)| known == name) {
                self.wanted.push((theirs.name.clone(), value));
            }
        }
    }

    /// Options of ours have been set: it is to hear of those that mean the same there.
    pub fn share_changes(&mut self, before: &Settings, now: &Settings) {
        let value = |name: &str, settings: &Settings| config::find(name).ok()?.value(settings);
        let changed = SHARED.iter().filter(|name| value(name, before) != value(name, now));
        changed.for_each(|name| self.share(name, now));
    }

    /// Tells the engine what was set.
    pub fn tell(&mut self, engine: &mut Engine) {
        for (name, value) in self.wanted.drain(..) {
            self.spec.set(&name, &value);
            engine.set_option(&name, &value);
        }
    }
}
