//! Playing styles, which tilt a human player's distribution over the moves.
//!
//! An attacker plays like other players of the same rating, but sacrifices more often. A style gives weights to the
//! [traits](super::MoveTrait) of moves: `ln p += Σ w · trait`. A style should not change the strength. The penalty for
//! moves that lose value is therefore adjusted until the expected loss is the same as without the style. `stopdown-lab
//! tune styles` learns weights from the games of players who have the style.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use once_cell::sync::Lazy;
use serde::{Deserialize, Serialize};

use super::move_traits::{MoveTrait, TraitFinder, Traits};
use crate::board::{Position, shorten};
use crate::evaluation::RootEvaluation;
use crate::math::largest;
use crate::selector::{Distribution, Values};
use crate::suggest;

static BUILT_IN: Lazy<StyleWeights> = Lazy::new(|| {
    let text = include_str!("../../tuning/styles.toml");
    toml::from_str(text).expect("a test parses the embedded file")
});

/// A style that a player with a human curve can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlayingStyle {
    /// Sacrifices material and goes for the king.
    Attacker,
    /// Avoids risks.
    Solid,
    /// Exchanges pieces, queens above all.
    Trader,
    /// Offers pawns in the opening.
    Gambiteer,
}

/// There is no style with this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown style \"{shown}\"{hint}", shown = shorten(.0), hint = suggest::hint(.0, PlayingStyle::ALL.map(PlayingStyle::name), "profiles"))]
pub struct UnknownStyle(pub String);

/// The weights of the traits of each style. A trait without a weight does not count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StyleWeights(pub BTreeMap<PlayingStyle, BTreeMap<MoveTrait, f64>>);

impl StyleWeights {
    /// The weights that are part of the program.
    pub(crate) fn built_in() -> &'static StyleWeights {
        &BUILT_IN
    }

    /// The amount that a style adds to the logarithm of the probability of a move with these traits.
    pub(crate) fn score(&self, style: PlayingStyle, traits: &Traits) -> f64 {
        let weights = self.0.get(&style).into_iter().flatten();
        weights.map(|(&of, weight)| weight * traits[of as usize]).sum()
    }
}

impl PlayingStyle {
    /// All styles, in the order in which they are offered.
    pub const ALL: [PlayingStyle; 4] = [
        PlayingStyle::Attacker,
        PlayingStyle::Solid,
        PlayingStyle::Trader,
        PlayingStyle::Gambiteer,
    ];

    /// The name in options and files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            PlayingStyle::Attacker => "Attacker",
            PlayingStyle::Solid => "Solid",
            PlayingStyle::Trader => "Trader",
            PlayingStyle::Gambiteer => "Gambiteer",
        }
    }

    /// The style in a player's words: "likes ...".
    pub(crate) fn description(self) -> &'static str {
        match self {
            PlayingStyle::Attacker => "likes to sacrifice and to attack the king",
            PlayingStyle::Solid => "likes to keep things safe",
            PlayingStyle::Trader => "likes to exchange pieces, queens above all",
            PlayingStyle::Gambiteer => "likes to offer pawns in the opening",
        }
    }

    /// Returns the probability of each move for a player with this style, who would otherwise
    /// choose from `distribution`. `values` are the values that the player sees.
    pub(crate) fn tilt(
        self,
        position: &Position,
        evaluation: &RootEvaluation,
        values: &Values,
        distribution: &Distribution,
    ) -> Distribution {
        let traits = traits(position, evaluation, values);
        let score = |traits| StyleWeights::built_in().score(self, traits);
        distribution.tilted(&traits.iter().map(score).collect::<Vec<_>>(), &values.deltas())
    }
}

/// The traits of the moves in an evaluation, in the same order.
pub fn traits(position: &Position, evaluation: &RootEvaluation, values: &Values) -> Vec<Traits> {
    let finder = TraitFinder::new(position);
    let best = largest(values.deepest());
    let moves = evaluation.moves.iter().zip(values.deepest());
    moves.map(|(m, value)| finder.traits(m.mv, best - value)).collect()
}

impl FromStr for PlayingStyle {
    type Err = UnknownStyle;

    fn from_str(text: &str) -> Result<PlayingStyle, UnknownStyle> {
        let wanted = text.trim();
        let found =
            PlayingStyle::ALL.into_iter().find(|style| style.name().eq_ignore_ascii_case(wanted));
        found.ok_or_else(|| UnknownStyle(wanted.to_owned()))
    }
}

impl fmt::Display for PlayingStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_style_has_finite_weights() {
        for style in PlayingStyle::ALL {
            let weights = &StyleWeights::built_in().0[&style];
            assert!(!weights.is_empty() && weights.values().all(|weight| weight.is_finite()));
            assert_eq!(style.name().to_lowercase().parse(), Ok(style));
        }
        let error = "atacker".parse::<PlayingStyle>().expect_err("no such style");
        assert_eq!(error.to_string(), "unknown style \"atacker\"; did you mean \"Attacker\"?");
    }
}
