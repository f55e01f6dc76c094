//! A target rating set by a user, and the player that has this rating according to the table of
//! levels.

use std::fmt;
use std::ops::RangeInclusive;

use super::node_limit::NodeLimits;
use super::profile::{DEEPEST, Skill};
use super::{Elo, EloScale, Levels};
use crate::math::grid::Posterior;
use crate::selector::{Competence, Curve, Family, Selector, human};
use crate::value::Depth;

/// The ratings that can be set, on every scale. The strongest level searches for about half a second. Below 400, moves
/// are mostly random. Such a player is better set up as a [`Curve`] with a low competence than by a rating.
pub const RATINGS: RangeInclusive<i64> = 400..=3400;

/// The range of ratings for help texts: "from 400 to 3400".
pub(crate) fn rating_range() -> String {
    let (lowest, highest) = RATINGS.into_inner();
    format!("from {lowest} to {highest}")
}

/// The lowest search depth at which human levels lose as much per move as humans do. At lower depths a level plays
/// below its rating, especially above 2000.
pub const MIN_HUMAN_DEPTH: Depth = 8;

/// A target rating, and the family of the player's curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetRating {
    /// The rating as the user set it.
    pub elo: Elo,
    /// The family of the curve that the player uses.
    pub family: Family,
    /// The scale of the rating.
    pub scale: EloScale,
}

impl TargetRating {
    /// Creates a target. Without a curve, it uses the human curve for the scale.
    pub fn new(elo: Elo, curve: Option<Family>, scale: EloScale) -> TargetRating {
        TargetRating { elo, family: curve.unwrap_or(TargetRating::human_curve(scale)), scale }
    }

    /// The human curve of a scale.
    pub fn human_curve(scale: EloScale) -> Family {
        Family::human(scale.pool())
    }

    /// Returns whether the rating can be set and the curve has a player with it.
    pub fn is_available(&self) -> bool {
        self.range().contains(&self.elo.0)
    }

    /// The ratings that can be set for this curve, in whole numbers. Some curves cover only a part of [`RATINGS`].
    pub fn range(&self) -> RangeInclusive<f64> {
        let (low, high) = Levels::built_in().range(self.family, self.scale).into_inner();
        let [lowest, highest] = [*RATINGS.start(), *RATINGS.end()].map(|elo| elo as f64);
        let high = if self.family.pool().is_some() { highest } else { high.floor().min(highest) };
        low.ceil().max(lowest)..=high
    }

    /// The rating, or the nearest available one.
    pub fn nearest(&self) -> Elo {
        let (low, high) = self.range().into_inner();
        Elo(self.elo.0.clamp(low, high))
    }

    /// The error message for a rating that is out of range, the same in every front end.
    pub fn refusal(&self) -> String {
        let (low, high) = self.range().into_inner();
        let curve = match self.family == TargetRating::human_curve(self.scale) {
            true => String::new(),
            false => format!(" with the curve \"{}\"", self.family),
        };
        let (elo, scale) = (self.elo.0, self.scale);
        format!("{elo} is out of range: {scale} ratings{curve} must be from {low} to {high}")
    }

    /// The ratings that an estimate can have. The strongest levels cannot be told apart by their moves.
    pub(crate) fn estimable(&self, belief: &Posterior) -> RangeInclusive<f64> {
        let range = self.range();
        let last = belief.points().last().map_or(*range.end(), |&last| range.end().min(last));
        *range.start()..=last
    }

    /// The curve of a player with this rating. For a rating above those of all humans, it is the nearest human curve.
    pub fn curve(&self) -> Curve {
        Levels::built_in().curve(self.family, self.nearest(), self.scale)
    }

    /// The number of nodes that a player with this rating searches, if it is stronger than all humans.
    pub fn nodes(&self) -> Option<u64> {
        let native = self.scale.on(EloScale::of(self.family), self.nearest().0);
        let is_human = self.family.pool().is_none() || native <= human::HIGHEST;
        let elo = self.scale.on(EloScale::Fide, self.nearest().0);
        (!is_human).then(|| NodeLimits::built_in().nodes(elo))
    }

    /// The rating of the humans that a human curve describes: `1640`. A rating above those of all humans stands for
    /// the strongest ones: `above 2800`.
    pub(crate) fn human_rating(&self) -> String {
        match self.nodes() {
            None => self.nearest().to_string(),
            Some(_) => {
                let highest = EloScale::of(self.family).on(self.scale, human::HIGHEST);
                format!("above {highest:.0}")
            }
        }
    }

    /// The humans with this rating: `players rated 1640`.
    pub(super) fn humans(&self) -> String {
        format!("players rated {}", self.human_rating())
    }

    /// The player with this rating.
    pub(crate) fn skill(&self) -> Skill {
        let Some(nodes) = self.nodes() else {
            return Skill::new(Selector::new(self.curve()), Levels::built_in().depth);
        };
        let best = Selector::new(Curve::levelled(Competence::BEST));
        Skill { nodes: Some(nodes), ..Skill::new(best, DEEPEST) }
    }

    /// A note if the search depth does not suit the player's rating. Human levels were fitted at several depths. All
    /// others were measured at a single depth.
    pub fn depth_note(&self, depth: Depth) -> Option<String> {
        let usual = Levels::built_in().depth;
        match (self.family.pool(), self.nodes()) {
            (None, _) if depth != usual => {
                Some(format!(" These levels were measured at depth {usual}, not {depth}."))
            }
            (Some(_), None) if depth < MIN_HUMAN_DEPTH => {
                Some(format!(" This level needs at least {MIN_HUMAN_DEPTH} plies, not {depth}."))
            }
            (Some(_), Some(_)) if depth < DEEPEST => {
                Some(format!(" It searches at most to depth {depth}, which may weaken this level."))
            }
            _ => None,
        }
    }
}

impl fmt::Display for TargetRating {
    /// `like a player rated about 1640 (FIDE)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (elo, scale) = (self.nearest(), self.scale);
        match (self.family.pool(), self.nodes()) {
            (None, _) => write!(f, "at about {elo} ({scale}) on the curve \"{}\"", self.family),
            (_, None) => write!(f, "like a player rated about {elo} ({scale})"),
            (_, Some(nodes)) => {
                write!(f, "at about {elo} ({scale}): the best move of a search of {nodes} nodes")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_humans_are_rated_above_the_human_curves() {
        for scale in EloScale::ALL {
            let humans = |elo| TargetRating::new(Elo(elo), None, scale).humans();
            assert_eq!(humans(1640.0), "players rated 1640");
            let highest = TargetRating::human_curve(scale);
            let highest = EloScale::of(highest).on(scale, human::HIGHEST);
            assert_eq!(humans(3400.0), format!("players rated above {highest:.0}"));
        }
        let fide = |elo| TargetRating::new(Elo(elo), None, EloScale::Fide).humans();
        assert_eq!(
            (&*fide(2800.0), &*fide(2801.0)),
            ("players rated 2800", "players rated above 2800")
        );
    }

    #[test]
    fn ratings_are_clamped_to_the_range_of_the_curve() {
        for (_, family) in Family::ALL {
            for scale in EloScale::ALL {
                let at = |elo| TargetRating::new(Elo(elo), Some(family), scale);
                let (low, high) = at(0.0).range().into_inner();
                assert!(at(low).is_available() && at(high).is_available());
                for (wanted, nearest) in [(low - 700.0, low), (high + 700.0, high)] {
                    assert_eq!(at(wanted).curve(), at(nearest).curve());
                    assert_eq!(at(wanted).to_string(), at(nearest).to_string());
                }
            }
        }
    }

    #[test]
    fn every_rating_in_the_range_has_a_player_on_every_scale() {
        for scale in EloScale::ALL {
            let at = |elo| TargetRating::new(Elo(elo), None, scale);
            assert_eq!(at(1500.0).range(), 400.0..=3400.0, "{scale}");
            assert_eq!(
                at(99999.0).refusal(),
                format!("99999 is out of range: {scale} ratings must be from 400 to 3400")
            );
        }
        let levelled = TargetRating::new(Elo(2900.0), Some(Family::LEVELLED), EloScale::Fide);
        assert_eq!(
            levelled.refusal(),
            "2900 is out of range: FIDE ratings with the curve \"levelled\" must be from 400 to 2937"
        );
    }

    #[test]
    fn levels_above_all_humans_search_more_nodes_with_every_point() {
        for scale in EloScale::ALL {
            let nodes = |elo| TargetRating::new(Elo(elo), None, scale).nodes();
            let elos = (2000..=3400).step_by(20).map(f64::from);
            let limits: Vec<Option<u64>> = elos.map(nodes).collect();
            let searching = limits.partition_point(Option::is_none);
            assert_eq!(limits[0], None, "{scale}");
            assert!(limits.len() - searching >= 20, "{scale}");
            assert!(limits[searching..].is_sorted_by(|less, more| less < more), "{scale}");
        }
    }

    #[test]
    fn levels_are_described_in_plain_words() {
        let describe = |scale| TargetRating::new(Elo(1200.0), None, scale).to_string();
        assert_eq!(describe(EloScale::Fide), "like a player rated about 1200 (FIDE)");
        assert_eq!(
            describe(EloScale::LichessRapid),
            "like a player rated about 1200 (Lichess-Rapid)"
        );
    }
}
