//! The numbers of the evaluation, and the text file that holds them.
//!
//! The file is TOML: a table for every term of [`TERMS`], with the arrays `middlegame` and
//! `endgame` in centipawns. It is complete or it is refused.

use std::fmt::Write;
use std::ops::Index;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::score::Score;
use super::terms::{self, COUNT, TERMS};
use crate::files::line_at;
use crate::math::fingerprint::fingerprint;

/// All weights, numbered as the terms declare them.
#[derive(Clone, PartialEq, Eq)]
pub struct Weights(Box<[Score; COUNT]>);

/// What is wrong with a weights file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    #[error("cannot read {0}: {1}")]
    Unreadable(PathBuf, String),
    #[error("line {line}: {problem}")]
    Syntax { line: usize, problem: String },
    #[error("line {line}: there is no term \"{name}\"")]
    Unknown { line: usize, name: String },
    #[error("line {line}: \"{name}\" needs {expected}")]
    Malformed { line: usize, name: String, expected: String },
    #[error("the term \"{0}\" is missing; write a table [{0}] with its weights")]
    Missing(&'static str),
}

/// Weights stay small enough for sums of them to fit a [`Score`].
const LARGEST: i32 = 2000;

impl Weights {
    /// The weights that are built into the program.
    pub fn embedded() -> Weights {
        Weights::parse(include_str!("../../../tuning/weights.toml"))
            .expect("a test reads the embedded weights")
    }

    /// Reads a weights file.
    pub fn load(path: &Path) -> Result<Weights, WeightsError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| WeightsError::Unreadable(path.to_owned(), error.to_string()))?;
        Weights::parse(&text)
    }

    /// Reads the text of a weights file.
    pub fn parse(text: &str) -> Result<Weights, WeightsError> {
        let line_of = |place: usize| line_at(text, place);
        let table = DeTable::parse(text).map_err(|error| WeightsError::Syntax {
            line: line_of(error.span().map_or(0, |span| span.start)),
            problem: error.message().to_owned(),
        })?;
        for name in table.get_ref().keys() {
            if !TERMS.iter().any(|term| term.name == name.get_ref()) {
                let line = line_of(name.span().start);
                return Err(WeightsError::Unknown { line, name: name.get_ref().to_string() });
            }
        }
        let mut weights = Weights::from_fn(|_| (0, 0));
        for (number, term) in TERMS.iter().enumerate() {
            let entry = table.get_ref().get(term.name).ok_or(WeightsError::Missing(term.name))?;
            let read = |phase| {
                numbers(entry.get_ref(), phase, term.size).ok_or_else(|| WeightsError::Malformed {
                    line: line_of(entry.span().start),
                    name: term.name.to_owned(),
                    expected: format!(
                        "\"{phase} = [...]\" with {} whole numbers from -{LARGEST} to {LARGEST}",
                        term.size
                    ),
                })
            };
            let (middlegame, endgame) = (read("middlegame")?, read("endgame")?);
            for (index, weight) in terms::range(number).enumerate() {
                weights.0[weight] = Score::new(middlegame[index], endgame[index]);
            }
        }
        Ok(weights)
    }

    /// Weights made from a function of their number to (middlegame, endgame).
    pub fn from_fn(mut value: impl FnMut(usize) -> (i32, i32)) -> Weights {
        let mut scores = Box::new([Score::ZERO; COUNT]);
        for (weight, score) in scores.iter_mut().enumerate() {
            let (middlegame, endgame) = value(weight);
            *score =
                Score::new(middlegame.clamp(-LARGEST, LARGEST), endgame.clamp(-LARGEST, LARGEST));
        }
        Weights(scores)
    }

    /// The text of a weights file that gives these weights back.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (number, term) in TERMS.iter().enumerate() {
            let about = if term.about.is_empty() { "" } else { "  # " };
            let scores = &self.0[terms::range(number)];
            let middlegame = array(scores.iter().map(|score| score.middlegame()));
            let endgame = array(scores.iter().map(|score| score.endgame()));
            write!(
                text,
                "\n[{}]{about}{}\nmiddlegame = {middlegame}\nendgame = {endgame}\n",
                term.name, term.about
            )
            .expect("a string takes everything");
        }
        text
    }

    /// A number that changes with every weight.
    pub fn fingerprint(&self) -> u64 {
        let bytes = self.0.iter().flat_map(|score| {
            [score.middlegame() as i16, score.endgame() as i16].map(i16::to_le_bytes)
        });
        fingerprint(&bytes.flatten().collect::<Vec<u8>>())
    }
}

impl Index<usize> for Weights {
    type Output = Score;
    #[inline]
    fn index(&self, weight: usize) -> &Score {
        &self.0[weight]
    }
}

impl std::fmt::Debug for Weights {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Weights({:016x})", self.fingerprint())
    }
}

/// `size` whole numbers under the key `phase` of a table.
fn numbers(entry: &DeValue<'_>, phase: &str, size: usize) -> Option<Vec<i32>> {
    let array = entry.as_table()?.get(phase)?.get_ref().as_array()?;
    let read = |value: &DeValue<'_>| {
        let integer = value.as_integer()?;
        let number = i32::from_str_radix(integer.as_str(), integer.radix()).ok()?;
        (-LARGEST..=LARGEST).contains(&number).then_some(number)
    };
    let numbers: Vec<i32> =
        array.iter().map(|value| read(value.get_ref())).collect::<Option<_>>()?;
    (numbers.len() == size).then_some(numbers)
}

/// A TOML array; long ones eight to a line, as a board is.
fn array(numbers: impl Iterator<Item = i32>) -> String {
    let numbers: Vec<i32> = numbers.collect();
    if !numbers.len().is_multiple_of(8) || numbers.len() == 8 {
        let joined: Vec<String> = numbers.iter().map(i32::to_string).collect();
        return format!("[{}]", joined.join(", "));
    }
    let rows = numbers.chunks(8).map(|row| {
        row.iter().fold(String::from(" "), |line, number| format!("{line} {number:>4},"))
    });
    format!("[\n{}\n]", rows.collect::<Vec<String>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_weights_come_back_from_their_own_text() {
        let weights = Weights::embedded();
        assert_eq!(Weights::parse(&weights.to_text()), Ok(weights));
    }

    #[test]
    fn every_weight_changes_the_fingerprint() {
        let weights = Weights::embedded();
        for changed in 0..COUNT {
            let other = Weights::from_fn(|weight| {
                let more = i32::from(weight == changed);
                (weights[weight].middlegame() + more, weights[weight].endgame())
            });
            assert_ne!(other.fingerprint(), weights.fingerprint(), "weight {changed}");
        }
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let text = Weights::embedded().to_text();
        let cases = [
            (text.replace("[tempo]", "[temp]"), "there is no term \"temp\""),
            (text.replace("[tempo]", "[tempo"), "line"),
            (text.replacen("[\n", "[\n 99999,", 1), "line"),
            (text.replacen("[\n", "[\n 1,", 1), "\"pawn_squares\" needs \"middlegame = [...]\""),
            (String::new(), "the term \"material\" is missing"),
        ];
        for (broken, complaint) in cases {
            let error = Weights::parse(&broken).expect_err(complaint).to_string();
            assert!(error.contains(complaint), "{error}");
        }
        let error = Weights::parse("\n\nmaterial = 7\n").expect_err("not a table").to_string();
        assert!(error.starts_with("line 3: \"material\" needs"), "{error}");
    }
}
