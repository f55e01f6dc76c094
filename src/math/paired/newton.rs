//! The equations of a fit, and their solution.

use super::{Encounter, Pool};
use crate::math::cholesky::Cholesky;
use crate::math::exact::{exp, logistic};

/// Strengths further apart than this are taken for infinite: odds of 10²¹ to one.
const BOUND: f64 = 50.0;
const MOST_STEPS: usize = 200;
/// The longest step; the slopes far from the solution promise too much.
const LONGEST: f64 = 2.0;

/// The points of everybody who is to be placed, as equations for the unknown strengths and the
/// advantage. One player stands for all whose strength is given; without any, it is the first one,
/// at 0.
pub struct Equations<'a> {
    encounters: Vec<&'a Encounter>,
    values: Vec<f64>,
    advantage: f64,
    /// Where each player's unknown stands, if he has one.
    unknowns: Vec<Option<usize>>,
    advantage_unknown: Option<usize>,
    size: usize,
}

/// What an encounter depends on: at most two strengths and the advantage, with their signs.
type Touched = [Option<(usize, f64)>; 3];

impl<'a> Equations<'a> {
    pub fn new(pool: &'a Pool, active: &[bool], advantage: Option<f64>) -> Equations<'a> {
        let is_active = |encounter: &&Encounter| {
            encounter.games() > 0.0 && active[encounter.first] && active[encounter.second]
        };
        let given = (0..active.len()).any(|player| active[player] && pool.fixed[player].is_some());
        let mut reference_wanted = !given;
        let mut size = 0;
        let mut unknown = |player: usize| {
            if !active[player] || pool.fixed[player].is_some() {
                return None;
            }
            if std::mem::take(&mut reference_wanted) {
                return None;
            }
            size += 1;
            Some(size - 1)
        };
        let unknowns: Vec<Option<usize>> = (0..active.len()).map(&mut unknown).collect();
        let advantage_unknown = advantage.is_none().then_some(size);
        Equations {
            encounters: pool.encounters.iter().filter(is_active).collect(),
            values: pool.fixed.iter().map(|fixed| fixed.unwrap_or(0.0)).collect(),
            advantage: advantage.unwrap_or(0.0),
            unknowns,
            advantage_unknown,
            size: size + usize::from(advantage.is_none()),
        }
    }

    /// The same equations with the solution put in.
    pub fn at(mut self, values: Vec<f64>, advantage: f64) -> Equations<'a> {
        (self.values, self.advantage) = (values, advantage);
        self
    }

    /// The strengths and the advantage; `None` when nothing finite solves the equations, or more
    /// than one thing.
    pub fn solve(mut self) -> Option<(Vec<f64>, f64)> {
        const CLOSE_ENOUGH: f64 = 1e-11;
        for _ in 0..MOST_STEPS {
            let step = Cholesky::new(&self.information(), self.size)?.solve(&self.gradient());
            let longest = step.iter().fold(0.0f64, |longest, x| longest.max(x.abs()));
            self.advance(&step, (LONGEST / longest).min(1.0));
            let is_bounded = |value: &f64| value.abs() < BOUND;
            if !self.values.iter().chain([&self.advantage]).all(is_bounded) {
                return None;
            }
            if longest < CLOSE_ENOUGH {
                return Some((self.values, self.advantage));
            }
        }
        None
    }

    /// A step, or as much of it as makes the results likelier.
    fn advance(&mut self, step: &[f64], mut share: f64) {
        let (values, advantage) = (self.values.clone(), self.advantage);
        let before = self.ln_likelihood();
        for _ in 0..30 {
            for (player, unknown) in self.unknowns.iter().enumerate() {
                if let Some(unknown) = unknown {
                    self.values[player] = values[player] + share * step[*unknown];
                }
            }
            if let Some(unknown) = self.advantage_unknown {
                self.advantage = advantage + share * step[unknown];
            }
            // At the solution nothing gets likelier, but for rounding.
            if self.ln_likelihood() >= before - 1e-9 * before.abs() {
                return;
            }
            share /= 2.0;
        }
    }

    fn ln_likelihood(&self) -> f64 {
        let softplus = |x: f64| x.max(0.0) + libm::log1p(exp(-x.abs()));
        let terms = self.encounters.iter().map(|encounter| {
            let x = self.argument(encounter);
            let (points, games) = (encounter.points(), encounter.games());
            -points * softplus(-x) - (games - points) * softplus(x)
        });
        terms.sum()
    }

    fn argument(&self, encounter: &Encounter) -> f64 {
        self.values[encounter.first] - self.values[encounter.second] + self.advantage
    }

    fn touched(&self, encounter: &Encounter) -> Touched {
        [
            self.unknowns[encounter.first].map(|unknown| (unknown, 1.0)),
            self.unknowns[encounter.second].map(|unknown| (unknown, -1.0)),
            self.advantage_unknown.map(|unknown| (unknown, 1.0)),
        ]
    }

    /// Points observed less points expected.
    fn gradient(&self) -> Vec<f64> {
        let mut gradient = vec![0.0; self.size];
        for encounter in &self.encounters {
            let expected = encounter.games() * logistic(self.argument(encounter));
            for (unknown, sign) in self.touched(encounter).into_iter().flatten() {
                gradient[unknown] += sign * (encounter.points() - expected);
            }
        }
        gradient
    }

    /// How fast the expected points change with the unknowns.
    pub fn information(&self) -> Vec<f64> {
        self.weighted(|score| score * (1.0 - score))
    }

    /// A sum over all games: a weight, from the expected score, at every two unknowns touched.
    pub fn weighted(&self, weight: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut matrix = vec![0.0; self.size * self.size];
        for encounter in &self.encounters {
            let weight = encounter.games() * weight(logistic(self.argument(encounter)));
            let touched = self.touched(encounter);
            for (row, sign) in touched.into_iter().flatten() {
                for (column, other) in touched.into_iter().flatten() {
                    matrix[row * self.size + column] += sign * other * weight;
                }
            }
        }
        matrix
    }

    /// How many unknowns there are.
    pub fn size(&self) -> usize {
        self.size
    }

    pub fn unknown_of(&self, player: usize) -> Option<usize> {
        self.unknowns[player]
    }

    pub fn unknown_of_advantage(&self) -> Option<usize> {
        self.advantage_unknown
    }
}
