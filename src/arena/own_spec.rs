//! Our own engine as words: `self profile=club seed=7`, `self competence=7.2 depth=4`. With
//! `engine=stockfish` it chooses as before, but among moves that this engine has valued.

use std::path::PathBuf;

use super::spec::SpecError;
use super::time_control::MoveLimits;
use crate::external::ExternalSpec;
use crate::player::{Elo, Levels, Profile, Recipe, Roster, Skill, SkillError};
use crate::selector::DepthWeights;
use crate::value::Depth;

/// Our own engine, in this process.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnSpec {
    /// Another engine that values the moves; without it our own does.
    pub engine: Option<ExternalSpec>,
    /// MiB.
    pub hash: usize,
    /// The file of its network; without it the built-in one.
    pub network: Option<PathBuf>,
    pub handicap: Handicap,
    /// What he goes by for that: the profile's name, or its numbers.
    pub label: String,
    /// What moves are drawn from; without it the profile's, or else the player's place in the list.
    pub seed: Option<u64>,
}

/// How the engine plays less well than it could.
#[derive(Clone, Debug, PartialEq)]
pub enum Handicap {
    /// It does not.
    None,
    Profile(Profile),
    /// It follows its opponent, so much above him.
    Imitator(Elo),
}

/// The words that only our own engine understands, as far as they have been read.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnWords {
    engine: Option<String>,
    profile: Option<String>,
    imitator: Option<Elo>,
    recipe: Recipe,
    seed: Option<u64>,
    last: Option<String>,
}

const DEFAULT_HASH: usize = 16;

impl OwnWords {
    pub const KNOWN: &str = "engine=, profile=, imitator=, elo=, curve=, competence=, kappa=, rating=, \
                             sensitivity=, consistency=, depth-weights= and seed=";

    /// Takes a word, if it is one of ours.
    pub fn take(&mut self, key: &str, value: &str) -> Result<bool, SpecError> {
        let word = format!("{key}={value}");
        let wants = |what| SpecError::Number(word.clone(), what);
        let number = || value.parse().map(Some).map_err(|_| wants("number"));
        let made = &mut self.recipe;
        match key {
            "engine" => self.engine = Some(value.to_owned()),
            "profile" => self.profile = Some(value.to_owned()),
            "imitator" => {
                let offset = number()?.filter(|offset: &f64| offset.is_finite());
                self.imitator = Some(Elo(offset.ok_or_else(|| wants("number"))?));
            }
            "elo" => made.elo = number()?.map(Elo),
            "curve" => made.curve = Some(value.parse().map_err(SkillError::from)?),
            "competence" => made.competence = number()?,
            "kappa" => made.kappa = number()?,
            "rating" => made.rating = number()?,
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
        options: Vec<(String, String)>,
        directory: Option<PathBuf>,
        profiles: &Roster,
    ) -> Result<OwnSpec, SpecError> {
        let is_made = self.recipe != Recipe::default();
        let (handicap, label) = match (self.profile, self.imitator) {
            (Some(name), Some(_)) => return Err(SpecError::TwoSkills(name)),
            (Some(name), None) if is_made => return Err(SpecError::TwoSkills(name)),
            (None, Some(_)) if is_made => return Err(SpecError::TwoSkills("imitator".to_owned())),
            (Some(name), None) => {
                let profile = profiles.get(&name)?;
                (Handicap::Profile(profile.clone()), profile.name.clone())
            }
            (None, Some(offset)) => (Handicap::Imitator(offset), "Imitator".to_owned()),
            (None, None) if is_made => {
                let depth = limits.depth.map(i64::from);
                let recipe = Recipe { depth, ..self.recipe };
                let skill = recipe.skill()?;
                let label = label(recipe.elo, &skill);
                (Handicap::Profile(Profile::plain("", skill)), label)
            }
            (None, None) => (Handicap::None, "Stopdown".to_owned()),
        };
        if handicap != Handicap::None && limits.nodes.is_some() {
            return Err(SpecError::Nodes);
        }
        let engine = self.engine.as_deref().map(ExternalSpec::of_command).transpose()?;
        if engine.is_none() && directory.is_some() {
            return Err(SpecError::Directory);
        }
        let own_options = if engine.is_some() { &[][..] } else { &options };
        let (hash, network) = engine_options(own_options)?;
        let label = match engine.as_ref().map(|engine| engine.short_name()) {
            None => label,
            Some(engine) if handicap == Handicap::None => engine.to_owned(),
            Some(engine) => format!("{label} of {engine}"),
        };
        let engine = engine.map(|engine| ExternalSpec { directory, options, ..engine });
        Ok(OwnSpec { engine, hash, network, handicap, label, seed: self.seed })
    }
}

impl Handicap {
    /// How far ahead he looks.
    pub fn depth(&self) -> Option<Depth> {
        match self {
            Handicap::None => None,
            Handicap::Profile(profile) => Some(profile.depth()),
            Handicap::Imitator(_) => Some(Levels::built_in().depth),
        }
    }
}

/// `1500 d4`, `levelled c=7 d4`, `regan s=0.1 c=0.5 d4`.
fn label(elo: Option<Elo>, skill: &Skill) -> String {
    let curve = &skill.selector.curve;
    let numbers = match (elo, curve.parameters()) {
        (Some(elo), _) => elo.to_string(),
        (None, [_, ("rating", rating)]) => format!("{} {rating}", curve.family()),
        (None, [("competence", c), _]) => format!("{} c={c}", curve.family()),
        (None, [(_, s), (_, c)]) => format!("{} s={s} c={c}", curve.family()),
    };
    format!("{numbers} d{}", skill.depth)
}

/// The size of the table and the file of the network.
fn engine_options(options: &[(String, String)]) -> Result<(usize, Option<PathBuf>), SpecError> {
    let (mut hash, mut network) = (DEFAULT_HASH, None);
    for (name, value) in options {
        match name.to_ascii_lowercase().as_str() {
            "hash" => {
                let number = value.parse().ok().filter(|hash| *hash > 0);
                let wanted = || SpecError::Number(format!("{name}={value}"), "size in MiB");
                hash = number.ok_or_else(wanted)?;
            }
            "evalfile" => network = (!value.is_empty()).then(|| value.into()),
            _ => return Err(SpecError::OwnOption(name.clone())),
        }
    }
    Ok((hash, network))
}
