//! The reference fallible endgame player, RFEP (Haworth 2002; 2007, section 2).
//!
//! The RFEP has perfect knowledge of depths but does not always use it. A player with competence c chooses at random.
//! The probability of a move follows a power law in the depth `a` after the move, counted in moves of the winning side:
//!
//! - The winner plays a move that keeps the win with probability `q ∝ (κ + a)^-c`.
//! - The loser plays any move with probability `p ∝ (κ + a)^c`.
//! - In a drawn position, all moves that keep the draw are equally likely, because depths do not
//!   distinguish them.
//!
//! The text of the first paper has κ = 0, but its figures and the later paper have κ = 1. We use 1. A move keeps a win
//! only if it does so under the drawing rules. The next capture, pawn move or mate must come in time under the
//! fifty-move rule. The move must also not lead to a draw by repetition ([`RepetitionHistory`]). So even a random
//! player (c = 0) converts its wins in time.

use super::outcome::{Metric, TableResult};
use super::probe::{Depths, MoveReport, ProbeReport, RepetitionHistory};
use crate::math::exact::exp;
use crate::math::power_law;

/// The number of moves by which a draw counts as deeper than the longest win (ω in Haworth 2002, section 2).
const OMEGA: f64 = 1.0;

/// A reference fallible endgame player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rfep {
    /// The competence c. With 0, the player chooses at random, and with infinity, it plays perfectly. With a negative
    /// c, it prefers bad moves.
    pub competence: f64,
    /// The number κ that is added to depths, in moves. A larger number makes deep and shallow moves more alike.
    pub kappa: f64,
    /// The metric of the depths. If tables in this metric are missing, another metric is used.
    pub metric: Metric,
    /// Whether the player never plays a move that gives up a win or a draw.
    pub keeps_result: bool,
    /// Whether a winning player that keeps its wins also keeps them under the fifty-move rule and against repetitions.
    /// Otherwise, this has no effect.
    pub uses_drawing_rules: bool,
}

impl Default for Rfep {
    fn default() -> Rfep {
        Rfep {
            competence: f64::INFINITY,
            kappa: 1.0,
            metric: Metric::Dtc,
            keeps_result: true,
            uses_drawing_rules: true,
        }
    }
}

impl Rfep {
    /// The player of the papers: it uses DTC and ignores the drawing rules.
    pub fn as_published(competence: f64) -> Rfep {
        Rfep { competence, uses_drawing_rules: false, ..Rfep::default() }
    }

    /// The logarithms of the probabilities of all moves. Excluded moves have minus infinity.
    /// `halfmoves` is the fifty-move counter. If `past` is `None`, repetitions are ignored.
    pub fn ln_probabilities(
        &self,
        report: &ProbeReport,
        halfmoves: u32,
        past: Option<&RepetitionHistory<'_>>,
    ) -> Vec<f64> {
        let considered = self.considered(report, halfmoves, past);
        let chosen: Vec<&MoveReport> =
            considered.iter().map(|&index| &report.moves[index]).collect();
        let deepest = self.deepest(report);
        let distances: Vec<f64> =
            chosen.iter().map(|m| self.distance(m, report.result, deepest)).collect();
        // The losing side prefers large depths, so it uses the same law with the opposite exponent.
        let lost = report.result == TableResult::Loss;
        let exponent = if lost { -self.competence } else { self.competence };
        let found = power_law::ln_probabilities(&distances, self.kappa, exponent);
        let mut all = vec![f64::NEG_INFINITY; report.moves.len()];
        for (index, ln_probability) in considered.into_iter().zip(found) {
            all[index] = ln_probability;
        }
        all
    }

    /// The indices of the moves that the player may choose.
    fn considered(
        &self,
        report: &ProbeReport,
        halfmoves: u32,
        past: Option<&RepetitionHistory<'_>>,
    ) -> Vec<usize> {
        let of_result = |m: &MoveReport| !self.keeps_result || m.result == report.result;
        let keeping: Vec<usize> =
            (0..report.moves.len()).filter(|&i| of_result(&report.moves[i])).collect();
        if !self.uses_drawing_rules || report.result != TableResult::Win || !self.keeps_result {
            return keeping;
        }
        let in_time = |&i: &usize| report.moves[i].is_in_time(halfmoves);
        let timely: Vec<usize> = keeping.iter().copied().filter(in_time).collect();
        // If every win takes too long, the player continues as if there were no fifty-move rule.
        let winning = if timely.is_empty() { keeping } else { timely };
        match past {
            Some(past) => past.safe(&report.moves, winning),
            None => winning,
        }
    }

    /// The depth for the power law, in moves of the winning side. If a move gives up a win or a draw, its depth is
    /// greater than the depth of the longest win.
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

    /// The length of the longest win with this material, in moves.
    fn deepest(&self, report: &ProbeReport) -> f64 {
        f64::from(self.plies(report.longest).unwrap_or(0).div_ceil(2))
    }

    /// The number of moves that the winning side still needs after a move, or `None` in a draw.
    pub fn moves_left(&self, m: &MoveReport) -> Option<f64> {
        let plies = self.plies(m.depths)?;
        Some(match m.result {
            TableResult::Win => f64::from(plies / 2),
            _ => f64::from(plies.div_ceil(2)),
        })
    }

    /// The expected depth after this player's move (e_c and d_c in the paper), in moves of the
    /// winning side. `None` in a drawn position.
    pub(crate) fn expectation(&self, report: &ProbeReport, halfmoves: u32) -> Option<f64> {
        if report.result == TableResult::Draw || report.moves.is_empty() {
            return None;
        }
        let ln_probabilities = self.ln_probabilities(report, halfmoves, None);
        let deepest = self.deepest(report);
        let terms = report.moves.iter().zip(&ln_probabilities);
        let possible = terms.filter(|(_, ln)| **ln > f64::NEG_INFINITY);
        Some(possible.map(|(m, ln)| exp(*ln) * self.distance(m, report.result, deepest)).sum())
    }
}
