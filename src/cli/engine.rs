//! The arguments that choose the engine or network for evaluations. Also two commands that start
//! another program: `proxy`, which weakens another engine, and `become`, which runs a program that
//! exits when its parent process exits.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;

use super::outcome::{CommandOutcome, CommandResult};
use super::value_parsers;
use crate::config::Settings;
use crate::eval::{Network, NetworkError};
use crate::external::{ExternalEvaluator, ExternalSpec, PATIENCE, become_program, guard_program};
use crate::player::Engine;

#[derive(clap::Args, Clone, Debug)]
pub struct EngineArguments {
    /// Evaluate with this UCI engine instead of the built-in one; if the command has arguments, put
    /// it in quotes
    #[arg(long, value_name = "PROGRAM")]
    engine: Option<String>,

    /// Set an option of that engine; may be repeated
    #[arg(long = "engine-option", value_name = "NAME=VALUE", value_parser = parse_option)]
    #[arg(requires = "engine")]
    options: Vec<(String, String)>,

    /// Seconds without output before the engine is considered dead
    #[arg(long = "engine-patience", value_name = "SECONDS", requires = "engine")]
    #[arg(value_parser = value_parsers::seconds)]
    #[arg(default_value_t = PATIENCE.as_secs_f64())]
    patience: f64,

    /// The command-line option that named the program.
    #[arg(skip = "--engine")]
    option: &'static str,
}

impl EngineArguments {
    /// A program without arguments, given by an option other than `--engine`.
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

    /// The words that describe this engine to `stopdown match`. Empty if no engine was given.
    pub fn words(&self) -> Vec<String> {
        let Some(program) = &self.engine else { return Vec::new() };
        let mut words = vec![format!("engine={program}"), format!("patience={}", self.patience)];
        words.extend(self.options.iter().map(|(name, value)| format!("option.{name}={value}")));
        words
    }

    /// Rejects the options for the built-in engine if another engine was given.
    pub fn reject_built_in_options(&self, own: &[(&str, bool)]) -> anyhow::Result<()> {
        match own.iter().find(|(_, given)| *given && self.is_given()) {
            Some((name, _)) => {
                anyhow::bail!(
                    "{name} applies only to the built-in engine; to set an option of another \
                     engine, use --engine-option"
                )
            }
            None => Ok(()),
        }
    }

    /// Starts the engine that was given. If none was given, creates the built-in engine with this
    /// network and the configured hash size.
    pub fn engine(&self, network: Option<&Path>, settings: &Settings) -> anyhow::Result<Engine> {
        if let Some(analyst) = self.start()? {
            return Ok(Engine::External(Box::new(analyst)));
        }
        let is_configured = network.is_some() && network == settings.network();
        let source = if is_configured { "EvalFile in engine.toml" } else { "--eval-file" };
        let mut own = Engine::new(network, 1).context(source)?;
        own.set_hash(usize::try_from(settings.hash)?)?;
        Ok(own)
    }

    /// Starts the engine that was given, if any.
    pub fn start(&self) -> anyhow::Result<Option<ExternalEvaluator>> {
        let (Some(mut analyst), Some(command)) = (self.prepare()?, &self.engine) else {
            return Ok(None);
        };
        match analyst.client.start() {
            Ok(()) => Ok(Some(analyst)),
            Err(fault) => {
                let message = analyst.describe(&fault);
                // Some messages begin with the program, which is named here already.
                let own_name = format!("{command}: ");
                let message = message.strip_prefix(&own_name).unwrap_or(&message);
                anyhow::bail!("{} {command}: {message}", self.option)
            }
        }
    }

    /// Prepares the engine that was given, if any. It starts when it is first needed.
    fn prepare(&self) -> anyhow::Result<Option<ExternalEvaluator>> {
        let Some(command) = &self.engine else { return Ok(None) };
        let spec = ExternalSpec::of_command(command);
        let mut spec = spec.context(self.option)?;
        self.options.iter().for_each(|(name, value)| spec.set(name, value));
        let patience = Duration::try_from_secs_f64(self.patience.min(1e7)).unwrap_or_default();
        Ok(Some(ExternalEvaluator::new(spec, patience, guard_program())))
    }
}

fn parse_option(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(name, _)| !name.trim().is_empty());
    let (name, value) = parts.ok_or_else(|| format!("write NAME=VALUE, not \"{text}\""))?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// Prints an engine's messages on standard error. Returns an error if the engine failed.
pub fn check(engine: &mut Engine) -> io::Result<Result<(), String>> {
    let notices = engine.take_notices();
    if engine.take_fault().is_some() {
        return Ok(Err(format!("the evaluation failed: {}", notices.join("; "))));
    }
    for notice in &notices {
        writeln!(io::stderr(), "{notice}")?;
    }
    Ok(Ok(()))
}

#[derive(clap::Args, Clone, Debug)]
// No doc comment, because clap would show it as the description of the command.
#[allow(missing_docs)]
pub struct NetworkArguments {
    /// Evaluation network [default: the built-in one, or the one set in engine.toml]
    #[arg(long, value_name = "FILE")]
    eval_file: Option<String>,
}

impl NetworkArguments {
    /// Returns whether the command line names a network. An empty name, for the built-in network,
    /// also counts.
    pub(crate) fn is_given(&self) -> bool {
        self.eval_file.is_some()
    }

    /// The network file from the command line only. This is for results that must not depend on a
    /// configuration file.
    pub fn file(&self) -> Option<&Path> {
        self.eval_file.as_deref().filter(|file| !file.is_empty()).map(Path::new)
    }

    /// The network file from the command line, or else from the configuration.
    pub(crate) fn or_configured<'a>(&'a self, config: &'a Settings) -> Option<&'a Path> {
        if self.is_given() { self.file() } else { config.network() }
    }

    /// Loads the network from the command line, or else the built-in one.
    pub fn load(&self) -> Result<Network, NetworkError> {
        self.file().map_or_else(|| Ok(Network::embedded()), Network::load)
    }
}

const PROXY_EXAMPLES: &str = "\
Add this command, with its arguments, as an engine in your chess program. Then set UCI_Elo, Profile or \
another strength option. If none is set, the engine plays at full strength. Analysis is never weakened.

Examples:
  stopdown proxy --engine stockfish
  stopdown proxy --engine /usr/games/toga2 --engine-option Hash=64";

/// Weaken another UCI engine, for use in chess programs
#[derive(clap::Args, Debug)]
#[command(after_help = PROXY_EXAMPLES)]
pub struct ProxyArguments {
    #[command(flatten)]
    engine: EngineArguments,
}

impl ProxyArguments {
    /// Prepares the engine to weaken, without starting it. The UCI session starts it later, and
    /// answers commands in the meantime.
    pub fn prepare(&self) -> anyhow::Result<ExternalEvaluator> {
        self.engine.prepare()?.context("give the engine to weaken: stopdown proxy --engine PROGRAM")
    }
}

/// Run another program that exits when its parent exits
#[derive(Debug, clap::Args)]
pub struct BecomeArguments {
    parent: i32,
    program: OsString,
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Replaces this process with another program. Returns only if that fails.
pub fn run_become(arguments: &BecomeArguments, out: &mut dyn Write) -> CommandResult {
    let error = become_program(arguments.parent, &arguments.program, &arguments.arguments);
    writeln!(out, "{error}")?;
    Ok(CommandOutcome::Negative)
}
