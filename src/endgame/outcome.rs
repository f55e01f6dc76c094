//! Outcomes of table positions, and the three metrics for their depths.
//!
//! DTM is the depth to mate. DTC is the depth to conversion: a mate, capture or promotion. It is
//! cheaper to compute, and Haworth's papers use it. DTZ is the depth to a mate, capture or pawn
//! move, which matters under the fifty-move rule. For DTC and DTZ, only the results in smaller
//! tables are needed, not the depths.

use std::fmt;
use std::str::FromStr;

use super::material::Material;
use crate::board::{Move, Role};

/// The goal to which depths are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Metric {
    /// Mate.
    Dtm,
    /// Mate, capture or promotion (conversion).
    Dtc,
    /// Mate, capture or pawn move (anything that resets the fifty-move counter).
    Dtz,
}

impl Metric {
    /// All metrics, in the order in which a result is looked up.
    pub const ALL: [Metric; 3] = [Metric::Dtc, Metric::Dtm, Metric::Dtz];

    /// Returns whether a move that does not mate reaches the goal.
    pub fn is_reached_by(self, mv: Move) -> bool {
        match self {
            Metric::Dtm => false,
            Metric::Dtc => mv.is_capture() || mv.promoted().is_some(),
            Metric::Dtz => mv.is_capture() || mv.role() == Role::Pawn,
        }
    }

    /// The metric of the tables that captures and promotions lead to. For DTC and DTZ, only the
    /// results in these tables matter. So any metric would do, and DTC is used.
    pub(crate) fn after_conversion(self) -> Metric {
        if self == Metric::Dtm { Metric::Dtm } else { Metric::Dtc }
    }

    /// The metric in which a table is stored. Without pawns, DTZ and DTC are the same.
    pub fn stored_for(self, material: Material) -> Metric {
        if self == Metric::Dtz && !material.has_pawns() { Metric::Dtc } else { self }
    }
}

/// The key of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableKey {
    /// The pieces of both sides.
    pub material: Material,
    /// The metric of the depths.
    pub metric: Metric,
}

impl TableKey {
    /// The key of the table that contains this metric for a material signature.
    pub(crate) fn of(material: Material, metric: Metric) -> TableKey {
        TableKey { material, metric: metric.stored_for(material) }
    }
}

impl fmt::Display for TableKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", self.material, self.metric)
    }
}

/// The error for a string that is not a metric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not a metric (dtc, dtm or dtz)")]
pub struct MetricError(String);

impl FromStr for Metric {
    type Err = MetricError;

    fn from_str(text: &str) -> Result<Metric, MetricError> {
        match text.to_ascii_lowercase().as_str() {
            "dtm" => Ok(Metric::Dtm),
            "dtc" => Ok(Metric::Dtc),
            "dtz" => Ok(Metric::Dtz),
            _ => Err(MetricError(text.chars().take(40).collect())),
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Metric::Dtm => "dtm",
            Metric::Dtc => "dtc",
            Metric::Dtz => "dtz",
        })
    }
}

/// The result of a position for the side to move, with its depth in plies. A side that is mated has
/// lost in 0 plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The side to move wins in this many plies.
    Win(u16),
    /// Neither side can force a win.
    Draw,
    /// The side to move loses in this many plies.
    Loss(u16),
}

/// An [`Outcome`] without its depth, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TableResult {
    /// The side to move loses.
    Loss,
    /// Neither side can force a win.
    Draw,
    /// The side to move wins.
    Win,
}

impl Outcome {
    /// The outcome without its depth.
    pub fn result(self) -> TableResult {
        match self {
            Outcome::Win(_) => TableResult::Win,
            Outcome::Draw => TableResult::Draw,
            Outcome::Loss(_) => TableResult::Loss,
        }
    }

    /// The number of plies to the goal, or `None` for a draw.
    pub fn plies(self) -> Option<u16> {
        match self {
            Outcome::Win(plies) | Outcome::Loss(plies) => Some(plies),
            Outcome::Draw => None,
        }
    }

    /// The outcome for the player whose move leads to this position.
    pub(crate) fn before(self) -> Outcome {
        match self {
            Outcome::Win(plies) => Outcome::Loss(plies + 1),
            Outcome::Draw => Outcome::Draw,
            Outcome::Loss(plies) => Outcome::Win(plies + 1),
        }
    }

    /// Like [`Outcome::before`], for a move that also reaches the goal of the metric.
    pub(crate) fn converting(self) -> Outcome {
        match self {
            Outcome::Win(_) => Outcome::Loss(1),
            Outcome::Draw => Outcome::Draw,
            Outcome::Loss(_) => Outcome::Win(1),
        }
    }

    /// The better of two outcomes. Quick wins are better than slow ones, and slow losses better
    /// than quick ones.
    pub fn better(self, other: Outcome) -> Outcome {
        if other.rank() > self.rank() { other } else { self }
    }

    /// The outcome for a side that can also capture en passant. If `forced` is set, it has no other
    /// move.
    pub(crate) fn or_en_passant(self, capture: Outcome, forced: bool) -> Outcome {
        if forced { capture } else { self.better(capture) }
    }

    fn rank(self) -> i32 {
        match self {
            Outcome::Win(plies) => 100_000 - i32::from(plies),
            Outcome::Draw => 0,
            Outcome::Loss(plies) => -100_000 + i32::from(plies),
        }
    }
}

impl TableResult {
    pub(crate) fn reversed(self) -> TableResult {
        match self {
            TableResult::Loss => TableResult::Win,
            TableResult::Draw => TableResult::Draw,
            TableResult::Win => TableResult::Loss,
        }
    }
}

impl fmt::Display for TableResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            TableResult::Loss => "loss",
            TableResult::Draw => "draw",
            TableResult::Win => "win",
        })
    }
}
