//! How an imitator plays, beside how strongly.

use std::fmt;

use super::{Aim, Dial, Elo, EloScale, Hypotheses, USUAL_DEPTH};
use crate::selector::{DepthWeights, Family};
use crate::value::Depth;

/// How the imitator plays, beside how strongly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Manner {
    pub aim: Aim,
    pub family: Family,
    /// Of all ratings, the opponent's and the own.
    pub scale: EloScale,
    /// p, of its own moves and of what it values his by.
    pub depth: Depth,
}

impl Manner {
    /// As a person with FIDE's rating, at the usual depth.
    pub fn usual(aim: Aim) -> Manner {
        let scale = EloScale::default();
        Manner { aim, family: Dial::usual(scale), scale, depth: USUAL_DEPTH }
    }

    pub fn hypotheses(&self) -> Hypotheses {
        Hypotheses::of_rating(self.family, self.scale, &DepthWeights::deepest())
    }

    /// Who is to be played against an opponent of this level.
    pub(super) fn dial(&self, level: Elo) -> Dial {
        Dial { elo: self.aim.level(level), family: self.family, scale: self.scale }
    }

    /// Are the same ratings believed in, and for the same curves?
    pub(super) fn believes_as(&self, other: &Manner) -> bool {
        (self.family, self.scale) == (other.family, other.scale)
    }
}

impl fmt::Display for Manner {
    /// `at the opponent's level +100 Elo: p=8 levelled`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Manner { aim, family, depth, .. } = self;
        match aim {
            Aim::Equal => f.write_str("at the opponent's level")?,
            Aim::Offset(offset) => write!(f, "at the opponent's level {offset:+.0} Elo")?,
            Aim::Score(score) => {
                write!(f, "at the level that scores {:.0} % against the opponent", score * 100.0)?;
            }
        }
        write!(f, ": p={depth} {family}")
    }
}
