//! The worker's engine and tablebases, as configured by the settings.
//!
//! If a setting cannot be applied, the previous state stays in force and a message says why. The
//! engine state is kept on the worker thread, because starting an engine and loading a network take
//! time. Allocating a large hash table takes seconds, so this module only starts the allocation. The
//! worker continues it step by step while there are no jobs.
//!
//! For each setting that is expensive to apply, two values are kept: the value in force, and the
//! value last requested, so that a failed request is not repeated.

use super::external_engine::ExternalEngine;
use crate::board::shorten;
use crate::config::{ExploitSetting, Settings, built_in_settings};
use crate::eval::NetworkError;
use crate::external::{
    ExternalEvaluator, ExternalSpec, Fault, PATIENCE, Wait, evaluates_for_stopdown, guard_program,
};
use crate::player::{Engine, EngineHost, Exploit, Participant, Player};
use crate::search::HashError;

/// The first word of our name in `id name`.
const OWN_NAME: &str = "Stopdown";

/// The engine in use, and the settings that it was made from.
#[derive(Debug)]
pub(super) struct EngineState {
    pub participant: Participant,
    /// The external engine that evaluates moves instead of ours, if any.
    pub external: Option<ExternalEngine>,
    /// An external engine that was requested and is not ready yet.
    starting: Option<ExternalEvaluator>,
    /// Whether the engine that is starting was given on the command line. If so, the program cannot
    /// run without it.
    is_required: bool,
    /// Why the required engine cannot be used.
    failure: Option<String>,
    /// The last value of the option `Engine`.
    program: String,
    /// The network file in force and the one last requested. Empty for the built-in network.
    network_file: String,
    network_requested: String,
    /// The hash size last requested and the last size that could be allocated, in MiB.
    hash_requested: i64,
    hash_allocated: i64,
}

/// Why a setting could not be applied.
#[derive(Debug, thiserror::Error)]
enum SettingError {
    #[error(transparent)]
    Hash(#[from] HashError),
    #[error("EvalFile {0}; the network was not changed")]
    Network(#[from] NetworkError),
    #[error("Engine {0}; Stopdown evaluates the moves itself")]
    Engine(String),
}

impl EngineState {
    /// Creates the state with our own engine and the smallest hash table. If there is an external
    /// engine, the first [`EngineState::apply`] starts it.
    pub fn new(external: Option<ExternalEvaluator>, settings: &Settings) -> EngineState {
        EngineState {
            participant: Participant::new(
                EngineHost::new(Engine::built_in(1)),
                Player::FullStrength,
            ),
            external: None,
            is_required: external.is_some(),
            failure: None,
            program: match external {
                Some(_) => settings.engine.clone(),
                None => String::new(),
            },
            starting: external,
            network_file: String::new(),
            network_requested: String::new(),
            hash_requested: 1,
            hash_allocated: built_in_settings().hash,
        }
    }

    /// Applies the settings as far as possible, and returns messages for the user. If an external
    /// engine has to start, `wait` limits how long to wait for it.
    pub fn apply(&mut self, settings: &mut Settings, wait: &Wait) -> Vec<String> {
        let mut remarks = Vec::new();
        remarks.extend(self.choose_engine(settings).err().map(|error| error.to_string()));
        remarks.extend(self.finish_starting(settings, wait));
        let applied = [self.apply_network(settings), self.apply_hash(settings)];
        remarks.extend(applied.into_iter().filter_map(|result| Some(result.err()?.to_string())));
        if settings.plays_below_full_strength() || settings.human_analysis().is_some() {
            self.participant.host.engine.prepare_levels();
        }
        self.participant.host.set_threads(settings.threads.unsigned_abs() as usize);
        remarks.extend(self.apply_tablebases(settings));
        let engine = &mut self.participant.host.engine;
        self.external.iter_mut().for_each(|external| external.send_unsent(engine));
        remarks.extend(engine.take_notices());
        remarks
    }

    /// Waits for an external engine that is starting. Returns a message if it cannot be used.
    fn finish_starting(&mut self, settings: &Settings, wait: &Wait) -> Option<String> {
        let mut evaluator = self.starting.take()?;
        let started = evaluator.client.start_while(wait.clone());
        let program = shorten(match self.is_required {
            true => &evaluator.client.spec.program,
            false => &self.program,
        });
        let is_own = evaluator.client.known_as().starts_with(OWN_NAME) && !self.is_required;
        let fault = match started {
            Err(Fault::Interrupted) => {
                self.starting = Some(evaluator);
                return None;
            }
            Err(fault) => {
                let message = evaluator.describe(&fault);
                // Most messages name the program.
                match message.starts_with(&program) {
                    true => message,
                    false => format!("{program}: {message}"),
                }
            }
            Ok(()) if is_own => format!("{program} is Stopdown itself"),
            Ok(()) => {
                self.is_required = false;
                self.install(evaluator, settings);
                return None;
            }
        };
        if self.is_required {
            self.failure = Some(fault);
            return None;
        }
        Some(SettingError::Engine(fault).to_string())
    }

    /// Returns why the engine given on the command line cannot be used.
    pub fn take_failure(&mut self) -> Option<String> {
        self.failure.take()
    }

    /// Continues to allocate the hash table, until it is complete or the wait is over.
    pub fn finish_hash(&mut self, wait: &Wait) {
        let engine = &mut self.participant.host.engine;
        while engine.is_hash_growing() && !wait.is_over() {
            engine.grow_hash();
        }
    }

    /// Returns whether an external engine was requested and is not ready yet.
    pub fn is_starting(&self) -> bool {
        self.starting.is_some()
    }

    /// After a panic, replaces the engine with a new one of the same kind.
    pub fn replace_engine(&mut self) {
        if let Some(external) = &self.external {
            let fresh = Engine::External(Box::new(external.new_client()));
            self.participant.host.replace_engine(fresh);
            self.hash_requested = 0;
        } else {
            self.install_built_in();
        }
    }

    /// If the option `Engine` has changed, starts that external engine or returns to our own.
    fn choose_engine(&mut self, settings: &Settings) -> Result<(), SettingError> {
        if settings.engine == self.program {
            return Ok(());
        }
        self.program.clone_from(&settings.engine);
        (self.starting, self.is_required) = (None, false);
        if self.external.take().is_some() {
            self.install_built_in();
        }
        if self.program.is_empty() {
            return Ok(());
        }
        let refused =
            |fault: &str| SettingError::Engine(format!("{}: {fault}", shorten(&self.program)));
        if evaluates_for_stopdown() {
            return Err(refused("this program was started by Stopdown to evaluate moves"));
        }
        let spec = ExternalSpec::of_command(&self.program);
        let spec = spec.map_err(|error| refused(&error.to_string()))?;
        self.starting = Some(ExternalEvaluator::new(spec, PATIENCE, guard_program()));
        Ok(())
    }

    fn install(&mut self, evaluator: ExternalEvaluator, settings: &Settings) {
        self.external = Some(ExternalEngine::new(&evaluator, settings));
        self.participant.host.replace_engine(Engine::External(Box::new(evaluator)));
        // Send the engine our hash size, whatever its own default is.
        self.hash_requested = 0;
    }

    fn install_built_in(&mut self) {
        self.install_internal(Engine::built_in(1));
        self.network_file.clear();
        self.network_requested.clear();
    }

    fn install_internal(&mut self, engine: Engine) {
        self.participant.host.replace_engine(engine);
        self.hash_requested = 1;
    }

    fn apply_hash(&mut self, settings: &Settings) -> Result<(), SettingError> {
        if self.hash_requested == settings.hash {
            return Ok(());
        }
        self.hash_requested = settings.hash;
        let engine = &mut self.participant.host.engine;
        let size = settings.hash.unsigned_abs() as usize;
        if let Err(HashError(requested, _)) = engine.start_hash(size) {
            let allocated = self.hash_allocated.unsigned_abs() as usize;
            engine.start_hash(allocated)?;
            return Err(HashError(requested, allocated).into());
        }
        self.hash_allocated = settings.hash;
        Ok(())
    }

    /// Creates a new engine if another network was requested. The engine starts with the smallest
    /// hash table, because there may not be enough memory for two large tables at once.
    fn apply_network(&mut self, settings: &mut Settings) -> Result<(), SettingError> {
        if self.external.is_some() {
            return Ok(());
        }
        if settings.network_file != self.network_requested {
            self.network_requested.clone_from(&settings.network_file);
            match Engine::new(settings.network(), 1) {
                Ok(engine) => {
                    self.install_internal(engine);
                    self.network_file.clone_from(&settings.network_file);
                }
                Err(error) => {
                    settings.network_file.clone_from(&self.network_file);
                    return Err(error.into());
                }
            }
        }
        settings.network_file.clone_from(&self.network_file);
        Ok(())
    }

    /// Applies the tablebase options and the option `Exploit`.
    fn apply_tablebases(&mut self, settings: &Settings) -> Vec<String> {
        let competence = settings.exploit_competence.map(|hundredths| hundredths as f64 / 100.0);
        let host = &mut self.participant.host;
        host.exploit = match settings.exploit {
            ExploitSetting::Off => None,
            ExploitSetting::Equal => Some(Exploit::against(competence, false)),
            ExploitSetting::Any => Some(Exploit::against(competence, true)),
        };
        let mut remarks = Vec::new();
        if host.tablebases.set_sources(settings.table_sources()) {
            host.engine.set_oracle(host.tablebases.oracle());
            remarks.extend(host.tablebases.describe_files());
        }
        remarks.extend(host.tablebases.take_notices());
        remarks
    }
}
