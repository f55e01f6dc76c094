//! Describes how a player chooses its moves, with the numbers that its introduction leaves out.

use crate::player::{DEEPEST, ImitatorConfig, Player, PlayingStyle, Profile, Skill};
use crate::selector::Selector;
use crate::value::plies;

/// Returns the sentence for this player. `None` at full strength.
pub(super) fn choice_details(player: &Player) -> Option<String> {
    let text = match player {
        Player::FullStrength => return None,
        Player::StoppedDown(player) => of_profile(&player.profile),
        Player::Imitator(player) => {
            let ImitatorConfig { family, depth, style, .. } = player.config;
            let style = style.map(of_style).unwrap_or_default();
            format!("curve {family}, {}{style}", plies(depth))
        }
    };
    Some(capitalised(&text) + ".")
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

fn of_profile(profile: &Profile) -> String {
    let mut text = match profile.parts() {
        [(_, skill)] => of_skill(skill),
        parts => {
            let part = |(weight, skill): &(f64, Skill)| {
                format!("{:.1}% {}; ", 100.0 * weight, of_skill(skill))
            };
            let parts: String = parts.iter().map(part).collect();
            format!("{parts}{}", profile.draw.description())
        }
    };
    if !profile.repertoire.is_empty() {
        text += &format!(", openings of {} positions", profile.repertoire.positions());
    }
    if !profile.phases.is_zero() {
        text += &format!(", by phases {}", profile.phases);
    }
    text
}

fn of_style(style: PlayingStyle) -> String {
    format!(", style {}", style.name().to_lowercase())
}

fn of_skill(skill: &Skill) -> String {
    let Selector { curve, weights } = &skill.selector;
    match (skill.nodes, skill.depth) {
        (Some(nodes), DEEPEST) => return format!("best move of a search of {nodes} nodes"),
        (Some(nodes), depth) => {
            return format!("best move of a search of {nodes} nodes and at most {}", plies(depth));
        }
        (None, _) => {}
    }
    let mut text = format!("curve {}", curve.family());
    for (name, value) in curve.parameters() {
        text += &format!(", {name} {}", (value * 1000.0).round() / 1000.0);
    }
    text += &format!(", {}", plies(skill.depth));
    if let Some(weights) = weights.rounded() {
        let weights: Vec<String> = weights.iter().map(f64::to_string).collect();
        text += &format!(", depth weights {}", weights.join(" "));
    }
    if let Some(style) = skill.style {
        text += &of_style(style);
    }
    if !skill.clock_effect && skill.is_human() {
        text += ", no clock effect";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::{Aim, Roster, Who};

    #[test]
    fn the_numbers_of_each_kind_of_player_are_listed() {
        for (fields, expected) in [
            (
                "curve = 'levelled'\ncompetence = 7.25",
                "Curve levelled, competence 7.25, kappa 1, 12 plies.",
            ),
            (
                "curve = 'levelled'\ndepth = 2\ndepth-weights = [0.5, 0.5]",
                "Curve levelled, competence 7, kappa 1, 2 plies, depth weights 0.5 0.5.",
            ),
            (
                "curve = 'human'\nstyle = 'solid'\nclock-effect = false",
                "Curve human, competence 1, rating 1500, 12 plies, style solid, no clock effect.",
            ),
        ] {
            let roster = Roster::parse(&format!("[profiles.x]\n{fields}\n")).expect(fields);
            let profile = roster.get("x").expect("it was written above").clone();
            let player = Player::new(Who::Profile(profile), 1, 1);
            assert_eq!(choice_details(&player).as_deref(), Some(expected));
        }
        let imitator = Who::Imitator(ImitatorConfig::with_defaults(Aim::Equal));
        let player = Player::new(imitator, 1, 1);
        assert_eq!(choice_details(&player).as_deref(), Some("Curve human, 12 plies."));
        assert_eq!(choice_details(&Player::FullStrength), None);
    }
}
