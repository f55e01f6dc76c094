//! The words that say which engine values the moves.

use std::io::{self, Write};
use std::time::Duration;

use crate::external::{Analyst, ExternalSpec, PATIENCE, guard_program};
use crate::player::Engine;

#[derive(clap::Args, Clone, Debug)]
pub struct EngineArguments {
    /// Let this UCI engine value the moves; quote a program with arguments
    #[arg(long, value_name = "PROGRAM")]
    engine: Option<String>,

    /// One of that engine's options; may be given again
    #[arg(long = "engine-option", value_name = "NAME=VALUE", value_parser = parse_option)]
    #[arg(requires = "engine")]
    options: Vec<(String, String)>,

    /// Seconds that it may say nothing new before it is given up
    #[arg(long = "engine-patience", value_name = "SECONDS", requires = "engine")]
    #[arg(default_value_t = PATIENCE.as_secs_f64())]
    patience: f64,
}

impl EngineArguments {
    /// A program without options.
    pub fn of(program: &str) -> EngineArguments {
        let patience = PATIENCE.as_secs_f64();
        EngineArguments { engine: Some(program.to_owned()), options: Vec::new(), patience }
    }

    pub fn is_given(&self) -> bool {
        self.engine.is_some()
    }

    pub fn program(&self) -> Option<&str> {
        self.engine.as_deref()
    }

    /// The same in the words of `stopdown match`; none where no engine is asked for.
    pub fn words(&self) -> Vec<String> {
        let Some(program) = &self.engine else { return Vec::new() };
        let mut words = vec![format!("engine={program}"), format!("patience={}", self.patience)];
        words.extend(self.options.iter().map(|(name, value)| format!("option.{name}={value}")));
        words
    }

    /// Refuses what is for our own engine where another one is asked for.
    pub fn excludes(&self, own: &[(&str, bool)]) -> anyhow::Result<()> {
        match own.iter().find(|(_, given)| *given && self.is_given()) {
            Some((name, _)) => {
                anyhow::bail!("{name} is for our own engine; give --engine its own --engine-option")
            }
            None => Ok(()),
        }
    }

    /// The engine, started, if one is asked for.
    pub fn start(&self) -> anyhow::Result<Option<Analyst>> {
        let Some(command) = &self.engine else { return Ok(None) };
        let mut spec = ExternalSpec::of_command(command)?;
        self.options.iter().for_each(|(name, value)| spec.set(name, value));
        let patience = Duration::try_from_secs_f64(self.patience.min(1e7)).unwrap_or_default();
        anyhow::ensure!(
            !patience.is_zero(),
            "--engine-patience is {}; it must be a number of seconds above 0",
            self.patience
        );
        let mut analyst = Analyst::new(spec, patience, guard_program());
        match analyst.start() {
            Ok(()) => Ok(Some(analyst)),
            Err(fault) => anyhow::bail!("--engine {command}: {fault}"),
        }
    }
}

fn parse_option(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(name, _)| !name.trim().is_empty());
    let (name, value) = parts.ok_or_else(|| format!("write NAME=VALUE, not \"{text}\""))?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// Tells on standard error what happened to another engine, or gives it as the reason why there was
/// no result.
pub fn check(engine: &mut Engine) -> io::Result<Result<(), String>> {
    let notices = engine.take_notices();
    if engine.take_fault().is_some() {
        return Ok(Err(format!("no evaluation: {}", notices.join("; "))));
    }
    for notice in &notices {
        writeln!(io::stderr(), "{notice}")?;
    }
    Ok(Ok(()))
}
