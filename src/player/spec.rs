//! The specification of a player, as the user wrote it.
//!
//! A player can be specified with UCI options, in `engine.toml`, in the description of a match player, and on the
//! command line. Each of these translates its own names into the fields of a [`PlayerSpec`]. The allowed values, the
//! defaults and the valid combinations are defined here, in one place.
//!
//! | field | allowed values | default |
//! |---|---|---|
//! | curve | the name of a [`Family`] | levelled, or the human curve if a rating is given |
//! | elo, scale | a rating, and its scale | none; FIDE |
//! | competence | a number, inf or -inf | 7, or 1 for human curves |
//! | kappa | above 0 | 1 |
//! | rating | 600 to 3000 | 1500 |
//! | sensitivity, consistency | above 0; a number, inf or -inf | the values of a player rated 2000 (Regan 2011) |
//! | depth | plies; for a rating, at most those of the level | 12, or those of the level |
//! | style | the name of a [`PlayingStyle`], for human curves | none |
//! | clock-effect | whether the strength of a player with a human curve depends on the clock: true or false | true |
//! | depth-weights | at most one for each depth | only the deepest search counts |

use super::profile::{Profile, Skill, USUAL_DEPTH, UnknownProfile};
use super::{
    Aim, Elo, EloScale, ImitatorConfig, PlayingStyle, ScaledRating, TargetRating, UnknownScale,
    UnknownStyle,
};
use crate::board::shorten;
use crate::selector::human::{self, Human};
use crate::selector::{Competence, Curve, CurveError, DepthWeights, Family};
use crate::selector::{Selector, UnknownFamily, WeightsError};
use crate::value::{Depth, MAX_DEPTH};

/// The default c: the competence of the reference player (Haworth 2007).
const DEFAULT_COMPETENCE: f64 = 7.0;

/// The default consistency and sensitivity: Regan's values for a rating of 2000 (2011, section 7).
const DEFAULT_REGAN: (f64, f64) = (0.464, 0.143);

/// The default rating of human curves.
const DEFAULT_RATING: f64 = 1500.0;

/// A player as specified. `None` means that the field was not given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayerSpec {
    /// A named player. It cannot be combined with other fields that determine how moves are chosen, except the style
    /// and the clock effect.
    pub profile: Option<Profile>,
    /// The strength relative to the opponent's, for an imitator.
    pub imitator: Option<Aim>,
    /// The target rating, as an alternative to the parameters of a curve.
    pub elo: Option<Elo>,
    /// The scale of all ratings in the specification.
    pub scale: EloScale,
    /// The family of the curve.
    pub curve: Option<Family>,
    /// c of the power laws.
    pub competence: Option<Competence>,
    /// κ of the power laws.
    pub kappa: Option<f64>,
    /// The rating of the human players that the curve describes.
    pub rating: Option<f64>,
    /// s of Regan's curves.
    pub sensitivity: Option<f64>,
    /// c of Regan's curves.
    pub consistency: Option<Competence>,
    /// The search depth.
    pub depth: Option<Depth>,
    /// The weights of the depths.
    pub depth_weights: Option<DepthWeights>,
    /// The style of the moves, for human curves.
    pub style: Option<PlayingStyle>,
    /// Whether the player's strength depends on the clock. `None` means that it does.
    pub clock_effect: Option<bool>,
}

/// A specified player, without a seed and a game number.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Who {
    /// The engine at full strength.
    #[default]
    FullStrength,
    /// A player with a profile.
    Profile(Profile),
    /// A player that adapts to its opponent.
    Imitator(ImitatorConfig),
}

/// Why a specification was rejected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SpecError {
    /// A value cannot be read.
    #[error("{field} cannot be \"{}\"; write {wanted}", shorten(value))]
    Value {
        /// The name of the field.
        field: String,
        /// Its value.
        value: String,
        /// What to write instead.
        wanted: String,
    },
    /// There is no curve with this name.
    #[error(transparent)]
    Family(#[from] UnknownFamily),
    /// There is no rating scale with this name.
    #[error("{field}: {error}")]
    Scale {
        /// The name of the field.
        field: String,
        /// The unknown scale.
        error: UnknownScale,
    },
    /// There is no style with this name.
    #[error(transparent)]
    Style(#[from] UnknownStyle),
    /// A style is given for a curve without styles.
    #[error(
        "only players with a human curve have a style; use the curve human or an elo up to 2800, or remove style"
    )]
    StyleOf,
    /// There is no profile with this name.
    #[error(transparent)]
    Profile(#[from] UnknownProfile),
    /// The parameters do not make a curve.
    #[error(transparent)]
    Curve(#[from] CurveError),
    /// The weights of the depths are not valid.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// There are more weights than plies. Contains both numbers.
    #[error("{0} depth weights for a depth of {1}; give at most one for each ply")]
    TooManyWeights(usize, Depth),
    /// The curve does not have this parameter.
    #[error("{field} is not a parameter of the curve \"{curve}\"; {}", remedy(field))]
    NotOfCurve {
        /// The parameter.
        field: &'static str,
        /// The family of the curve.
        curve: Family,
    },
    /// Two fields exclude each other.
    #[error("{one} cannot be combined with {other}; remove one of them")]
    Conflict {
        /// The first field.
        one: &'static str,
        /// The second field.
        other: &'static str,
    },
    /// The rating is out of range.
    #[error("{}", .0.refusal())]
    Rating(TargetRating),
}

/// What to do about a parameter that the curve does not have.
fn remedy(field: &str) -> &'static str {
    match field {
        "rating" => "use the curve human, or give elo instead of rating",
        "sensitivity" | "consistency" => "use the curve regan, or remove it",
        "competence" | "kappa" => "use the curve levelled, or remove it",
        _ => "remove it",
    }
}

impl SpecError {
    fn value(field: &str, value: &str, wanted: &str) -> SpecError {
        let [field, value, wanted] = [field, value, wanted].map(str::to_owned);
        SpecError::Value { field, value, wanted }
    }

    /// The field that contains the mistake, if it is in a single field.
    pub(super) fn field(&self) -> Option<&str> {
        match self {
            SpecError::Value { field, .. } | SpecError::Scale { field, .. } => Some(field),
            SpecError::Family(_) => Some("curve"),
            SpecError::Style(_) | SpecError::StyleOf => Some("style"),
            SpecError::Profile(_) => Some("profile"),
            SpecError::Curve(_) => None,
            SpecError::Weights(_) | SpecError::TooManyWeights(..) => Some("depth-weights"),
            SpecError::NotOfCurve { field, .. } | SpecError::Conflict { one: field, .. } => {
                Some(field)
            }
            SpecError::Rating(_) => Some("elo"),
        }
    }
}

impl PlayerSpec {
    /// The names of the fields of a skill. They are the same in every front end.
    pub(crate) const SKILL: [&str; 12] = [
        "curve",
        "elo",
        "scale",
        "competence",
        "kappa",
        "rating",
        "sensitivity",
        "consistency",
        "depth",
        "depth-weights",
        "style",
        "clock-effect",
    ];

    /// A player of the target rating.
    pub(crate) fn rated(target: TargetRating) -> PlayerSpec {
        let (elo, scale, curve) = (Some(target.elo), target.scale, Some(target.family));
        PlayerSpec { elo, scale, curve, ..PlayerSpec::default() }
    }

    /// Parses and sets a field of a skill. Returns false if there is no field of this name.
    pub(crate) fn set(&mut self, field: &str, text: &str) -> Result<bool, SpecError> {
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
            // Files from earlier versions use the longer name.
            "scale" | "elo-scale" => {
                let field = field.to_owned();
                self.scale = text.parse().map_err(|error| SpecError::Scale { field, error })?;
            }
            "competence" => self.competence = Some(exponent()?),
            "consistency" => self.consistency = Some(exponent()?),
            "kappa" => self.kappa = Some(positive()?),
            "sensitivity" => self.sensitivity = Some(positive()?),
            "rating" => {
                let (low, high) = (human::LOWEST, human::TOP);
                let found = number().filter(|rating| (low..=high).contains(rating));
                let wanted = format!(
                    "a number from {low} to {high}; for weaker players use elo, or a competence \
                     below 1"
                );
                self.rating = Some(found.ok_or_else(|| wrong(&wanted))?);
            }
            "depth" => {
                let plies = text.trim().parse().ok();
                let plies = plies.filter(|depth| (1..=MAX_DEPTH).contains(depth));
                let wanted = || wrong(&format!("a number of plies from 1 to {MAX_DEPTH}"));
                self.depth = Some(plies.ok_or_else(wanted)?);
            }
            "depth-weights" => self.depth_weights = Some(DepthWeights::parse(text)?),
            "style" => self.style = Some(text.parse()?),
            "clock-effect" => {
                let is_on = text.trim().parse().map_err(|_| wrong("true or false"))?;
                self.clock_effect = Some(is_on);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Parses and sets how many Elo points above its opponent an imitator plays.
    pub(crate) fn set_imitator(&mut self, text: &str) -> Result<(), SpecError> {
        let offset = text.trim().parse().ok().filter(|offset: &f64| offset.is_finite());
        let wanted = "the number of Elo points above the opponent";
        let offset = offset.ok_or_else(|| SpecError::value("imitator", text, wanted))?;
        self.imitator = Some(Aim::above(offset));
        Ok(())
    }

    /// Resolves the specified player. A depth alone does not weaken the player.
    pub fn player(&self) -> Result<Who, SpecError> {
        let skill = self.explicit_fields().into_iter().find(|(_, is_set)| *is_set);
        let clash = |other, one| Err(SpecError::Conflict { one, other });
        match (&self.profile, self.imitator, skill) {
            (Some(_), Some(_), _) => clash("profile", "imitator"),
            (Some(_), None, Some((field, _))) => clash("profile", field),
            (Some(profile), None, None) => Ok(Who::Profile(self.styled(profile.clone())?)),
            (None, Some(_), Some((field, _))) if field != "curve" => clash("imitator", field),
            (None, Some(aim), _) => {
                let family = self.curve.unwrap_or(TargetRating::human_curve(self.scale));
                let depth = self.depth.unwrap_or(USUAL_DEPTH);
                let (scale, style) = (self.scale, self.style);
                let clock_effect = self.follows_clock();
                if style.is_some() && family.pool().is_none() {
                    return Err(SpecError::StyleOf);
                }
                Ok(Who::Imitator(ImitatorConfig { aim, family, scale, depth, style, clock_effect }))
            }
            (None, None, Some(_)) => {
                let profile = Profile::plain("", self.skill()?);
                Ok(Who::Profile(profile.with_rating(self.described_rating())))
            }
            (None, None, None) if self.style.is_some() => Err(SpecError::StyleOf),
            (None, None, None) => Ok(Who::FullStrength),
        }
    }

    /// A named player with the style, if one was given, and without the clock effect, if that was turned off.
    pub(crate) fn styled(&self, profile: Profile) -> Result<Profile, SpecError> {
        let profile = if self.follows_clock() { profile } else { profile.without_clock_effect() };
        match self.style {
            Some(style) => profile.with_style(style).ok_or(SpecError::StyleOf),
            None => Ok(profile),
        }
    }

    /// Returns whether the player's strength depends on the clock.
    pub fn follows_clock(&self) -> bool {
        self.clock_effect.unwrap_or(true)
    }

    /// The target rating, if one was given.
    pub(crate) fn target_rating(&self) -> Option<TargetRating> {
        self.elo.map(|elo| TargetRating::new(elo, self.curve, self.scale))
    }

    /// The rating of the player, or of the human players that the curve describes.
    pub(crate) fn described_rating(&self) -> Option<ScaledRating> {
        let stated = self.elo.map(|elo| ScaledRating { elo, scale: self.scale });
        let described = || {
            let (elo, curve) = (Elo(self.rating?), self.curve?);
            Some(ScaledRating { elo, scale: EloScale::of(curve) })
        };
        stated.or_else(described)
    }

    /// The parameters of the move choice, with defaults for the missing ones.
    pub(crate) fn skill(&self) -> Result<Skill, SpecError> {
        let target = self.target_rating();
        let family = target.map_or(self.curve.unwrap_or(Family::LEVELLED), |target| target.family);
        let level = target.map(|target| self.level(target)).transpose()?;
        let usual = match (&level, family.pool()) {
            (Some(level), _) => level.depth,
            (None, Some(pool)) => Human::built_in().depth(pool),
            (None, None) => USUAL_DEPTH,
        };
        let depth = match (self.depth, target) {
            // A human level does not look at deeper values. If it did, it would be too strong.
            (Some(depth), Some(_)) if family.pool().is_some() => depth.min(usual),
            (depth, _) => depth.unwrap_or(usual).min(MAX_DEPTH),
        };
        let weights = self.depth_weights.clone().unwrap_or_default();
        let weighted = weights.explicit().map_or(0, <[f64]>::len);
        if weighted > usize::from(depth) {
            return Err(SpecError::TooManyWeights(weighted, depth));
        }
        let (curve, nodes) = match level {
            Some(level) => (level.selector.curve, level.nodes),
            None => (self.curve(family)?, None),
        };
        let skill = Skill {
            nodes,
            style: self.style,
            clock_effect: self.follows_clock(),
            ..Skill::new(Selector { curve, weights }, depth)
        };
        if self.style.is_some() && !skill.is_human() { Err(SpecError::StyleOf) } else { Ok(skill) }
    }

    fn level(&self, target: TargetRating) -> Result<Skill, SpecError> {
        let numbers = self.explicit_fields().into_iter().filter(|(field, _)| *field != "curve");
        let mut more = numbers.filter(|(field, _)| !["elo", "depth-weights"].contains(field));
        match more.find(|(_, is_set)| *is_set) {
            Some((one, _)) => Err(SpecError::Conflict { one, other: "elo" }),
            None if target.elo.0.is_nan() => {
                Err(SpecError::value("elo", &target.elo.to_string(), "a rating"))
            }
            None if !target.is_available() => Err(SpecError::Rating(target)),
            None => Ok(target.skill()),
        }
    }

    fn curve(&self, curve: Family) -> Result<Curve, SpecError> {
        let own = curve.parameter_names();
        let is_human = curve.pool().is_some();
        let foreign = self.explicit_fields().into_iter().find(|(field, is_set)| {
            let is_own = match *field {
                "curve" => true,
                "depth-weights" => !is_human,
                number => own.contains(&number),
            };
            *is_set && !is_own
        });
        if let Some((field, _)) = foreign {
            return Err(SpecError::NotOfCurve { field, curve });
        }
        let (written, c, scale) = match (is_human, curve.is_power_law()) {
            (true, _) => (self.competence, 1.0, self.rating.unwrap_or(DEFAULT_RATING)),
            (_, true) => (self.competence, DEFAULT_COMPETENCE, self.kappa.unwrap_or(1.0)),
            _ => (self.consistency, DEFAULT_REGAN.0, self.sensitivity.unwrap_or(DEFAULT_REGAN.1)),
        };
        Ok(Curve::new(curve, written.map_or_else(|| Competence::new(c), Ok)?, scale)?)
    }

    /// The fields that determine how moves are chosen, and whether each was given.
    fn explicit_fields(&self) -> [(&'static str, bool); 8] {
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
    /// The seed for the player's choices: this one if it is set, otherwise the profile's. `None` if neither is set.
    pub(crate) fn series_seed(&self, set: Option<u64>) -> Option<u64> {
        let of_profile = match self {
            Who::Profile(profile) => Some(profile.seed).filter(|&seed| seed > 0),
            Who::FullStrength | Who::Imitator(_) => None,
        };
        set.or(of_profile)
    }

    /// The search depth, or `None` if the player always plays the best move of a search.
    pub(crate) fn depth(&self) -> Option<Depth> {
        match self {
            Who::FullStrength => None,
            Who::Profile(profile) => Some(profile.depth()).filter(|_| profile.nodes().is_none()),
            Who::Imitator(style) => Some(style.depth),
        }
    }

    /// The number of nodes of each search, if the player always plays the best move of a limited search.
    pub(crate) fn nodes(&self) -> Option<u64> {
        match self {
            Who::Profile(profile) => profile.nodes(),
            Who::FullStrength | Who::Imitator(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::DEEPEST;
    use crate::policy::GameKind;

    /// Parses a specification written as `field=value` words.
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
    fn missing_fields_have_fixed_defaults() {
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
    fn a_rating_means_a_human_curve_by_default() {
        for (text, family) in [
            ("elo=1500", Family::human(GameKind::Board)),
            ("elo=1500 scale=lichess-blitz", Family::human(GameKind::Blitz)),
            ("elo=1500 curve=levelled", Family::LEVELLED),
        ] {
            let skill = spec(text).and_then(|spec| spec.skill()).expect(text);
            assert_eq!(skill.selector.curve.family(), family, "{text}");
            assert_eq!(skill.depth, USUAL_DEPTH);
        }
    }

    #[test]
    fn ratings_above_2800_have_a_node_limit_and_a_depth_limits_all_searches() {
        for (text, searches, depth) in [
            ("elo=400", false, 12),
            ("elo=2800", false, 12),
            ("elo=2801", true, DEEPEST),
            ("elo=3400 scale=lichess-rapid", true, DEEPEST),
            ("elo=3400 depth=10", true, 10),
            ("elo=1500 depth=20", false, 12),
            ("elo=1500 curve=levelled depth=20", false, 20),
        ] {
            let skill = spec(text).and_then(|spec| spec.skill()).expect(text);
            assert_eq!((skill.nodes.is_some(), skill.depth), (searches, depth), "{text}");
        }
    }

    #[test]
    fn an_error_names_its_field() {
        for (text, expected) in [
            ("competence=high", "competence cannot be \"high\"; write a number, inf or -inf"),
            ("consistency=nan", "consistency cannot be \"nan\""),
            ("kappa=0", "kappa cannot be \"0\"; write a number above 0"),
            ("rating=300", "rating cannot be \"300\"; write a number from 600 to 3000"),
            ("clock-effect=maybe", "clock-effect cannot be \"maybe\"; write true or false"),
            ("depth=0", "depth cannot be \"0\""),
            ("scale=Lichess-Blits", "scale: unknown rating scale \"Lichess-Blits\"; did you mean"),
            ("elo-scale=USCF", "elo-scale: unknown rating scale \"USCF\"; use FIDE, Lichess"),
            ("curve=levelld", "unknown curve \"levelld\"; did you mean \"levelled\"?"),
            ("elo=1500 kappa=1", "kappa cannot be combined with elo"),
            (
                "curve=human depth-weights=1",
                "depth-weights is not a parameter of the curve \"human\"",
            ),
            ("elo=9999", "9999 is out of range: FIDE ratings must be from 400 to 3400"),
            ("elo=399", "399 is out of range: FIDE ratings must be from 400 to 3400"),
            ("elo=1500 style=tradr", "unknown style \"tradr\"; did you mean \"Trader\"?"),
            ("competence=5 style=trader", "only players with a human curve have a style"),
            ("style=trader", "only players with a human curve have a style"),
            ("elo=3000 style=trader", "use the curve human or an elo up to 2800, or remove"),
        ] {
            let refused = spec(text).and_then(|spec| spec.player()).expect_err(text);
            assert!(refused.to_string().contains(expected), "{text}: {refused}");
        }
    }
}
