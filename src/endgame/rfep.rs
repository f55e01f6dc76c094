//! The reference fallible endgame player (Haworth 2002; 2007, section 2), and what moves tell of his
//! competence.
//!
//! A player of competence c chooses at random, by a power law on how deep the position is after
//! the move, counted in moves of the winning side. With `a` that depth:
//!
//! - the winner takes a move that keeps the win with `q ∝ (κ + a)^-c`,
//! - the loser takes any move with `p ∝ (κ + a)^c`,
//! - who holds a draw takes any move that keeps it; which, the tables do not say.
//!
//! The paper counts κ as 0, its figures and the later paper as 1; 1 it is. A win is kept only if
//! it is kept under the rules of draws: a move whose depth no longer fits the fifty-move counter
//! drops out, and so do those that may end in a draw by repetition ([`Past`]). So even the random
//! player gets there in time.
//!
//! From a game played in the zone of tables a belief about a player's c is sharpened by Bayes' rule with
//! every move ([`profile`]; Haworth 2002, section 5).

use super::outcome::{Metric, TableResult};
use super::probe::{Depths, MoveReport, Past, ProbeReport};
use crate::math::power_law;

/// A drawn position counts as so many moves deeper than the deepest win (Haworth 2002, section 2:
/// ω).
const OMEGA: f64 = 1.0;

/// A player of the zone of tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rfep {
    /// 0 is random, infinity perfect, negative prefers bad moves.
    pub competence: f64,
    pub kappa: f64,
    /// What depths are counted in. Where it is not at hand, the next best is taken.
    pub metric: Metric,
    /// Never gives up a result: a won game stays won, a drawn one drawn.
    pub keeps_result: bool,
    /// Looks at the fifty-move counter and at repetitions.
    pub minds_rules: bool,
}

impl Default for Rfep {
    fn default() -> Rfep {
        Rfep {
            competence: f64::INFINITY,
            kappa: 1.0,
            metric: Metric::Dtc,
            keeps_result: true,
            minds_rules: true,
        }
    }
}

impl Rfep {
    /// The player of the paper: no draws by rule, the metric to conversion.
    pub fn of_the_paper(competence: f64) -> Rfep {
        Rfep { competence, minds_rules: false, ..Rfep::default() }
    }

    /// Logarithms of the probabilities of the report's moves, minus infinity for those that do not
    /// come into question. `halfmoves` is the fifty-move counter; without the past repetitions are
    /// not minded.
    pub fn ln_probabilities(
        &self,
        report: &ProbeReport,
        halfmoves: u32,
        past: Option<&Past<'_>>,
    ) -> Vec<f64> {
        let considered = self.considered(report, halfmoves, past);
        let chosen: Vec<&MoveReport> =
            considered.iter().map(|&index| &report.moves[index]).collect();
        let deepest = self.deepest(report);
        let distances: Vec<f64> =
            chosen.iter().map(|m| self.distance(m, report.result, deepest)).collect();
        // A loser wants it long: his law is the same with the opposite exponent.
        let lost = report.result == TableResult::Loss;
        let exponent = if lost { -self.competence } else { self.competence };
        let found = power_law::ln_probabilities(&distances, self.kappa, exponent);
        let mut all = vec![f64::NEG_INFINITY; report.moves.len()];
        for (index, ln_probability) in considered.into_iter().zip(found) {
            all[index] = ln_probability;
        }
        all
    }

    /// The moves that come into question, by index.
    fn considered(
        &self,
        report: &ProbeReport,
        halfmoves: u32,
        past: Option<&Past<'_>>,
    ) -> Vec<usize> {
        let of_result = |m: &MoveReport| !self.keeps_result || m.result == report.result;
        let keeping: Vec<usize> =
            (0..report.moves.len()).filter(|&i| of_result(&report.moves[i])).collect();
        if !self.minds_rules || report.result != TableResult::Win || !self.keeps_result {
            return keeping;
        }
        let in_time = |&i: &usize| report.moves[i].is_in_time(halfmoves);
        let fitting: Vec<usize> = keeping.iter().copied().filter(in_time).collect();
        // A win that is too long already is played on as if it were not.
        let fitting = if fitting.is_empty() { keeping } else { fitting };
        match past {
            Some(past) => past.safe(&report.moves, fitting),
            None => fitting,
        }
    }

    /// What the power law is taken of: moves of the winning side still to go, with the results
    /// that the player should not have allowed beyond the deepest.
    fn distance(&self, m: &MoveReport, result: TableResult, deepest: f64) -> f64 {
        let left = self.moves_left(m).unwrap_or(0.0);
        match (result, m.result) {
            (TableResult::Win, TableResult::Win) | (TableResult::Loss, _) => left,
            (TableResult::Win, TableResult::Draw) => deepest + OMEGA,
            (TableResult::Draw, TableResult::Draw) => 0.0,
            // A slow loss is the lesser evil.
            _ => deepest + 2.0 * OMEGA + (deepest - left).max(0.0),
        }
    }

    fn plies(&self, depths: Depths) -> Option<u16> {
        let metrics = [self.metric, Metric::Dtc, Metric::Dtm, Metric::Dtz];
        metrics.iter().find_map(|&metric| depths.get(metric))
    }

    /// Moves of the longest win with the report's material.
    fn deepest(&self, report: &ProbeReport) -> f64 {
        f64::from(self.plies(report.longest).unwrap_or(0).div_ceil(2))
    }

    /// Moves of the winning side that are left after a decisive move.
    pub fn moves_left(&self, m: &MoveReport) -> Option<f64> {
        let plies = self.plies(m.depths)?;
        Some(match m.result {
            TableResult::Win => f64::from(plies / 2),
            _ => f64::from(plies.div_ceil(2)),
        })
    }

    /// The expected depth after this player's move (the paper's e_c and d_c), in moves of the
    /// winning side; `None` in a drawn position.
    pub fn expectation(&self, report: &ProbeReport, halfmoves: u32) -> Option<f64> {
        if report.result == TableResult::Draw || report.moves.is_empty() {
            return None;
        }
        let ln_probabilities = self.ln_probabilities(report, halfmoves, None);
        let deepest = self.deepest(report);
        let terms = report.moves.iter().zip(&ln_probabilities);
        Some(
            terms
                .filter(|(_, ln)| **ln > f64::NEG_INFINITY)
                .map(|(m, ln)| {
                    crate::math::exact::exp(*ln) * self.distance(m, report.result, deepest)
                })
                .sum(),
        )
    }
}
