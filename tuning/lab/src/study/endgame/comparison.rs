//! The best of several moves against a fallible opponent, depending on the opponent's competence
//! (Haworth 2002, section 4 and figures 1 to 4).
//!
//! Each move has an expected gain for each competence of the opponent. The best move can change
//! only at a competence at which two moves have the same gain. These crossings are looked for in
//! small steps of the competence, and then located by bisection.

use stopdown::board::{Move, Position};
use stopdown::endgame::{Metric, ProbeReport, Rfep, TableResult, Tables, expected_gain};
use stopdown::math::root;

/// Returns the moves that preserve both the result and its depth, as measured by `metric`. If `any`
/// is set, they need to preserve only the result.
pub fn candidates(report: &ProbeReport, metric: Metric, any: bool) -> Vec<Move> {
    let keeping = || report.moves.iter().filter(|m| m.result == report.result);
    let depths = keeping().filter_map(|m| m.depths.get(metric));
    let best = match report.result {
        TableResult::Win => depths.min(),
        TableResult::Loss => depths.max(),
        TableResult::Draw => None,
    };
    keeping().filter(|m| any || m.depths.get(metric) == best).map(|m| m.mv).collect()
}

/// The largest competence of the opponent.
pub const LARGEST_COMPETENCE: f64 = 50.0;

/// The expected gain after the opponent's reply to each of several moves.
#[derive(Clone, Debug)]
pub struct Comparison {
    opponent: Rfep,
    moves: Vec<(Move, ProbeReport, u32)>,
}

/// A competence of the opponent at which two moves have the same expected gain. Above it, the first move is
/// better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    pub better: Move,
    pub worse: Move,
    pub competence: f64,
}

/// A range of opponent competences with the same best move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preference {
    pub mv: Move,
    pub from: f64,
    pub to: f64,
}

/// The grid step of the search for crossings, before they are refined.
const STEP: f64 = 0.125;

impl Comparison {
    /// Returns `None` if a table is missing.
    pub fn new(
        tables: &Tables,
        position: &Position,
        moves: &[Move],
        opponent: Rfep,
    ) -> Option<Comparison> {
        let moves = moves.iter().map(|&mv| {
            let after = position.after(mv);
            Some((mv, tables.report(&after)?, after.halfmoves()))
        });
        Some(Comparison { opponent, moves: moves.collect::<Option<_>>()? })
    }

    pub fn moves(&self) -> impl Iterator<Item = Move> + '_ {
        self.moves.iter().map(|(mv, ..)| *mv)
    }

    /// The result for the opponent, who is to move after each of the moves. `None` if it is not the
    /// same for all of them.
    pub fn result(&self) -> Option<TableResult> {
        let mut results = self.moves.iter().map(|(_, report, _)| report.result);
        let first = results.next()?;
        results.all(|result| result == first).then_some(first)
    }

    /// The expected gain of the move with this index against an opponent of this competence. If the
    /// opponent is winning, it is the expected depth after the reply. If the opponent is losing, it
    /// is minus that depth. In a drawn position, it is the probability that the opponent gives up
    /// the draw.
    pub fn gain(&self, index: usize, competence: f64) -> f64 {
        let (_, report, halfmoves) = &self.moves[index];
        let opponent = Rfep { competence, ..self.opponent };
        expected_gain(report, &opponent, *halfmoves).unwrap_or(f64::NAN)
    }

    /// All crossings of two moves, in ascending order.
    pub fn crossings(&self) -> Vec<Crossing> {
        let mut found = Vec::new();
        for a in 0..self.moves.len() {
            for b in 0..a {
                let lead = |c: f64| self.gain(a, c) - self.gain(b, c);
                let steps = (LARGEST_COMPETENCE / STEP).ceil() as usize;
                let mut before = lead(0.0);
                for step in 1..=steps {
                    let (left, right) = ((step - 1) as f64 * STEP, step as f64 * STEP);
                    let now = lead(right);
                    if before * now < 0.0 {
                        let rising = |c| if now > 0.0 { lead(c) } else { -lead(c) };
                        let competence = root(left, right, rising);
                        let (up, down) = if now > 0.0 { (a, b) } else { (b, a) };
                        let (better, worse) = (self.moves[up].0, self.moves[down].0);
                        found.push(Crossing { better, worse, competence });
                    }
                    if now != 0.0 {
                        before = now;
                    }
                }
            }
        }
        found.sort_by(|x, y| x.competence.total_cmp(&y.competence));
        found
    }

    /// The best move for each range of competences.
    pub fn preferences(&self) -> Vec<Preference> {
        let mut edges = vec![0.0];
        edges.extend(self.crossings().iter().map(|crossing| crossing.competence));
        edges.push(LARGEST_COMPETENCE);
        let mut found: Vec<Preference> = Vec::new();
        for edge in edges.windows(2) {
            let middle = (edge[0] + edge[1]) / 2.0;
            let best = (0..self.moves.len())
                .max_by(|&a, &b| self.gain(a, middle).total_cmp(&self.gain(b, middle)));
            let Some(mv) = best.map(|index| self.moves[index].0) else { return found };
            match found.last_mut() {
                Some(last) if last.mv == mv => last.to = edge[1],
                _ => found.push(Preference { mv, from: edge[0], to: edge[1] }),
            }
        }
        found
    }
}
