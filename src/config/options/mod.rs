//! Printing, parsing and setting of options. [`rows`] has the table of all options.

mod rows;

use super::settings::Settings;
use crate::board::shorten;

pub use rows::OPTIONS;

/// One UCI option.
#[derive(Debug)]
pub struct EngineOption {
    pub name: &'static str,
    pub kind: Kind,
    /// Whether the option is announced to the GUI.
    pub is_shown: bool,
}

/// The type of an option, and the field of the settings that has its value.
#[derive(Debug)]
pub enum Kind {
    Check(fn(&mut Settings) -> &mut bool),
    Spin {
        min: i64,
        max: i64,
        field: fn(&mut Settings) -> &mut i64,
    },
    /// A number or nothing. A number below the minimum means nothing.
    Optional {
        min: i64,
        max: i64,
        field: fn(&mut Settings) -> &mut Option<i64>,
    },
    /// One of a list of words.
    Choice {
        words: fn(&Settings) -> Vec<String>,
        get: fn(&Settings) -> String,
        /// Returns false if there is no such word.
        set: fn(&mut Settings, &str) -> bool,
    },
    Text(fn(&mut Settings) -> &mut String),
    /// The session performs the action.
    Button,
    /// A read-only text that the GUI may show.
    Notice(&'static str),
}

/// The effect of setting an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applied {
    Set,
    /// Out of range: the nearest allowed value was set instead.
    Clamped(i64),
    Pressed,
}

/// Why an option was not set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    #[error("there is no option \"{0}\"; there are: {known}", known = names())]
    Unknown(String),
    #[error("{name} cannot be \"{value}\"; allowed is {allowed}")]
    Value { name: &'static str, value: String, allowed: String },
    #[error("{0} needs a value: {1}")]
    Missing(&'static str, String),
    #[error("{0} tells about the engine and cannot be changed")]
    ReadOnly(&'static str),
}

/// Finds an option by name. GUIs differ in capitals and spaces.
pub fn find(name: &str) -> Result<&'static EngineOption, OptionError> {
    let plain = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let old = rows::OLD_NAMES.iter().find(|(old, _)| old.eq_ignore_ascii_case(&plain));
    let wanted = old.map_or(&*plain, |(_, now)| *now);
    OPTIONS
        .iter()
        .find(|option| option.name.eq_ignore_ascii_case(wanted))
        .ok_or_else(|| OptionError::Unknown(shorten(name)))
}

fn names() -> String {
    let shown = OPTIONS.iter().filter(|option| option.is_shown);
    shown.map(|option| option.name).collect::<Vec<_>>().join(", ")
}

impl EngineOption {
    const fn shown(name: &'static str, kind: Kind) -> EngineOption {
        EngineOption { name, kind, is_shown: true }
    }

    /// Parses and sets a value. Numbers out of range are clamped.
    pub fn apply(&self, settings: &mut Settings, value: &str) -> Result<Applied, OptionError> {
        let value = if value == "<empty>" { "" } else { value.trim() };
        let allowed = self.allowed(settings);
        let missing = || OptionError::Missing(self.name, allowed.clone());
        let wrong = || OptionError::Value {
            name: self.name,
            value: shorten(value),
            allowed: allowed.clone(),
        };
        match self.kind {
            Kind::Button => return Ok(Applied::Pressed),
            Kind::Notice(notice) if value == notice => {}
            Kind::Notice(_) => return Err(OptionError::ReadOnly(self.name)),
            Kind::Text(field) => *field(settings) = value.to_owned(),
            Kind::Choice { set, .. } if set(settings, value) => {}
            Kind::Optional { field, .. } if value.is_empty() => *field(settings) = None,
            _ if value.is_empty() => return Err(missing()),
            Kind::Choice { .. } => return Err(wrong()),
            Kind::Check(field) => *field(settings) = parse_bool(value).ok_or_else(wrong)?,
            Kind::Optional { min, max, field } => {
                let number = whole_number(value).ok_or_else(wrong)?;
                *field(settings) = (number >= min).then_some(number.min(max));
                if number > max {
                    return Ok(Applied::Clamped(max));
                }
            }
            Kind::Spin { min, max, field } => {
                let number = whole_number(value).ok_or_else(wrong)?;
                *field(settings) = number.clamp(min, max);
                if !(min..=max).contains(&number) {
                    return Ok(Applied::Clamped(number.clamp(min, max)));
                }
            }
        }
        Ok(Applied::Set)
    }

    /// The current value as text, or `None` for a button.
    pub fn value(&self, settings: &Settings) -> Option<String> {
        let settings = &mut settings.clone();
        match self.kind {
            Kind::Check(field) => Some(field(settings).to_string()),
            Kind::Spin { field, .. } => Some(field(settings).to_string()),
            Kind::Optional { field, .. } => {
                Some(field(settings).map(|number| number.to_string()).unwrap_or_default())
            }
            Kind::Choice { get, .. } => Some(get(settings)),
            Kind::Text(field) => Some(field(settings).clone()),
            Kind::Notice(notice) => Some(notice.to_owned()),
            Kind::Button => None,
        }
    }

    /// The allowed words, or none if the option is not a choice.
    pub fn words(&self, settings: &Settings) -> Vec<String> {
        match self.kind {
            Kind::Choice { words, .. } => words(settings),
            _ => Vec::new(),
        }
    }

    /// Describes the allowed values.
    pub fn allowed(&self, settings: &Settings) -> String {
        match self.kind {
            Kind::Check(_) => "true or false".to_owned(),
            Kind::Spin { min, max, .. } | Kind::Optional { min, max, .. } => {
                format!("a whole number from {min} to {max}")
            }
            Kind::Choice { .. } => format!("one of {}", self.words(settings).join(", ")),
            Kind::Text(_) => "any text".to_owned(),
            Kind::Button | Kind::Notice(_) => "nothing".to_owned(),
        }
    }

    /// Returns whether a configuration file may set a default.
    pub fn is_settable(&self) -> bool {
        !matches!(self.kind, Kind::Button | Kind::Notice(_))
    }
}

fn parse_bool(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "on" | "yes" | "1" => Some(true),
        "false" | "off" | "no" | "0" => Some(false),
        _ => None,
    }
}

/// Parses a whole number. Numbers beyond 64 bits become the largest or smallest value.
pub fn whole_number(text: &str) -> Option<i64> {
    use std::num::IntErrorKind::{NegOverflow, PosOverflow};
    match text.parse() {
        Ok(number) => Some(number),
        Err(error) => match error.kind() {
            PosOverflow => Some(i64::MAX),
            NegOverflow => Some(i64::MIN),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::{Elo, EloScale, TargetRating};

    #[test]
    fn every_default_is_allowed_and_printed_as_set() {
        let defaults = Settings::built_in();
        for option in OPTIONS.iter().filter(|option| option.is_settable()) {
            let value = option.value(&defaults).expect("settable options have values");
            let mut copy = Settings { profiles: defaults.profiles.clone(), ..Settings::default() };
            if !value.is_empty() {
                assert_eq!(option.apply(&mut copy, &value), Ok(Applied::Set), "{}", option.name);
            }
            assert_eq!(option.value(&copy), Some(value), "{}", option.name);
        }
    }

    #[test]
    fn at_most_30_options_are_shown_and_strength_comes_first() {
        let defaults = Settings::built_in();
        let shown: Vec<_> = OPTIONS.iter().filter(|option| option.is_shown).collect();
        assert!(shown.len() <= 30, "{}", shown.len());
        assert_eq!(shown[0].name, "Strength");
        for option in shown {
            assert!(!matches!(option.kind, Kind::Optional { .. }), "{}", option.name);
            if let Kind::Choice { .. } = option.kind {
                let value = option.value(&defaults).expect("it has one");
                assert!(option.words(&defaults).contains(&value), "{}", option.name);
            }
        }
    }

    #[test]
    fn every_allowed_rating_is_available_on_every_scale() {
        let Kind::Spin { min, max, .. } = find("UCI_Elo").expect("is there").kind else {
            panic!("a number")
        };
        for scale in EloScale::ALL {
            for elo in [min, max] {
                assert!(TargetRating::new(Elo(elo as f64), None, scale).is_met(), "{elo} {scale}");
            }
        }
    }

    #[test]
    fn optional_values_can_be_unset() {
        let mut settings = Settings::built_in();
        let profile = find("Profile").expect("is there");
        for none in ["<none>", "<empty>", ""] {
            assert_eq!(profile.apply(&mut settings, "CLUB"), Ok(Applied::Set));
            assert_eq!(profile.value(&settings).as_deref(), Some("club"));
            assert_eq!(profile.apply(&mut settings, none), Ok(Applied::Set));
            assert_eq!(profile.value(&settings).as_deref(), Some("<none>"));
        }
        let message = profile.apply(&mut settings, "nobody").expect_err("no such profile");
        assert!(message.to_string().contains("one of <none>, anti-player, coin-"), "{message}");
        let score = find("Imitator Score").expect("is taken");
        for (text, value) in [("150", Some(99)), ("0", None), ("40", Some(40)), ("", None)] {
            score.apply(&mut settings, text).expect(text);
            assert_eq!(settings.imitator_score, value, "{text}");
        }
    }

    #[test]
    fn hidden_curves_and_old_names_are_accepted() {
        let mut settings = Settings::built_in();
        for (name, value) in [("Curve", "Secha-Share"), ("Exploit", "Equal")] {
            let option = find(name).expect("is taken");
            assert_eq!(option.apply(&mut settings, value), Ok(Applied::Set), "{name}");
            assert!(option.value(&settings).is_some_and(|set| set.eq_ignore_ascii_case(value)));
        }
        assert!(!OPTIONS.iter().any(|option| option.name == "Exploit"));
    }

    #[test]
    fn names_ignore_case_and_extra_spaces() {
        assert_eq!(find("move  OVERHEAD").map(|option| option.name), Ok("Move Overhead"));
        let message = find("Hsah").expect_err("no such option").to_string();
        assert!(message.contains("\"Hsah\"") && message.contains("Clear Hash"), "{message}");
    }

    #[test]
    fn numbers_out_of_range_are_clamped() {
        let mut settings = Settings::built_in();
        let threads = find("Threads").expect("is there");
        for (text, number) in [("0", 1), ("-7", 1), ("9999", 512), ("99999999999999999999", 512)] {
            assert_eq!(threads.apply(&mut settings, text), Ok(Applied::Clamped(number)), "{text}");
            assert_eq!(settings.threads, number);
        }
    }

    #[test]
    fn invalid_values_change_nothing() {
        let before = Settings::built_in();
        let mut settings = before.clone();
        for (name, value) in [("Hash", "x"), ("Hash", ""), ("Ponder", "maybe"), ("Threads", "1.5")]
        {
            find(name).expect("is there").apply(&mut settings, value).expect_err(value);
        }
        assert_eq!(settings, before);
    }

    #[test]
    fn a_choice_takes_its_words_in_any_case() {
        let mut settings = Settings::built_in();
        let option = find("Pace").expect("is there");
        assert_eq!(option.apply(&mut settings, "human"), Ok(Applied::Set));
        assert_eq!(option.value(&settings).as_deref(), Some("Human"));
        let message = option.apply(&mut settings, "slow").expect_err("no word").to_string();
        assert_eq!(message, "Pace cannot be \"slow\"; allowed is one of Auto, Instant, Human");
    }
}
