//! `profile`: creates a profile from a player's games. The profile plays like a human with the
//! estimated rating, adjusted for each phase of the game. With `--curve`, it plays like a mix of
//! players with different competences on that curve. It includes the player's openings.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;

use super::analyse::study::{StudyArguments, only_player};
use super::outcome::{CommandOutcome, CommandResult};
use super::output::{check_outputs, command_line, read_text, save, write_text};
use super::value_parsers;
use crate::analyser::{ApparentCompetence, Measured, PlayerProfiles, RatingScale, StudyPlan};
use crate::config::{
    Settings, built_in_settings, check_players_folder, free_profile_name, is_generated,
    player_file, player_text, save_player,
};
use crate::files::is_device_or_pipe;
use crate::player::{EloScale, MIN_RATED_MOVES, PhaseOffsets, ProfileText, SkillText};
use crate::report::player_findings;
use crate::review::PlayerFindings;
use crate::selector::Family;
use crate::suggest;

const EXAMPLES: &str = "\
Examples:
  stopdown profile games.pgn --player Ann --add
  stopdown play --profile ann

  stopdown profile games.pgn --player Carlsen --name carlsen -o carlsen.toml
  stopdown --config carlsen.toml play --profile carlsen";

/// The usage line. `clap` would not show that some of the options are required.
const USAGE: &str = "stopdown profile <GAMES>... --player <NAME> (--add | -o <FILE>) [OPTIONS]";

const SCALE: &str = "Rating scale [default: the scale of most games]";

/// Make an opponent from a player's games
///
/// The profile contains the rating that the moves suggest, both overall and for each phase of the
/// game. It also contains the openings, up to move 12, and the pace if the games have clock times.
/// It is a text file that you can edit.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, override_usage = USAGE)]
#[command(mut_arg("players", |arg| arg.help("Name of the player, or a part of it")))]
#[command(mut_arg("scale", |arg| arg.value_parser(value_parsers::human_rating_scale()).help(SCALE)))]
pub struct Arguments {
    #[command(flatten)]
    study: StudyArguments,

    /// Describe the player by a mix of competence values on this curve, instead of by a human rating
    #[arg(long, value_name = "NAME", conflicts_with = "scale")]
    curve: Option<Family>,

    /// Add the profile to your opponents. You can then choose it in chess programs, in the browser
    /// and for matches. A profile with the same name is replaced
    #[arg(long)]
    add: bool,

    /// Write the profile to this file
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Name of the profile; it is written in lower case, with hyphens instead of spaces [default: the player's name]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

/// Competences whose weight is less than this fraction of the largest weight are dropped.
const MIN_WEIGHT_RATIO: f64 = 0.02;
/// The coverage of the printed interval.
const INTERVAL_PROBABILITY: f64 = 0.95;

pub fn run(arguments: &Arguments, config: &Settings, out: &mut dyn Write) -> CommandResult {
    let study = &arguments.study;
    anyhow::ensure!(!study.players.is_empty(), "choose a player with --player NAME");
    anyhow::ensure!(
        study.players.len() == 1,
        "a profile is made from the games of one player; use --player once"
    );
    anyhow::ensure!(
        arguments.add || arguments.out.is_some(),
        "to play against the profile, use --add; to save it in a file, use -o FILE"
    );
    if let Some(path) = &arguments.out {
        refuse_to_overwrite(path)?;
    }
    check_outputs(&arguments.out, &study.inputs())?;
    let given = arguments.name.as_deref().map(ProfileText::given_name).transpose()?;
    if arguments.add {
        given.as_deref().map_or(Ok(()), check_new_name)?;
        check_players_folder()?;
    }
    // The scale and the moves to evaluate depend on the player. In a pipe, the player is not known
    // until all games have been evaluated.
    let mut study = study.clone();
    study.only = study.find_only_player()?;
    let study = &study;
    let (plan, scale) = plan(study, arguments.curve, config)?;
    let measured = if arguments.curve.is_some() { Measured::Competence } else { Measured::Rating };
    let job = study.job(&study.engine, &plan, measured, config)?;
    study.warn(&plan)?;
    let (mut profiles, missing) =
        study.review(|games, progress| job.profiles::<anyhow::Error>(games, progress))?;
    if study.ignores_openings() {
        profiles.leave_openings_out();
    }
    let summaries = &profiles.overall;
    let names: Vec<&str> = summaries.ranked().into_iter().map(|(name, _)| name).collect();
    let Some(player) = only_player(&study.players, &names)? else {
        study.check_skipped(&missing)?;
        return Ok(study.report_nothing_found(summaries)?);
    };
    let name = given.unwrap_or_else(|| free_profile_name(player));
    let found = summaries.with_moves(study.min_moves).find(|(name, _)| *name == player);
    let found = found.and_then(|(_, summary)| {
        let moves = summary.tally().used;
        let report = match arguments.curve {
            Some(family) => {
                let apparent = summaries.accumulator.apparent(summary);
                Findings::Mixture(mixture(&apparent, family, study, (player, &name), &profiles))
            }
            None => Findings::Human(Box::new(PlayerFindings::of(&profiles, player, &name)?)),
        };
        Some((moves, report))
    });
    let Some((moves, found)) = found else {
        study.check_skipped(&missing)?;
        return Ok(study.report_nothing_found(summaries)?);
    };
    anyhow::ensure!(
        moves >= MIN_RATED_MOVES,
        "{player} has {moves} counted moves; a profile needs at least {MIN_RATED_MOVES}"
    );
    let profile = match &found {
        Findings::Human(findings) => {
            write_text(&player_findings(findings), out)?;
            if let Some(note) = conversion(findings, &scale) {
                writeln!(out, "{note}")?;
            }
            &findings.profile
        }
        Findings::Mixture(profile) => {
            writeln!(out, "{}", profile.description)?;
            profile
        }
    };
    arguments.save(profile, config, out)?;
    out.flush()?;
    study.check_skipped(&missing)?;
    Ok(CommandOutcome::Done)
}

/// Says what the rating is on the scale of the games, if there is no curve for that scale.
fn conversion(findings: &PlayerFindings, scale: &RatingScale) -> Option<String> {
    let [native, wanted] = [&findings.scale.name, &scale.name].map(|name| name.parse().ok());
    let (native, wanted): (EloScale, EloScale) = native.zip(wanted)?;
    let elo = findings.scale.nearest(findings.rating.elo);
    (native != wanted).then(|| {
        format!(
            "The profile has a {native} rating, because there is no curve for {wanted}. {elo:.0} {native} is equivalent \
             to about {:.0} {wanted}.",
            native.on(wanted, elo)
        )
    })
}

/// The result of a study.
enum Findings {
    Human(Box<PlayerFindings>),
    Mixture(ProfileText),
}

/// Returns the plan, and the scale of the games or the one that was asked for.
fn plan(
    study: &StudyArguments,
    curve: Option<Family>,
    config: &Settings,
) -> anyhow::Result<(StudyPlan, RatingScale)> {
    if let Some(family) = curve {
        anyhow::ensure!(
            family.pool().is_none(),
            "--curve {family} has no competence; leave --curve out for a human profile"
        );
        let scale = RatingScale::published();
        return Ok((StudyPlan { family, ..study.plan(&scale, config)? }, scale));
    }
    let scale = study.scale_of_most_games()?;
    anyhow::ensure!(
        scale.family().pool().is_some(),
        "a profile needs a rating scale; use --scale {}",
        suggest::alternatives(&EloScale::names())
    );
    // A profile is a level on a curve, so its rating must be on the scale of that curve.
    Ok((study.plan(&scale.native(), config)?, scale))
}

impl Arguments {
    /// Saves the profile in the places given by the options, and tells the user how to play against
    /// it.
    fn save(
        &self,
        profile: &ProfileText,
        config: &Settings,
        out: &mut dyn Write,
    ) -> anyhow::Result<()> {
        let name = &profile.name;
        if let Some(path) = &self.out {
            save(path, player_text(profile, &command_line()))?;
            writeln!(out, "\nSaved profile {name} to {}", path.display())?;
        }
        if self.add {
            let is_replaced = player_file(name).is_some_and(|path| path.exists());
            let path = save_player(profile, &command_line())
                .with_context(|| format!("the profile {name} was not added"))?;
            let verb = if is_replaced { "Replaced" } else { "Added" };
            writeln!(out, "\n{verb} profile {name} in {}", path.display())?;
            if config.own_profiles.iter().any(|own| own.to_lowercase() == *name) {
                let which = match config.is_given {
                    true => {
                        "The profile of that name in the file given with --config takes precedence."
                    }
                    false => {
                        "It takes precedence over the profile of that name in your engine.toml."
                    }
                };
                writeln!(out, "{which}")?;
            }
            writeln!(
                out,
                "To play against it, restart your chess program and set Profile to {name}, or type:\n  \
                 stopdown play --profile {name}"
            )?;
        }
        Ok(())
    }
}

/// Rejects the names of built-in profiles, because the manual describes those profiles.
fn check_new_name(name: &str) -> anyhow::Result<()> {
    anyhow::ensure!(
        built_in_settings().profiles.get(name).is_err(),
        "{name} is a built-in profile; choose another name with --name"
    );
    Ok(())
}

/// Refuses to overwrite a file that this command did not write.
fn refuse_to_overwrite(path: &Path) -> anyhow::Result<()> {
    if !path.exists() || is_device_or_pipe(path) {
        return Ok(());
    }
    anyhow::ensure!(
        is_generated(&read_text(path)?),
        "{} exists and was not written by this command; choose another name",
        path.display()
    );
    Ok(())
}

/// A mix of players with different competences on a curve, weighted by how well each explains the
/// moves.
fn mixture(
    found: &ApparentCompetence,
    family: Family,
    study: &StudyArguments,
    (player, name): (&str, &str),
    profiles: &PlayerProfiles,
) -> ProfileText {
    let (low, high) = found.posterior.interval(INTERVAL_PROBABILITY);
    let (mean, moves) = (found.posterior.mean(), found.informative);
    ProfileText {
        name: name.to_owned(),
        description: format!(
            "{player}, based on {moves} moves: c = {mean:.2} (95% range: {low:.2} to {high:.2})"
        ),
        skill: SkillText::Mix {
            family,
            parts: found.composite(MIN_WEIGHT_RATIO),
            depth: study.depth,
        },
        phases: PhaseOffsets::default(),
        openings: profiles.openings(player).lines(),
        thinking_time: profiles.habits(player).thinking_time(),
    }
}
