//! The words that say what positions are judged by. Commands value moves for what they tell of players.

use crate::config::Config;
use crate::player::{EngineError, Evaluation, Purpose};

#[derive(clap::Args, Clone, Debug)]
pub struct EvaluationArguments {
    /// What judges positions: handcrafted or network [default: as configured, else handcrafted; bench and
    /// tune do not look into engine.toml]
    #[arg(long, value_name = "NAME")]
    evaluation: Option<String>,

    /// The network of this file instead of the built-in one
    #[arg(long, value_name = "FILE")]
    eval_file: Option<String>,
}

impl EvaluationArguments {
    pub fn is_given(&self) -> bool {
        self.evaluation.is_some() || self.eval_file.is_some()
    }

    /// What is asked for, and nothing else: for figures that must not depend on a configuration.
    pub fn alone(&self) -> Result<Evaluation, EngineError> {
        let file = self.eval_file.as_deref().unwrap_or_default();
        match Evaluation::asked_for(self.evaluation.as_deref(), file, Purpose::Levels)? {
            Evaluation::Handcrafted if !file.is_empty() => {
                Err(EngineError::NotRead(file.to_owned()))
            }
            evaluation => Ok(evaluation),
        }
    }

    /// What is asked for, or else what is configured.
    pub fn or_configured(&self, config: &Config) -> Result<Evaluation, EngineError> {
        if self.is_given() {
            return self.alone();
        }
        config.settings.chosen_evaluation(Purpose::Levels)
    }
}
