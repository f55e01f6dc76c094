//! The one state of strength: of all that a user may have set, what counts.
//!
//! `UCI_LimitStrength` comes before `Profile`, that before `Competence` and Regan's two numbers, and
//! without any of them it is full strength. What is set and does not count is said.

use super::profile::{Profile, Skill};
use super::{Elo, provisional};
use crate::selector::{Competence, Curve, CurveError, Family, Selector};
use crate::value::Depth;

/// p of players that do not say how far they look.
const USUAL_DEPTH: Depth = 8;
/// Regan's sensitivity and consistency where only one of them is set: about 2000 Elo.
const USUAL_REGAN: (f64, f64) = (0.143, 0.464);

/// What a user has set; `None` is not set.
#[derive(Clone, Debug, Default)]
pub struct Wishes<'a> {
    pub elo: Option<Elo>,
    pub profile: Option<&'a Profile>,
    pub curve: Option<Family>,
    pub competence: Option<f64>,
    pub sensitivity: Option<f64>,
    pub consistency: Option<f64>,
    pub depth: Option<Depth>,
}

/// What is played.
#[derive(Clone, Debug, PartialEq)]
pub struct Strength {
    /// `None`: full strength.
    pub profile: Option<Profile>,
    /// Which option decided, as the user would write it.
    pub because: String,
    /// Options that are set and do not count.
    pub overridden: Vec<&'static str>,
}

impl Wishes<'_> {
    /// What counts of all this.
    pub fn resolve(&self) -> Result<Strength, CurveError> {
        let (profile, because, used) = if let Some(elo) = self.elo {
            let family = self.curve.unwrap_or(Family::LEVELLED);
            let depth = self.depth.unwrap_or(provisional::DEPTH);
            let skill = Skill { depth, ..self.skill(provisional::curve(family, elo)) };
            let because = format!("UCI_Elo={elo}");
            (Some(Profile::plain("", skill)), because, &["Curve", "Depth"][..])
        } else if let Some(profile) = self.profile {
            (Some(profile.clone()), format!("Profile={}", profile.name), &[][..])
        } else if let Some(c) = self.competence.filter(|_| self.is_power_law()) {
            let curve = self.curve.unwrap_or(Family::LEVELLED);
            let skill = self.skill(Curve::new(curve, Competence::new(c)?, 1.0)?);
            let because = format!("Competence={:.0}", c * 100.0);
            (Some(Profile::plain("", skill)), because, &["Competence", "Curve", "Depth"][..])
        } else if self.sensitivity.or(self.consistency).is_some() {
            let family = self.curve.filter(|curve| !curve.is_power_law()).unwrap_or(Family::REGAN);
            let s = self.sensitivity.unwrap_or(USUAL_REGAN.0);
            let c = self.consistency.unwrap_or(USUAL_REGAN.1);
            let skill = self.skill(Curve::new(family, Competence::new(c)?, s)?);
            let used = &["Sensitivity", "Consistency", "Curve", "Depth"][..];
            let because = format!("Sensitivity={:.0} Consistency={:.0}", s * 1e3, c * 1e3);
            (Some(Profile::plain("", skill)), because, used)
        } else {
            (None, "no strength is set".to_owned(), &[][..])
        };
        let overridden = self.set().filter(|name| !used.contains(name));
        let own = because.split('=').next().unwrap_or_default().to_owned();
        let overridden = overridden.filter(|name| *name != own).collect();
        Ok(Strength { profile, because, overridden })
    }

    fn is_power_law(&self) -> bool {
        self.curve.is_none_or(Family::is_power_law)
    }

    fn skill(&self, curve: Curve) -> Skill {
        Skill { selector: Selector::new(curve), depth: self.depth.unwrap_or(USUAL_DEPTH) }
    }

    /// The names of what is set.
    fn set(&self) -> impl Iterator<Item = &'static str> {
        [
            ("Profile", self.profile.is_some()),
            ("Competence", self.competence.is_some()),
            ("Sensitivity", self.sensitivity.is_some()),
            ("Consistency", self.consistency.is_some()),
            ("Curve", self.curve.is_some()),
            ("Depth", self.depth.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, is_set)| is_set.then_some(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rating_counts_before_a_profile_and_that_before_a_competence() {
        let skill = Skill { selector: Selector::new(Curve::levelled(Competence::BEST)), depth: 3 };
        let profile = Profile::plain("club", skill);
        let mut wishes = Wishes {
            elo: Some(Elo(1500.0)),
            profile: Some(&profile),
            competence: Some(7.2),
            ..Wishes::default()
        };
        let strength = wishes.resolve().expect("sound numbers");
        assert_eq!(strength.because, "UCI_Elo=1500");
        assert_eq!(strength.overridden, ["Profile", "Competence"]);
        wishes.elo = None;
        let strength = wishes.resolve().expect("sound numbers");
        assert_eq!(
            (&*strength.because, &*strength.overridden),
            ("Profile=club", &["Competence"][..])
        );
        wishes.profile = None;
        let strength = wishes.resolve().expect("sound numbers");
        assert_eq!((&*strength.because, strength.overridden.len()), ("Competence=720", 0));
        wishes.competence = None;
        assert_eq!(wishes.resolve().map(|strength| strength.profile), Ok(None));
    }
}
