//! Parses `engine.toml`, with precise error messages. The shipped file is built in.

use once_cell::sync::Lazy;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::options::{self, Applied, EngineOption, Kind, OPTIONS};
use super::settings::Settings;
use crate::board::shorten;
use crate::files::line_at;
use crate::player::Roster;
use crate::suggest;

/// The text of the shipped file, which contains the default values.
const SHIPPED: &str = include_str!("../../engine.toml");

static BUILT_IN: Lazy<Settings> = Lazy::new(|| {
    parse(SHIPPED, "engine.toml", &Players::default()).expect("the tests parse the shipped file")
});

/// The values of the shipped `engine.toml`.
pub fn built_in_settings() -> Settings {
    BUILT_IN.clone()
}

/// An error in a configuration file.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{path}: {reason}")]
    Unreadable {
        /// The path of the file.
        path: String,
        /// The error from the operating system.
        reason: std::io::Error,
    },
    /// The file is not valid TOML, or one of its settings is not valid.
    #[error("{path}:{line}: {message}")]
    Mistake {
        /// The path of the file.
        path: String,
        /// The line of the mistake, counted from 1.
        line: usize,
        /// A description of the mistake.
        message: String,
    },
}

/// The opponents modelled on players' games, from all files that can be used.
#[derive(Debug, Default)]
pub(crate) struct Players {
    pub profiles: Roster,
    /// The texts of the files.
    pub texts: Vec<String>,
}

/// Parses the settings in a file. Missing options get their built-in values. The profiles in
/// `players` are added, and a mix in the file can name them.
pub fn parse(text: &str, path: &str, players: &Players) -> Result<Settings, ConfigError> {
    let at_line = |line, message| ConfigError::Mistake { path: path.to_owned(), line, message };
    let mistake = |(offset, message)| at_line(line_at(text, offset), message);
    let table = table(text).map_err(mistake)?;
    // The built-in settings are parsed from the shipped file, so parsing that file cannot start
    // from them.
    let (start, mut files) = match text == SHIPPED {
        true => (Settings::default(), Vec::new()),
        false => (built_in_settings(), vec![SHIPPED]),
    };
    files.extend(players.texts.iter().map(String::as_str));
    files.push(text);
    let profiles = Roster::of_files(&files)
        .map_err(|error| at_line(error.line().unwrap_or(1), error.to_string()))?;
    let mut settings = read(text, &table, Settings { profiles, ..start }).map_err(mistake)?;
    if text == SHIPPED {
        // These profiles are the built-in ones.
        settings.own_profiles.clear();
    }
    Ok(settings)
}

/// Parses a file that contains only profiles.
pub fn parse_players(text: &str, path: &str) -> Result<Roster, ConfigError> {
    let at_line = |line, message| ConfigError::Mistake { path: path.to_owned(), line, message };
    let mistake = |(offset, message)| at_line(line_at(text, offset), message);
    let table = table(text).map_err(mistake)?;
    if let Some((key, _)) = table.get_ref().iter().find(|(key, _)| key.get_ref() != "profiles") {
        let message = format!("unknown section \"{}\" in a player's file", key.get_ref());
        return Err(mistake((key.span().start, message)));
    }
    Roster::parse(text).map_err(|error| at_line(error.line().unwrap_or(1), error.to_string()))
}

/// The offset of an error in the text, and the error message.
type LineMistake = (usize, String);

fn table(text: &str) -> Result<Spanned<DeTable<'_>>, LineMistake> {
    DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        (offset, error.message().lines().collect::<Vec<_>>().join("; "))
    })
}

fn read(
    text: &str,
    table: &Spanned<DeTable<'_>>,
    mut settings: Settings,
) -> Result<Settings, LineMistake> {
    for (key, value) in table.get_ref() {
        let at = key.span().start;
        match (key.get_ref().as_ref(), value.get_ref()) {
            ("options", DeValue::Table(options)) => read_options(text, options, &mut settings)?,
            // The profiles were parsed by `Roster`.
            ("profiles", DeValue::Table(profiles)) => {
                settings.own_profiles =
                    profiles.keys().map(|key| key.get_ref().to_string()).collect();
            }
            (name @ ("options" | "profiles"), _) => {
                return Err((at, format!("{name} must be a section; write [{name}]")));
            }
            (name, _) => {
                let hint = suggest::hint(name, ["options", "profiles"], "options");
                return Err((at, format!("unknown section \"{}\"{hint}", shorten(name))));
            }
        }
    }
    Ok(settings)
}

fn read_options(
    text: &str,
    table: &DeTable<'_>,
    settings: &mut Settings,
) -> Result<(), LineMistake> {
    for (key, value) in table {
        let at = key.span().start;
        let name = key.get_ref().as_ref();
        let option = options::find(name).ok().filter(|option| option.is_settable());
        let option = option.ok_or_else(|| (at, unknown(name)))?;
        let plain = plain_value(option, value).ok_or_else(|| {
            let written = shorten(text.get(value.span()).unwrap_or_default());
            let (name, allowed) = (option.name, option.allowed(settings));
            (at, format!("{name} cannot be {written}; write {allowed}"))
        })?;
        match option.apply(settings, &plain) {
            Ok(Applied::Set) => {}
            Ok(Applied::Clamped(_) | Applied::Pressed) => return Err((at, option.refusal(&plain))),
            Err(error) => return Err((at, error.to_string())),
        }
    }
    Ok(())
}

fn unknown(name: &str) -> String {
    let settable = OPTIONS.iter().filter(|option| option.is_shown && option.is_settable());
    let names: Vec<&str> = settable.map(|option| option.name).collect();
    format!("unknown option \"{}\"{}", shorten(name), suggest::hint(name, names, "options"))
}

/// Returns the value as text, or `None` if it has the wrong type for the option.
fn plain_value(option: &EngineOption, value: &Spanned<DeValue<'_>>) -> Option<String> {
    match (&option.kind, value.get_ref()) {
        (Kind::Check(_), DeValue::Boolean(truth)) => Some(truth.to_string()),
        (Kind::Spin { .. } | Kind::Optional { .. }, DeValue::Integer(number)) => {
            i64::from_str_radix(number.as_str(), number.radix()).ok().map(|n| n.to_string())
        }
        (Kind::Text(_) | Kind::Choice { .. }, DeValue::String(text)) => Some(text.to_string()),
        (Kind::Optional { .. }, DeValue::String(text)) if text.is_empty() => Some(String::new()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        parse(text, "engine.toml", &Players::default()).expect_err(text).to_string()
    }

    #[test]
    fn the_shipped_file_sets_every_option() {
        let table = DeTable::parse(SHIPPED).expect("the shipped file is TOML");
        let (_, options) = table.get_ref().iter().next().expect("it has a section");
        let options = options.get_ref().as_table().expect("[options] is a section");
        for option in OPTIONS.iter().filter(|option| option.is_shown && option.is_settable()) {
            assert!(
                options.iter().any(|(key, _)| key.get_ref() == option.name),
                "engine.toml leaves out {}",
                option.name
            );
        }
    }

    #[test]
    fn missing_options_have_built_in_values() {
        let settings = parse("[options]\nhash = 0x40\n", "engine.toml", &Players::default())
            .expect("is right");
        assert_eq!(settings, Settings { hash: 64, ..built_in_settings() });
        assert_eq!(
            parse("", "engine.toml", &Players::default()).expect("is right"),
            built_in_settings()
        );
    }

    #[test]
    fn errors_name_the_line_and_say_what_to_write() {
        let cases = [
            (
                "[options]\nThreads = 2\nHash = 0\n",
                "engine.toml:3: 0 is out of range: Hash must be from 1 to 1048576",
            ),
            (
                "[options]\nPonder = \"yes\"\n",
                "engine.toml:2: Ponder cannot be \"yes\"; write true or false",
            ),
            (
                "\n[optoins]\nHash = 1\n",
                "engine.toml:2: unknown section \"optoins\"; did you mean \"options\"?",
            ),
            ("options = 3\n", "engine.toml:1: options must be a section; write [options]"),
            (
                "[options]\nUCI_Elo = 99999\n",
                "engine.toml:2: 99999 is out of range: UCI_Elo must be from 400 to 3400",
            ),
            (
                "[profiles.a]\ndescription = \"x\"\nelo = 99999\n",
                "engine.toml:3: profile \"a\": 99999 is out of range: FIDE ratings must be from 400 to 3400",
            ),
            (
                "[options]\n\"Elo Scale\" = \"USCF\"\n",
                "engine.toml:2: Elo Scale cannot be \"USCF\"; use FIDE, Lichess, Chesscom, Lichess-Blitz, \
                 Lichess-Rapid, Lichess-Bullet, Chesscom-Blitz or Chesscom-Rapid",
            ),
            (
                "[profiles.a]\ncompetence = 1\n[options]\nProfile = \"b\"\n",
                "engine.toml:4: Profile cannot be \"b\"; see `stopdown help profiles`",
            ),
            (
                "[options]\n\nHashh = 1\n",
                "engine.toml:3: unknown option \"Hashh\"; did you mean \"Hash\"?",
            ),
            (
                "[profiles]\na = 3\n",
                "engine.toml:2: wrong type: integer \"3\", expected a section such as [profiles.club]",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(message(text), expected);
        }
        assert!(message("[options]\nHash = \n").starts_with("engine.toml:2: "));
    }
}
