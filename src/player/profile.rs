//! The definition of a player below full strength.
//!
//! A plain profile has one [`Skill`]. A composite profile, `E_P = Σ q_i Ep(c_i)` (Haworth 2007,
//! section 1), has several. It picks one of them at random to play, either for a whole game or for each move.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::clock_effect::ClockEffect;
use super::engine::Perception;
use super::phases::shifted;
use super::reading::timed_reading_curve;
use super::{
    Elo, EloScale, Levels, PhaseOffsets, PlayingStyle, Repertoire, ScaledRating, rating_path,
};
use crate::board::{Game, Phase, Position, shorten};
use crate::evaluation::RootEvaluation;
use crate::math::streams::{Occasion, Purpose, Stream};
use crate::search::Clock;
use crate::selector::{Distribution, Selector, Values};
use crate::value::{Depth, MAX_DEPTH};

/// The default for p, the search depth.
pub const USUAL_DEPTH: Depth = 12;

/// The depth of a search that only its node limit ends.
pub(crate) const DEEPEST: Depth = MAX_DEPTH;

/// Ep(c): how deeply a player searches, and how it chooses among the evaluated moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Skill {
    /// How it chooses among the evaluated moves.
    pub selector: Selector,
    /// p: the plies searched before quiescence.
    pub depth: Depth,
    /// The player plays the best move of a search with this many nodes and at most p plies. It evaluates all moves, and
    /// chooses among them, only in positions of its repertoire and in endings that it knows.
    pub nodes: Option<u64>,
    /// Only players with a human curve have a style.
    pub style: Option<PlayingStyle>,
    /// Whether a player with a human curve plays worse when it is short of time.
    pub clock_effect: bool,
}

/// A named player.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The name by which users choose it.
    pub name: String,
    /// One line for lists of profiles.
    pub description: String,
    /// At least one skill, each with its weight. The weights add up to 1.
    parts: Vec<(f64, Skill)>,
    /// How often the part that plays is drawn at random.
    pub(crate) draw: Draw,
    /// The rating that the player was made for, if it was made for one.
    pub rating: Option<ScaledRating>,
    /// The player's own openings, shared by all copies of the profile.
    pub repertoire: Arc<Repertoire>,
    /// Strength offsets in each phase of the game.
    pub(crate) phases: PhaseOffsets,
    /// How it uses tablebases.
    pub(crate) endgame: EndgameRule,
    /// How long it takes over a move.
    pub(crate) pace: Pace,
    /// The thinking time relative to most people's.
    pub thinking_time: f64,
    /// The seed. 0 means a new random seed in each game.
    pub seed: u64,
}

/// How often a composite profile picks, at random, the part that plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Draw {
    /// Once for each game.
    #[default]
    Game,
    /// Anew for each move.
    Move,
}

/// How a player uses tablebases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum EndgameRule {
    /// Chooses by tablebase depth, and never throws away a win or a draw.
    #[default]
    Keep,
    /// Chooses by tablebase depth, but may throw away a result.
    Free,
    /// Ignores tablebases and chooses as in any other position.
    Blind,
}

/// How long the player takes over a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Pace {
    /// At human speed against humans, at once against engines.
    #[default]
    Auto,
    /// As soon as the move has been chosen.
    Instant,
    /// At human speed against any opponent.
    Human,
}

/// The error if no profile has the requested name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown profile \"{shown}\"{hint}", shown = shorten(name))]
pub struct UnknownProfile {
    pub(super) name: String,
    /// A suggestion for the profile that the user probably meant.
    pub(super) hint: String,
}

impl Draw {
    /// How often the part is picked, in words.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Draw::Game => "picked for each game",
            Draw::Move => "picked for each move",
        }
    }
}

impl Skill {
    /// A player without a style, whose strength depends on the clock.
    pub fn new(selector: Selector, depth: Depth) -> Skill {
        Skill { selector, depth, nodes: None, style: None, clock_effect: true }
    }

    /// The Elo points by which the clock changes this player's strength.
    pub(crate) fn clock_offset(&self, clock: &Clock) -> f64 {
        let curve = &self.selector.curve;
        if self.clock_effect && self.is_human() {
            ClockEffect::built_in().offset(curve.scale(), clock)
        } else {
            0.0
        }
    }

    /// Returns whether this player can have a style.
    pub(crate) fn is_human(&self) -> bool {
        self.selector.curve.family().pool().is_some()
    }

    /// Returns the probability of each move, in the order of the evaluation. Results deeper than
    /// this skill's depth are ignored.
    pub fn distribution(&self, game: &Game, evaluation: &RootEvaluation) -> Distribution {
        let curve = &self.selector.curve;
        let ratings = &[curve.scale()];
        let perception = Perception { depth: self.depth, family: curve.family(), ratings };
        let values = perception.values(game, evaluation);
        let distribution = self.selector.distribution(&values);
        match self.style {
            Some(style) => style.tilt(game.position(), evaluation, &values, &distribution),
            None => distribution,
        }
    }
}

impl Profile {
    /// Creates a player with one skill.
    pub fn plain(name: &str, skill: Skill) -> Profile {
        Profile {
            name: name.to_owned(),
            description: String::new(),
            parts: vec![(1.0, skill)],
            draw: Draw::default(),
            rating: None,
            repertoire: Arc::default(),
            phases: PhaseOffsets::default(),
            endgame: EndgameRule::default(),
            pace: Pace::default(),
            thinking_time: 1.0,
            seed: 0,
        }
    }

    /// The same player, made for this rating.
    #[must_use]
    pub(crate) fn with_rating(self, rating: Option<ScaledRating>) -> Profile {
        Profile { rating, ..self }
    }

    /// The same player with this style. Parts without a human curve stay as they are. Returns
    /// `None` if no part has a human curve.
    pub(crate) fn with_style(mut self, style: PlayingStyle) -> Option<Profile> {
        let skills = self.parts.iter_mut().map(|(_, skill)| skill);
        let mut human = skills.filter(|skill| skill.is_human()).peekable();
        human.peek()?;
        human.for_each(|skill| skill.style = Some(style));
        Some(self)
    }

    /// The same player, searching at most to this depth.
    #[must_use]
    pub(crate) fn limited_to(mut self, depth: Depth) -> Profile {
        self.parts.iter_mut().for_each(|(_, skill)| skill.depth = skill.depth.min(depth));
        self
    }

    /// The same player, with a strength that does not depend on the clock.
    #[must_use]
    pub fn without_clock_effect(mut self) -> Profile {
        self.parts.iter_mut().for_each(|(_, skill)| skill.clock_effect = false);
        self
    }

    /// Returns whether the strength of any part depends on the clock.
    pub fn has_clock_effect(&self) -> bool {
        self.parts.iter().any(|(_, skill)| skill.clock_effect && skill.is_human())
    }

    /// The player as it plays with this much time left on the clock.
    pub fn at_clock(&self, clock: &Clock) -> Cow<'_, Profile> {
        let offsets: Vec<f64> =
            self.parts.iter().map(|(_, skill)| skill.clock_offset(clock)).collect();
        if offsets.iter().all(|&offset| offset == 0.0) {
            return Cow::Borrowed(self);
        }
        let mut profile = self.clone();
        for ((_, skill), offset) in profile.parts.iter_mut().zip(offsets) {
            skill.selector.curve = shifted(&skill.selector.curve, offset);
        }
        Cow::Owned(profile)
    }

    /// The style of the first part that has one.
    pub fn style(&self) -> Option<PlayingStyle> {
        self.parts.iter().find_map(|(_, skill)| skill.style)
    }

    /// Creates a player with several weighted skills. Returns `None` if a weight is negative or not
    /// finite, or if the weights add up to zero.
    pub(crate) fn composite(
        name: &str,
        mut parts: Vec<(f64, Skill)>,
        draw: Draw,
    ) -> Option<Profile> {
        let total: f64 = parts.iter().map(|(weight, _)| weight).sum();
        let valid = parts.iter().all(|(weight, _)| *weight >= 0.0);
        if !valid || !total.is_finite() || total <= 0.0 {
            return None;
        }
        parts.iter_mut().for_each(|(weight, _)| *weight /= total);
        let (_, first) = parts.first()?;
        Some(Profile { draw, parts: parts.clone(), ..Profile::plain(name, first.clone()) })
    }

    /// The skills with their weights.
    pub fn parts(&self) -> &[(f64, Skill)] {
        &self.parts
    }

    /// The skill of a part in a position, with the offset of its phase of the game.
    pub fn skill(&self, part: usize, position: &Position) -> Cow<'_, Skill> {
        let skill = &self.parts[part].1;
        let curve = self.phases.curve(&skill.selector.curve, Phase::of(position));
        if curve == skill.selector.curve {
            return Cow::Borrowed(skill);
        }
        let selector = Selector { curve, ..skill.selector.clone() };
        Cow::Owned(Skill { selector, ..*skill })
    }

    /// Returns the index of the part that plays on this occasion. It must be known before the
    /// position is evaluated, because it determines the search depth.
    pub fn part_at(&self, occasion: Occasion) -> usize {
        if self.parts.len() == 1 {
            return 0;
        }
        let mut stream = match self.draw {
            Draw::Game => Stream::new(Occasion { ply: 0, ..occasion }, Purpose::ComponentOfGame),
            Draw::Move => Stream::new(occasion, Purpose::ComponentOfMove),
        };
        let weights: Vec<f64> = self.parts.iter().map(|(weight, _)| *weight).collect();
        stream.index(&weights).expect("the weights add up to 1")
    }

    /// Returns the probability of each move when it is unknown which part plays, as in someone
    /// else's game, with the corrections that apply when ratings are estimated from moves. The part is assumed to be drawn for every move. Each part sees only its own
    /// depth. The repertoire, phase offsets and styles are ignored, because the values do not
    /// include the position.
    pub(crate) fn distribution(&self, values: &Values, clock: Option<&Clock>) -> Distribution {
        let part = |(weight, skill): &(f64, Skill)| {
            let depth = usize::from(skill.depth);
            let seen = (depth < values.depths()).then(|| values.up_to(depth));
            let curve = timed_reading_curve(&skill.selector.curve, clock);
            let selector = Selector { curve, ..skill.selector.clone() };
            (*weight, selector.distribution(seen.as_ref().unwrap_or(values)))
        };
        let parts: Vec<(f64, Distribution)> = self.parts.iter().map(part).collect();
        Distribution::mixture(&parts)
    }

    /// The approximate strength, for sorting players. It comes from the table of levels and ignores
    /// search depths and nodes.
    pub(crate) fn level(&self) -> Elo {
        let levels = Levels::built_in();
        let elo = |skill: &Skill| levels.elo(&skill.selector.curve, EloScale::Fide).0;
        Elo(self.parts.iter().map(|(weight, skill)| weight * elo(skill)).sum())
    }

    /// Returns the profile to use when a player is identified by its moves.
    ///
    /// A level raises the probabilities of human choices to a power, so that it is as strong as humans with its rating.
    /// Here it is replaced by the human curve without this exponent. The repertoire, phase offsets and style are
    /// dropped, because studies that identify players skip the first moves and look only at values.
    #[must_use]
    pub(crate) fn into_observed(mut self) -> Profile {
        self.repertoire = Arc::default();
        self.phases = PhaseOffsets::default();
        for (_, Skill { selector, style, .. }) in &mut self.parts {
            *style = None;
            if rating_path::is_on_path(&selector.curve) {
                selector.curve = rating_path::human_choice_curve(&selector.curve);
            }
        }
        self
    }

    /// The search depth that is enough for every part.
    pub fn depth(&self) -> Depth {
        self.parts.iter().map(|(_, skill)| skill.depth).max().unwrap_or(1)
    }

    /// Whether a part of this player plays the best move of a search with a node limit.
    pub(crate) fn has_search(&self) -> bool {
        self.parts.iter().any(|(_, skill)| skill.nodes.is_some())
    }

    /// The node limit of a player that always plays the best move of a search.
    pub(crate) fn nodes(&self) -> Option<u64> {
        match &self.parts[..] {
            [(_, skill)] if self.repertoire.is_empty() => skill.nodes,
            _ => None,
        }
    }
}

impl fmt::Display for Skill {
    /// `p=8 levelled competence=7.2 kappa=1`, or `nodes=50000`. A format precision limits the number of decimals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Selector { curve, weights } = &self.selector;
        match (self.nodes, self.depth) {
            (Some(nodes), DEEPEST) => return write!(f, "nodes={nodes}"),
            (Some(nodes), depth) => return write!(f, "nodes={nodes} p={depth}"),
            (None, _) => {}
        }
        write!(f, "p={} {}", self.depth, curve.family())?;
        for (name, value) in curve.parameters() {
            write!(f, " {name}=")?;
            value.fmt(f)?;
        }
        for (number, weight) in weights.rounded().unwrap_or_default().iter().enumerate() {
            f.write_str(if number == 0 { " depth-weights=" } else { "," })?;
            weight.fmt(f)?;
        }
        self.style.map_or(Ok(()), |style| write!(f, " style={style}"))?;
        if self.clock_effect { Ok(()) } else { f.write_str(" clock-effect=false") }
    }
}

impl fmt::Display for Profile {
    /// Everything that determines the choice of moves. The name is not part of it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [(_, skill)] = &self.parts[..] {
            f.write_str("Ep(c): ")?;
            skill.fmt(f)?;
        } else {
            for (number, (weight, skill)) in self.parts.iter().enumerate() {
                write!(f, "{}{:.1}% ", if number == 0 { "" } else { " + " }, 100.0 * weight)?;
                skill.fmt(f)?;
            }
            f.write_str(match self.draw {
                Draw::Game => ", drawn for each game",
                Draw::Move => ", drawn for each move",
            })?;
        }
        if !self.repertoire.is_empty() {
            let (positions, mark) = (self.repertoire.positions(), self.repertoire.fingerprint());
            write!(f, ", openings of {positions} positions ({mark:016x})")?;
        }
        if !self.phases.is_zero() {
            write!(f, ", by phases {}", self.phases)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selector::{Competence, Curve};

    #[test]
    fn a_composite_profile_mixes_its_parts_by_weight() {
        let values = Values::by_depth(&[vec![0.0, 1.0], vec![1.0, 0.0]]).expect("finite");
        let skill = |c: f64, depth| {
            let selector = Selector::new(Curve::levelled(Competence::new(c).expect("a number")));
            Skill::new(selector, depth)
        };
        let parts = vec![(0.25, skill(f64::INFINITY, 1)), (0.75, skill(f64::INFINITY, 9))];
        let profile = Profile::composite("two", parts, Draw::Game).expect("two parts");
        let found = profile.distribution(&values, None);
        assert!((found.probability(0) - 0.75).abs() < 1e-12, "{found:?}");
    }
}
