//! Describes the player of a game to the user in one sentence, without technical terms.

use super::announced_opponent::AnnouncedOpponent;
use super::exploited_source;
use crate::config::{ExploitSetting, Settings, StrengthSetting, built_in_settings};
use crate::player::{Aim, ImitatorPlayer, Player, StoppedDown, TargetRating};
use crate::value::plies;

const FULL_STRENGTH: &str = "Plays at full strength.";

/// Returns the sentence for this player. `target` is the rating that the user has set, if any, and `opponent` the one
/// that the GUI has announced. `is_external` tells whether an external engine evaluates the moves.
pub(super) fn introduction(
    player: &Player,
    target: Option<&TargetRating>,
    settings: &Settings,
    opponent: &AnnouncedOpponent,
    is_external: bool,
) -> String {
    let (mut text, seed, game) = match player {
        Player::FullStrength => {
            let mut sentences = vec![FULL_STRENGTH.to_owned()];
            if is_external && settings.exploit != ExploitSetting::Off {
                sentences.push("Exploit is not used with another Engine.".to_owned());
            } else {
                sentences.extend(exploited_source::description(settings, opponent));
            }
            if settings.effective_strength() == StrengthSetting::Profile {
                sentences.push("Choose a Profile to weaken it.".to_owned());
            }
            if let Some(elo) =
                settings.exploit_elo.filter(|_| settings.exploit == ExploitSetting::Off)
            {
                sentences.push(format!("Exploit Elo {elo} is not used, because Exploit is off."));
            }
            sentences.extend(unused_elo(settings));
            if let Some(style) = settings.style {
                let is_auto = settings.strength == StrengthSetting::Auto;
                let advice = if is_auto { "; tick UCI_LimitStrength" } else { "" };
                sentences.push(format!("Style {style} is not used at full strength{advice}."));
            }
            return sentences.join(" ");
        }
        Player::StoppedDown(player) => (strength(player, target), player.seed, player.game),
        Player::Imitator(player) => (relative_strength(player), player.seed, player.game),
    };
    match (player.style(), settings.style) {
        (Some(style), _) => {
            let replaced = settings.replaced_style();
            let instead = replaced.map_or(String::new(), |own| format!(" instead of {own}"));
            text += &format!(" {style}{instead}: {}.", style.description());
        }
        (None, Some(style)) => {
            text += &format!(" Style {style} is not used, because this player is not human.");
        }
        (None, None) => {}
    }
    if let Some(depth) = settings.profile_depth_limit() {
        text += &format!(" It searches at most {}.", plies(depth));
    }
    if target.is_some() && settings.network().is_some() {
        text += " Levels were measured with the built-in network, not with EvalFile.";
    }
    if settings.exploit != ExploitSetting::Off {
        text += " Exploit is used only in positions covered by endgame tables, because it needs full strength.";
    }
    if settings.lines > 1 {
        text += " MultiPV is used only in analysis and at full strength.";
    }
    if let Some(competence) = settings.unused_competence() {
        text += &format!(
            " Competence {competence} is not used, because this curve has Sensitivity and Consistency instead."
        );
    }
    let may_expect_elo = settings.limit_strength || settings.is_weakened_by_depth();
    if let Some(sentence) = unused_elo(settings).filter(|_| may_expect_elo) {
        text += &format!(" {sentence}");
    }
    // The moves of such a level do not depend on the seed, only its thinking times do.
    if matches!(player, Player::StoppedDown(player) if player.profile.nodes().is_some()) {
        return text;
    }
    format!("{text} Seed {seed}, game {game}.")
}

/// Explains why a rating that was set is not used, if that is so.
fn unused_elo(settings: &Settings) -> Option<String> {
    let is_off = settings.elo != built_in_settings().elo
        && !settings.limit_strength
        && settings.strength == StrengthSetting::Auto;
    let off = is_off.then(|| "UCI_LimitStrength is off".to_owned());
    let why = settings.why_elo_is_unused().or(off)?;
    Some(format!("UCI_Elo {} is not used, because {why}.", settings.elo))
}

/// Describes the strength of a weakened player: by rating, profile or competence.
fn strength(player: &StoppedDown, target: Option<&TargetRating>) -> String {
    let profile = &player.profile;
    if let Some(target) = target {
        return format!(
            "Plays {target}.{}",
            target.depth_note(profile.depth()).unwrap_or_default()
        );
    }
    if !profile.name.is_empty() {
        let description = profile.description.trim_end_matches('.');
        let end = if description.is_empty() { "" } else { "." };
        return format!("Plays as {}. {description}{end}", profile.name).trim_end().to_owned();
    }
    let Some((_, skill)) = profile.parts().first() else { return FULL_STRENGTH.to_owned() };
    let curve = skill.selector.curve;
    let depth = profile.depth();
    if curve.competence().get() == f64::INFINITY {
        return format!("Plays the best move at depth {depth}.");
    }
    let [(name, value), (other, scale)] = curve.parameters();
    match other {
        "kappa" => format!("Plays with {name} {value} on the curve \"{}\".", curve.family()),
        _ => format!(
            "Plays with {name} {value} and {other} {scale} on the curve \"{}\".",
            curve.family()
        ),
    }
}

/// Describes the imitator's strength, relative to its opponent.
fn relative_strength(player: &ImitatorPlayer) -> String {
    match player.config.aim {
        Aim::Equal => "Plays at your level.".to_owned(),
        Aim::Offset(offset) if offset < 0.0 => {
            format!("Plays {:.0} Elo below your level.", -offset)
        }
        Aim::Offset(offset) => format!("Plays {offset:.0} Elo above your level."),
        Aim::Score(score) => format!("Aims to score {:.0}% against you.", 100.0 * score),
    }
}
