//! `proxy`: another UCI engine, stopped down.

use super::Outcome;
use super::engine::EngineArguments;
use crate::config::Config;
use crate::uci;

const EXAMPLES: &str = "\
Enter this command, with its arguments, as an engine in your chess program:
  stopdown proxy --engine stockfish
  stopdown proxy --engine /usr/games/toga2 --engine-option Hash=64

Then set Profile, Competence or another option of strength. Without any the engine plays as it does
by itself, and analysis is always its own.";

/// Speak UCI as another engine that can be stopped down
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    engine: EngineArguments,
}

pub fn run(arguments: &Arguments, config: &Config) -> anyhow::Result<Outcome> {
    let Some(engine) = arguments.engine.start()? else {
        anyhow::bail!("which engine? Write proxy --engine PROGRAM");
    };
    uci::run(config, Some(engine), None, false)?;
    Ok(Outcome::Done)
}
