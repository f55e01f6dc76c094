//! The options of an external engine that evaluates the moves, merged with our own.
//!
//! The GUI sees one list of options. If both engines have an option with the same name, ours is
//! shown. Options with the same meaning in both engines, such as `SyzygyPath`, are also sent to the
//! external engine. Options for playing strength are always ours, because we choose among the moves
//! that it evaluates. An option that we do not show, such as `EvalFile`, belongs to the external
//! engine if it has one of the same name.

use std::time::Duration;

use crate::config::{self, EngineOption, Settings};
use crate::external::{ExternalEvaluator, ExternalSpec, UciClient, UciOption, guard_program};
use crate::player::Engine;

/// Options whose values are sent to both engines. `Hash` and `Threads` are also shared, but are set
/// through the engine itself. The search sets `MultiPV` and `UCI_Chess960` when it needs them.
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

/// The options of the external engine in use.
#[derive(Debug)]
pub struct ExternalEngine {
    /// The specification for restarting the engine after a crash.
    spec: ExternalSpec,
    patience: Duration,
    pub identity: ExternalIdentity,
    /// Options that were set but not yet sent.
    unsent: Vec<(String, String)>,
}

/// The name and options of an external engine, for the front end.
#[derive(Clone, Debug)]
pub struct ExternalIdentity {
    pub(crate) name: String,
    pub(crate) author: String,
    /// All options that the engine has declared.
    declared: Vec<UciOption>,
}

impl ExternalIdentity {
    /// Describes an engine that has been started.
    pub fn of(client: &UciClient) -> ExternalIdentity {
        ExternalIdentity {
            name: client.known_as().to_owned(),
            author: client.author.clone().unwrap_or_else(|| "its author".to_owned()),
            declared: client.options.clone(),
        }
    }

    /// Returns the options that are shown in addition to ours.
    pub fn options(&self) -> impl Iterator<Item = &UciOption> {
        let is_shown = |name: &str| config::find(name).is_ok_and(|option| option.is_shown);
        self.declared.iter().filter(move |option| !is_shown(&option.name))
    }

    /// Returns whether an option of this name belongs to the external engine alone.
    pub fn has(&self, name: &str) -> bool {
        let is_shared = config::find(name).is_ok_and(|option| SHARED.contains(&option.name));
        !is_shared && self.options().any(|option| option.name.eq_ignore_ascii_case(name))
    }
}

/// Returns our option with this name if it has the same meaning in both engines. If the command
/// line sets such an option of the external engine, the value applies to both engines.
pub fn option_in_common(name: &str) -> Option<&'static EngineOption> {
    let is_common = |name: &str| SHARED.contains(&name) || ["Hash", "Threads"].contains(&name);
    config::find(name).ok().filter(|option| is_common(option.name))
}

impl ExternalEngine {
    /// Describes an engine that has been started.
    pub fn new(evaluator: &ExternalEvaluator, settings: &Settings) -> ExternalEngine {
        let client = &evaluator.client;
        let identity = ExternalIdentity::of(client);
        let (spec, patience) = (client.spec.clone(), client.patience);
        let mut external = ExternalEngine { spec, patience, identity, unsent: Vec::new() };
        SHARED.iter().for_each(|name| external.share(name, settings));
        external
    }

    /// Returns a new client for the same engine, with the same options. Its process starts when it
    /// is first needed.
    pub fn new_client(&self) -> ExternalEvaluator {
        let mut evaluator =
            ExternalEvaluator::new(self.spec.clone(), self.patience, guard_program());
        evaluator.client.options.clone_from(&self.identity.declared);
        evaluator
    }

    /// Sets one of the options that belong to the external engine.
    pub fn set(&mut self, name: &str, value: &str) {
        let found = self.identity.options().find(|option| option.name.eq_ignore_ascii_case(name));
        self.unsent.extend(found.map(|option| (option.name.clone(), value.to_owned())));
    }

    /// Passes on the value of a shared option, if the external engine has this option.
    fn share(&mut self, name: &str, settings: &Settings) {
        let theirs =
            self.identity.declared.iter().find(|theirs| theirs.name.eq_ignore_ascii_case(name));
        let value = config::find(name).ok().and_then(|ours| ours.value(settings));
        if let (Some(theirs), Some(value)) = (theirs, value) {
            let value = match value.parse::<i64>() {
                Ok(number) => theirs.nearest(number).to_string(),
                Err(_) if value.is_empty() => "<empty>".to_owned(),
                Err(_) => value,
            };
            let mut already_set = self.spec.options.iter().chain(&self.unsent);
            if theirs.default != value
                || already_set.any(|(known, _)| known.eq_ignore_ascii_case(name))
            {
                self.unsent.push((theirs.name.clone(), value));
            }
        }
    }

    /// Passes on the shared options whose values have changed.
    pub fn share_changes(&mut self, before: &Settings, now: &Settings) {
        let value = |name: &str, settings: &Settings| config::find(name).ok()?.value(settings);
        let changed = SHARED.iter().filter(|name| value(name, before) != value(name, now));
        changed.for_each(|name| self.share(name, now));
    }

    /// Sends the options that were set.
    pub fn send_unsent(&mut self, engine: &mut Engine) {
        for (name, value) in self.unsent.drain(..) {
            self.spec.set(&name, &value);
            engine.set_option(&name, &value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_option_does_not_belong_to_the_external_engine_alone() {
        let declared = ["SyzygyProbeLimit type spin default 7 min 0 max 7", "EvalFile type string"];
        let declared = declared.map(|text| UciOption::parse(&format!("option name {text}")));
        let identity = ExternalIdentity {
            name: "A".to_owned(),
            author: "B".to_owned(),
            declared: declared.into_iter().flatten().collect(),
        };
        assert_eq!(identity.options().count(), 2);
        assert!(identity.has("evalfile"));
        assert!(!identity.has("SyzygyProbeLimit") && !identity.has("syzygyprobelimit"));
    }
}
