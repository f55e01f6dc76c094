//! Another engine behind our session: its options beside ours.
//!
//! Where both have an option of one name, ours is shown. What means the same to both is told to
//! both; strength is ours alone.

use std::path::PathBuf;
use std::time::Duration;

use super::worker::Machine;
use crate::config::{self, EngineOption, Settings};
use crate::external::{Analyst, Declared, ExternalSpec};
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
pub struct Foreign {
    /// How to have it once more, should it be lost.
    spec: ExternalSpec,
    patience: Duration,
    guard: Option<PathBuf>,
    pub name: String,
    pub author: String,
    /// All that it has.
    declared: Vec<Declared>,
    /// Set since it was last at hand.
    wanted: Vec<(String, String)>,
}

impl Foreign {
    /// What is to be known of an engine that has been started.
    pub fn of(analyst: &Analyst, guard: Option<PathBuf>, settings: &Settings) -> Foreign {
        let client = &analyst.client;
        let mut foreign = Foreign {
            spec: client.spec.clone(),
            patience: client.patience,
            guard,
            name: client.known_as().to_owned(),
            author: client.author.clone().unwrap_or_else(|| "its author".to_owned()),
            declared: client.options.clone(),
            wanted: Vec::new(),
        };
        SHARED.iter().for_each(|name| foreign.share(name, settings));
        foreign
    }

    /// The engine once more, as it was when it came.
    pub fn machine(&self) -> Machine {
        let mut analyst = Analyst::new(self.spec.clone(), self.patience, self.guard.clone());
        // What it has is known once it is there. Should it not come, that is told when it is needed.
        let _ = analyst.client.start();
        Machine::of(Engine::External(Box::new(analyst)))
    }

    /// An option that means the same to both: what the command line has set of it holds for both.
    pub fn in_common(name: &str) -> Option<&'static EngineOption> {
        let is_common = |name: &str| SHARED.contains(&name) || ["Hash", "Threads"].contains(&name);
        config::find(name).ok().filter(|option| is_common(option.name))
    }

    /// Is this option of ours without meaning here?
    pub fn is_idle(name: &str) -> bool {
        name == IDLE
    }

    /// The options that are its own.
    pub fn options(&self) -> impl Iterator<Item = &Declared> {
        let is_ours = |name: &str| {
            config::find(name).is_ok_and(|option| option.is_shown && !Foreign::is_idle(option.name))
        };
        self.declared.iter().filter(move |option| !is_ours(&option.name))
    }

    /// Takes a value for one of its own options. Is there one of that name?
    pub fn set(&mut self, name: &str, value: &str) -> bool {
        let Some(option) = self.options().find(|option| option.name.eq_ignore_ascii_case(name))
        else {
            return false;
        };
        let name = option.name.clone();
        self.wanted.push((name, value.to_owned()));
        true
    }

    /// An option of ours has been set: it is to hear of it too, if it means the same there.
    pub fn share(&mut self, name: &str, settings: &Settings) {
        if !SHARED.contains(&name) {
            return;
        }
        let theirs = self.declared.iter().find(|theirs| theirs.name == name);
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

    /// Tells the engine what was set, now that it is at hand.
    pub fn tell(&mut self, engine: &mut Engine) {
        for (name, value) in self.wanted.drain(..) {
            self.spec.set(&name, &value);
            engine.set_option(&name, &value);
        }
    }
}
