//! Compares our tables with Syzygy files: an independent check of every position.
//!
//! Syzygy files drop the lowest bit of the distance where the fifty-move rule does not matter, so
//! our value may be the given number or one more. The files contain only one side to move. For the
//! other side, the best move is looked up, so a value that counts as exact may depend on a rounded
//! one. In the files, a side that is mated has lost in 1 ply; in our tables, it has lost in 0
//! plies.

use stopdown::board::{Distance, LookupError, Position, SyzygyFiles};
use stopdown::endgame::{Material, Metric, Outcome, Tables, without_fifty_moves};

/// The result of the comparison for one material signature.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableAgreement {
    pub positions: u64,
    /// Additional positions in which an en passant capture is possible.
    pub en_passant: u64,
    /// The number of distances that were compared, and the number that the files gave exactly.
    pub distances: u64,
    pub exact: u64,
    /// The number of distances that are given as exact but are one too small, because the distances
    /// after the moves are rounded.
    pub rounded_unsaid: u64,
    /// The first few differing positions with both answers, and the number of differences.
    pub examples: Vec<String>,
    pub differences: u64,
}

/// Compares every `step`th position of a table. Distances are compared if a
/// DTZ file is available. Returns `None` if a table is missing.
pub fn against_syzygy(
    tables: &Tables,
    files: &SyzygyFiles,
    material: Material,
    step: usize,
) -> Option<TableAgreement> {
    let table = tables.table(material, Metric::Dtz)?;
    let layout = &table.layout;
    let mut found = TableAgreement::default();
    for entry in table.entries().step_by(step.max(1)) {
        let fen = layout.fen(&entry.squares, entry.turn);
        let position = Position::from_fen(&fen, false).expect("a table holds legal positions");
        found.positions += 1;
        found.compare(&position, entry.outcome, files);
        if !material.has_pawns() {
            continue;
        }
        for &m in &position.legal_moves() {
            let after = position.after(m);
            if after.en_passant().is_some() {
                found.en_passant += 1;
                found.compare(&after, tables.probe(&after, Metric::Dtz)?, files);
            }
        }
    }
    Some(found)
}

impl TableAgreement {
    fn compare(&mut self, position: &Position, ours: Outcome, files: &SyzygyFiles) {
        let verdict = files.result_after_zeroing(position);
        if !verdict.as_ref().is_ok_and(|&verdict| without_fifty_moves(verdict) == ours.result()) {
            self.differ(position, ours, &format!("{verdict:?}"));
        }
        let Some(plies) = ours.plies() else { return };
        match files.distance(position) {
            Ok(distance) => {
                let (least, most) = distance.range();
                self.distances += 1;
                self.exact += u64::from(least == most);
                let plies = u32::from(plies.max(1));
                if plies == most + 1 && rests_on_rounding(position, plies, files) {
                    self.rounded_unsaid += 1;
                } else if !(least..=most).contains(&plies) {
                    self.differ(position, ours, &format!("{distance:?}"));
                }
            }
            Err(LookupError::Absent(_)) => {}
            Err(error) => self.differ(position, ours, &error.to_string()),
        }
    }

    fn differ(&mut self, position: &Position, ours: Outcome, theirs: &str) {
        self.differences += 1;
        if self.examples.len() < 10 {
            self.examples.push(format!("{}: {ours:?}, Syzygy {theirs}", position.fen()));
        }
    }
}

/// Whether a move leads to a position whose distance is rounded and may be one less than `plies`.
fn rests_on_rounding(position: &Position, plies: u32, files: &SyzygyFiles) -> bool {
    position.legal_moves().iter().any(|&m| {
        let distance = files.distance(&position.after(m));
        matches!(distance, Ok(Distance::Rounded(_)))
            && distance.is_ok_and(|distance| distance.range().1 + 1 == plies)
    })
}
