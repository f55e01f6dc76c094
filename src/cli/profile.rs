//! `profile`: what the moves of a player let one believe of him, as a profile that plays like that.

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use toml::Value as Toml;

use super::CommandOutcome;
use super::analyse::study::{CurveArguments, StudyArguments};
use super::page::{can_save, command_line, save};
use crate::analyser::{Apparent, By, Measured, StudyPlan};
use crate::config::Settings;

const EXAMPLES: &str = "\
Examples:
  stopdown profile games.pgn --player Carlsen --name carlsen -o carlsen.toml
  stopdown --config carlsen.toml play --profile carlsen";

/// Save a profile that plays as a player of games does
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    study: StudyArguments,

    #[command(flatten)]
    curve: CurveArguments,

    /// The file for the profile: use it with --config, or copy it into your engine.toml
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,

    /// What to call the profile; else it is called as the player is
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

/// The first words of such a file.
const MARK: &str = "# A profile from games.";
/// Players of the scale that have less than this part of the largest are left out.
const LEAST: f64 = 0.02;

pub fn run(
    arguments: &Arguments,
    config: &Settings,
    out: &mut dyn Write,
) -> anyhow::Result<CommandOutcome> {
    let study = &arguments.study;
    anyhow::ensure!(!study.players.is_empty(), "--player NAME says whose profile it is");
    spare(&arguments.out)?;
    can_save([&arguments.out], &study.inputs())?;
    let plan = StudyPlan { family: arguments.curve.family()?, ..study.plan()? };
    let what = (&plan, Measured::Competence);
    let (ledger, missing) =
        study.book(&study.engine, By::Player, what, config, study.sides(), |_| ())?;
    let subjects = ledger.subjects();
    let called: Vec<&str> = subjects.iter().map(|&(name, _)| name).collect();
    let is_exact =
        |name: &str| study.players.iter().any(|p| p.to_lowercase() == name.to_lowercase());
    let exact: Vec<&str> = called.iter().copied().filter(|name| is_exact(name)).collect();
    let whose = match (&exact[..], &called[..]) {
        (&[one], _) | ([], &[one]) => one,
        ([], []) => {
            study.nothing_missing(&missing)?;
            return Ok(study.nothing_found()?);
        }
        ([one, other, ..], _) | ([], [one, other, ..]) => anyhow::bail!(
            "several players are called so, \"{one}\" and \"{other}\" among them; write more of \
             the name"
        ),
    };
    let mut player = None;
    study.each_judged(&ledger, |name, statistics| {
        if name == whose {
            let (used, found) = (statistics.tally().used, ledger.gauge().apparent(statistics));
            player = Some((name.to_owned(), used, found));
        }
    });
    let Some((player, moves, found)) = player else {
        study.nothing_missing(&missing)?;
        return Ok(study.nothing_found()?);
    };
    let name = name_of(arguments.name.as_deref().unwrap_or(&player));
    let (low, high) = found.posterior.interval(0.9);
    let about = format!(
        "{player} by {moves} moves: c = {:.2}, 90 % from {low:.2} to {high:.2}",
        found.posterior.mean()
    );
    save(&arguments.out, &file(&name, &about, &found, &plan)?)?;
    writeln!(out, "{about}\nprofile {name} in {}", arguments.out.display())?;
    out.flush()?;
    study.nothing_missing(&missing)?;
    Ok(CommandOutcome::Done)
}

/// A file that somebody has written must not be replaced.
fn spare(path: &Path) -> anyhow::Result<()> {
    if !path.exists() {
        return Ok(());
    }
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    anyhow::ensure!(
        text.starts_with(MARK),
        "{} is there and is no file of this command; give another name",
        path.display()
    );
    Ok(())
}

/// A name that needs no quotes in a file or on the command line.
fn name_of(player: &str) -> String {
    let simple = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' };
    let simple: String = player.chars().map(simple).collect();
    let words: Vec<&str> = simple.split_whitespace().collect();
    if words.is_empty() { "player".to_owned() } else { words.join("-") }
}

/// A mix of the players of the scale with the weights that the moves give them.
fn file(name: &str, about: &str, found: &Apparent, plan: &StudyPlan) -> anyhow::Result<String> {
    let text = |text: &str| Toml::String(text.to_owned());
    let depth = plan.depth();
    let curve = text(&plan.family.to_string());
    let mut mix = String::new();
    for (c, weight) in found.composite(LEAST) {
        let numbers = match plan.family.is_power_law() {
            true => format!("competence = {c:?}"),
            false => format!("consistency = {c:?}, sensitivity = 1.0"),
        };
        let player = format!("{{ curve = {curve}, {numbers}, depth = {depth} }}");
        let _ = writeln!(mix, "    {{ player = {player}, weight = {weight:.6} }},");
    }
    Ok(format!(
        "{MARK}\n# Made by `{}`, Stopdown {}.\n\n[profiles.{name}]\ndescription = {}\nmix = [\n\
         {mix}]\ndraw = \"game\"\n",
        command_line().replace(char::is_control, " "),
        env!("CARGO_PKG_VERSION"),
        text(about),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_words() {
        assert_eq!(name_of("Carlsen, M."), "carlsen-m");
        assert_eq!(name_of("\"]\n[x"), "x");
        assert_eq!(name_of("Петров"), "player");
    }
}
