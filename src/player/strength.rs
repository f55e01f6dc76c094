//! The one state of strength: of all that a user may have set, what counts.
//!
//! `Imitator` comes before `UCI_LimitStrength`, that before `Profile`, that before `Competence` and
//! Regan's two numbers, those before `Depth`, and without any of them it is full strength. What is
//! set and does not count is said.

use super::profile::{Profile, Skill};
use super::recipe::{USUAL_DEPTH, usual_depth};
use super::{Aim, Dial, Elo, EloScale, Levels, Manner};
use crate::selector::{Competence, Curve, CurveError, Family, Selector};
use crate::value::Depth;

/// Regan's sensitivity and consistency where only one of them is set: about 2000 Elo.
const USUAL_REGAN: (f64, f64) = (0.143, 0.464);

/// Of the people whose curve is played where only a competence is set.
pub const USUAL_RATING: f64 = 1500.0;

/// Is a player of this curve told by c, and not by Regan's two numbers?
fn is_of_competence(curve: Family) -> bool {
    curve.numbers().contains(&"competence")
}

/// What a user has set; `None` is not set.
#[derive(Clone, Debug, Default)]
pub struct Wishes<'a> {
    /// Imitate the opponent.
    pub imitator: bool,
    /// By how much to be above him.
    pub offset: Option<f64>,
    /// The part of the points to score against him.
    pub score: Option<f64>,
    pub elo: Option<Elo>,
    /// Of that and of the opponent's ratings.
    pub scale: EloScale,
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
    pub who: Who,
    /// Which option decided, as the user would write it.
    pub because: String,
    /// Where it is a rating.
    pub dial: Option<Dial>,
    /// Options that are set and do not count.
    pub overridden: Vec<&'static str>,
}

/// A player without the seed and the game that he plays.
#[derive(Clone, Debug, PartialEq)]
pub enum Who {
    FullStrength,
    Profile(Profile),
    Imitator(Manner),
}

impl Wishes<'_> {
    /// What counts of all this.
    pub fn resolve(&self) -> Result<Strength, CurveError> {
        let plain = |skill| Who::Profile(Profile::plain("", skill));
        let at_level = self.depth.unwrap_or(Levels::built_in().depth);
        let mut dial = None;
        let (who, because, used) = if self.imitator {
            let (aim, because) = self.aim();
            let family = self.curve.unwrap_or(Dial::usual(self.scale));
            let manner = Manner { aim, family, scale: self.scale, depth: at_level };
            (Who::Imitator(manner), because, &["Elo Scale", "Curve", "Depth"][..])
        } else if let Some(elo) = self.elo {
            let set = dial.insert(Dial::new(elo, self.curve, self.scale));
            let mut curve = set.curve();
            let mut used = &["UCI_LimitStrength", "Elo Scale", "Curve", "Depth"][..];
            let is_of_people = self.curve.is_some_and(|curve| curve.pool().is_some());
            if let Some(c) = self.competence.filter(|_| is_of_people) {
                curve = curve.with_competence(Competence::new(c)?);
                used = &["UCI_LimitStrength", "Elo Scale", "Competence", "Curve", "Depth"];
            }
            let skill = Skill { depth: at_level, ..self.skill(curve) };
            let because = format!("UCI_Elo={elo}");
            (plain(skill), because, used)
        } else if let Some(profile) = self.profile {
            let because = format!("Profile={}", profile.name);
            (Who::Profile(profile.clone()), because, &[][..])
        } else if let Some(c) = self.competence.filter(|_| self.curve.is_none_or(is_of_competence))
        {
            let curve = self.curve.unwrap_or(Family::LEVELLED);
            let scale = if curve.pool().is_some() { USUAL_RATING } else { 1.0 };
            let depth = self.depth.unwrap_or_else(|| usual_depth(curve));
            let skill = self.skill(Curve::new(curve, Competence::new(c)?, scale)?);
            let skill = Skill { depth, ..skill };
            let because = format!("Competence={:.0}", c * 100.0);
            (plain(skill), because, &["Competence", "Curve", "Depth"][..])
        } else if self.sensitivity.or(self.consistency).is_some() {
            let curve = self.curve.filter(|curve| !is_of_competence(*curve));
            let family = curve.unwrap_or(Family::REGAN);
            let s = self.sensitivity.unwrap_or(USUAL_REGAN.0);
            let c = self.consistency.unwrap_or(USUAL_REGAN.1);
            let skill = self.skill(Curve::new(family, Competence::new(c)?, s)?);
            let used = &["Sensitivity", "Consistency", "Depth", "Curve"];
            let used = if curve.is_some() { &used[..] } else { &used[..3] };
            let because = format!("Sensitivity={:.0} Consistency={:.0}", s * 1e3, c * 1e3);
            (plain(skill), because, used)
        } else if let Some(depth) = self.depth {
            let skill = self.skill(Curve::levelled(Competence::BEST));
            (plain(skill), format!("Depth={depth}"), &["Depth"][..])
        } else {
            (Who::FullStrength, "no strength is set".to_owned(), &[][..])
        };
        let overridden = self.set().filter(|name| !used.contains(name));
        let own = because.split('=').next().unwrap_or_default().to_owned();
        let overridden = overridden.filter(|name| *name != own).collect();
        Ok(Strength { who, because, dial, overridden })
    }

    /// How strong to be against the opponent, and why.
    fn aim(&self) -> (Aim, String) {
        match (self.score, self.offset) {
            (Some(score), _) => (Aim::Score(score), format!("Imitator Score={:.0}", score * 100.0)),
            (None, Some(offset)) => (Aim::Offset(offset), format!("Imitator Offset={offset:.0}")),
            (None, None) => (Aim::Equal, "Imitator=true".to_owned()),
        }
    }

    fn depth(&self) -> Depth {
        self.depth.unwrap_or(USUAL_DEPTH)
    }

    fn skill(&self, curve: Curve) -> Skill {
        Skill { selector: Selector::new(curve), depth: self.depth() }
    }

    /// The names of what is set.
    fn set(&self) -> impl Iterator<Item = &'static str> {
        [
            ("Imitator Offset", self.offset.is_some()),
            ("Imitator Score", self.score.is_some()),
            ("UCI_LimitStrength", self.elo.is_some()),
            ("Elo Scale", self.scale != EloScale::default()),
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
    use crate::prior::Pool;

    fn found(wishes: &Wishes<'_>) -> (String, Vec<&'static str>) {
        let strength = wishes.resolve().expect("sound numbers");
        (strength.because, strength.overridden)
    }

    #[test]
    fn a_rating_without_a_curve_is_that_of_people_and_competence_counts_beside_theirs_only() {
        let auto = Wishes {
            elo: Some(Elo(1500.0)),
            scale: EloScale::Lichess,
            competence: Some(7.2),
            ..Wishes::default()
        };
        let human = Wishes { curve: Some(Family::human(Pool::Blitz)), ..auto.clone() };
        let levelled = Wishes { curve: Some(Family::LEVELLED), ..auto.clone() };
        for (wishes, family, overridden) in [
            (&auto, Family::human(Pool::Blitz), &["Competence"][..]),
            (&human, Family::human(Pool::Blitz), &[]),
            (&levelled, Family::LEVELLED, &["Competence"]),
        ] {
            let Strength { who, dial, overridden: found, .. } = wishes.resolve().expect("sound");
            assert_eq!(found, overridden);
            let dial = dial.expect("a rating decides");
            assert_eq!((dial.family, dial.scale), (family, EloScale::Lichess));
            let Who::Profile(profile) = who else { panic!("a player") };
            let [(_, skill)] = profile.parts() else { panic!("of one skill") };
            assert_eq!(skill.selector.curve == dial.curve(), !overridden.is_empty());
            assert_eq!(skill.depth, Levels::built_in().depth);
        }
    }

    #[test]
    fn each_wish_counts_before_those_that_follow_and_the_others_are_named() {
        let skill = Skill { selector: Selector::new(Curve::levelled(Competence::BEST)), depth: 3 };
        let profile = Profile::plain("club", skill);
        let mut wishes = Wishes {
            imitator: true,
            offset: Some(-100.0),
            score: Some(0.75),
            elo: Some(Elo(1500.0)),
            profile: Some(&profile),
            curve: Some(Family::HAWORTH),
            competence: Some(7.2),
            depth: Some(5),
            ..Wishes::default()
        };
        let because =
            |text: &str, overridden: &[&'static str]| (text.to_owned(), overridden.to_vec());
        let others = ["Imitator Offset", "UCI_LimitStrength", "Profile", "Competence"];
        assert_eq!(found(&wishes), because("Imitator Score=75", &others));
        (wishes.score, wishes.imitator) = (None, false);
        let others = ["Imitator Offset", "Profile", "Competence"];
        assert_eq!(found(&wishes), because("UCI_Elo=1500", &others));
        (wishes.offset, wishes.elo) = (None, None);
        assert_eq!(found(&wishes), because("Profile=club", &["Competence", "Curve", "Depth"]));
        wishes.profile = None;
        assert_eq!(found(&wishes), because("Competence=720", &[]));
        wishes.competence = None;
        assert_eq!(found(&wishes), because("Depth=5", &["Curve"]));
        wishes.depth = None;
        assert_eq!(found(&wishes), because("no strength is set", &["Curve"]));
    }
}
