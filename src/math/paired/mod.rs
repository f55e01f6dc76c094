//! Ratings from the results of games between many players.
//!
//! In the logistic model, the first player's expected score is 1/(1 + e^-(a - b + h)), for strengths a and b and the
//! advantage h of moving first. At the most likely strengths, every player's expected points equal the player's actual
//! points. The same holds for the points of all first players together. These are the equations of Ordo (M. Ballicora,
//! manual, "Model for rating calculation" and "White advantage calculation"), solved here by Newton's method.
//!
//! One unit of strength multiplies the odds by e.

mod encounter;
pub mod newton;
mod peeling;
mod uncertainty;

use super::exact::logistic;
use super::outcomes::rate_of_equals;
use newton::{EqualPairings, Equations, NormalPrior};
use peeling::Peeled;

pub use encounter::{Encounter, FitError, Strength};
pub use uncertainty::Uncertainty;

/// The games to be fitted, and the strengths that are given.
#[derive(Clone, Debug, Default)]
pub struct GamePool {
    /// The strength of every player, if it is given.
    pub fixed: Vec<Option<f64>>,
    /// The results of the games.
    pub encounters: Vec<Encounter>,
    /// The advantage of moving first. `None` if it is to be estimated.
    pub advantage: Option<f64>,
}

/// The most likely strengths. If no strength is given, their mean is 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The strength of every player.
    pub strengths: Vec<Strength>,
    /// The advantage of moving first.
    pub advantage: f64,
    /// Whether the advantage was estimated from the results alone.
    pub advantage_found: bool,
    /// The draw rate of equal players.
    pub draws: f64,
}

/// The standard deviation of the prior for an advantage that the results do not determine. It is about 175 Elo.
const ADVANTAGE_DEVIATION: f64 = 1.0;

/// The indices of the unknown strengths and of the advantage in the equations.
struct Unknowns {
    players: Vec<Option<usize>>,
    advantage: Option<usize>,
}

impl GamePool {
    /// Finds the most likely strengths.
    pub fn fit(&self) -> Result<Fit, FitError> {
        let peeled = Peeled::new(&self.fixed, &self.encounters)?;
        let start: Vec<f64> = self.fixed.iter().map(|fixed| fixed.unwrap_or(0.0)).collect();
        let solved = |advantage: f64, is_known, has_prior: bool| {
            let (mut equations, unknowns) =
                self.equations(&peeled.active, &start, (advantage, is_known));
            let prior = unknowns.advantage.filter(|_| has_prior);
            equations.priors.extend(prior.map(|unknown| NormalPrior {
                parts: vec![(unknown, 1.0)],
                mean: 0.0,
                precision: 1.0 / (ADVANTAGE_DEVIATION * ADVANTAGE_DEVIATION),
            }));
            let values = equations.solve()?.values;
            let value =
                |player: usize| unknowns.players[player].map_or(start[player], |u| values[u]);
            let advantage = unknowns.advantage.map_or(advantage, |unknown| values[unknown]);
            Some(((0..start.len()).map(value).collect::<Vec<f64>>(), advantage))
        };
        // The results may not determine the advantage: no player has played both first and second, or the first player
        // has won every game. A prior then limits it. It is 0 in the first case, and large in the second.
        let (solved, advantage_found) = match self.advantage {
            Some(known) => (solved(known, true, false), false),
            None => match solved(0.0, false, false) {
                Some(solution) => (Some(solution), true),
                None => (solved(0.0, false, true), false),
            },
        };
        let (values, advantage) = solved.ok_or(FitError::Unbounded)?;
        let place = |player: usize| match self.fixed[player] {
            _ if !peeled.active[player] => Strength::Unknown,
            Some(value) => Strength::Fixed(value),
            None => Strength::Estimated(values[player]),
        };
        let mut strengths: Vec<Strength> = (0..self.fixed.len()).map(place).collect();
        centre(&mut strengths);
        peeled.restore(advantage, &mut strengths);
        let mut fit = Fit { strengths, advantage, advantage_found, draws: 0.0 };
        fit.draws = fit.rate_of_draws(self);
        Ok(fit)
    }

    /// The equations for the active players, starting from these strengths and this advantage, which is fixed if it is
    /// known. If no strength is known, the first active player's strength is fixed.
    fn equations(
        &self,
        active: &[bool],
        strengths: &[f64],
        (advantage, is_known): (f64, bool),
    ) -> (Equations, Unknowns) {
        let is_given = |player: usize| self.fixed[player].is_some();
        let mut reference_wanted = !(0..active.len()).any(|one| active[one] && is_given(one));
        let mut values = Vec::new();
        let mut unknown = |player: usize| {
            if !active[player] || is_given(player) || std::mem::take(&mut reference_wanted) {
                return None;
            }
            values.push(strengths[player]);
            Some(values.len() - 1)
        };
        let players: Vec<Option<usize>> = (0..active.len()).map(&mut unknown).collect();
        let of_advantage = (!is_known).then_some(values.len());
        values.extend(of_advantage.map(|_| advantage));
        let is_active = |encounter: &&Encounter| {
            encounter.games() > 0.0 && active[encounter.first] && active[encounter.second]
        };
        let comparison = |encounter: &Encounter| {
            let (first, second) = (encounter.first, encounter.second);
            let terms = [
                (players[first], 1.0, strengths[first]),
                (players[second], -1.0, strengths[second]),
                (of_advantage, 1.0, advantage),
            ];
            let known = terms.iter().filter(|(unknown, ..)| unknown.is_none());
            let known = known.map(|(_, sign, value)| sign * value).sum();
            let parts = terms.iter().filter_map(|(unknown, sign, _)| Some(((*unknown)?, *sign)));
            EqualPairings {
                parts: parts.collect(),
                known,
                points: encounter.points(),
                games: encounter.games(),
                weight: 1.0,
            }
        };
        let comparisons = self.encounters.iter().filter(is_active).map(comparison).collect();
        let equations = Equations { comparisons, priors: Vec::new(), values };
        (equations, Unknowns { players, advantage: of_advantage })
    }
}

impl Fit {
    /// The expected score of the first player. `None` unless both strengths are fixed or estimated.
    pub(crate) fn expected(&self, encounter: &Encounter) -> Option<f64> {
        let [first, second] = [encounter.first, encounter.second].map(|one| self.strengths[one]);
        let placed = first.is_placed() && second.is_placed();
        let difference = first.value()? - second.value()? + self.advantage;
        placed.then(|| logistic(difference))
    }

    fn rate_of_draws(&self, pool: &GamePool) -> f64 {
        let placed = |encounter: &Encounter| {
            let score = self.expected(encounter)?;
            Some(((score, encounter.games()), encounter.outcomes.0[1] as f64))
        };
        let (games, draws): (Vec<(f64, f64)>, Vec<f64>) =
            pool.encounters.iter().filter_map(placed).unzip();
        rate_of_equals(&games, draws.iter().sum())
    }
}

/// Shifts the estimates so that their mean is 0, unless a strength is fixed.
fn centre(strengths: &mut [Strength]) {
    if strengths.iter().any(|strength| matches!(strength, Strength::Fixed(_))) {
        return;
    }
    let (mut sum, mut count) = (0.0, 0.0);
    for value in strengths.iter().filter_map(|strength| strength.value()) {
        (sum, count) = (sum + value, count + 1.0);
    }
    for strength in strengths {
        if let Strength::Estimated(value) = strength {
            *value -= sum / count;
        }
    }
}
