//! The families of curves and their names.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Conversion;
use crate::policy::GameKind;
use crate::suggest;

/// The shape of a curve: how the proxy of a move falls with its loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    /// Haworth 2007, section 3: `(κ + w)^-c` with `w_j = |v_1| + |v_1 - v_j|`.
    Haworth,
    /// Haworth's power law applied to Regan's loss: `(κ + δ)^-c`. It has a single parameter for
    /// skill. Unlike Haworth's curve, which contains `|v_1|`, it does not flatten if one side is
    /// far ahead.
    Levelled,
    /// Regan 2011, equation 1: `exp(-(δ/s)^c)`.
    Regan,
    /// Regan 2011, section 4: `1 / (1 + (δ/s)^c)`.
    Ipa,
    /// Regan 2011, section 4: `1 / (1 + δ/s)^c`. With the conversion `Share`, it equals Levelled
    /// with κ = s.
    Ipb,
    /// Regan 2011, section 4: `2 / (e^x + e^-x)` with `x = (δ/s)^c`.
    Secha,
    /// Regan 2011, section 4: `4 / (e^x + 2 + e^-x)` with `x = (δ/s)^c`.
    Sechb,
    /// The policy for players of this kind of game, times Levelled at depth 1, at depth 4 and at
    /// the full depth. See [`human`](super::human).
    Human(GameKind),
}

/// A shape with a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Family {
    /// The shape, which turns the loss of a move into a proxy.
    pub(crate) shape: Shape,
    /// The conversion, which turns proxies into probabilities.
    pub(crate) conversion: Conversion,
}

/// The name of the human curve for classical games on a server. Only studies use it, so lists of curves leave it out.
const CLASSICAL: &str = "human-classical";

/// The name of an unknown family.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown curve \"{0}\"{hint}", hint = suggest::hint(.0, Family::names(), "profiles"))]
pub struct UnknownFamily(pub String);

impl Family {
    /// Haworth's power law.
    pub const HAWORTH: Family = Family { shape: Shape::Haworth, conversion: Conversion::Share };
    /// Haworth's power law applied to Regan's scaled losses.
    pub const LEVELLED: Family = Family { shape: Shape::Levelled, conversion: Conversion::Share };
    /// Regan's curve.
    pub const REGAN: Family = Family { shape: Shape::Regan, conversion: Conversion::LogLog };

    /// Every family with its name. Regan's shapes are available with Regan's conversion and, as
    /// `-share`, with the plain conversion.
    pub const ALL: [(&'static str, Family); 16] = [
        ("haworth", Family::HAWORTH),
        ("levelled", Family::LEVELLED),
        ("regan", Family::REGAN),
        ("regan-share", Family { shape: Shape::Regan, conversion: Conversion::Share }),
        ("ipa", Family { shape: Shape::Ipa, conversion: Conversion::LogLog }),
        ("ipa-share", Family { shape: Shape::Ipa, conversion: Conversion::Share }),
        ("ipb", Family { shape: Shape::Ipb, conversion: Conversion::LogLog }),
        ("ipb-share", Family { shape: Shape::Ipb, conversion: Conversion::Share }),
        ("secha", Family { shape: Shape::Secha, conversion: Conversion::LogLog }),
        ("secha-share", Family { shape: Shape::Secha, conversion: Conversion::Share }),
        ("sechb", Family { shape: Shape::Sechb, conversion: Conversion::LogLog }),
        ("sechb-share", Family { shape: Shape::Sechb, conversion: Conversion::Share }),
        ("human", Family::human(GameKind::Board)),
        ("human-rapid", Family::human(GameKind::Rapid)),
        ("human-blitz", Family::human(GameKind::Blitz)),
        ("human-bullet", Family::human(GameKind::Bullet)),
    ];

    /// The human curve for a kind of game.
    pub const fn human(pool: GameKind) -> Family {
        Family { shape: Shape::Human(pool), conversion: Conversion::Share }
    }

    /// The kind of game that a human curve describes. `None` for other curves.
    pub fn pool(self) -> Option<GameKind> {
        match self.shape {
            Shape::Human(pool) => Some(pool),
            _ => None,
        }
    }

    /// The names of all families.
    pub(crate) fn names() -> Vec<&'static str> {
        Family::ALL.iter().map(|(name, _)| *name).collect()
    }

    /// The name in options and files.
    pub fn name(self) -> &'static str {
        let found = Family::ALL.iter().find(|(_, family)| *family == self);
        found.map_or(CLASSICAL, |(name, _)| name)
    }

    /// The names of the exponent and the scale.
    pub(crate) fn parameter_names(self) -> [&'static str; 2] {
        match self.shape {
            Shape::Haworth | Shape::Levelled => ["competence", "kappa"],
            Shape::Human(_) => ["competence", "rating"],
            _ => ["consistency", "sensitivity"],
        }
    }

    /// Whether the parameters are competence and κ.
    pub fn is_power_law(self) -> bool {
        matches!(self.shape, Shape::Haworth | Shape::Levelled)
    }
}

impl FromStr for Family {
    type Err = UnknownFamily;

    /// Parses a name. Case does not matter, because some GUIs write `Haworth`.
    fn from_str(text: &str) -> Result<Family, UnknownFamily> {
        let wanted = text.trim();
        if wanted.eq_ignore_ascii_case(CLASSICAL) {
            return Ok(Family::human(GameKind::Classical));
        }
        let found = Family::ALL.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.map(|(_, family)| *family).ok_or_else(|| UnknownFamily(wanted.to_owned()))
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Family {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.name().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Family {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Family, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_a_misspelt_one_gets_a_suggestion() {
        for (name, family) in Family::ALL {
            assert_eq!(name.to_uppercase().parse(), Ok(family));
            assert_eq!(family.to_string(), name);
        }
        for kind in GameKind::ALL {
            let family = Family::human(kind);
            assert_eq!(family.to_string().parse(), Ok(family));
        }
        let error = "sehcb".parse::<Family>().expect_err("no such curve");
        assert_eq!(error.to_string(), "unknown curve \"sehcb\"; did you mean \"sechb\"?");
    }
}
