//! The words that say which engine or which network values the moves, and the two commands that start
//! another engine: `proxy`, which stops it down, and `become`, which turns into one that dies with the
//! match that started it.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;

use super::outcome::{CommandOutcome, CommandResult};
use crate::config::Settings;
use crate::eval::{Network, NetworkError};
use crate::external::{ExternalEvaluator, ExternalSpec, PATIENCE, become_program, guard_program};
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

    /// By which option it was named.
    #[arg(skip = "--engine")]
    option: &'static str,
}

impl EngineArguments {
    /// A program without options, which another option than `--engine` names.
    pub fn of(option: &'static str, program: &str) -> EngineArguments {
        let patience = PATIENCE.as_secs_f64();
        EngineArguments { engine: Some(program.to_owned()), options: Vec::new(), patience, option }
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

    /// The engine that is asked for, started, or else our own with this network and a hash table as
    /// configured.
    pub fn engine(&self, network: Option<&Path>, settings: &Settings) -> anyhow::Result<Engine> {
        if let Some(analyst) = self.start()? {
            return Ok(Engine::External(Box::new(analyst)));
        }
        let mut own = Engine::new(network, 1)?;
        own.set_hash(usize::try_from(settings.hash)?)?;
        Ok(own)
    }

    /// The engine, started, if one is asked for.
    pub fn start(&self) -> anyhow::Result<Option<ExternalEvaluator>> {
        let Some(command) = &self.engine else { return Ok(None) };
        let mut spec = ExternalSpec::of_command(command)?;
        self.options.iter().for_each(|(name, value)| spec.set(name, value));
        let patience = Duration::try_from_secs_f64(self.patience.min(1e7)).unwrap_or_default();
        anyhow::ensure!(
            !patience.is_zero(),
            "--engine-patience is {}; it must be a number of seconds above 0",
            self.patience
        );
        let mut analyst = ExternalEvaluator::new(spec, patience, guard_program());
        match analyst.client.start() {
            Ok(()) => Ok(Some(analyst)),
            Err(fault) => anyhow::bail!("{} {command}: {fault}", self.option),
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

#[derive(clap::Args, Clone, Debug)]
pub struct NetworkArguments {
    /// The network of this file instead of the built-in one [default: as configured; bench and tune do not
    /// look into engine.toml]
    #[arg(long, value_name = "FILE")]
    eval_file: Option<String>,
}

impl NetworkArguments {
    pub fn is_given(&self) -> bool {
        self.eval_file.is_some()
    }

    /// The file that is asked for, and nothing else: for figures that must not depend on a configuration.
    pub fn file(&self) -> Option<&Path> {
        self.eval_file.as_deref().filter(|file| !file.is_empty()).map(Path::new)
    }

    /// The file that is asked for, or else the one that is configured.
    pub fn or_configured<'a>(&'a self, config: &'a Settings) -> Option<&'a Path> {
        if self.is_given() { self.file() } else { config.network() }
    }

    /// The network of the file that is asked for, or else the one that is built in.
    pub fn load(&self) -> Result<Network, NetworkError> {
        self.file().map_or_else(|| Ok(Network::embedded()), Network::load)
    }
}

const PROXY_EXAMPLES: &str = "\
Enter this command, with its arguments, as an engine in your chess program:
  stopdown proxy --engine stockfish
  stopdown proxy --engine /usr/games/toga2 --engine-option Hash=64

Then set Profile, Competence or another option of strength. Without any the engine plays as it does
by itself, and analysis is always its own.";

/// Speak UCI as another engine that can be stopped down
#[derive(clap::Args, Debug)]
#[command(after_help = PROXY_EXAMPLES)]
pub struct ProxyArguments {
    #[command(flatten)]
    engine: EngineArguments,
}

impl ProxyArguments {
    /// The engine that is to be stopped down.
    pub fn start(&self) -> anyhow::Result<ExternalEvaluator> {
        self.engine.start()?.context("which engine? Write proxy --engine PROGRAM")
    }
}

/// Become another program that dies with its parent
#[derive(Debug, clap::Args)]
pub struct BecomeArguments {
    parent: i32,
    program: OsString,
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

pub fn run_become(arguments: &BecomeArguments, out: &mut dyn Write) -> CommandResult {
    let complaint = become_program(arguments.parent, &arguments.program, &arguments.arguments);
    writeln!(out, "{complaint}")?;
    Ok(CommandOutcome::Negative)
}
