//! Our own engine as words: `self profile=club seed=7`, `self competence=7.2 depth=4`. With
//! `engine=stockfish` it chooses as before, but among moves that this engine has valued.

use std::path::PathBuf;

use super::spec::ContestantError;
use super::time_control::MoveLimits;
use crate::external::ExternalSpec;
use crate::player::{Elo, LARGEST_HASH, PlayerSpec, Roster, Skill, USUAL_DEPTH, Who};

/// Our own engine, in this process.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnSpec {
    /// Another engine that values the moves; without it our own does.
    pub engine: Option<ExternalSpec>,
    /// MiB.
    pub hash: usize,
    /// The file of its network; without it the built-in one.
    pub network: Option<PathBuf>,
    pub who: Who,
    /// What that player goes by: the profile's name, or its numbers.
    pub label: String,
    /// What moves are drawn from; without it the profile's, or else the player's place in the list.
    pub seed: Option<u64>,
}

/// The words that only our own engine understands, as far as they have been read.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnWords {
    engine: Option<String>,
    spec: PlayerSpec,
    seed: Option<u64>,
    last: Option<String>,
}

const DEFAULT_HASH: usize = 16;

impl OwnWords {
    /// As if this player had been written.
    pub fn of(spec: PlayerSpec, seed: Option<u64>) -> OwnWords {
        OwnWords { spec, seed, ..OwnWords::default() }
    }

    /// All of them as they are written.
    pub fn known() -> String {
        let skill = PlayerSpec::SKILL.into_iter().filter(|field| *field != "depth");
        let all = ["engine", "profile", "imitator"].into_iter().chain(skill);
        format!("{} and seed=", all.map(|field| format!("{field}=")).collect::<Vec<_>>().join(", "))
    }

    /// Takes a word, if it is one of ours.
    pub fn take(
        &mut self,
        key: &str,
        value: &str,
        profiles: &Roster,
    ) -> Result<bool, ContestantError> {
        let word = format!("{key}={value}");
        match key {
            "engine" => self.engine = Some(value.to_owned()),
            "profile" => self.spec.set_profile(value, profiles)?,
            "imitator" => self.spec.set_imitator(value)?,
            "seed" => {
                let wants = |_| ContestantError::Number(word.clone(), "whole number");
                self.seed = Some(value.parse().map_err(wants)?);
            }
            _ if self.spec.set(key, value)? => {}
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
        mut self,
        limits: MoveLimits,
        options: Vec<(String, String)>,
        directory: Option<PathBuf>,
    ) -> Result<OwnSpec, ContestantError> {
        if self.spec.profile.is_none() {
            self.spec.depth = limits.depth;
        }
        let who = self.spec.player()?;
        let label = match &who {
            Who::FullStrength => "Stopdown".to_owned(),
            Who::Imitator(_) => "Imitator".to_owned(),
            Who::Profile(profile) if !profile.name.is_empty() => profile.name.clone(),
            Who::Profile(profile) => label(self.spec.elo, &profile.parts()[0].1),
        };
        if who != Who::FullStrength && limits.nodes.is_some() {
            return Err(ContestantError::Nodes);
        }
        let engine = self.engine.as_deref().map(ExternalSpec::of_command).transpose()?;
        if engine.is_none() && directory.is_some() {
            return Err(ContestantError::Directory);
        }
        let own_options = if engine.is_some() { &[][..] } else { &options };
        let (hash, network) = engine_options(own_options)?;
        let label = match engine.as_ref().map(|engine| engine.short_name()) {
            None => label,
            Some(engine) if who == Who::FullStrength => engine.to_owned(),
            Some(engine) => format!("{label} of {engine}"),
        };
        let engine = engine.map(|engine| ExternalSpec { directory, options, ..engine });
        Ok(OwnSpec { engine, hash, network, who, label, seed: self.seed })
    }
}

/// `1500`, and where the depth is not the usual one `1500 d4`, `levelled c=7 d4`, `regan s=0.1 c=0.5 d4`.
fn label(elo: Option<Elo>, skill: &Skill) -> String {
    let curve = &skill.selector.curve;
    let numbers = match (elo, curve.parameters()) {
        (Some(elo), _) => elo.to_string(),
        (None, [_, ("rating", rating)]) => format!("{} {rating}", curve.family()),
        (None, [("competence", c), _]) => format!("{} c={c}", curve.family()),
        (None, [(_, s), (_, c)]) => format!("{} s={s} c={c}", curve.family()),
    };
    match skill.depth {
        USUAL_DEPTH => numbers,
        depth => format!("{numbers} d{depth}"),
    }
}

/// The size of the table and the file of the network.
fn engine_options(
    options: &[(String, String)],
) -> Result<(usize, Option<PathBuf>), ContestantError> {
    let (mut hash, mut network) = (DEFAULT_HASH, None);
    for (name, value) in options {
        match name.to_ascii_lowercase().as_str() {
            "hash" => {
                let number = value.parse().ok().filter(|hash| (1..=LARGEST_HASH).contains(hash));
                let wanted = || ContestantError::Number(format!("{name}={value}"), "size in MiB");
                hash = number.ok_or_else(wanted)?;
            }
            "evalfile" => network = (!value.is_empty()).then(|| value.into()),
            _ => return Err(ContestantError::OwnOption(name.clone())),
        }
    }
    Ok((hash, network))
}
