//! The reference fallible endgame player, RFEP (Haworth 2002; 2007, section 2).
//!
//! The RFEP has perfect knowledge of depths but does not always use it. A player of competence c
//! chooses at random, with a power law on the depth `a` after the move, in moves of the winning side:
//!
//! - The winner plays a move that keeps the win with probability `q ∝ (κ + a)^-c`.
//! - The loser plays any move with probability `p ∝ (κ + a)^c`.
//! - In a drawn position, all moves that keep the draw are equally likely, because depths do not
//!   distinguish them.
//!
//! The text of the first paper has κ = 0, its figures and the later paper have κ = 1. We use 1. A move
//! keeps a win only if it does so under the drawing rules: the next capture, pawn move or mate must
//! come within the fifty-move counter, and the move must not lead to a draw by repetition ([`Past`]).
//! Thus even a random player (c = 0) converts its wins in time.

use super::outcome::{Metric, TableResult};
use super::probe::{Depths, MoveReport, Past, ProbeReport};
use super::tables::Tables;
use crate::board::{Colour, Move, Position};
use crate::math::exact::exp;
use crate::math::grid::Posterior;
use crate::math::power_law;

/// The depth of a draw beyond the longest win, in moves (ω in Haworth 2002, section 2).
const OMEGA: f64 = 1.0;

/// A reference fallible endgame player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rfep {
    /// 0 is random, infinity perfect, negative prefers bad moves.
    pub competence: f64,
    pub kappa: f64,
    /// The metric of depths. If its tables are missing, another metric is used.
    pub metric: Metric,
    /// Never plays a move that gives up a win or a draw.
    pub keeps_result: bool,
    /// Respects the fifty-move rule and repetitions.
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
    /// The player of the papers: DTC, and no drawing rules.
    pub fn of_the_paper(competence: f64) -> Rfep {
        Rfep { competence, minds_rules: false, ..Rfep::default() }
    }

    /// The logarithms of the probabilities of all moves, with minus infinity for excluded ones.
    /// `halfmoves` is the fifty-move counter. Without `past`, repetitions are ignored.
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
        // The loser prefers large depths: the same law with the opposite exponent.
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
        past: Option<&Past<'_>>,
    ) -> Vec<usize> {
        let of_result = |m: &MoveReport| !self.keeps_result || m.result == report.result;
        let keeping: Vec<usize> =
            (0..report.moves.len()).filter(|&i| of_result(&report.moves[i])).collect();
        if !self.minds_rules || report.result != TableResult::Win || !self.keeps_result {
            return keeping;
        }
        let in_time = |&i: &usize| report.moves[i].is_in_time(halfmoves);
        let timely: Vec<usize> = keeping.iter().copied().filter(in_time).collect();
        // A win that is already too long is played on without the fifty-move rule.
        let winning = if timely.is_empty() { keeping } else { timely };
        match past {
            Some(past) => past.safe(&report.moves, winning),
            None => winning,
        }
    }

    /// The depth for the power law, in moves of the winning side. Results that the player should not
    /// have allowed are deeper than the longest win.
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

    /// The moves of the longest win with this material.
    fn deepest(&self, report: &ProbeReport) -> f64 {
        f64::from(self.plies(report.longest).unwrap_or(0).div_ceil(2))
    }

    /// The moves that the winning side still needs after a move, or `None` in a draw.
    pub fn moves_left(&self, m: &MoveReport) -> Option<f64> {
        let plies = self.plies(m.depths)?;
        Some(match m.result {
            TableResult::Win => f64::from(plies / 2),
            _ => f64::from(plies.div_ceil(2)),
        })
    }

    /// The expected depth after this player's move (e_c and d_c in the paper), in moves of the winning
    /// side, or `None` in a drawn position.
    pub fn expectation(&self, report: &ProbeReport, halfmoves: u32) -> Option<f64> {
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

/// One move of the player who is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfiledMove {
    /// Plies played before it.
    pub ply: usize,
    pub position: Position,
    pub mv: Move,
    /// For the player, before and after the move.
    pub result: TableResult,
    pub result_after: TableResult,
    /// In moves of the winning side; a draw has none.
    pub depth: Option<f64>,
    pub depth_after: Option<f64>,
    /// Moves that the winner has thereby still to make beyond what was needed, or that the loser
    /// gave away.
    pub ceded: f64,
    pub optimal: Vec<Move>,
    pub legal: usize,
    /// Mean and standard deviation of the belief after the move.
    pub mean: f64,
    pub deviation: f64,
}

/// A player's moves in the zone, and what is believed of him in the end.
#[derive(Clone, Debug, PartialEq)]
pub struct EndgameProfile {
    pub moves: Vec<ProfiledMove>,
    pub belief: Posterior,
}

/// Profiles `side` over a game. Moves in drawn positions, where depth says nothing, and those
/// outside the tables leave the belief alone; so does a move that gives the result away, which a
/// player who keeps results cannot make.
pub fn profile(
    tables: &Tables,
    start: &Position,
    moves: &[Move],
    side: Colour,
    player: &Rfep,
    prior: Posterior,
) -> EndgameProfile {
    let mut found = EndgameProfile { moves: Vec::new(), belief: prior };
    let mut position = start.clone();
    for (ply, &mv) in moves.iter().enumerate() {
        if position.turn() == side
            && let Some(report) = tables.report(&position)
        {
            found.take(&position, ply, mv, &report, player);
        }
        position.play(mv);
    }
    found
}

impl EndgameProfile {
    fn take(
        &mut self,
        position: &Position,
        ply: usize,
        mv: Move,
        report: &ProbeReport,
        player: &Rfep,
    ) {
        let Some(index) = report.moves.iter().position(|m| m.mv == mv) else { return };
        if report.result != TableResult::Draw {
            let likelihoods: Vec<f64> = self
                .belief
                .points()
                .iter()
                .map(|&competence| {
                    let player = Rfep { competence, ..*player };
                    player.ln_probabilities(report, position.halfmoves(), None)[index]
                })
                .collect();
            self.belief.update(&likelihoods);
        }
        let (optimal, best) = optimal(report, player);
        let chosen = &report.moves[index];
        let left = |m| player.moves_left(m).filter(|_| report.result != TableResult::Draw);
        let depth_after = left(chosen).filter(|_| chosen.result == report.result);
        let ceded = match (depth_after, best) {
            (Some(after), Some(best)) => (after - best).abs(),
            _ => 0.0,
        };
        self.moves.push(ProfiledMove {
            ply,
            position: position.clone(),
            mv,
            result: report.result,
            result_after: chosen.result,
            depth: best.map(|best| best + f64::from(u8::from(report.result == TableResult::Win))),
            depth_after,
            ceded,
            optimal,
            legal: report.moves.len(),
            mean: self.belief.mean(),
            deviation: self.belief.standard_deviation(),
        });
    }

    /// Moves ceded in all.
    pub fn ceded(&self) -> f64 {
        self.moves.iter().fold(0.0, |sum, m| sum + m.ceded)
    }
}

/// The moves that an infallible player chooses among, and the depth after them.
fn optimal(report: &ProbeReport, player: &Rfep) -> (Vec<Move>, Option<f64>) {
    let keeping = || report.moves.iter().filter(|m| m.result == report.result);
    if report.result == TableResult::Draw {
        return (keeping().map(|m| m.mv).collect(), None);
    }
    let depths = keeping().filter_map(|m| player.moves_left(m));
    let best = match report.result {
        TableResult::Win => depths.reduce(f64::min),
        _ => depths.reduce(f64::max),
    };
    (keeping().filter(|m| player.moves_left(m) == best).map(|m| m.mv).collect(), best)
}
