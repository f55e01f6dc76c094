//! `proxy`: another UCI engine, stopped down.

use anyhow::Context as _;

use super::engine::EngineArguments;
use crate::external::Analyst;

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

impl Arguments {
    /// The engine that is to be stopped down.
    pub fn start(&self) -> anyhow::Result<Analyst> {
        self.engine.start()?.context("which engine? Write proxy --engine PROGRAM")
    }
}
