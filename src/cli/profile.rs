//! `profile`: creates a profile from a player's games. The profile plays like a human with the
//! estimated rating, adjusted for each phase of the game, or like a mix of competences on another
//! curve. It includes the player's openings.

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
use crate::suggest;
use crate::value::Depth;

const EXAMPLES: &str = "\
Examples:
  stopdown profile games.pgn --player Carlsen --name carlsen -o carlsen.toml
  stopdown --config carlsen.toml play --profile carlsen";

/// Save a profile that plays like a player of games
///
/// The profile contains the rating that the moves suggest, how much better or worse the player is in
/// the opening, the middlegame and the endgame, and the player's openings up to move 12. It is a text
/// file that you can edit.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    study: StudyArguments,

    #[command(flatten)]
    scale: ScaleArguments,

    /// Save a mix of competences on this curve instead of a player with a rating
    #[arg(long, value_name = "NAME", conflicts_with = "scale")]
    curve: Option<Family>,

    /// Output file. Use it with --config, or copy its contents into your engine.toml
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,

    /// Name of the profile [default: the name of the player]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

/// The first words of a generated file.
const HEADER: &str = "# A profile from games.";
/// Competences with less than this fraction of the largest weight are dropped.
const MIN_WEIGHT_RATIO: f64 = 0.02;
/// The probability of the interval in the output.
const INTERVAL_PROBABILITY: f64 = 0.9;

pub fn run(arguments: &Arguments, config: &Settings, out: &mut dyn Write) -> CommandResult {
    let study = &arguments.study;
    anyhow::ensure!(!study.players.is_empty(), "name the player: --player NAME");
    refuse_to_overwrite(&arguments.out)?;
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
    let names: Vec<&str> = summaries.ranked().into_iter().map(|(name, _)| name).collect();
    let is_exact =
        |name: &str| study.players.iter().any(|p| p.to_lowercase() == name.to_lowercase());
    let exact: Vec<&str> = names.iter().copied().filter(|name| is_exact(name)).collect();
    let player_name = match (&exact[..], &names[..]) {
        (&[one], _) | ([], &[one]) => one,
        ([], []) => {
            study.nothing_missing(&missing)?;
            return Ok(study.nothing_found(summaries)?);
        }
        ([one, other, ..], _) | ([], [one, other, ..]) => anyhow::bail!(
            "several players match, such as \"{one}\" and \"{other}\"; write more of the name"
        ),
    };
    let selected = summaries.with_moves(study.min_moves).find(|(name, _)| *name == player_name);
    let found = selected.and_then(|(_, summary)| match arguments.curve {
        Some(family) => Some(mixture_profile(&accumulator.apparent(summary), family, study.depth)),
        None => accumulator.rate(summary).map(|rating| {
            human_profile(&rating, profiles.phases(player_name, &rating), &plan, study.depth)
        }),
    });
    let Some(((player, summary), (found, table))) = selected.zip(found) else {
        study.nothing_missing(&missing)?;
        return Ok(study.nothing_found(summaries)?);
    };
    let moves = summary.tally().used;
    anyhow::ensure!(
        moves >= FEW,
        "only {moves} moves of {player} count, too few to say how he plays; {FEW} are the least"
    );
    let name = profile_name(arguments.name.as_deref().unwrap_or(player));
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
                "--curve {family} has no competence; leave --curve out for a human profile"
            );
            let plan = self.study.plan(&RatingScale::published(), config)?;
            return Ok(StudyPlan { family, ..plan });
        }
        let scale = &self.scale.scale;
        anyhow::ensure!(
            scale.family().pool().is_some(),
            "a profile needs a rating scale: --scale {}",
            suggest::alternatives(&EloScale::names())
        );
        self.study.plan(scale, config)
    }
}

/// Refuses to overwrite a file that the user may have edited.
fn refuse_to_overwrite(path: &Path) -> anyhow::Result<()> {
    if !path.exists() {
        return Ok(());
    }
    anyhow::ensure!(
        read_text(path)?.starts_with(HEADER),
        "{} exists and was not written by this command; choose another name",
        path.display()
    );
    Ok(())
}

/// A profile name that needs no quotes on the command line.
fn profile_name(player: &str) -> String {
    let simple = |c: char| if c.is_alphanumeric() { c } else { ' ' };
    let simple: String = player.chars().map(simple).collect();
    let simple = simple.to_lowercase();
    let words: Vec<&str> = simple.split_whitespace().collect();
    if words.is_empty() { "player".to_owned() } else { words.join("-") }
}

/// The human with a rating, as a sentence and as lines of a configuration file.
fn human_profile(
    rating: &Rating,
    phases: PhaseOffsets,
    plan: &StudyPlan,
    depth: Depth,
) -> (String, String) {
    let (family, elo) = (plan.scale.family(), rating.elo.round());
    let (low, high) = rating.interval(INTERVAL_PROBABILITY);
    let found = format!(
        "like players rated {elo:.0} ({}), 90 % from {low:.0} to {high:.0}; {}",
        plan.scale.ratings(),
        describe_phases(phases)
    );
    let curve = text(&family.to_string());
    let scale = text(EloScale::of(family).name());
    let mut table = format!("curve = {curve}\nelo = {elo:.0}\nscale = {scale}\n");
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

/// Describes the differences between the phases of the game.
fn describe_phases(phases: PhaseOffsets) -> String {
    let differences = |(phase, elo): (Phase, f64)| {
        let side = if elo > 0.0 { "above" } else { "below" };
        format!("{phase}s {:.0} points {side} the rest", elo.abs())
    };
    let differences: Vec<String> = phases.uneven().map(differences).collect();
    if differences.is_empty() { "all phases alike".to_owned() } else { differences.join(", ") }
}

/// The openings as lines of a configuration file. Empty if there are none.
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

/// A mix of players on a curve, with the weights from the moves.
fn mixture_profile(found: &Apparent, family: Family, depth: Depth) -> (String, String) {
    let curve = text(&family.to_string());
    let mut table = String::from("mix = [\n");
    for (c, weight) in found.composite(MIN_WEIGHT_RATIO) {
        let numbers = match family.is_power_law() {
            true => format!("competence = {c:?}"),
            false => format!("consistency = {c:?}, sensitivity = 1.0"),
        };
        let player = format!("{{ curve = {curve}, {numbers}, depth = {depth} }}");
        let _ = writeln!(table, "    {{ player = {player}, weight = {weight:.6} }},");
    }
    table += "]\ndraw = \"game\"\n";
    let (low, high) = found.posterior.interval(INTERVAL_PROBABILITY);
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
        "{HEADER}\n# Made by `{}`, Stopdown {}.\n\n[profiles.{key}]\ndescription = {}\n{table}",
        command_line().replace(char::is_control, " "),
        env!("CARGO_PKG_VERSION"),
        text(about),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profile_names_need_no_quotes() {
        assert_eq!(profile_name("Carlsen, M."), "carlsen-m");
        assert_eq!(profile_name("\"]\n[x"), "x");
        assert_eq!(profile_name("Петров, А."), "петров-а");
        assert_eq!(profile_name("?"), "player");
    }

    #[test]
    fn phase_differences_are_described() {
        let phases = PhaseOffsets { opening: 20.0, middlegame: 0.0, endgame: -35.0 };
        let differences = "openings 20 points above the rest, endgames 35 points below the rest";
        assert_eq!(describe_phases(phases), differences);
        assert_eq!(describe_phases(PhaseOffsets::default()), "all phases alike");
    }
}
