//! The specification of a player: who plays, as somebody has written it.
//!
//! A player can be named by UCI options, in `engine.toml`, by the words of a match and on the command
//! line. Each of these only translates its own names into the fields of a [`PlayerSpec`]; what a field
//! may be, what holds where it is not written and what goes with what is settled here, once.
//!
//! | field | what it may be | where it is not written |
//! |---|---|---|
//! | curve | the name of a [`Family`] | levelled; of people where there is a rating |
//! | elo, elo-scale | a rating, and whose ratings are meant | none; FIDE |
//! | competence | a number, inf or -inf | 7; 1 for the curves of people |
//! | kappa | above 0 | 1 |
//! | rating | 600 to 2800 | 1500 |
//! | sensitivity, consistency | above 0; a number, inf or -inf | those of a player of 2000 (Regan 2011) |
//! | depth | plies | 12 |
//! | depth-weights | at most one for each depth | the deepest counts |

use super::profile::{Profile, Skill, USUAL_DEPTH, UnknownProfile};
use super::{Aim, Elo, EloScale, Levels, Style, TargetRating};
use crate::selector::human::{self, Human};
use crate::selector::{Competence, Curve, CurveError, DepthWeights, Family};
use crate::selector::{Selector, UnknownFamily, WeightsError};
use crate::value::{Depth, MAX_PLY};

/// c of the reference player (Haworth 2007).
const USUAL_COMPETENCE: f64 = 7.0;

/// Regan's consistency and sensitivity of a player of 2000 (2011, section 7).
const USUAL_REGAN: (f64, f64) = (0.464, 0.143);

/// Whose curve of people is played where nobody says.
const USUAL_RATING: f64 = 1500.0;

/// Who plays, as it was written; `None` was not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayerSpec {
    /// A named player, who has all the rest.
    pub profile: Option<Profile>,
    /// As strong as the opponent, or so much stronger.
    pub imitator: Option<Aim>,
    /// Instead of the numbers of a curve: the level.
    pub elo: Option<Elo>,
    /// Of all ratings.
    pub scale: EloScale,
    pub curve: Option<Family>,
    pub competence: Option<Competence>,
    pub kappa: Option<f64>,
    /// Of the people whose curve it is.
    pub rating: Option<f64>,
    pub sensitivity: Option<f64>,
    pub consistency: Option<Competence>,
    pub depth: Option<Depth>,
    pub depth_weights: Option<DepthWeights>,
}

/// A player without the seed and the game that is played.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Who {
    #[default]
    FullStrength,
    Profile(Profile),
    Imitator(Style),
}

/// Why a specification was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SpecError {
    #[error("{field} cannot be \"{value}\"; it is {wanted}")]
    Value { field: String, value: String, wanted: String },
    #[error(transparent)]
    Family(#[from] UnknownFamily),
    #[error(transparent)]
    Profile(#[from] UnknownProfile),
    #[error(transparent)]
    Curve(#[from] CurveError),
    #[error(transparent)]
    Weights(#[from] WeightsError),
    #[error("{0} depth weights for a depth of {1}; give at most one for each depth")]
    TooManyWeights(usize, Depth),
    #[error("{field} does not belong to the curve \"{curve}\"; remove it")]
    Alien { field: &'static str, curve: Family },
    #[error("{one} does not go with {other}, which says it all; remove one of them")]
    Together { one: &'static str, other: &'static str },
    #[error(
        "there is no player of {} Elo with the curve \"{}\"; ratings go from {} to {}",
        .0.elo, .0.family, .0.range().start(), .0.range().end()
    )]
    Rating(TargetRating),
}

impl SpecError {
    fn value(field: &str, value: &str, wanted: &str) -> SpecError {
        let [field, value, wanted] = [field, value, wanted].map(str::to_owned);
        SpecError::Value { field, value, wanted }
    }
}

impl PlayerSpec {
    /// The fields of a skill, by the names that they have everywhere.
    pub const SKILL: [&str; 10] = [
        "curve",
        "elo",
        "elo-scale",
        "competence",
        "kappa",
        "rating",
        "sensitivity",
        "consistency",
        "depth",
        "depth-weights",
    ];

    /// A player of a rating, or of the nearest that there is.
    pub fn rated(target: TargetRating) -> PlayerSpec {
        let (elo, scale, curve) = (Some(target.nearest()), target.scale, Some(target.family));
        PlayerSpec { elo, scale, curve, ..PlayerSpec::default() }
    }

    /// Takes a field of a skill as text. Is there one of that name?
    pub fn set(&mut self, field: &str, text: &str) -> Result<bool, SpecError> {
        let wrong = |wanted: &str| SpecError::value(field, text, wanted);
        let number = || text.trim().parse::<f64>().ok().filter(|number| !number.is_nan());
        let positive = || {
            let found = number().filter(|number| *number > 0.0 && number.is_finite());
            found.ok_or_else(|| wrong("a number above 0"))
        };
        let exponent = || -> Result<Competence, SpecError> {
            let found = number().ok_or_else(|| wrong("a number, inf or -inf"))?;
            Ok(Competence::new(found)?)
        };
        match field {
            "curve" => self.curve = Some(text.parse()?),
            "elo" => {
                let found = number().filter(|elo| elo.is_finite());
                self.elo = Some(Elo(found.ok_or_else(|| wrong("a rating"))?));
            }
            "elo-scale" => {
                let found = EloScale::of_name(text);
                let names = EloScale::ALL.map(EloScale::word).join(" or ");
                self.scale = found.ok_or_else(|| wrong(&names))?;
            }
            "competence" => self.competence = Some(exponent()?),
            "consistency" => self.consistency = Some(exponent()?),
            "kappa" => self.kappa = Some(positive()?),
            "sensitivity" => self.sensitivity = Some(positive()?),
            "rating" => {
                let (low, high) = (human::LOWEST, human::HIGHEST);
                let found = number().filter(|rating| (low..=high).contains(rating));
                let wanted = format!(
                    "a number from {low} to {high}, of whom there were games; for weaker and \
                     stronger players write elo, or a competence other than 1"
                );
                self.rating = Some(found.ok_or_else(|| wrong(&wanted))?);
            }
            "depth" => {
                let most = MAX_PLY - 1;
                let plies = text.trim().parse().ok();
                let plies = plies.filter(|depth: &Depth| (1..=most).contains(&usize::from(*depth)));
                let wanted = || wrong(&format!("a number of plies from 1 to {most}"));
                self.depth = Some(plies.ok_or_else(wanted)?);
            }
            "depth-weights" => self.depth_weights = Some(DepthWeights::parse(text)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Takes as text how much stronger than the opponent to be.
    pub fn set_imitator(&mut self, text: &str) -> Result<(), SpecError> {
        let offset = text.trim().parse().ok().filter(|offset: &f64| offset.is_finite());
        let wanted = "a number of Elo points above the opponent";
        let offset = offset.ok_or_else(|| SpecError::value("imitator", text, wanted))?;
        self.imitator = Some(Aim::above(offset));
        Ok(())
    }

    /// Who that is. How far to look is alone no wish to play less well.
    pub fn player(&self) -> Result<Who, SpecError> {
        let skill = self.written().into_iter().find(|(_, is_written)| *is_written);
        let clash = |other, one| Err(SpecError::Together { one, other });
        match (&self.profile, self.imitator, skill) {
            (Some(_), Some(_), _) => clash("profile", "imitator"),
            (Some(_), None, Some((field, _))) => clash("profile", field),
            (Some(profile), None, None) => Ok(Who::Profile(profile.clone())),
            (None, Some(_), Some((field, _))) if field != "curve" => clash("imitator", field),
            (None, Some(aim), _) => {
                let family = self.curve.unwrap_or(TargetRating::usual(self.scale));
                let depth = self.depth.unwrap_or(USUAL_DEPTH);
                Ok(Who::Imitator(Style { aim, family, scale: self.scale, depth }))
            }
            (None, None, Some(_)) => Ok(Who::Profile(Profile::plain("", self.skill()?))),
            (None, None, None) => Ok(Who::FullStrength),
        }
    }

    /// The level that is asked for.
    pub fn target_rating(&self) -> Option<TargetRating> {
        self.elo.map(|elo| TargetRating::new(elo, self.curve, self.scale))
    }

    /// How moves are chosen, by the numbers that are written and the usual ones.
    pub fn skill(&self) -> Result<Skill, SpecError> {
        let target = self.target_rating();
        let family = target.map_or(self.curve.unwrap_or(Family::LEVELLED), |target| target.family);
        let usual = match (target, family.pool()) {
            (Some(_), _) => Levels::built_in().depth,
            (None, Some(pool)) => Human::built_in().depth(pool),
            (None, None) => USUAL_DEPTH,
        };
        let depth = self.depth.unwrap_or(usual).min(MAX_PLY as Depth - 1);
        let weights = self.depth_weights.clone().unwrap_or_default();
        let weighted = weights.explicit().map_or(0, <[f64]>::len);
        if weighted > usize::from(depth) {
            return Err(SpecError::TooManyWeights(weighted, depth));
        }
        let curve = match target {
            Some(target) => self.level(target)?,
            None => self.curve(family)?,
        };
        Ok(Skill { selector: Selector { curve, weights }, depth })
    }

    fn level(&self, target: TargetRating) -> Result<Curve, SpecError> {
        let numbers = self.written().into_iter().filter(|(field, _)| *field != "curve");
        let mut more = numbers.filter(|(field, _)| !["elo", "depth-weights"].contains(field));
        match more.find(|(_, is_written)| *is_written) {
            Some((one, _)) => Err(SpecError::Together { one, other: "elo" }),
            None if target.elo.0.is_nan() => {
                Err(SpecError::value("elo", &target.elo.to_string(), "a rating"))
            }
            None if !target.is_met() => Err(SpecError::Rating(target)),
            None => Ok(target.curve()),
        }
    }

    fn curve(&self, curve: Family) -> Result<Curve, SpecError> {
        let own = curve.numbers();
        let is_human = curve.pool().is_some();
        let alien = self.written().into_iter().find(|(field, is_written)| {
            let is_own = match *field {
                "curve" => true,
                "depth-weights" => !is_human,
                number => own.contains(&number),
            };
            *is_written && !is_own
        });
        if let Some((field, _)) = alien {
            return Err(SpecError::Alien { field, curve });
        }
        let (written, c, scale) = match (is_human, curve.is_power_law()) {
            (true, _) => (self.competence, 1.0, self.rating.unwrap_or(USUAL_RATING)),
            (_, true) => (self.competence, USUAL_COMPETENCE, self.kappa.unwrap_or(1.0)),
            _ => (self.consistency, USUAL_REGAN.0, self.sensitivity.unwrap_or(USUAL_REGAN.1)),
        };
        Ok(Curve::new(curve, written.map_or_else(|| Competence::new(c), Ok)?, scale)?)
    }

    /// What says how moves are chosen, and whether it is written.
    fn written(&self) -> [(&'static str, bool); 8] {
        [
            ("elo", self.elo.is_some()),
            ("competence", self.competence.is_some()),
            ("kappa", self.kappa.is_some()),
            ("consistency", self.consistency.is_some()),
            ("sensitivity", self.sensitivity.is_some()),
            ("rating", self.rating.is_some()),
            ("depth-weights", self.depth_weights.is_some()),
            ("curve", self.curve.is_some()),
        ]
    }
}

impl Who {
    /// How far ahead it looks; `None` at full strength, which looks as far as it can.
    pub fn depth(&self) -> Option<Depth> {
        match self {
            Who::FullStrength => None,
            Who::Profile(profile) => Some(profile.depth()),
            Who::Imitator(style) => Some(style.depth),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Pool;

    /// Of the fields as they are written, with blanks between.
    fn spec(text: &str) -> Result<PlayerSpec, SpecError> {
        let mut spec = PlayerSpec::default();
        for word in text.split_whitespace() {
            let (field, value) = word.split_once('=').expect("a field with its value");
            assert!(spec.set(field, value)?, "{field}");
        }
        Ok(spec)
    }

    fn curve(text: &str) -> Curve {
        spec(text).and_then(|spec| spec.skill()).expect(text).selector.curve
    }

    #[test]
    fn what_is_not_written_is_the_same_for_everybody() {
        for (text, exponent, scale) in [
            ("", 7.0, 1.0),
            ("curve=haworth kappa=2", 7.0, 2.0),
            ("curve=regan", 0.464, 0.143),
            ("curve=ipa sensitivity=0.2", 0.464, 0.2),
            ("curve=human", 1.0, 1500.0),
        ] {
            let found = curve(text);
            assert_eq!((found.competence().get(), found.scale()), (exponent, scale), "{text}");
        }
        assert_eq!(spec("depth=3").expect("right").player(), Ok(Who::FullStrength));
    }

    #[test]
    fn a_rating_is_of_people_unless_a_curve_is_named() {
        for (text, family) in [
            ("elo=1500", Family::human(Pool::Board)),
            ("elo=1500 elo-scale=lichess", Family::human(Pool::Blitz)),
            ("elo=1500 curve=levelled", Family::LEVELLED),
        ] {
            let skill = spec(text).and_then(|spec| spec.skill()).expect(text);
            assert_eq!(skill.selector.curve.family(), family, "{text}");
            assert_eq!(skill.depth, Levels::built_in().depth);
        }
    }

    #[test]
    fn a_mistake_names_its_field() {
        for (text, expected) in [
            ("competence=high", "competence cannot be \"high\"; it is a number, inf or -inf"),
            ("consistency=nan", "consistency cannot be \"nan\""),
            ("kappa=0", "kappa cannot be \"0\"; it is a number above 0"),
            ("rating=300", "rating cannot be \"300\"; it is a number from 600 to 2800"),
            ("depth=0", "depth cannot be \"0\""),
            (
                "elo-scale=USCF",
                "elo-scale cannot be \"USCF\"; it is fide or lichess or lichess-rapid",
            ),
            ("elo=1500 kappa=1", "kappa does not go with elo"),
            ("curve=human depth-weights=1", "depth-weights does not belong"),
            ("elo=9999", "no player of 9999 Elo"),
        ] {
            let refused = spec(text).and_then(|spec| spec.player()).expect_err(text);
            assert!(refused.to_string().contains(expected), "{text}: {refused}");
        }
    }
}
