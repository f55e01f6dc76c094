//! Offsets of a player's strength in each phase of the game.
//!
//! A rating describes the average human with that rating, but not each individual. Some know their
//! openings well but play endgames badly. In each phase, such a player plays like humans with a
//! different rating.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Elo, EloScale, Levels, rating_path};
use crate::board::Phase;
use crate::selector::Curve;
use crate::selector::human;

/// Elo offsets by phase, on the scale of the player's curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct PhaseOffsets {
    /// The offset in the opening.
    pub opening: f64,
    /// The offset in the middlegame.
    pub middlegame: f64,
    /// The offset in the endgame.
    pub endgame: f64,
}

/// Ratings are rounded to 1/`STEPS_PER_POINT` of a point.
const STEPS_PER_POINT: f64 = 100.0;
/// The largest offset.
const MAX_OFFSET: f64 = 1000.0;

impl PhaseOffsets {
    /// The offset in a phase.
    pub fn of(&self, phase: Phase) -> f64 {
        match phase {
            Phase::Opening => self.opening,
            Phase::Middlegame => self.middlegame,
            Phase::Endgame => self.endgame,
        }
    }

    /// Sets the offset in a phase.
    pub fn set(&mut self, phase: Phase, elo: f64) {
        *match phase {
            Phase::Opening => &mut self.opening,
            Phase::Middlegame => &mut self.middlegame,
            Phase::Endgame => &mut self.endgame,
        } = elo;
    }

    /// Returns whether all offsets are from -1000 to 1000.
    pub fn are_in_range(&self) -> bool {
        Phase::ALL.iter().all(|&phase| self.of(phase).abs() <= MAX_OFFSET)
    }

    /// The phases with a nonzero offset.
    pub fn nonzero(&self) -> impl Iterator<Item = (Phase, f64)> {
        Phase::ALL.map(|phase| (phase, self.of(phase))).into_iter().filter(|&(_, elo)| elo != 0.0)
    }

    /// Returns whether all offsets are zero.
    pub fn is_zero(&self) -> bool {
        *self == PhaseOffsets::default()
    }

    /// The curve of a player in a phase. Only human curves change, because a rating is not a
    /// parameter of any other curve.
    pub fn curve(&self, curve: &Curve, phase: Phase) -> Curve {
        match self.of(phase) {
            0.0 => *curve,
            _ if curve.family().pool().is_none() => *curve,
            elo => shifted(curve, elo),
        }
    }
}

/// Shifts a human curve by some Elo points. A curve on the path of levels stays on the path. Any
/// other curve keeps its exponent. Both stop at the ends of the rating range.
pub(super) fn shifted(curve: &Curve, elo: f64) -> Curve {
    let (family, exponent) = (curve.family(), curve.competence());
    if rating_path::is_on_path(curve) {
        let (levels, scale) = (Levels::built_in(), EloScale::of(family));
        // Places are found by bisection, with an error of about a thousandth of a point.
        let own = (levels.elo(curve, scale).0 * STEPS_PER_POINT).round() / STEPS_PER_POINT;
        return levels.curve(family, Elo(own + elo), scale);
    }
    let rating = (curve.scale() + elo).clamp(human::LOWEST, human::HIGHEST);
    Curve::new(family, exponent, rating).unwrap_or(*curve)
}

impl fmt::Display for PhaseOffsets {
    /// `opening +20 endgame -35`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (phase, elo)) in self.nonzero().enumerate() {
            let blank = if number == 0 { "" } else { " " };
            write!(f, "{blank}{phase} {elo:+}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::GameKind;
    use crate::selector::{Competence, Family};

    const OFFSETS: PhaseOffsets = PhaseOffsets { opening: 20.0, middlegame: 0.0, endgame: -35.0 };

    #[test]
    fn offsets_keep_levels_and_exponents() {
        let family = Family::human(GameKind::Board);
        let level = |elo| Levels::built_in().curve(family, Elo(elo), EloScale::Fide);
        let of = |rating| Curve::new(family, Competence::new(1.0).expect("a number"), rating);
        let people = |rating| of(rating).expect("a rating");
        for (own, opening, endgame) in [
            (level(1500.0), level(1520.0), level(1465.0)),
            (level(2790.0), level(2810.0), level(2755.0)),
            (people(1500.0), people(1520.0), people(1465.0)),
            (people(2790.0), people(2800.0), people(2755.0)),
        ] {
            assert_eq!(OFFSETS.curve(&own, Phase::Middlegame), own);
            for (phase, expected) in [(Phase::Opening, opening), (Phase::Endgame, endgame)] {
                let found = OFFSETS.curve(&own, phase);
                let pairs = found.parameters().into_iter().zip(expected.parameters());
                for ((name, found), (_, expected)) in pairs {
                    assert!((found - expected).abs() < 1e-3, "{own:?} {name} {found} {expected}");
                }
            }
        }
    }

    #[test]
    fn offsets_stop_at_the_rating_range_and_skip_other_curves() {
        let family = Family::human(GameKind::Board);
        let level = |elo| Levels::built_in().curve(family, Elo(elo), EloScale::Fide);
        let far = PhaseOffsets { endgame: -1e9, opening: 1e9, ..PhaseOffsets::default() };
        let all = Levels::built_in().range(family, EloScale::Fide);
        assert_eq!(far.curve(&level(1500.0), Phase::Endgame), level(*all.start()));
        assert_eq!(far.curve(&level(1500.0), Phase::Opening), level(*all.end()));
        let levelled = Curve::levelled(Competence::new(7.0).expect("a number"));
        assert_eq!(far.curve(&levelled, Phase::Endgame), levelled);
    }

    #[test]
    fn only_nonzero_offsets_are_printed() {
        assert_eq!(OFFSETS.to_string(), "opening +20 endgame -35");
        assert!(PhaseOffsets::default().is_zero() && !OFFSETS.is_zero());
    }
}
