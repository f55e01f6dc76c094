//! `stopdown become`: turns into an engine that dies with the match that started it.

use std::ffi::OsString;
use std::io::Write;

use super::CommandOutcome;
use crate::external::become_program;

/// Become another program that dies with its parent
#[derive(Debug, clap::Args)]
pub struct Arguments {
    parent: i32,
    program: OsString,
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<CommandOutcome> {
    let complaint = become_program(arguments.parent, &arguments.program, &arguments.arguments);
    writeln!(out, "{complaint}")?;
    Ok(CommandOutcome::Negative)
}
