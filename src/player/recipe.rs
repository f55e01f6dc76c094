//! What a skill is made from: the numbers that a user writes, in whatever place.

use super::profile::Skill;
use super::{Dial, Elo, EloScale, Levels};
use crate::selector::human::{self, Human};
use crate::selector::{Competence, Curve, CurveError, DepthWeights, Family};
use crate::selector::{Selector, UnknownFamily, WeightsError};
use crate::value::{Depth, MAX_PLY};

/// The numbers of a skill as they were written; `None` was not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recipe {
    pub curve: Option<Family>,
    /// Instead of the numbers of a curve: FIDE's, by play.
    pub elo: Option<Elo>,
    pub competence: Option<f64>,
    pub kappa: Option<f64>,
    /// Of the people whose curve it is.
    pub rating: Option<f64>,
    pub sensitivity: Option<f64>,
    pub consistency: Option<f64>,
    pub depth: Option<i64>,
    pub depth_weights: Option<Vec<f64>>,
}

/// Why no skill can be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SkillError {
    #[error(transparent)]
    Family(#[from] UnknownFamily),
    #[error(transparent)]
    Curve(#[from] CurveError),
    #[error(transparent)]
    Weights(#[from] WeightsError),
    #[error("{0} depth weights for a depth of {1}; give at most one for each depth")]
    TooManyWeights(usize, Depth),
    #[error("depth is {0}; it must be from 1 to {most}", most = MAX_PLY - 1)]
    Depth(i64),
    #[error("{field} is missing; the curve \"{curve}\" needs it")]
    Missing { field: &'static str, curve: Family },
    #[error("{field} does not belong to the curve \"{curve}\"; remove it")]
    Alien { field: &'static str, curve: Family },
    #[error(
        "rating is {0}; people of {least:.0} to {most:.0} are known: for weaker and stronger ones give a \
         competence other than 1, or elo",
        least = human::LOWEST, most = human::HIGHEST
    )]
    People(f64),
    #[error("{0} does not go with a rating, which stands for it; remove one of them")]
    Rated(&'static str),
    #[error(
        "there is no player of {} Elo with the curve \"{}\"; ratings go from {} to {}",
        .0.elo, .0.family, .0.range().start(), .0.range().end()
    )]
    Rating(Dial),
}

/// p of players who do not say how far they look.
pub const USUAL_DEPTH: Depth = 12;

/// p of those who do not say, by their curves: of people it is the depth that theirs was fitted at.
pub fn usual_depth(family: Family) -> Depth {
    family.pool().map_or(USUAL_DEPTH, |pool| Human::built_in().depth(pool))
}

impl Recipe {
    pub fn skill(&self) -> Result<Skill, SkillError> {
        let dial = self.elo.map(|elo| Dial::new(elo, self.curve, EloScale::Fide));
        let family = dial.map_or(self.curve.unwrap_or(Family::LEVELLED), |dial| dial.family);
        let usual = match dial {
            Some(_) => Levels::built_in().depth,
            None => usual_depth(family),
        };
        let depth = self.depth.unwrap_or(usual.into());
        let most = MAX_PLY as i64 - 1;
        let plies = Depth::try_from(depth).ok().filter(|_| (1..=most).contains(&depth));
        let depth = plies.ok_or(SkillError::Depth(depth))?;
        let weights = match &self.depth_weights {
            None => DepthWeights::deepest(),
            Some(_) if family.pool().is_some() => {
                return Err(SkillError::Alien { field: "depth-weights", curve: family });
            }
            Some(weights) if weights.len() > usize::from(depth) => {
                return Err(SkillError::TooManyWeights(weights.len(), depth));
            }
            Some(weights) => DepthWeights::new(weights)?,
        };
        let curve = match dial {
            Some(dial) => self.rated(dial)?,
            None => self.curve(family)?,
        };
        Ok(Skill { selector: Selector { curve, weights }, depth })
    }

    fn numbers(&self) -> [(&'static str, Option<f64>); 5] {
        [
            ("competence", self.competence),
            ("kappa", self.kappa),
            ("consistency", self.consistency),
            ("sensitivity", self.sensitivity),
            ("rating", self.rating),
        ]
    }

    fn rated(&self, dial: Dial) -> Result<Curve, SkillError> {
        match self.numbers().into_iter().find(|(_, value)| value.is_some()) {
            Some((field, _)) => Err(SkillError::Rated(field)),
            None if !dial.is_met() => Err(SkillError::Rating(dial)),
            None => Ok(dial.curve()),
        }
    }

    fn curve(&self, curve: Family) -> Result<Curve, SkillError> {
        let (all, own) = (self.numbers(), curve.numbers());
        let is_alien =
            |(field, value): &&(&'static str, Option<f64>)| value.is_some() && !own.contains(field);
        if let Some(&(field, _)) = all.iter().find(is_alien) {
            return Err(SkillError::Alien { field, curve });
        }
        let value = |wanted| all.iter().find(|(field, _)| *field == wanted).and_then(|(_, v)| *v);
        let [(name, exponent), (field, scale)] = own.map(|name| (name, value(name)));
        let is_known = |rating: &f64| (human::LOWEST..=human::HIGHEST).contains(rating);
        if let Some(rating) = scale.filter(|rating| curve.pool().is_some() && !is_known(rating)) {
            return Err(SkillError::People(rating));
        }
        let exponent = (name, exponent.or(curve.pool().map(|_| 1.0)));
        let usual_scale = curve.is_power_law().then_some(1.0);
        let needed = |(field, value): (&'static str, Option<f64>)| {
            value.ok_or(SkillError::Missing { field, curve })
        };
        Ok(Curve::new(
            curve,
            Competence::new(needed(exponent)?)?,
            needed((field, scale.or(usual_scale)))?,
        )?)
    }
}
