//! `stopdown calibrate`: what a level means.

mod people;

use std::io::Write;
use std::path::PathBuf;

use super::Outcome;
use crate::config::Config;

const HELP: &str = "\
Examples:
  stopdown calibrate --work calibration --people games/*.pgn";

/// Find out what levels mean, by the moves of people
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// The folder of what has been found so far; with it a run that was broken off goes on
    #[arg(long, value_name = "FOLDER")]
    work: PathBuf,
    /// The folder that the tables are written into
    #[arg(long, value_name = "FOLDER", default_value = "tuning/calibration")]
    out: PathBuf,
    /// The depth of the values in plies
    #[arg(long, default_value_t = 8)]
    depth: u8,
    #[command(flatten)]
    people: people::PeopleArguments,
}

pub fn run(arguments: &Arguments, config: &Config, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    std::fs::create_dir_all(&arguments.work)?;
    people::run(&arguments.people, arguments, config, out)
}
