//! The evaluations, at every depth, of all moves in positions in which a human chose a move. They
//! are used to fit the curve `human`.
//!
//! For each choice, in order, the file has the number of moves and the number of depths, in one
//! byte each. They are followed, for every depth, by the values of the moves, in the order in which
//! the choice lists them. Values are in pawns, as 32-bit little-endian floats. A file next to it
//! (`.made`) identifies the evaluator.

use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Seek as _, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use super::record::{HumanChoice, RECORD, are_choices};
use crate::tune::TuningError;
use stopdown::board::Game;
use stopdown::eval::{Evaluator, Network};
use stopdown::files::{beside, open_locked, read_if_there, write_whole};
use stopdown::policy::RelativeMove;
use stopdown::search::{Controls, EvaluationRequest, NoObserver, Searcher, values_digest};
use stopdown::value::Depth;

/// The size of the search's hash table in MiB.
const HASH: usize = 16;

/// The numbers of choices with and without evaluations in a complete file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvaluatedChoices {
    pub evaluated: usize,
    /// Choices in positions that are not legal have no evaluations.
    pub illegal: usize,
}

/// Evaluates the choices in a file that are missing from `to`, and appends the results. After each
/// choice, reports the number completed so far and the total.
pub fn evaluate_choices(
    choices: &Path,
    to: &Path,
    depth: Depth,
    evaluator: &Arc<Network>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<EvaluatedChoices, TuningError> {
    let bytes = std::fs::read(choices).map_err(TuningError::file("read", choices))?;
    if !are_choices(&bytes, bytes.len() as u64) {
        return Err(TuningError::NotChoices(choices.to_owned()));
    }
    let records = bytes.as_chunks::<RECORD>().0;
    // Two runs that append to the same file would destroy it.
    let mut file = open_locked(to).map_err(|error| match error.kind() {
        ErrorKind::WouldBlock => TuningError::InUse(to.to_owned()),
        _ => TuningError::file("write", to)(error),
    })?;
    let FoundValues { heads, length, torn } = complete_records(&file, to)?;
    let done = heads.len();
    let begins = |record: &[u8; RECORD], head: &[u8]| {
        let moves = HumanChoice::from_bytes(record).map_or(0, |choice| choice.steps.len());
        [0, 0].starts_with(head) || [moves as u8, depth].starts_with(head)
    };
    let is_of = |(record, head): (&[u8; RECORD], &[u8; 2])| begins(record, head);
    let size = file.metadata().map_err(TuningError::file("read", to))?.len();
    // Even the first record may be truncated.
    let has_started = done > 0 || records.first().is_some_and(|record| begins(record, &torn));
    if size > 0 && (!has_started || done > records.len() || !records.iter().zip(&heads).all(is_of))
    {
        return Err(TuningError::OtherValues(to.to_owned(), depth));
    }
    sign(to, size == 0, &evaluator_identity(evaluator))?;
    // A truncated record is written again.
    file.set_len(length).map_err(TuningError::file("write", to))?;
    file.seek(SeekFrom::Start(length)).map_err(TuningError::file("write", to))?;
    let mut illegal = heads.iter().filter(|[moves, _]| *moves == 0).count();
    let mut out = BufWriter::new(file);
    let mut searcher = Searcher::new(Arc::clone(evaluator), HASH);
    for (number, record) in records.iter().enumerate().skip(done) {
        let rows = HumanChoice::from_bytes(record).and_then(|c| values(&c, depth, &mut searcher));
        illegal += usize::from(rows.is_none());
        let rows = rows.unwrap_or_default();
        let moves = rows.first().map_or(0, Vec::len);
        let mut bytes = vec![moves as u8, rows.len() as u8];
        bytes.extend(rows.iter().flatten().flat_map(|pawns| pawns.to_le_bytes()));
        out.write_all(&bytes).and_then(|()| out.flush()).map_err(TuningError::file("write", to))?;
        progress(number + 1, records.len());
    }
    Ok(EvaluatedChoices { evaluated: records.len() - illegal, illegal })
}

/// Identifies the evaluator on which the values in a file depend.
fn evaluator_identity(evaluator: &Network) -> String {
    let (weights, digest) = (evaluator.fingerprint(), values_digest());
    format!("weights {weights:016x}, values {digest}, {HASH} MiB")
}

/// Writes the evaluator's identity next to new values. Refuses to mix values from different
/// evaluators.
fn sign(values: &Path, are_new: bool, identity: &str) -> Result<(), TuningError> {
    let signed = beside(values, "made");
    if are_new {
        return write_whole(&signed, identity.as_bytes())
            .map_err(TuningError::file("write", signed));
    }
    let found = read_if_there(&signed).map_err(TuningError::file("read", signed))?;
    match found == identity.as_bytes() {
        true => Ok(()),
        false => Err(TuningError::OtherEvaluator {
            path: values.to_owned(),
            found: match found.is_empty() {
                true => "an unknown evaluator".to_owned(),
                false => String::from_utf8_lossy(&found).into_owned(),
            },
            wanted: identity.to_owned(),
        }),
    }
}

/// The moves' values at depths 1, 2, ... in pawns. Returns `None` for an illegal position.
fn values(
    choice: &HumanChoice,
    depth: Depth,
    searcher: &mut Searcher<Network>,
) -> Option<Vec<Vec<f32>>> {
    let game = Game::new(choice.view.position()?);
    let request = EvaluationRequest::depth(depth);
    let evaluation = searcher.evaluate(&game, &request, &Controls::new(), &mut NoObserver);
    let found = RelativeMove::each(game.position(), evaluation.moves.iter().map(|m| m.mv));
    let place = |step: &RelativeMove| found.iter().position(|found| found.is(step));
    let places: Vec<usize> = choice.steps.iter().map(place).collect::<Option<_>>()?;
    let row = |depth: usize| -> Option<Vec<f32>> {
        let of = |&place: &usize| Some(evaluation.moves[place].by_depth.get(depth)?.value.pawns());
        places.iter().map(|place| of(place).map(|pawns| pawns as f32)).collect()
    };
    (0..usize::from(depth)).map(row).collect()
}

/// The values present in a file.
#[derive(Default)]
struct FoundValues {
    /// The number of moves and of depths of each choice.
    heads: Vec<[u8; 2]>,
    /// The length of the complete records.
    length: u64,
    /// The header of a truncated record, which may itself be truncated.
    torn: Vec<u8>,
}

fn complete_records(file: &File, path: &Path) -> Result<FoundValues, TuningError> {
    let mut file = BufReader::new(file);
    let mut found = FoundValues::default();
    loop {
        let mut head = Vec::new();
        let read = file.by_ref().take(2).read_to_end(&mut head);
        read.map_err(TuningError::file("read", path))?;
        let Ok(sizes) = <[u8; 2]>::try_from(&*head) else {
            return Ok(FoundValues { torn: head, ..found });
        };
        let mut rows = vec![0; 4 * usize::from(sizes[0]) * usize::from(sizes[1])];
        match file.read_exact(&mut rows) {
            Ok(()) => {}
            // After any other error, the record may be complete, so nothing may be cut off.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                return Ok(FoundValues { torn: head, ..found });
            }
            Err(error) => return Err(TuningError::file("read", path)(error)),
        }
        found.heads.push(sizes);
        found.length += (head.len() + rows.len()) as u64;
    }
}
