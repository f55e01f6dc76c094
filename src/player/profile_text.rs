//! A profile as the text of a configuration file, which [`Roster`](super::Roster) parses.

use std::fmt::Write as _;

use toml::Value as Toml;

use super::{EloScale, PhaseOffsets};
use crate::board::shorten;
use crate::selector::Family;
use crate::value::Depth;

/// The content of a profile.
#[derive(Clone, Debug)]
pub(crate) struct ProfileText {
    /// The name of the profile.
    pub name: String,
    /// One line for lists of profiles.
    pub description: String,
    /// How it chooses its moves.
    pub skill: SkillText,
    /// Strength offsets in each phase of the game.
    pub phases: PhaseOffsets,
    /// The opening lines as White and as Black, each with its number of games.
    pub openings: [Vec<String>; 2],
    /// The thinking time relative to most people's, if it is known.
    pub thinking_time: Option<f64>,
}

/// How a profile chooses its moves.
#[derive(Clone, Debug)]
pub(crate) enum SkillText {
    /// A level of a human curve.
    Level { family: Family, elo: f64 },
    /// Competences on a curve with their weights. One is drawn for each game.
    Mix { family: Family, parts: Vec<(f64, f64)>, depth: Depth },
}

/// A name chosen for a profile has neither letters nor digits.
#[derive(Debug, thiserror::Error)]
#[error("\"{}\" cannot be the name of a profile; use at least one letter or digit", shorten(.0))]
pub(crate) struct NamelessProfile(String);

impl ProfileText {
    /// Returns the profile name of a player. It consists of lower-case letters, digits and hyphens,
    /// so it needs no quotes on the command line and is a valid file name. A player whose name has
    /// only symbols is named by their code points, because no two of them may share a profile.
    pub fn name_of(player: &str) -> String {
        ProfileText::given_name(player).unwrap_or_else(|_| {
            let symbols = player.chars().map(|symbol| format!("-{:x}", u32::from(symbol)));
            format!("player{}", symbols.collect::<String>())
        })
    }

    /// Returns the profile name in the same form for a name that the user has chosen.
    pub fn given_name(name: &str) -> Result<String, NamelessProfile> {
        let simple: String =
            name.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
        let simple = simple.to_lowercase();
        let words: Vec<&str> = simple.split_whitespace().collect();
        if words.is_empty() { Err(NamelessProfile(name.to_owned())) } else { Ok(words.join("-")) }
    }

    /// Returns the section of a configuration file.
    pub fn toml(&self) -> String {
        let is_bare = self.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        let key = if is_bare { self.name.clone() } else { quoted(&self.name).to_string() };
        let mut text = format!("[profiles.{key}]\ndescription = {}\n", quoted(&self.description));
        text += &self.skill.toml();
        if !self.phases.is_zero() {
            let nonzero: Vec<String> =
                self.phases.nonzero().map(|(phase, elo)| format!("{phase} = {elo:.0}")).collect();
            let _ = writeln!(text, "phases = {{ {} }}", nonzero.join(", "));
        }
        if let Some(time) = self.thinking_time {
            let _ = writeln!(text, "thinking-time = {time:.2}");
        }
        text + &self.openings_toml()
    }

    fn openings_toml(&self) -> String {
        if self.openings.iter().all(Vec::is_empty) {
            return String::new();
        }
        let mut text = String::from(
            "# Each line: the number of games, then the moves from the start up to the player's move.\n\
             openings = [\n",
        );
        for (colour, lines) in ["White", "Black"].into_iter().zip(&self.openings) {
            if !lines.is_empty() {
                let _ = writeln!(text, "    # With {colour}");
            }
            lines.iter().for_each(|line| text += &format!("    {},\n", quoted(line)));
        }
        text + "]\n"
    }
}

impl SkillText {
    fn toml(&self) -> String {
        match self {
            SkillText::Level { family, elo } => {
                let (curve, scale) = (quoted(family.name()), quoted(EloScale::of(*family).name()));
                format!("curve = {curve}\nelo = {elo:.0}\nscale = {scale}\n")
            }
            SkillText::Mix { family, parts, depth } => {
                let curve = quoted(family.name());
                let mut text = String::from("mix = [\n");
                for (c, weight) in parts {
                    let numbers = match family.is_power_law() {
                        true => format!("competence = {c:?}"),
                        false => format!("consistency = {c:?}, sensitivity = 1.0"),
                    };
                    let player = format!("{{ curve = {curve}, {numbers}, depth = {depth} }}");
                    let _ = writeln!(text, "    {{ player = {player}, weight = {weight:.6} }},");
                }
                text + "]\ndraw = \"game\"\n"
            }
        }
    }
}

fn quoted(text: &str) -> Toml {
    Toml::String(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Phase;
    use crate::player::{Elo, Roster};
    use crate::policy::GameKind;

    #[test]
    fn profile_names_need_no_quotes() {
        assert_eq!(ProfileText::name_of("Carlsen, M."), "carlsen-m");
        assert_eq!(ProfileText::name_of("\"]\n[x"), "x");
        assert_eq!(ProfileText::name_of("../../x"), "x");
        assert_eq!(ProfileText::name_of("Петров, А."), "петров-а");
    }

    #[test]
    fn names_of_symbols_are_different_profiles_and_cannot_be_chosen() {
        assert_eq!(ProfileText::name_of("?"), "player-3f");
        assert_eq!(ProfileText::name_of("\u{1f642}!"), "player-1f642-21");
        for name in ["", "?", "\u{1f642}"] {
            let error = ProfileText::given_name(name).expect_err(name).to_string();
            assert!(error.starts_with(&format!("\"{name}\" cannot be the name")), "{error}");
        }
    }

    #[test]
    fn the_text_parses_to_the_same_profile() {
        let text = ProfileText {
            name: "петров-а".to_owned(),
            description: "Quotes \" and\nlines".to_owned(),
            skill: SkillText::Level { family: Family::human(GameKind::Blitz), elo: 1512.4 },
            phases: PhaseOffsets { endgame: -35.0, ..PhaseOffsets::default() },
            openings: [vec!["2 e4".to_owned()], vec!["1 e4 c5".to_owned()]],
            thinking_time: Some(0.75),
        };
        let roster = Roster::parse(&text.toml()).expect("it is a profile");
        let profile = roster.get("петров-а").expect("it is there");
        assert_eq!(profile.description, "Quotes \" and\nlines");
        assert_eq!((profile.thinking_time, profile.repertoire.positions()), (0.75, 2));
        assert_eq!(profile.phases.of(Phase::Endgame), -35.0);
        let elo = Elo(EloScale::LichessBlitz.on(EloScale::Fide, 1512.0));
        assert!((profile.level().0 - elo.0).abs() < 2.0, "{} {elo}", profile.level());
    }
}
