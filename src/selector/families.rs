//! The families of curves, and the names by which users call them.

use std::fmt;
use std::str::FromStr;

use super::Conversion;
use crate::policy::Pool;

/// How a value below the best one lowers the proxy of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Haworth 2007, section 3: `(κ + w)^-c` with `w_j = |v_1| + |v_1 - v_j|`.
    Haworth,
    /// Haworth's power law on Regan's loss: `(κ + δ)^-c`. One number of skill, without the
    /// flattening that `|v_1|` brings when one side is far ahead.
    Levelled,
    /// Regan 2011, equation 1: `exp(-(δ/s)^c)`.
    Regan,
    /// Regan 2011, section 4: `1 / (1 + (δ/s)^c)`.
    Ipa,
    /// Regan 2011, section 4: `1 / (1 + δ/s)^c`. By share it is Levelled with κ = s.
    Ipb,
    /// Regan 2011, section 4: `2 / (e^x + e^-x)` with `x = (δ/s)^c`.
    Secha,
    /// Regan 2011, section 4: `4 / (e^x + 2 + e^-x)` with `x = (δ/s)^c`.
    Sechb,
    /// The policy of people who play such games, times Levelled at depth 1, at depth 4 and at
    /// the deepest: see [`human`](super::human).
    Human(Pool),
}

/// A shape and the conversion that goes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Family {
    pub shape: Shape,
    pub conversion: Conversion,
}

/// A name that no family has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no curve called \"{0}\"; the curves are {names}", names = Family::names().join(", "))]
pub struct UnknownFamily(pub String);

impl Family {
    pub const HAWORTH: Family = Family { shape: Shape::Haworth, conversion: Conversion::Share };
    pub const LEVELLED: Family = Family { shape: Shape::Levelled, conversion: Conversion::Share };
    pub const REGAN: Family = Family { shape: Shape::Regan, conversion: Conversion::LogLog };

    /// Every family by name. Regan's shapes come with his conversion, and with plain
    /// normalisation as `-share`.
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
        ("human", Family::human(Pool::Board)),
        ("human-rapid", Family::human(Pool::Rapid)),
        ("human-blitz", Family::human(Pool::Blitz)),
        ("human-bullet", Family::human(Pool::Bullet)),
    ];

    /// The curve of people who play such games.
    pub const fn human(pool: Pool) -> Family {
        Family { shape: Shape::Human(pool), conversion: Conversion::Share }
    }

    /// The games of which people play by this curve; `None` for those that are not about people.
    pub fn pool(self) -> Option<Pool> {
        match self.shape {
            Shape::Human(pool) => Some(pool),
            _ => None,
        }
    }

    pub fn names() -> Vec<&'static str> {
        Family::ALL.iter().map(|(name, _)| *name).collect()
    }

    pub fn name(self) -> &'static str {
        let found = Family::ALL.iter().find(|(_, family)| *family == self);
        found.map_or("haworth by log-log", |(name, _)| name)
    }

    /// What users call its exponent and its scale.
    pub fn numbers(self) -> [&'static str; 2] {
        match self.shape {
            Shape::Haworth | Shape::Levelled => ["competence", "kappa"],
            Shape::Human(_) => ["competence", "rating"],
            _ => ["consistency", "sensitivity"],
        }
    }

    /// Is the curve ruled by competence and κ (and not by sensitivity and consistency)?
    pub fn is_power_law(self) -> bool {
        matches!(self.shape, Shape::Haworth | Shape::Levelled)
    }
}

impl FromStr for Family {
    type Err = UnknownFamily;

    /// Case does not matter; GUIs like to write `Haworth`.
    fn from_str(text: &str) -> Result<Family, UnknownFamily> {
        let wanted = text.trim();
        let found = Family::ALL.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.map(|(_, family)| *family).ok_or_else(|| UnknownFamily(wanted.to_owned()))
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_and_unknown_ones_list_the_known() {
        for (name, family) in Family::ALL {
            assert_eq!(name.to_uppercase().parse(), Ok(family));
            assert_eq!(family.to_string(), name);
        }
        let error = "softmax".parse::<Family>().expect_err("no such curve");
        assert!(error.to_string().contains("\"softmax\"") && error.to_string().contains("sechb"));
    }
}
