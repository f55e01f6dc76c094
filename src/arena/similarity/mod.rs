//! How alike players choose: the study of Hair, "A Pairwise Comparison of Chess Engine Move
//! Selections".
//!
//! Everybody is asked about the same positions, and for every two is counted how often they choose
//! the same move. Players who have nothing to do with each other show what is usual; who is five
//! standard deviations above that is no coincidence. A tree shows who belongs together.

mod data;
mod interview;
mod measure;
mod suite;

use std::collections::BTreeMap;

pub use data::{DataError, DataLine, read_data, write_data};
pub use interview::{Answer, Interviewee, interview, scaled_time};
pub use measure::{Likeness, SimilarityStudy};
pub use suite::{Suite, SuiteError, generate};

/// All that is known of one player.
#[derive(Clone, Debug, Default)]
pub struct Column {
    pub name: String,
    /// What he chose in each position, if he answered.
    pub moves: Vec<Option<String>>,
    /// When asked again.
    pub again: Vec<Option<String>>,
    /// How likely he is to choose what, where that is known.
    pub distributions: Vec<Option<Vec<(String, f64)>>>,
    /// Players of one family are related; their likeness says nothing of what is usual.
    pub families: Vec<String>,
    pub record: AskingRecord,
}

/// How the asking went.
#[derive(Clone, Debug, Default)]
pub struct AskingRecord {
    pub answers: usize,
    /// Positions without an answer.
    pub failures: usize,
    /// Attempts that failed, and an example.
    pub faults: usize,
    pub example: Option<String>,
    pub early: usize,
    pub late: usize,
    pub mean_ms: f64,
    pub mean_depth: f64,
}

impl Column {
    /// A column of a file of the similarity tester.
    pub fn of_data(line: DataLine) -> Column {
        let answers = line.moves.iter().flatten().count();
        let record = AskingRecord {
            answers,
            failures: line.moves.len() - answers,
            ..AskingRecord::default()
        };
        Column { name: line.name, moves: line.moves, record, ..Column::default() }
    }

    /// A player's answers, of which the last counts where he was asked about a position twice.
    pub fn of_answers(name: &str, positions: usize, answers: &[Answer]) -> Column {
        let mut column = Column {
            name: name.to_owned(),
            moves: vec![None; positions],
            again: vec![None; positions],
            distributions: vec![None; positions],
            ..Column::default()
        };
        let mut last: BTreeMap<(u32, usize), &Answer> = BTreeMap::new();
        for answer in answers.iter().filter(|answer| answer.position < positions) {
            last.insert((answer.run, answer.position), answer);
            column.record.faults += answer.faults.len();
            column.record.example = answer.faults.last().cloned().or(column.record.example);
        }
        let [mut ms, mut depth] = [0.0; 2];
        for (&(run, position), answer) in &last {
            match run {
                1 => column.moves[position] = answer.mv.clone(),
                _ => column.again[position] = answer.mv.clone(),
            }
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

    /// Leaves out what all names end with alike, as ` (time: 100 ms  scale: 1.0)`.
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

    /// What a user should know about how he answered.
    pub fn warnings(&self) -> Vec<String> {
        let AskingRecord { answers, failures, faults, example, early, late, .. } = &self.record;
        let name = &self.name;
        let often = |count: &usize| count * 10 > *answers;
        let mut warnings = Vec::new();
        if *answers == 0 {
            let why = example.as_deref().unwrap_or("no answer");
            warnings.push(format!("{name} does not analyse ({why}); it is left out"));
        } else if faults + failures > 0 {
            let why = example.as_ref().map_or(String::new(), |why| format!(", the last: {why}"));
            let mut warning = format!(
                "{name}: {faults} attempts failed and {failures} positions have no answer{why}"
            );
            if *faults > 0 {
                warning += "; a failed position is asked again when the study is resumed";
            }
            warnings.push(warning);
        }
        if often(early) {
            warnings.push(format!(
                "{name} answered {early} of {answers} positions in less than half its time, before \
                 it was stopped; give it depth=PLIES, near to what others reach"
            ));
        }
        if often(late) {
            warnings.push(format!(
                "{name} answered {late} of {answers} positions late; it does not obey \"stop\" at \
                 once, and has thought for longer than the others"
            ));
        }
        warnings
    }
}
