//! What the moves of choices are worth, at every depth: what is fitted beside the policy network.
//!
//! The file has, for each choice in turn, the number of its moves and the number of depths in a byte
//! each, then for every depth the values of the moves in the order of the choice, in pawns, as
//! 32-bit floats (little-endian). A file beside it (`.made`) says who valued them.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::Arc;

use super::record::{HumanChoice, RECORD};
use crate::board::Game;
use crate::eval::Evaluator;
use crate::files::{beside, read_if_there, write_whole};
use crate::policy::MoveView;
use crate::search::{Controls, EvaluationRequest, SIGNATURE, Searcher, Silent};
use crate::tuning::TuningError;
use crate::value::Depth;

/// Size of the search's table in MiB.
const HASH: usize = 16;

/// Values the choices of a file that are not in `to` yet, and appends them there. Told after each: how
/// many are done, and of how many.
pub fn value_choices<E: Evaluator>(
    choices: &Path,
    to: &Path,
    depth: Depth,
    evaluator: &Arc<E>,
    told: &mut dyn FnMut(usize, usize),
) -> Result<usize, TuningError> {
    let bytes = std::fs::read(choices).map_err(TuningError::file("read", choices))?;
    let records = bytes.as_chunks::<RECORD>().0;
    let (heads, length) = whole(to)?;
    let done = heads.len();
    let is_of = |(record, head): (&[u8; RECORD], &[u8; 2])| {
        let moves = HumanChoice::from_bytes(record).map_or(0, |choice| choice.steps.len());
        *head == [0, 0] || *head == [moves as u8, depth]
    };
    let size = std::fs::metadata(to).map_or(0, |file| file.len());
    if size > 0 && (done == 0 || done > records.len() || !records.iter().zip(&heads).all(is_of)) {
        return Err(TuningError::OtherValues(to.to_owned(), depth));
    }
    sign(to, size == 0, &judge(&**evaluator))?;
    let file = OpenOptions::new().create(true).append(true).open(to);
    let file = file.map_err(TuningError::file("write", to))?;
    // A record that was cut off is made again.
    file.set_len(length).map_err(TuningError::file("write", to))?;
    let mut out = BufWriter::new(file);
    let mut searcher = Searcher::new(Arc::clone(evaluator), HASH);
    for (number, record) in records.iter().enumerate().skip(done) {
        let rows = HumanChoice::from_bytes(record).and_then(|c| values(&c, depth, &mut searcher));
        let rows = rows.unwrap_or_default();
        let moves = rows.first().map_or(0, Vec::len);
        let mut bytes = vec![moves as u8, rows.len() as u8];
        bytes.extend(rows.iter().flatten().flat_map(|pawns| pawns.to_le_bytes()));
        out.write_all(&bytes).and_then(|()| out.flush()).map_err(TuningError::file("write", to))?;
        told(number + 1, records.len());
    }
    Ok(records.len())
}

/// On whom the values of a file depend.
fn judge<E: Evaluator>(evaluator: &E) -> String {
    let (weights, bench) = (evaluator.fingerprint(), SIGNATURE.trim());
    format!("weights {weights:016x}, bench {bench}, {HASH} MiB")
}

/// Writes beside new values who makes them, and refuses to add to those that another has made.
fn sign(values: &Path, are_new: bool, judge: &str) -> Result<(), TuningError> {
    let signed = beside(values, "made");
    if are_new {
        return write_whole(&signed, judge.as_bytes()).map_err(TuningError::file("write", signed));
    }
    let found = read_if_there(&signed).map_err(TuningError::file("read", signed))?;
    match found == judge.as_bytes() {
        true => Ok(()),
        false => Err(TuningError::OtherJudge {
            path: values.to_owned(),
            found: match found.is_empty() {
                true => "nobody who has signed them".to_owned(),
                false => String::from_utf8_lossy(&found).into_owned(),
            },
            wanted: judge.to_owned(),
        }),
    }
}

/// The moves' values at depths 1, 2, ... in pawns; `None` where the choice is of no legal position.
fn values<E: Evaluator>(
    choice: &HumanChoice,
    depth: Depth,
    searcher: &mut Searcher<E>,
) -> Option<Vec<Vec<f32>>> {
    let game = Game::new(choice.view.position()?);
    let request = EvaluationRequest::depth(depth);
    let evaluation = searcher.evaluate(&game, &request, &Controls::new(), &mut Silent);
    let turn = game.position().turn();
    let place =
        |step: &MoveView| evaluation.moves.iter().position(|m| MoveView::of(m.mv, turn) == *step);
    let places: Vec<usize> = choice.steps.iter().map(place).collect::<Option<_>>()?;
    let row = |depth: usize| -> Option<Vec<f32>> {
        let of = |&place: &usize| Some(evaluation.moves[place].by_depth.get(depth)?.value.pawns());
        places.iter().map(|place| of(place).map(|pawns| pawns as f32)).collect()
    };
    (0..usize::from(depth)).map(row).collect()
}

/// Of each choice that a file has values of the number of moves and of depths, and where they end.
fn whole(path: &Path) -> Result<(Vec<[u8; 2]>, u64), TuningError> {
    let Ok(file) = File::open(path) else { return Ok((Vec::new(), 0)) };
    let mut file = BufReader::new(file);
    let (mut heads, mut length) = (Vec::new(), 0);
    let mut head = [0; 2];
    while file.read_exact(&mut head).is_ok() {
        let mut rows = vec![0; 4 * usize::from(head[0]) * usize::from(head[1])];
        if file.read_exact(&mut rows).is_err() {
            break;
        }
        heads.push(head);
        length += (head.len() + rows.len()) as u64;
    }
    Ok((heads, length))
}
