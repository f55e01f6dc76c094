//! What searches, and what is in force in it.

use crate::config::{ExploitSetting, Settings};
use crate::eval::NetworkError;
use crate::player::{Engine, Exploit, Library};
use crate::search::HashError;

/// The engine and its tables, as the settings want them. It lives with the loop between searches
/// and goes to the worker and back by value, so that no two can ever use it at once.
#[derive(Debug)]
pub struct Machine {
    pub(super) engine: Engine,
    pub(super) library: Library,
    /// The file of its network; empty: the built-in one.
    network_file: String,
    hash: i64,
    /// The size of the table that was last wished for and fitted.
    granted: i64,
    threads: i64,
}

/// Why a setting did not come into force.
#[derive(Debug, thiserror::Error)]
enum MachineError {
    #[error(transparent)]
    Hash(#[from] HashError),
    #[error("{0}; the network stays as it was")]
    Network(#[from] NetworkError),
}

impl Machine {
    /// A machine of the least size. [`Machine::adopt`] brings it to what is wanted.
    pub fn new() -> Machine {
        Machine {
            engine: Engine::built_in(1),
            library: Library::none(),
            network_file: String::new(),
            hash: 1,
            granted: Settings::built_in().hash,
            threads: 1,
        }
    }

    /// A machine with this engine.
    pub fn of(engine: Engine) -> Machine {
        // It is to hear of both, whatever its own defaults are.
        Machine { engine, hash: 0, threads: 0, ..Machine::new() }
    }

    /// Brings the settings into force, and says what there is to say about it. What cannot be had
    /// leaves the old one, and the settings say so.
    pub fn adopt(&mut self, settings: &mut Settings) -> Vec<String> {
        let adopted = [self.adopt_network(settings), self.adopt_size(settings)];
        let refused = adopted.into_iter().filter_map(|adopted| Some(adopted.err()?.to_string()));
        refused.chain(self.adopt_tables(settings)).collect()
    }

    pub fn clear(&mut self) {
        self.engine.clear();
    }

    fn adopt_size(&mut self, settings: &mut Settings) -> Result<(), MachineError> {
        if self.threads != settings.threads {
            self.threads = settings.threads;
            self.engine.set_threads(self.threads.unsigned_abs() as usize);
        }
        if self.hash != settings.hash {
            let set = self.engine.set_hash(settings.hash.unsigned_abs() as usize);
            if let Err(HashError(refused, _)) = set {
                settings.hash = self.granted;
                self.engine.set_hash(self.granted.unsigned_abs() as usize)?;
                self.hash = self.granted;
                return Err(HashError(refused, self.granted.unsigned_abs() as usize).into());
            }
            self.hash = settings.hash;
            self.granted = settings.hash;
        }
        Ok(())
    }

    /// Makes an engine anew if positions are to be judged by another network. It is of the least size:
    /// there need not be room for a second one as large as the present one.
    fn adopt_network(&mut self, settings: &mut Settings) -> Result<(), MachineError> {
        let is_foreign = matches!(self.engine, Engine::External(_));
        if is_foreign || settings.network_file == self.network_file {
            return Ok(());
        }
        self.engine = match Engine::new(settings.network(), 1) {
            Ok(engine) => engine,
            Err(error) => {
                settings.network_file.clone_from(&self.network_file);
                return Err(error.into());
            }
        };
        (self.hash, self.threads) = (1, 1);
        self.engine.set_oracle(self.library.oracle());
        self.network_file.clone_from(&settings.network_file);
        Ok(())
    }

    /// Where the tables of endings come from, and what is made of them.
    fn adopt_tables(&mut self, settings: &Settings) -> Vec<String> {
        let competence = settings.exploit_competence.map(|hundredths| hundredths as f64 / 100.0);
        self.library.exploit = match settings.exploit {
            ExploitSetting::Off => None,
            ExploitSetting::Equal => Some(Exploit::against(competence, false)),
            ExploitSetting::Any => Some(Exploit::against(competence, true)),
        };
        let mut remarks = Vec::new();
        if self.library.arrange(settings.table_sources()) {
            self.engine.set_oracle(self.library.oracle());
            remarks.extend(self.library.describe_files());
        }
        remarks.extend(self.library.take_notices());
        remarks
    }
}

impl Default for Machine {
    fn default() -> Machine {
        Machine::new()
    }
}
