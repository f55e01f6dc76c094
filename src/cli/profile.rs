//! `profile`: what the moves of a player let one believe, as a profile that plays like that: a person of
//! the rating that they speak for, stronger or weaker by phases of the game, or a mix of competences of
//! another curve; with the openings that the player plays.

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use toml::Value as Toml;

use super::analyse::study::{ScaleArguments, StudyArguments};
use super::outcome::{CommandOutcome, CommandResult};
use super::output::{can_save, command_line, read_text, save};
use crate::analyser::{
    Apparent, EvaluatedGame, Measured, PlayedOpenings, PlayerProfiles, Rating, RatingScale,
    StudyPlan,
};
use crate::board::Phase;
use crate::config::Settings;
use crate::player::{EloScale, PhaseOffsets, USUAL_DEPTH};
use crate::report::FEW;
use crate::selector::Family;
use crate::value::Depth;

const EXAMPLES: &str = "\
Examples:
  stopdown profile games.pgn --player Carlsen --name carlsen -o carlsen.toml
  stopdown --config carlsen.toml play --profile carlsen";

/// Save a profile that plays as a player of games does
///
/// Saved are the rating that the moves speak for, how much better or worse the player is in the
/// opening, the middlegame and the endgame, and the openings of the first twelve moves. All of it
/// stands in a text file that can be changed.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    study: StudyArguments,

    #[command(flatten)]
    scale: ScaleArguments,

    /// Save a mix of players of this curve with other competences instead of a person of a rating
    #[arg(long, value_name = "NAME", conflicts_with = "scale")]
    curve: Option<Family>,

    /// The file for the profile: use it with --config, or copy it into your engine.toml
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,

    /// What to call the profile, in small letters and with hyphens; else it is called as the player is
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

/// The first words of such a file.
const MARK: &str = "# A profile from games.";
/// Players of the scale that have less than this part of the largest are left out.
const LEAST: f64 = 0.02;
/// How much of the belief the interval holds that is told.
const HELD: f64 = 0.9;

pub fn run(arguments: &Arguments, config: &Settings, out: &mut dyn Write) -> CommandResult {
    let study = &arguments.study;
    anyhow::ensure!(!study.players.is_empty(), "--player NAME says whose profile it is");
    spare(&arguments.out)?;
    can_save([&arguments.out], &study.inputs())?;
    let plan = arguments.plan(config)?;
    study.warn(&plan)?;
    let measured = if arguments.curve.is_some() { Measured::Competence } else { Measured::Rating };
    let job = study.job(&study.engine, &plan, measured, config)?;
    let (accumulator, sides) = (job.accumulator.clone(), study.sides());
    let mut profiles = PlayerProfiles::new(&accumulator);
    let add = |evaluated: EvaluatedGame| {
        profiles.add(&evaluated, |colour| sides.has(&evaluated.pgn, colour));
        anyhow::Ok(())
    };
    let ((), missing) =
        study.review(|games, progress| Ok(((), job.each_game(games, progress, add)?)))?;
    let summaries = &profiles.overall;
    let called: Vec<&str> = summaries.ranked().into_iter().map(|(name, _)| name).collect();
    let is_exact =
        |name: &str| study.players.iter().any(|p| p.to_lowercase() == name.to_lowercase());
    let exact: Vec<&str> = called.iter().copied().filter(|name| is_exact(name)).collect();
    let whose = match (&exact[..], &called[..]) {
        (&[one], _) | ([], &[one]) => one,
        ([], []) => {
            study.nothing_missing(&missing)?;
            return Ok(study.nothing_found(summaries)?);
        }
        ([one, other, ..], _) | ([], [one, other, ..]) => anyhow::bail!(
            "several players are called so, \"{one}\" and \"{other}\" among them; write more of \
             the name"
        ),
    };
    let judged = summaries.with_moves(study.min_moves).find(|(name, _)| *name == whose);
    let found = judged.and_then(|(_, summary)| match arguments.curve {
        Some(family) => Some(mix(&accumulator.apparent(summary), family, study.depth)),
        None => accumulator
            .rate(summary)
            .map(|rating| person(&rating, profiles.phases(whose, &rating), &plan, study.depth)),
    });
    let Some(((player, summary), (found, table))) = judged.zip(found) else {
        study.nothing_missing(&missing)?;
        return Ok(study.nothing_found(summaries)?);
    };
    let moves = summary.tally().used;
    anyhow::ensure!(
        moves >= FEW,
        "only {moves} moves of {player} count, too few to say how he plays; {FEW} are the least"
    );
    let name = name_of(arguments.name.as_deref().unwrap_or(player));
    let played = profiles.openings(player);
    let about = format!("{player} by {moves} moves: {found}");
    save(&arguments.out, file(&name, &about, &(table + &repertoire(&played))))?;
    writeln!(out, "{about}")?;
    let openings = played.words();
    if !openings.is_empty() {
        writeln!(out, "{openings}")?;
    }
    writeln!(out, "profile {name} in {}", arguments.out.display())?;
    out.flush()?;
    study.nothing_missing(&missing)?;
    Ok(CommandOutcome::Done)
}

impl Arguments {
    fn plan(&self, config: &Settings) -> anyhow::Result<StudyPlan> {
        if let Some(family) = self.curve {
            anyhow::ensure!(
                family.pool().is_none(),
                "--curve {family} has no competence of its own; without --curve a person is saved"
            );
            let plan = self.study.plan(&RatingScale::published(), config)?;
            return Ok(StudyPlan { family, ..plan });
        }
        let scale = &self.scale.scale;
        anyhow::ensure!(
            scale.family().pool().is_some(),
            "a person has a rating of people: --scale board, rapid, blitz or bullet"
        );
        self.study.plan(scale, config)
    }
}

/// A file that somebody has written must not be replaced.
fn spare(path: &Path) -> anyhow::Result<()> {
    if !path.exists() {
        return Ok(());
    }
    anyhow::ensure!(
        read_text(path)?.starts_with(MARK),
        "{} is there and is no file of this command; give another name",
        path.display()
    );
    Ok(())
}

/// A name that needs no quotes on the command line.
fn name_of(player: &str) -> String {
    let simple = |c: char| if c.is_alphanumeric() { c } else { ' ' };
    let simple: String = player.chars().map(simple).collect();
    let simple = simple.to_lowercase();
    let words: Vec<&str> = simple.split_whitespace().collect();
    if words.is_empty() { "player".to_owned() } else { words.join("-") }
}

/// The person of a rating, in words and in the lines of a file.
fn person(
    rating: &Rating,
    phases: PhaseOffsets,
    plan: &StudyPlan,
    depth: Depth,
) -> (String, String) {
    let (family, elo) = (plan.scale.family(), rating.elo.round());
    let (low, high) = rating.interval(HELD);
    let found = format!(
        "like players rated {elo:.0} ({}), 90 % from {low:.0} to {high:.0}; {}",
        plan.scale.ratings(),
        in_words(phases)
    );
    let curve = text(&family.to_string());
    let scale = text(EloScale::of(family).name());
    let mut table = format!("curve = {curve}\nelo = {elo:.0}\nelo-scale = {scale}\n");
    if depth != USUAL_DEPTH {
        let _ = writeln!(table, "depth = {depth}");
    }
    if !phases.is_even() {
        let uneven: Vec<String> =
            phases.uneven().map(|(phase, elo)| format!("{phase} = {elo:.0}")).collect();
        let _ = writeln!(table, "phases = {{ {} }}", uneven.join(", "));
    }
    (found, table)
}

/// How unevenly somebody plays the phases of the game.
fn in_words(phases: PhaseOffsets) -> String {
    let said = |(phase, elo): (Phase, f64)| {
        let side = if elo > 0.0 { "above" } else { "below" };
        format!("{phase}s {:.0} points {side} the rest", elo.abs())
    };
    let said: Vec<String> = phases.uneven().map(said).collect();
    if said.is_empty() { "all phases alike".to_owned() } else { said.join(", ") }
}

/// The openings in the lines of a file; nothing where there are none.
fn repertoire(played: &PlayedOpenings) -> String {
    let lines = played.lines();
    if lines.iter().all(Vec::is_empty) {
        return String::new();
    }
    let mut table = String::from(
        "# In how many games, and the moves from the start, the last of which is the player's.\n\
         openings = [\n",
    );
    for (colour, lines) in ["White", "Black"].into_iter().zip(lines) {
        if !lines.is_empty() {
            let _ = writeln!(table, "    # With {colour}");
        }
        lines.into_iter().for_each(|line| table += &format!("    {},\n", text(&line)));
    }
    table + "]\n"
}

/// A mix of the players of a curve with the weights that the moves give them.
fn mix(found: &Apparent, family: Family, depth: Depth) -> (String, String) {
    let curve = text(&family.to_string());
    let mut table = String::from("mix = [\n");
    for (c, weight) in found.composite(LEAST) {
        let numbers = match family.is_power_law() {
            true => format!("competence = {c:?}"),
            false => format!("consistency = {c:?}, sensitivity = 1.0"),
        };
        let player = format!("{{ curve = {curve}, {numbers}, depth = {depth} }}");
        let _ = writeln!(table, "    {{ player = {player}, weight = {weight:.6} }},");
    }
    table += "]\ndraw = \"game\"\n";
    let (low, high) = found.posterior.interval(HELD);
    let mean = found.posterior.mean();
    (format!("c = {mean:.2}, 90 % from {low:.2} to {high:.2}"), table)
}

fn text(text: &str) -> Toml {
    Toml::String(text.to_owned())
}

fn file(name: &str, about: &str, table: &str) -> String {
    let is_bare = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let key = if is_bare { name.to_owned() } else { text(name).to_string() };
    format!(
        "{MARK}\n# Made by `{}`, Stopdown {}.\n\n[profiles.{key}]\ndescription = {}\n{table}",
        command_line().replace(char::is_control, " "),
        env!("CARGO_PKG_VERSION"),
        text(about),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_words() {
        assert_eq!(name_of("Carlsen, M."), "carlsen-m");
        assert_eq!(name_of("\"]\n[x"), "x");
        assert_eq!(name_of("Петров, А."), "петров-а");
        assert_eq!(name_of("?"), "player");
    }

    #[test]
    fn phases_are_said_in_words() {
        let phases = PhaseOffsets { opening: 20.0, middlegame: 0.0, endgame: -35.0 };
        let said = "openings 20 points above the rest, endgames 35 points below the rest";
        assert_eq!(in_words(phases), said);
        assert_eq!(in_words(PhaseOffsets::default()), "all phases alike");
    }
}
