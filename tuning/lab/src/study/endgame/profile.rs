//! A player's competence in an endgame, move by move (Haworth 2002, section 5 and figures 5 and
//! 6).
//!
//! The player is assumed to choose like the reference fallible player, with an unknown competence.
//! After each move, Bayes' rule updates the probability of every competence, depending on how
//! likely a player of that competence is to make the move.

use stopdown::board::{Colour, Game, Move, Position};
use stopdown::endgame::{ProbeReport, Rfep, TableResult, Tables};
use stopdown::math::grid::Posterior;

/// One move of the profiled player.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfiledMove {
    /// The number of plies played before the move.
    pub ply: usize,
    pub position: Position,
    pub mv: Move,
    /// The result for the player before the move, and after it.
    pub result: TableResult,
    pub result_after: TableResult,
    /// The depth in moves of the winning side, or `None` for a draw.
    pub depth: Option<f64>,
    pub depth_after: Option<f64>,
    /// For the winning side, the number of moves by which the move made the win longer. For the
    /// losing side, the number of moves by which it made the resistance shorter.
    pub ceded: f64,
    pub optimal: Vec<Move>,
    pub legal: usize,
    /// The mean and standard deviation of the posterior after the move.
    pub mean: f64,
    pub deviation: f64,
}

/// A player's moves within the tables, and the final posterior.
#[derive(Clone, Debug, PartialEq)]
pub struct EndgameProfile {
    pub moves: Vec<ProfiledMove>,
    pub belief: Posterior,
}

/// Profiles `side` over a game. Moves outside the tables are left out. Moves in drawn positions
/// have no depth and do not change the posterior. A move that gives away the result does not change
/// it either, because the player in the model keeps results.
pub fn profile(
    tables: &Tables,
    game: &Game,
    side: Colour,
    player: &Rfep,
    prior: Posterior,
) -> EndgameProfile {
    let mut found = EndgameProfile { moves: Vec::new(), belief: prior };
    let mut before = Game::new(game.start().clone());
    for &mv in game.moves() {
        if before.position().turn() == side
            && let Some(report) = tables.report(before.position())
        {
            found.take(&before, mv, &report, player);
        }
        before.play(mv);
    }
    found
}

impl EndgameProfile {
    fn take(&mut self, before: &Game, mv: Move, report: &ProbeReport, player: &Rfep) {
        let Some(index) = report.moves.iter().position(|m| m.mv == mv) else { return };
        if report.result != TableResult::Draw {
            let likelihoods: Vec<f64> = self
                .belief
                .points()
                .iter()
                .map(|&competence| {
                    let player = Rfep { competence, ..*player };
                    player.ln_probabilities(report, before.position().halfmoves(), None)[index]
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
            ply: before.ply(),
            position: before.position().clone(),
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

    /// The total number of moves ceded.
    pub fn ceded(&self) -> f64 {
        self.moves.iter().fold(0.0, |sum, m| sum + m.ceded)
    }
}

/// The moves among which an infallible player chooses, and the depth after them.
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
