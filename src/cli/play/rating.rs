//! The user's own rating. `stopdown play` asks for it once and remembers it, so that the first
//! opponent is neither too strong nor too weak.

use std::fmt;
use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::board::shorten;
use crate::files::{FolderPurpose, user_folder, write_whole};
use crate::player::{Aim, Elo, EloScale, PlayerSpec, ScaledRating, TargetRating};
use crate::uci::{InputLine, read_line};

const QUESTION: &str = "\
Your opponent will play at your level. Type your rating, such as 1500 or 1700 Lichess-Blitz.
Press Enter if you have none. To play against full strength, type full.";

const FULL: &str = "full";
const NONE: &str = "none";

/// The user's answer to the question about their rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum OwnRating {
    Rated(Elo, EloScale),
    /// The user has no rating.
    Unrated,
    /// The user wants an opponent at full strength.
    Full,
}

impl OwnRating {
    /// Parses an answer. A rating given without a scale is taken to be on `scale`.
    pub fn parse(text: &str, scale: EloScale) -> Result<OwnRating, String> {
        let text = text.trim();
        let (number, name) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match number.to_lowercase().as_str() {
            "" | NONE if name.is_empty() => return Ok(OwnRating::Unrated),
            FULL if ["", "strength"].contains(&name.trim()) => return Ok(OwnRating::Full),
            _ => {}
        }
        let wrong = || {
            let text = shorten(text);
            format!("\"{text}\" is not a rating; type a number such as 1500, none or full")
        };
        let elo = number.parse().ok().filter(|elo: &f64| elo.is_finite()).ok_or_else(wrong)?;
        let scale = match name.trim() {
            "" => scale,
            name => name.parse().map_err(|error| format!("{error}"))?,
        };
        let target = TargetRating::new(Elo(elo), None, scale);
        if target.is_available() {
            Ok(OwnRating::Rated(target.elo, scale))
        } else {
            Err(target.refusal())
        }
    }

    /// The rating stored by an earlier run, if there is one.
    pub fn remembered() -> Option<OwnRating> {
        let text = fs::read_to_string(path()?).ok()?;
        OwnRating::parse(text.trim(), EloScale::default()).ok()
    }

    /// Stores the rating and tells the user where. If it cannot be stored, the game goes on.
    pub fn remember(self, out: &mut dyn Write) -> io::Result<()> {
        let Some(path) = path() else { return Ok(()) };
        let shown = path.display();
        match save(&path, self) {
            Ok(()) => writeln!(out, "Your answer is saved in {shown}. To change it, use --rating."),
            Err(error) => writeln!(out, "Your answer could not be saved in {shown}: {error}"),
        }
    }

    /// Asks until the user answers. Returns `None` if the user quits or the input ends.
    pub fn ask(
        mut input: &mut dyn BufRead,
        scale: EloScale,
        out: &mut dyn Write,
    ) -> io::Result<Option<OwnRating>> {
        writeln!(out, "{QUESTION}")?;
        loop {
            write!(out, "Your rating? ")?;
            out.flush()?;
            let text = match read_line(&mut input)? {
                Some(InputLine::Text(text)) => text,
                Some(InputLine::TooLong(length)) => format!("({length} bytes)"),
                None => {
                    writeln!(out)?;
                    return Ok(None);
                }
            };
            if !io::stdin().is_terminal() {
                writeln!(out, "{}", text.trim())?;
            }
            if ["quit", "exit", "q"].contains(&text.trim().to_lowercase().as_str()) {
                return Ok(None);
            }
            match OwnRating::parse(&text, scale) {
                Ok(rating) => return Ok(Some(rating)),
                Err(message) => writeln!(out, "{message}")?,
            }
        }
    }

    /// Returns an opponent at the user's level.
    pub fn opponent(self) -> PlayerSpec {
        match self {
            OwnRating::Rated(elo, scale) => PlayerSpec::rated(TargetRating::new(elo, None, scale)),
            OwnRating::Unrated => {
                PlayerSpec { imitator: Some(Aim::Equal), ..PlayerSpec::default() }
            }
            OwnRating::Full => PlayerSpec::default(),
        }
    }

    /// The rating, if the user has one.
    pub fn rating(self) -> Option<ScaledRating> {
        match self {
            OwnRating::Rated(elo, scale) => Some(ScaledRating { elo, scale }),
            OwnRating::Unrated | OwnRating::Full => None,
        }
    }
}

impl fmt::Display for OwnRating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OwnRating::Rated(elo, scale) => write!(f, "{elo} {scale}"),
            OwnRating::Unrated => f.write_str(NONE),
            OwnRating::Full => f.write_str(FULL),
        }
    }
}

fn path() -> Option<PathBuf> {
    Some(user_folder(FolderPurpose::Data)?.join("rating"))
}

fn save(path: &Path, rating: OwnRating) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    write_whole(path, format!("{rating}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_survive_printing_and_parsing() {
        let blitz = OwnRating::Rated(Elo(1700.0), EloScale::LichessBlitz);
        for (text, expected) in [
            (" 1500 ", OwnRating::Rated(Elo(1500.0), EloScale::Fide)),
            ("1700 lichess-blitz", blitz),
            ("1700  Lichess Blitz", blitz),
            ("", OwnRating::Unrated),
            ("None", OwnRating::Unrated),
            ("FULL", OwnRating::Full),
            ("full strength", OwnRating::Full),
        ] {
            assert_eq!(OwnRating::parse(text, EloScale::Fide), Ok(expected), "{text}");
            let again = OwnRating::parse(&expected.to_string(), EloScale::LichessRapid);
            assert_eq!(again, Ok(expected), "{text}");
        }
        for (text, expected) in [
            ("e4", "\"e4\" is not a rating"),
            ("nan", "is not a rating"),
            ("99", "99 is out of range: FIDE ratings must be from 400 to 3400"),
            ("1500 USCF", "unknown rating scale"),
        ] {
            let message = OwnRating::parse(text, EloScale::Fide).expect_err(text);
            assert!(message.contains(expected), "{text}: {message}");
        }
    }

    #[test]
    fn the_question_is_repeated_until_it_is_answered() {
        let ask = |input: &str| {
            let mut out = Vec::new();
            let answer = OwnRating::ask(&mut input.as_bytes(), EloScale::Fide, &mut out);
            (answer.expect("no errors"), String::from_utf8(out).expect("text"))
        };
        let (answer, out) = ask("e4\n1650\nd4\n");
        assert_eq!(answer, Some(OwnRating::Rated(Elo(1650.0), EloScale::Fide)));
        assert_eq!(out.matches("Your rating? ").count(), 2, "{out}");
        assert_eq!(ask("").0, None);
        assert_eq!(ask("Quit\n1500\n").0, None);
    }
}
