//! What searches, and what is in force in it.

use crate::config::{NO_COMPETENCE, Settings};
use crate::player::{Engine, EngineError, Evaluation, Exploit, Library, Place, Sources};
use crate::search::HashError;

/// The engine and its tables, as the settings want them. It lives with the loop between searches
/// and goes to the worker and back by value, so that no two can ever use it at once.
#[derive(Debug)]
pub struct Machine {
    pub(super) engine: Engine,
    pub(super) library: Library,
    /// Name and file.
    evaluation: (String, String),
    hash: i64,
    threads: i64,
}

/// Why a setting did not come into force.
#[derive(Debug, thiserror::Error)]
enum MachineError {
    #[error(transparent)]
    Hash(#[from] HashError),
    #[error("{0}; the evaluation stays as it was")]
    Engine(#[from] EngineError),
    #[error("EvalFile is set but does not count: Evaluation is Handcrafted")]
    IdleFile,
}

impl Machine {
    /// A machine of the least size. [`Machine::adopt`] brings it to what is wanted.
    pub fn new() -> Machine {
        let evaluation = (Evaluation::Handcrafted.name().to_owned(), String::new());
        let library = Library::none();
        Machine { engine: Engine::handcrafted(1), library, evaluation, hash: 1, threads: 1 }
    }

    /// Brings the settings into force, and says what there is to say about it. What cannot be had
    /// leaves the old one, and the settings say so.
    pub fn adopt(&mut self, settings: &mut Settings) -> Vec<String> {
        let refused = self.adopt_engine(settings).err().map(|error| error.to_string());
        refused.into_iter().chain(self.adopt_tables(settings)).collect()
    }

    pub fn clear(&mut self) {
        self.engine.clear();
    }

    fn adopt_engine(&mut self, settings: &mut Settings) -> Result<(), MachineError> {
        let wanted = (settings.evaluation.clone(), settings.evaluation_file.clone());
        let changed = self.evaluation != wanted;
        if changed {
            self.change_evaluation(settings)?;
        }
        if self.threads != settings.threads {
            self.threads = settings.threads;
            self.engine.set_threads(self.threads.unsigned_abs() as usize);
        }
        if self.hash != settings.hash {
            let set = self.engine.set_hash(settings.hash.unsigned_abs() as usize);
            if set.is_err() {
                settings.hash = self.hash;
            }
            set?;
            self.hash = settings.hash;
        }
        if changed
            && settings.chosen_evaluation()? == Evaluation::Handcrafted
            && !wanted.1.is_empty()
        {
            return Err(MachineError::IdleFile);
        }
        Ok(())
    }

    /// Makes an engine anew, as large as the present one.
    fn change_evaluation(&mut self, settings: &mut Settings) -> Result<(), MachineError> {
        let made = settings
            .chosen_evaluation()
            .and_then(|evaluation| Engine::new(&evaluation, self.hash.unsigned_abs() as usize));
        if made.is_err() {
            (settings.evaluation, settings.evaluation_file) = self.evaluation.clone();
        }
        self.engine = made?;
        self.engine.set_threads(self.threads.unsigned_abs() as usize);
        self.engine.set_oracle(self.library.oracle());
        self.evaluation = (settings.evaluation.clone(), settings.evaluation_file.clone());
        Ok(())
    }

    /// Where the tables of endings come from, and what is made of them.
    fn adopt_tables(&mut self, settings: &Settings) -> Vec<String> {
        let sources = Sources {
            syzygy: settings.syzygy_path.clone(),
            probe_limit: settings.syzygy_probe_limit.unsigned_abs() as usize,
            fifty_moves: settings.syzygy_fifty_moves,
            own: settings.endgame_tables.parse::<Place>().unwrap_or_default(),
        };
        let competence = settings.exploit_competence;
        let competence = (competence > NO_COMPETENCE).then_some(competence as f64 / 100.0);
        let is_any = settings.exploit == "Any";
        let exploit = (settings.exploit != "Off").then(|| Exploit::against(competence, is_any));
        self.library.exploit = exploit;
        let mut remarks = Vec::new();
        if self.library.arrange(sources) {
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
