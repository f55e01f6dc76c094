//! Our own engine as words: `self profile=club seed=7`, `self competence=7.2 depth=4`.

use super::spec::SpecError;
use super::time_control::MoveLimits;
use crate::player::{Elo, Profile, Recipe, Roster, Skill, SkillError};
use crate::selector::DepthWeights;

/// Our own engine, in this process.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnSpec {
    /// MiB.
    pub hash: usize,
    /// `None`: full strength.
    pub profile: Option<Profile>,
    /// What moves are drawn from; without it the profile's, or else the player's place in the list.
    pub seed: Option<u64>,
}

/// The words that only our own engine understands, as far as they have been read.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnWords {
    profile: Option<String>,
    recipe: Recipe,
    seed: Option<u64>,
    last: Option<String>,
}

const DEFAULT_HASH: usize = 16;

impl OwnWords {
    pub const KNOWN: &str = "profile=, elo=, curve=, competence=, kappa=, sensitivity=, \
                             consistency=, depth-weights= and seed=";

    /// Takes a word, if it is one of ours.
    pub fn take(&mut self, key: &str, value: &str) -> Result<bool, SpecError> {
        let word = format!("{key}={value}");
        let wants = |what| SpecError::Number(word.clone(), what);
        let number = || value.parse().map(Some).map_err(|_| wants("number"));
        let made = &mut self.recipe;
        match key {
            "profile" => self.profile = Some(value.to_owned()),
            "elo" => made.elo = number()?.map(Elo),
            "curve" => made.curve = Some(value.parse().map_err(SkillError::from)?),
            "competence" => made.competence = number()?,
            "kappa" => made.kappa = number()?,
            "sensitivity" => made.sensitivity = number()?,
            "consistency" => made.consistency = number()?,
            "depth-weights" => {
                let weights = DepthWeights::parse(value).map_err(SkillError::from)?;
                made.depth_weights = weights.explicit().map(<[f64]>::to_vec);
            }
            "seed" => self.seed = Some(value.parse().map_err(|_| wants("whole number"))?),
            _ => return Ok(false),
        }
        self.last = Some(word);
        Ok(true)
    }

    /// The last word taken.
    pub fn last(&self) -> Option<&str> {
        self.last.as_deref()
    }

    /// The player of all these words.
    pub fn finish(
        self,
        limits: MoveLimits,
        options: &[(String, String)],
        profiles: &Roster,
    ) -> Result<OwnSpec, SpecError> {
        let is_made = self.recipe != Recipe::default();
        let profile = match self.profile {
            Some(name) if is_made => return Err(SpecError::TwoSkills(name)),
            Some(name) => Some(profiles.get(&name)?.clone()),
            None if is_made => {
                let depth = limits.depth.map(i64::from);
                let recipe = Recipe { depth, ..self.recipe };
                let skill = recipe.skill()?;
                Some(Profile::plain(&name(recipe.elo, &skill), skill))
            }
            None => None,
        };
        if profile.is_some() && limits.nodes.is_some() {
            return Err(SpecError::Nodes);
        }
        Ok(OwnSpec { hash: hash(options)?, profile, seed: self.seed })
    }
}

/// What a player goes by who has no profile's name.
fn name(elo: Option<Elo>, skill: &Skill) -> String {
    let numbers = skill.selector.curve.parameters().map(|(name, value)| format!("{name} {value}"));
    match elo {
        Some(elo) => format!("{elo} d{}", skill.depth),
        None => format!("{} {} d{}", skill.selector.curve.family(), numbers.join(" "), skill.depth),
    }
}

fn hash(options: &[(String, String)]) -> Result<usize, SpecError> {
    let mut hash = DEFAULT_HASH;
    for (name, value) in options {
        if !name.eq_ignore_ascii_case("Hash") {
            return Err(SpecError::OwnOption(name.clone()));
        }
        let number = value.parse().ok().filter(|hash| *hash > 0);
        hash = number.ok_or_else(|| SpecError::Number(format!("{name}={value}"), "size in MiB"))?;
    }
    Ok(hash)
}
