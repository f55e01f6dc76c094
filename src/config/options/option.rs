//! A single option: its type, how its value is parsed and set, and how it is printed.

use crate::board::shorten;
use crate::config::settings::Settings;
use crate::suggest;

/// A UCI option.
#[derive(Debug)]
pub struct EngineOption {
    pub name: &'static str,
    pub kind: Kind,
    /// Whether the option is announced to the GUI.
    pub is_shown: bool,
}

/// The type of an option, and the settings field that stores its value.
#[derive(Debug)]
pub enum Kind {
    Check(fn(&mut Settings) -> &mut bool),
    Spin {
        min: i64,
        max: i64,
        field: fn(&mut Settings) -> &mut i64,
    },
    /// A number or no value. Zero also means no value, unless zero is in the allowed range.
    Optional {
        min: i64,
        max: i64,
        field: fn(&mut Settings) -> &mut Option<i64>,
    },
    /// One word from a list.
    Choice {
        words: fn(&Settings) -> Vec<String>,
        get: fn(&Settings) -> String,
        /// Returns false if the word is not in the list.
        set: fn(&mut Settings, &str) -> bool,
    },
    Text(fn(&mut Settings) -> &mut String),
    /// An action that the session performs.
    Button,
    /// Read-only text that the GUI may show.
    Notice(&'static str),
}

/// The effect of setting an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applied {
    Set,
    /// The value was out of range, so the nearest allowed value was set instead.
    Clamped(i64),
    Pressed,
}

/// The reason an option was not set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    #[error("unknown option \"{name}\"{hint}")]
    Unknown { name: String, hint: String },
    #[error("{name} cannot be \"{value}\"{hint}")]
    Value { name: &'static str, value: String, hint: String },
    #[error("{0} needs a value: {1}")]
    Missing(&'static str, String),
    #[error("{0} is read-only")]
    ReadOnly(&'static str),
}

/// The reason for rejecting a value. This is not yet a message for the user.
enum Refusal {
    ReadOnly,
    Missing,
    Wrong,
}

impl EngineOption {
    pub(super) const fn shown(name: &'static str, kind: Kind) -> EngineOption {
        EngineOption { name, kind, is_shown: true }
    }

    /// Parses and sets a value. Numbers out of range are clamped.
    pub fn apply(&self, settings: &mut Settings, value: &str) -> Result<Applied, OptionError> {
        let value = if value == "<empty>" { "" } else { value.trim() };
        self.set(settings, value).map_err(|refusal| match refusal {
            Refusal::ReadOnly => OptionError::ReadOnly(self.name),
            Refusal::Missing => OptionError::Missing(self.name, self.allowed(settings)),
            Refusal::Wrong => OptionError::Value {
                name: self.name,
                value: shorten(value),
                hint: self.hint(value, settings),
            },
        })
    }

    fn set(&self, settings: &mut Settings, value: &str) -> Result<Applied, Refusal> {
        match self.kind {
            Kind::Button => return Ok(Applied::Pressed),
            Kind::Notice(notice) if value == notice => {}
            Kind::Notice(_) => return Err(Refusal::ReadOnly),
            Kind::Text(field) => *field(settings) = value.to_owned(),
            Kind::Choice { set, .. } if set(settings, value) => {}
            Kind::Optional { field, .. } if value.is_empty() => *field(settings) = None,
            _ if value.is_empty() => return Err(Refusal::Missing),
            Kind::Choice { .. } => return Err(Refusal::Wrong),
            Kind::Check(field) => *field(settings) = parse_bool(value).ok_or(Refusal::Wrong)?,
            Kind::Optional { min, max, field } => {
                let number = whole_number(value).ok_or(Refusal::Wrong)?;
                let is_unset = number == 0 && min > 0;
                *field(settings) = (!is_unset).then_some(number.clamp(min, max));
                if field(settings).is_some_and(|set| set != number) {
                    return Ok(Applied::Clamped(number.clamp(min, max)));
                }
            }
            Kind::Spin { min, max, field } => {
                let number = whole_number(value).ok_or(Refusal::Wrong)?;
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

    /// The allowed words. Empty if the option is not a choice.
    pub fn words(&self, settings: &Settings) -> Vec<String> {
        match self.kind {
            Kind::Choice { words, .. } => words(settings),
            _ => Vec::new(),
        }
    }

    /// The error message for a number that was out of range.
    pub fn refusal(&self, value: &str) -> String {
        let (value, name) = (shorten(value), self.name);
        match self.kind {
            Kind::Spin { min, max, .. } | Kind::Optional { min, max, .. } => {
                format!("{value} is out of range: {name} must be from {min} to {max}")
            }
            _ => format!("{name} cannot be \"{value}\""),
        }
    }

    /// The end of a message about an invalid value.
    fn hint(&self, value: &str, settings: &Settings) -> String {
        let words = self.words(settings);
        match self.kind {
            Kind::Choice { .. } => {
                suggest::hint(value, words.iter().map(String::as_str), "profiles")
            }
            _ => format!("; write {}", self.allowed(settings)),
        }
    }

    /// Describes the allowed values.
    pub fn allowed(&self, settings: &Settings) -> String {
        match self.kind {
            Kind::Check(_) => "true or false".to_owned(),
            Kind::Spin { min, max, .. } | Kind::Optional { min, max, .. } => {
                format!("a whole number from {min} to {max}")
            }
            Kind::Choice { .. } => suggest::alternatives(&self.words(settings)),
            Kind::Text(_) => "any text".to_owned(),
            Kind::Button | Kind::Notice(_) => "nothing".to_owned(),
        }
    }

    /// Returns whether a configuration file may set the default.
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

/// Parses a whole number. Numbers that do not fit into 64 bits become the largest or smallest
/// value.
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
