//! The engine of a session and its tablebases, as the settings want them.
//!
//! What cannot be had leaves the old state in force, and a remark says why. It lives on the worker's
//! thread, because starting an engine, reading a network or making room for a table takes time.

use super::external_engine::ExternalEngine;
use crate::board::shorten;
use crate::config::{ExploitSetting, Settings};
use crate::eval::NetworkError;
use crate::external::{
    Analyst, ExternalSpec, Fault, PATIENCE, Wait, evaluates_for_stopdown, guard_program,
};
use crate::player::{Engine, EngineHost, Exploit, Participant, Player};
use crate::search::HashError;

/// The name by which Stopdown introduces itself begins with this.
const OWN_NAME: &str = "Stopdown";

#[derive(Debug)]
pub(super) struct EngineState {
    pub participant: Participant,
    /// The engine that evaluates the moves in place of ours.
    pub external: Option<ExternalEngine>,
    /// It was asked for and is not ready yet.
    starting: Option<Analyst>,
    /// The program that was last asked for by the option `Engine`.
    program: String,
    /// The file of the network in force and the one that was last asked for; empty: the built-in one.
    network_file: String,
    network_asked: String,
    /// The size of the table that was last asked for, and the last that fitted.
    hash_asked: i64,
    hash_granted: i64,
}

/// Why a setting did not come into force.
#[derive(Debug, thiserror::Error)]
enum SettingError {
    #[error(transparent)]
    Hash(#[from] HashError),
    #[error("{0}; the network stays as it was")]
    Network(#[from] NetworkError),
    #[error("Engine {0}; Stopdown evaluates the moves itself")]
    Engine(String),
}

impl EngineState {
    /// Our own engine of the least size, or another engine that was started.
    pub fn new(external: Option<Analyst>, settings: &Settings) -> EngineState {
        let mut state = EngineState {
            participant: Participant::new(
                EngineHost::new(Engine::built_in(1)),
                Player::FullStrength,
            ),
            external: None,
            starting: None,
            program: String::new(),
            network_file: String::new(),
            network_asked: String::new(),
            hash_asked: 1,
            hash_granted: Settings::built_in().hash,
        };
        if let Some(analyst) = external {
            state.program.clone_from(&settings.engine);
            state.install(analyst, settings);
        }
        state
    }

    /// Brings the settings into force as far as that can be done, and says what there is to say about
    /// it. Another engine that has to start is waited for as long as this says.
    pub fn adopt(&mut self, settings: &mut Settings, wait: &Wait) -> Vec<String> {
        let mut remarks = Vec::new();
        remarks.extend(self.choose_engine(settings).err().map(|error| error.to_string()));
        remarks.extend(self.await_engine(settings, wait));
        let adopted = [self.adopt_network(settings), self.adopt_hash(settings)];
        remarks.extend(adopted.into_iter().filter_map(|done| Some(done.err()?.to_string())));
        self.participant.host.set_threads(settings.threads.unsigned_abs() as usize);
        remarks.extend(self.adopt_tables(settings));
        let engine = &mut self.participant.host.engine;
        self.external.iter_mut().for_each(|external| external.tell(engine));
        remarks.extend(engine.take_notices());
        remarks
    }

    /// Waits for an engine that is starting. `None` where there is nothing to say.
    fn await_engine(&mut self, settings: &Settings, wait: &Wait) -> Option<String> {
        let mut analyst = self.starting.take()?;
        let started = analyst.client.start_while(wait.clone());
        let program = shorten(&self.program);
        let fault = match started {
            Err(Fault::Interrupted) => {
                self.starting = Some(analyst);
                return None;
            }
            Err(fault) => format!("{program}: {fault}"),
            Ok(()) if analyst.client.known_as().starts_with(OWN_NAME) => {
                format!("{program} is Stopdown itself")
            }
            Ok(()) => {
                self.install(analyst, settings);
                return None;
            }
        };
        Some(SettingError::Engine(fault).to_string())
    }

    /// Was another engine asked for that is not there yet?
    pub fn is_starting(&self) -> bool {
        self.starting.is_some()
    }

    /// Another engine of the same kind takes the place of one that cannot be used any more.
    pub fn renew(&mut self) {
        if let Some(external) = &self.external {
            let again = Engine::External(Box::new(external.again()));
            self.participant.host.replace_engine(again);
            self.hash_asked = 0;
        } else {
            self.install_own(Engine::built_in(1));
            self.network_file.clear();
            self.network_asked.clear();
        }
    }

    fn choose_engine(&mut self, settings: &Settings) -> Result<(), SettingError> {
        if settings.engine == self.program {
            return Ok(());
        }
        self.program.clone_from(&settings.engine);
        self.starting = None;
        if self.external.take().is_some() {
            self.install_own(Engine::built_in(1));
            self.network_file.clear();
            self.network_asked.clear();
        }
        if self.program.is_empty() {
            return Ok(());
        }
        let refused =
            |fault: &str| SettingError::Engine(format!("{}: {fault}", shorten(&self.program)));
        if evaluates_for_stopdown() {
            return Err(refused("this program was started by Stopdown to evaluate moves"));
        }
        let spec = ExternalSpec::of_program(&self.program);
        let spec = spec.map_err(|error| refused(&error.to_string()))?;
        self.starting = Some(Analyst::new(spec, PATIENCE, guard_program()));
        Ok(())
    }

    fn install(&mut self, analyst: Analyst, settings: &Settings) {
        self.external = Some(ExternalEngine::new(&analyst, settings));
        self.participant.host.replace_engine(Engine::External(Box::new(analyst)));
        // It is told of the size, whatever its own default is.
        self.hash_asked = 0;
    }

    fn install_own(&mut self, engine: Engine) {
        self.participant.host.replace_engine(engine);
        self.hash_asked = 1;
    }

    fn adopt_hash(&mut self, settings: &Settings) -> Result<(), SettingError> {
        if self.hash_asked == settings.hash {
            return Ok(());
        }
        self.hash_asked = settings.hash;
        let engine = &mut self.participant.host.engine;
        if let Err(HashError(refused, _)) = engine.set_hash(settings.hash.unsigned_abs() as usize) {
            let granted = self.hash_granted.unsigned_abs() as usize;
            engine.set_hash(granted)?;
            return Err(HashError(refused, granted).into());
        }
        self.hash_granted = settings.hash;
        Ok(())
    }

    /// Makes an engine anew if positions are to be evaluated by another network. It is of the least
    /// size: there need not be room for a second one as large as the present one.
    fn adopt_network(&mut self, settings: &mut Settings) -> Result<(), SettingError> {
        if self.external.is_some() {
            return Ok(());
        }
        if settings.network_file != self.network_asked {
            self.network_asked.clone_from(&settings.network_file);
            match Engine::new(settings.network(), 1) {
                Ok(engine) => {
                    self.install_own(engine);
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

    /// Where tablebases come from, and what is made of them.
    fn adopt_tables(&mut self, settings: &Settings) -> Vec<String> {
        let competence = settings.exploit_competence.map(|hundredths| hundredths as f64 / 100.0);
        let host = &mut self.participant.host;
        host.exploit = match settings.exploit {
            ExploitSetting::Off => None,
            ExploitSetting::Equal => Some(Exploit::against(competence, false)),
            ExploitSetting::Any => Some(Exploit::against(competence, true)),
        };
        let mut remarks = Vec::new();
        if host.tablebases.arrange(settings.table_sources()) {
            host.engine.set_oracle(host.tablebases.oracle());
            remarks.extend(host.tablebases.describe_files());
        }
        remarks.extend(host.tablebases.take_notices());
        remarks
    }
}
