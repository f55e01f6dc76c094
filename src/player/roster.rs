//! The named profiles of `engine.toml`.
//!
//! ```toml
//! [profiles.club]
//! description = "A club player"
//! curve = "levelled"          # see `Family` for the names
//! competence = 6.0            # or sensitivity and consistency, for Regan's curves
//! depth = 8
//! depth-weights = [0.4, 0.1, 0.1, 0.0, 0.1, 0.1, 0.1, 0.1]
//!
//! [profiles.moody]
//! mix = [{ profile = "club", weight = 3 }, { player = { competence = 2.5 }, weight = 1 }]
//! draw = "game"               # or "move"
//!
//! [profiles.ann]
//! elo = 1840
//! phases = { opening = 20, endgame = -35 }    # see `PhaseOffsets`
//! openings = ["31 e4", "14 e4 c5 Nf3"]        # see `Repertoire`
//! ```

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

use serde::Deserialize;
use toml::de::DeTable;
use toml::{Spanned, Value};

use super::profile::{Draw, EndgameRule, Pace, Profile, Skill, UnknownProfile};
use super::spec::{PlayerSpec, SpecError};
use super::{PhaseOffsets, Repertoire, RepertoireError};
use crate::board::shorten;
use crate::files::line_at;
use crate::suggest;

/// All named profiles. There can be many, and settings are copied often, so the copies share them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Roster {
    /// Weakest first.
    profiles: Arc<Vec<Profile>>,
    /// The index of each profile by its key.
    indices: Arc<BTreeMap<String, usize>>,
}

/// The entries of all files by their keys.
type Entries = BTreeMap<String, (String, ProfileEntry)>;

/// The key of a name. Names that differ only in case have the same key.
fn key(name: &str) -> String {
    name.to_lowercase()
}

/// Why the profiles of a file were rejected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RosterError {
    /// The text is not TOML, or a value has the wrong type.
    #[error("{message}")]
    Syntax {
        /// The line number, if it is known.
        line: Option<usize>,
        /// What is wrong.
        message: String,
    },
    /// A profile is not valid.
    #[error("profile \"{}\": {mistake}", shorten(name))]
    Profile {
        /// The line number of the profile, if it is known.
        line: Option<usize>,
        /// The name of the profile.
        name: String,
        /// What is wrong with it.
        mistake: ProfileError,
    },
}

impl RosterError {
    /// Adds the line number of the faulty field, which is more precise than the line number of the
    /// profile.
    fn located(self, text: &str) -> RosterError {
        let RosterError::Profile { line: Some(line), name, mistake } = self else { return self };
        let found = mistake.field().and_then(|field| field_line(text, &name, field));
        RosterError::Profile { line: Some(found.unwrap_or(line)), name, mistake }
    }

    /// The line number of the mistake in the last file.
    pub fn line(&self) -> Option<usize> {
        match self {
            RosterError::Syntax { line, .. } | RosterError::Profile { line, .. } => *line,
        }
    }
}

/// Why one profile was rejected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ProfileError {
    /// The description of how it plays is not valid.
    #[error(transparent)]
    Skill(#[from] SpecError),
    /// There is no field with this name.
    #[error("unknown field \"{shown}\"{hint}", shown = shorten(.0), hint = suggest::hint(.0, fields(), "profiles"))]
    Unknown(String),
    /// A mix has a field that only its parts can have. Contains the name of the field.
    #[error("a mix cannot have its own {0}; remove it")]
    MixHas(String),
    /// The name is reserved.
    #[error("this name is reserved and means \"no profile\"; choose another")]
    Name,
    /// The name begins or ends with a space.
    #[error("the name begins or ends with a space; remove it")]
    Blanks,
    /// The name has a control character.
    #[error("the name has a line break or another control character; remove it")]
    ControlCharacter,
    /// A profile that is not a mix has the key `draw`.
    #[error("only a mix can have the key \"draw\"; remove it")]
    Draw,
    /// A part of a mix names neither a profile nor a player, or names both.
    #[error("each part of a mix needs either a profile or a player")]
    Part,
    /// A player in a mix has a field that only profiles can have. Contains the name of the field.
    #[error("a player in a mix cannot have its own {0}; remove it")]
    PlayerHas(&'static str),
    /// A mix contains itself.
    #[error("a mix cannot contain itself; name other profiles")]
    Itself,
    /// A mix contains another mix. Contains its name.
    #[error("\"{0}\" is a mix too; a mix can only contain plain profiles")]
    Nested(String),
    /// A part of a mix is not a known profile.
    #[error(transparent)]
    UnknownPart(UnknownProfile),
    /// A line of the repertoire is not valid.
    #[error(transparent)]
    Opening(#[from] RepertoireError),
    /// The openings are not a list of lines. Contains their value.
    #[error("openings cannot be {0}; write a list such as [\"31 e4\", \"14 e4 c5 Nf3\"]")]
    Openings(String),
    #[error(
        "phases cannot be {0}; write Elo points from -1000 to 1000, for example {{ opening = 20, middlegame = 0, endgame = -35 }}"
    )]
    /// The phases are not a table of numbers. Contains their value.
    Phases(String),
    /// The curve of the profile has no phases.
    #[error("phases need a human curve; use one, with an elo of up to 2800, or remove phases")]
    PhasesOf,
    #[error(
        "thinking-time must be from {} to {}; 1 means as long as most people take",
        THINKING_TIMES.start(), THINKING_TIMES.end()
    )]
    /// The thinking time is out of range.
    ThinkingTime,
    #[error(
        "the weights of a mix must be finite and not negative, and at least one must be above 0"
    )]
    /// The weights of a mix are negative, not finite or all zero.
    MixWeights,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    profiles: BTreeMap<Spanned<String>, ProfileEntry>,
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "kebab-case", expecting = "a section such as [profiles.club]")]
struct ProfileEntry {
    /// The offset of the entry in the text. It is set only for the last of several files, because
    /// errors refer to that file.
    #[serde(skip)]
    offset: Option<usize>,
    #[serde(default)]
    description: String,
    mix: Option<Vec<Ingredient>>,
    draw: Option<Draw>,
    #[serde(default)]
    endgame: EndgameRule,
    #[serde(default)]
    pace: Pace,
    thinking_time: Option<f64>,
    #[serde(default)]
    seed: u64,
    openings: Option<Value>,
    phases: Option<Value>,
    /// The fields of a [`PlayerSpec`].
    #[serde(flatten)]
    skill: BTreeMap<String, Value>,
}

/// The fields of a profile, apart from the fields of its skill.
const FIELDS: [&str; 9] = [
    "description",
    "mix",
    "draw",
    "endgame",
    "pace",
    "thinking-time",
    "seed",
    "openings",
    "phases",
];

fn fields() -> Vec<&'static str> {
    [&PlayerSpec::SKILL[..], &FIELDS].concat()
}

/// The allowed thinking times, relative to most people's.
pub(crate) const THINKING_TIMES: RangeInclusive<f64> = 0.1..=10.0;

/// The value that means no profile.
pub const NO_PROFILE: &str = "<none>";

/// A part of a mix: the name of a profile, or an unnamed player.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a part such as { profile = \"club\", weight = 1 }")]
struct Ingredient {
    profile: Option<String>,
    player: Option<ProfileEntry>,
    weight: f64,
}

/// The line number of a field in a profile.
fn field_line(text: &str, profile: &str, field: &str) -> Option<usize> {
    let table = DeTable::parse(text).ok()?;
    let profiles = table.get_ref().get("profiles")?.get_ref().as_table()?;
    let fields = profiles.get(profile)?.get_ref().as_table()?;
    let (key, _) = fields.iter().find(|(key, _)| key.get_ref() == field)?;
    Some(line_at(text, key.span().start))
}

/// A message of the TOML parser without the names of Rust types.
fn in_plain_words(message: &str) -> String {
    [
        ("expected a sequence", "expected a list"),
        ("expected a map", "expected a table"),
        ("expected f64", "expected a number"),
        ("expected u64", "expected a whole number of at least 0"),
        ("invalid type: ", "wrong type: "),
        ("unknown variant ", "unknown value "),
        ("`", "\""),
    ]
    .into_iter()
    .fold(message.to_owned(), |message, (rust, plain)| message.replace(rust, plain))
}

impl ProfileError {
    /// The field with the mistake, if it is in one field.
    fn field(&self) -> Option<&str> {
        match self {
            ProfileError::Skill(error) => error.field(),
            ProfileError::Unknown(field) | ProfileError::MixHas(field) => Some(field),
            ProfileError::Draw => Some("draw"),
            ProfileError::ThinkingTime => Some("thinking-time"),
            ProfileError::Opening(_) | ProfileError::Openings(_) => Some("openings"),
            ProfileError::Phases(_) | ProfileError::PhasesOf => Some("phases"),
            ProfileError::Part
            | ProfileError::PlayerHas(_)
            | ProfileError::Itself
            | ProfileError::Nested(_)
            | ProfileError::UnknownPart(_)
            | ProfileError::MixWeights => Some("mix"),
            ProfileError::Name | ProfileError::Blanks | ProfileError::ControlCharacter => None,
        }
    }
}

impl Roster {
    /// Parses the `[profiles]` section of a configuration file. Other sections are ignored.
    pub fn parse(text: &str) -> Result<Roster, RosterError> {
        Roster::of_files(&[text])
    }

    /// Parses several files. If two profiles have the same name, ignoring case, the later one is
    /// used.
    pub fn of_files(texts: &[&str]) -> Result<Roster, RosterError> {
        let mut entries = Entries::new();
        let mut profiles = BTreeMap::new();
        for (number, text) in texts.iter().enumerate() {
            let file: File = toml::from_str(text).map_err(|error| RosterError::Syntax {
                line: error.span().map(|span| line_at(text, span.start)),
                message: in_plain_words(error.message()),
            })?;
            let (mut keys, mut seen) = (Vec::new(), HashSet::new());
            for (name, mut entry) in file.profiles {
                let is_last = number + 1 == texts.len();
                entry.offset = is_last.then(|| name.span().start);
                let name = name.into_inner();
                let key = key(&name);
                if seen.insert(key.clone()) {
                    keys.push(key.clone());
                }
                entries.insert(key, (name, entry));
            }
            // A mix may refer to profiles in the same file and in earlier files.
            for key in keys {
                let profile =
                    Roster::build(&key, &entries, text).map_err(|error| error.located(text))?;
                profiles.insert(key, profile);
            }
        }
        Ok(Roster::of(profiles.into_values().collect()))
    }

    fn of(profiles: Vec<Profile>) -> Roster {
        let strength = |profile: &Profile| {
            let exponents =
                profile.parts().iter().map(|(_, s)| s.selector.curve.competence().get());
            (profile.level().0, exponents.fold(f64::INFINITY, f64::min))
        };
        let mut ranked: Vec<_> =
            profiles.into_iter().map(|profile| (strength(&profile), profile)).collect();
        ranked.sort_by(|(one, first), (other, second)| {
            let by_strength = one.partial_cmp(other).unwrap_or(Ordering::Equal);
            by_strength.then_with(|| first.name.cmp(&second.name))
        });
        let profiles: Vec<Profile> = ranked.into_iter().map(|(_, profile)| profile).collect();
        let indices = profiles.iter().enumerate().map(|(index, p)| (key(&p.name), index)).collect();
        Roster { profiles: Arc::new(profiles), indices: Arc::new(indices) }
    }

    /// Builds a profile. `text` is the file that the entry's offset refers to.
    fn build(key: &str, entries: &Entries, text: &str) -> Result<Profile, RosterError> {
        let (name, entry) = &entries[key];
        let built = match &entry.mix {
            _ if name.is_empty() || name.eq_ignore_ascii_case(NO_PROFILE) => {
                Err(ProfileError::Name)
            }
            // A line break in a name could fake a line of UCI output.
            _ if name.contains(char::is_control) => Err(ProfileError::ControlCharacter),
            _ if name.trim() != name => Err(ProfileError::Blanks),
            _ if !entry.thinking_time.is_none_or(|time| THINKING_TIMES.contains(&time)) => {
                Err(ProfileError::ThinkingTime)
            }
            None if entry.draw.is_some() => Err(ProfileError::Draw),
            None => entry.plain(name),
            Some(mix) => entry.compose(name, mix, entries),
        };
        let built = built.and_then(|profile| entry.with_personal_traits(profile));
        let mut profile = built.map_err(|mistake| RosterError::Profile {
            line: entry.offset.map(|offset| line_at(text, offset)),
            name: name.replace(char::is_control, " "),
            mistake,
        })?;
        profile.description.clone_from(&entry.description);
        (profile.endgame, profile.pace) = (entry.endgame, entry.pace);
        profile.seed = entry.seed;
        profile.thinking_time = entry.thinking_time.unwrap_or(1.0);
        Ok(profile)
    }

    /// Adds the profiles of another roster. They replace profiles with the same name, ignoring
    /// case.
    pub(crate) fn extend(&mut self, other: Roster) {
        let kept = self.profiles.iter().filter(|old| !other.indices.contains_key(&key(&old.name)));
        *self = Roster::of(kept.chain(other.profiles.iter()).cloned().collect());
    }

    /// The profiles with other names than these, ignoring case.
    pub(crate) fn without(&self, names: &[String]) -> Roster {
        let names: HashSet<String> = names.iter().map(|name| key(name)).collect();
        let others = self.iter().filter(|profile| !names.contains(&key(&profile.name)));
        Roster::of(others.cloned().collect())
    }

    /// Finds a profile by name, ignoring case.
    pub fn get(&self, name: &str) -> Result<&Profile, UnknownProfile> {
        let found = self.indices.get(&key(name.trim()));
        found.and_then(|&index| self.profiles.get(index)).ok_or_else(|| UnknownProfile {
            name: name.trim().to_owned(),
            hint: suggest::hint(name.trim(), self.names(), "profiles"),
        })
    }

    /// All profiles, weakest first.
    pub fn iter(&self) -> impl Iterator<Item = &Profile> {
        self.profiles.iter()
    }

    /// The names of all profiles, weakest first.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.iter().map(|profile| &*profile.name).collect()
    }
}

impl ProfileEntry {
    /// Builds a profile with one skill.
    fn plain(&self, name: &str) -> Result<Profile, ProfileError> {
        let spec = self.spec()?;
        Ok(Profile::plain(name, spec.skill()?).with_rating(spec.described_rating()))
    }

    fn skill(&self) -> Result<Skill, ProfileError> {
        Ok(self.spec()?.skill()?)
    }

    fn spec(&self) -> Result<PlayerSpec, ProfileError> {
        let mut spec = PlayerSpec::default();
        for (field, value) in &self.skill {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Array(numbers) => {
                    numbers.iter().map(Value::to_string).collect::<Vec<_>>().join(",")
                }
                other => other.to_string(),
            };
            if !spec.set(field, &text)? {
                return Err(ProfileError::Unknown(field.clone()));
            }
        }
        Ok(spec)
    }

    /// Parses the skill of a player in a mix, which cannot have other fields.
    fn skill_alone(&self) -> Result<Skill, ProfileError> {
        let extra = [
            ("mix", self.mix.is_some()),
            ("draw", self.draw.is_some()),
            ("endgame", self.endgame != EndgameRule::default()),
            ("pace", self.pace != Pace::default()),
            ("thinking-time", self.thinking_time.is_some()),
            ("seed", self.seed != 0),
            ("openings", self.openings.is_some()),
            ("phases", self.phases.is_some()),
        ];
        match extra.into_iter().find(|(_, given)| *given) {
            Some((field, _)) => Err(ProfileError::PlayerHas(field)),
            None => self.skill(),
        }
    }

    /// Adds the traits of an individual player: the repertoire and phase offsets.
    fn with_personal_traits(&self, mut profile: Profile) -> Result<Profile, ProfileError> {
        if let Some(openings) = &self.openings {
            let lines = openings.as_array().map(|all| all.iter().map(Value::as_str));
            let lines: Option<Vec<&str>> = lines.and_then(Iterator::collect);
            let lines = lines.ok_or_else(|| ProfileError::Openings(shorten(&openings.to_string())));
            profile.repertoire = Arc::new(Repertoire::parse(lines?)?);
        }
        if let Some(phases) = &self.phases {
            match profile.parts()[0].1.selector.curve.family().pool() {
                _ if self.mix.is_some() => return Err(ProfileError::MixHas("phases".to_owned())),
                None => return Err(ProfileError::PhasesOf),
                Some(_) => {}
            }
            let found: Option<PhaseOffsets> = phases.clone().try_into().ok();
            let found = found.filter(PhaseOffsets::are_in_range);
            let wrong = || ProfileError::Phases(shorten(&phases.to_string()));
            profile.phases = found.ok_or_else(wrong)?;
        }
        Ok(profile)
    }

    fn compose(
        &self,
        name: &str,
        mix: &[Ingredient],
        all: &Entries,
    ) -> Result<Profile, ProfileError> {
        if let Some(field) = self.skill.keys().next() {
            return Err(ProfileError::MixHas(field.clone()));
        }
        let mut parts = Vec::new();
        for Ingredient { profile, player, weight } in mix {
            let skill = match (profile, player) {
                (Some(profile), None) if key(profile) == key(name) => {
                    return Err(ProfileError::Itself);
                }
                (Some(profile), None) => {
                    let (_, entry) = all.get(&key(profile)).ok_or_else(|| {
                        let names = all.values().map(|(name, _)| name.as_str());
                        let hint = suggest::hint(profile, names, "profiles");
                        ProfileError::UnknownPart(UnknownProfile { name: profile.clone(), hint })
                    })?;
                    if entry.mix.is_some() {
                        return Err(ProfileError::Nested(profile.clone()));
                    }
                    entry.skill()?
                }
                (None, Some(player)) => player.skill_alone()?,
                (None, None) | (Some(_), Some(_)) => return Err(ProfileError::Part),
            };
            parts.push((*weight, skill));
        }
        Profile::composite(name, parts, self.draw.unwrap_or_default())
            .ok_or(ProfileError::MixWeights)
    }
}
