//! How similarly players choose their moves, as studied by Hair in "A Pairwise Comparison of Chess
//! Engine Move Selections".
//!
//! All players are asked about the same positions, and for each pair the matching moves are
//! counted. Unrelated players define the usual similarity. If a pair is five standard deviations
//! more similar than usual, that is not a coincidence. A tree shows which players belong together.
//!
//! Answers may also come from the file `similarity.data` that Don Dailey's similarity tester
//! writes. It has one line for each engine: a Tcl list that contains the engine's name and its
//! moves.

mod interview;
mod measure;
mod suite;
pub mod upgma;

use std::collections::{BTreeMap, HashSet};

pub use interview::{Answer, Interviewee, interview, scaled_time};
pub use measure::{PairSimilarity, SimilarityStudy, one_in};
pub use suite::{Suite, SuiteError, generate};

/// The answers of one player.
#[derive(Clone, Debug, Default)]
pub struct Column {
    pub name: String,
    /// The move chosen in each position, if the player answered.
    pub moves: Vec<Option<String>>,
    /// The probability of each move, if known.
    pub distributions: Vec<Option<Vec<(String, f64)>>>,
    /// Players in the same family are related, so their similarity is left out when the usual
    /// similarity is calculated.
    pub families: Vec<String>,
    pub record: AskingRecord,
}

/// A record of the player's responses.
#[derive(Clone, Debug, Default)]
pub struct AskingRecord {
    pub answers: usize,
    /// The number of positions without an answer.
    pub failures: usize,
    /// The number of failed attempts, and an example.
    pub faults: usize,
    pub example: Option<String>,
    pub early: usize,
    pub late: usize,
    pub mean_ms: f64,
    pub mean_depth: f64,
}

impl Column {
    /// Converts a line from the similarity tester's file.
    pub fn of_data(line: DataLine) -> Column {
        let answers = line.moves.iter().flatten().count();
        let record = AskingRecord {
            answers,
            failures: line.moves.len() - answers,
            ..AskingRecord::default()
        };
        Column { name: line.name, moves: line.moves, record, ..Column::default() }
    }

    /// Collects a player's answers. If there are several answers for a position, the last one
    /// counts.
    pub fn of_answers(name: &str, positions: usize, answers: &[Answer]) -> Column {
        let mut column = Column {
            name: name.to_owned(),
            moves: vec![None; positions],
            distributions: vec![None; positions],
            ..Column::default()
        };
        let mut last: BTreeMap<usize, &Answer> = BTreeMap::new();
        for answer in answers.iter().filter(|answer| answer.position < positions) {
            last.insert(answer.position, answer);
            column.record.faults += answer.faults.len();
            column.record.example = answer.faults.last().cloned().or(column.record.example);
        }
        let [mut ms, mut depth] = [0.0; 2];
        for (&position, answer) in &last {
            column.moves[position] = answer.mv.clone();
            if let Some(distribution) = &answer.distribution {
                column.distributions[position] = Some(distribution.clone());
            }
            let record = &mut column.record;
            match answer.mv {
                None => record.failures += 1,
                Some(_) => {
                    record.answers += 1;
                    record.early += usize::from(answer.early);
                    record.late += usize::from(answer.late);
                    (ms, depth) = (ms + answer.ms, depth + f64::from(answer.depth));
                }
            }
        }
        column.record.mean_ms = ms / column.record.answers as f64;
        column.record.mean_depth = depth / column.record.answers as f64;
        column
    }

    /// Removes an ending that all names have in common, such as ` (time: 100 ms  scale: 1.0)`.
    pub fn shorten_names(columns: &mut [Column]) {
        let suffix =
            |column: &Column| column.name.rfind(" (").map(|at| column.name[at..].to_owned());
        let Some(common) = columns.first().and_then(suffix) else { return };
        if columns.iter().all(|column| column.name.ends_with(&common)) {
            for column in columns {
                column.name.truncate(column.name.len() - common.len());
            }
        }
    }

    /// Appends a number to each name that an earlier player has, so that names in the results are unique.
    pub fn number_names(columns: &mut [Column]) {
        let mut seen = HashSet::new();
        for column in columns {
            let name = column.name.clone();
            let mut number = 1;
            while !seen.insert(column.name.clone()) {
                number += 1;
                column.name = format!("{name} #{number}");
            }
        }
    }

    /// Problems with the player's answers that the user should know about. `are_saved`: whether the study can be
    /// resumed.
    pub fn warnings(&self, are_saved: bool) -> Vec<String> {
        let AskingRecord { answers, failures, faults, example, early, late, .. } = &self.record;
        let name = &self.name;
        let often = |count: &usize| count * 10 > *answers;
        let mut warnings = Vec::new();
        if *answers == 0 {
            let why = example.as_deref().unwrap_or("no answer");
            warnings.push(format!("{name} does not analyse ({why}); it was excluded"));
        } else if faults + failures > 0 {
            let why = example.as_ref().map_or(String::new(), |why| format!(", the last: {why}"));
            let mut warning = format!(
                "{name}: {faults} attempts failed and {failures} positions have no answer{why}"
            );
            if *faults > 0 && are_saved {
                warning += "; resume the study to ask about these positions again";
            }
            warnings.push(warning);
        }
        if often(early) {
            warnings.push(format!(
                "{name} answered {early} of {answers} positions in less than half its time, before \
                 it was stopped; give it depth=PLIES, close to the depth of the others"
            ));
        }
        if often(late) {
            warnings.push(format!(
                "{name} answered {late} of {answers} positions late; it does not obey \"stop\" at \
                 once, so it had more time than the others"
            ));
        }
        warnings
    }
}

/// The line for one engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataLine {
    /// The name in the tester's format: `NAME (time: 100 ms  scale: 1.0)`.
    pub name: String,
    /// The moves. Any word that is not a move stands for a missing answer.
    pub moves: Vec<Option<String>>,
}

/// Why a file from the similarity tester is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DataError {
    #[error("line {0} starts with a brace that is not closed")]
    Unbalanced(usize),
    #[error(
        "line {0} has {1} moves and line {2} has {3}; all engines must have answers to the same positions"
    )]
    Length(usize, usize, usize, usize),
    #[error("the file has no engines")]
    Empty,
}

/// The tester's mark for a missing move.
const NO_MOVE: &str = "xxxx";

pub fn read_data(text: &str) -> Result<Vec<DataLine>, DataError> {
    let mut lines: Vec<(usize, DataLine)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let mut words = split(line).ok_or(DataError::Unbalanced(number))?.into_iter();
        let name = words.next().unwrap_or_default();
        let moves: Vec<Option<String>> =
            words.map(|word| Some(word).filter(|word| is_move(word))).collect();
        if let Some((first, other)) = lines.first()
            && other.moves.len() != moves.len()
        {
            return Err(DataError::Length(number, moves.len(), *first, other.moves.len()));
        }
        lines.push((number, DataLine { name, moves }));
    }
    match lines.is_empty() {
        true => Err(DataError::Empty),
        false => Ok(lines.into_iter().map(|(_, line)| line).collect()),
    }
}

pub fn write_data(lines: &[DataLine]) -> String {
    let line = |line: &DataLine| {
        let moves = line.moves.iter().map(|m| m.as_deref().unwrap_or(NO_MOVE));
        let words: Vec<String> =
            std::iter::once(quoted(&line.name)).chain(moves.map(str::to_owned)).collect();
        words.join(" ") + "\n"
    };
    lines.iter().map(line).collect()
}

/// Whether the word has the four or five characters of a UCI move.
fn is_move(word: &str) -> bool {
    let bytes = word.as_bytes();
    let is_square =
        |at: usize| matches!(bytes[at], b'a'..=b'h') && matches!(bytes[at + 1], b'1'..=b'8');
    matches!(bytes.len(), 4 | 5) && is_square(0) && is_square(2)
}

/// Splits a Tcl list into words. Text in braces is one word, and a backslash escapes the next
/// character. Returns `None` if a brace is not closed.
fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let (word, behind) = match rest.strip_prefix('{') {
            Some(inside) => {
                let end = closing_brace(inside)?;
                (inside[..end].to_owned(), &inside[end + 1..])
            }
            None => bare_word(rest),
        };
        words.push(word);
        rest = behind.trim_start();
    }
    Some(words)
}

fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut hidden = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if hidden => {}
            '}' if depth == 0 => return Some(at),
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        hidden = letter == '\\' && !hidden;
    }
    None
}

fn bare_word(text: &str) -> (String, &str) {
    let mut word = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => word.extend(letters.next().map(|(_, hidden)| hidden)),
            letter if letter.is_whitespace() => return (word, &text[at..]),
            letter => word.push(letter),
        }
    }
    (word, "")
}

/// Quotes a word for a Tcl list: with braces if they are balanced, otherwise with backslashes.
fn quoted(word: &str) -> String {
    let special = |c: char| c.is_whitespace() || "{}[]$\"\\;".contains(c);
    if !word.is_empty() && !word.contains(special) {
        return word.to_owned();
    }
    let braced = format!("{{{word}}}");
    if !word.contains('\\') && split(&braced).is_some_and(|words| words == [word]) {
        return braced;
    }
    word.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_unique() {
        let column = |name: &str| Column { name: name.to_owned(), ..Column::default() };
        let mut columns = ["A", "A", "A #2", "B", "A"].map(column);
        Column::number_names(&mut columns);
        assert_eq!(columns.map(|column| column.name), ["A", "A #2", "A #2 #2", "B", "A #3"]);
    }

    #[test]
    fn only_saved_studies_can_be_resumed() {
        let record = AskingRecord { answers: 5, faults: 1, failures: 1, ..AskingRecord::default() };
        let column = Column { record, ..Column::default() };
        let [saved, unsaved] = [true, false].map(|is| column.warnings(is).concat());
        assert!(saved.contains("resume the study"), "{saved}");
        assert!(unsaved.contains("1 attempts failed") && !unsaved.contains("resume"), "{unsaved}");
    }

    #[test]
    fn written_data_can_be_read_again() {
        let names =
            ["Toga II 3.0 (time: 100 ms  scale: 1.0)", "plain", "", "a {b} c", "x } {", "\\"];
        let moves = vec![Some("e2e4".to_owned()), None, Some("a7a8q".to_owned())];
        let lines: Vec<DataLine> = names
            .iter()
            .map(|n| DataLine { name: (*n).to_owned(), moves: moves.clone() })
            .collect();
        let text = write_data(&lines);
        assert!(text.starts_with("{Toga II 3.0 (time: 100 ms  scale: 1.0)} e2e4 xxxx a7a8q\n"));
        assert_eq!(read_data(&text), Ok(lines));
    }

    #[test]
    fn broken_files_are_refused_with_their_line() {
        assert_eq!(read_data("\n\n"), Err(DataError::Empty));
        assert_eq!(read_data("{a} e2e4\n{b e2e4\n"), Err(DataError::Unbalanced(2)));
        assert_eq!(read_data("a e2e4\n\nb e2e4 e7e5\n"), Err(DataError::Length(3, 2, 1, 1)));
        let odd = read_data("a (none) 0000 e2e9 e2e4\n").expect("valid");
        assert_eq!(odd[0].moves, [None, None, None, Some("e2e4".to_owned())]);
    }
}
