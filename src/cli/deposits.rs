//! Evaluations that are kept: what a store has is not valued again.

use std::io::{self, Write};
use std::path::Path;

use crate::board::Game;
use crate::evaluation::RootEvaluation;
use crate::games::{EvaluationKey, EvaluatorIdentity, Store};
use crate::player::Engine;
use crate::search::{Controls, EvaluationRequest, SIGNATURE, Silent};

#[derive(Debug)]
pub struct StoredEvaluations {
    store: Store,
    evaluator: EvaluatorIdentity,
    found: u64,
    made: u64,
}

impl StoredEvaluations {
    /// Opens the store for evaluations by this evaluator.
    pub fn open(path: &Path, evaluator: EvaluatorIdentity) -> anyhow::Result<StoredEvaluations> {
        Ok(StoredEvaluations { store: Store::open(path)?, evaluator, found: 0, made: 0 })
    }

    /// What the store has, or else what the engine finds, which the store has from then on.
    pub fn evaluate(
        &mut self,
        engine: &mut Engine,
        game: &Game,
        request: &EvaluationRequest,
    ) -> anyhow::Result<RootEvaluation> {
        let key = EvaluationKey::new(game, &self.evaluator, request.depth);
        let known = key.map(|key| self.store.find(&key, game)).transpose()?.flatten();
        if let Some(evaluation) = known {
            self.found += 1;
            return Ok(evaluation);
        }
        let evaluation = engine.evaluate(game, request, &Controls::new(), &mut Silent);
        if let Some(key) = key.filter(|_| !engine.has_failed()) {
            self.store.put(key, &self.evaluator, &evaluation)?;
            self.made += 1;
        }
        Ok(evaluation)
    }

    /// Writes what is waiting, and says on standard error what was done.
    pub fn close(mut self) -> anyhow::Result<()> {
        self.store.commit()?;
        let (found, made) = (self.found, self.made);
        writeln!(io::stderr(), "{found} evaluations were in the store, {made} are new")?;
        Ok(())
    }
}

/// Who an engine is to a store: itself, and the conditions that its identity leaves out. Commands
/// share what they find as long as they say so here.
pub fn evaluator(
    engine: &Engine,
    own_hash: Option<usize>,
    cap: Option<i32>,
    tables: Option<u64>,
) -> EvaluatorIdentity {
    let mut words = vec![engine.identity()];
    if let Some(hash) = own_hash {
        words.push(format!("bench {}", SIGNATURE.trim()));
        words.push(format!("Hash={hash}"));
    }
    words.extend(cap.map(|cap| format!("cap {cap}")));
    words.extend(tables.map(|tables| format!("tables {tables:016x}")));
    EvaluatorIdentity::new(words.join(", "))
}
