//! A scale of ratings: which player of the model a rating stands for, and which rating a player.

use std::ops::RangeInclusive;

use serde::Serialize;

use crate::math::exact::exp;
use crate::math::grid::evenly_spaced;
use crate::math::statistics::normal_quantile;
use crate::player::{BETWEEN_PLAYERS, DISPERSION, Levels, People};
use crate::policy::Pool;
use crate::selector::human::{self, Human};
use crate::selector::{Competence, Curve, Family, Selector};
use crate::value::Depth;

/// Players by their rating: on Regan's line (2011, section 7), on that of people over the board by the
/// same curve, or people as the curve `human` knows them.
///
/// Regan's sensitivities were fitted to the values of another engine, so ratings on his line tell
/// players apart but are not anybody's Elo. The others were fitted to this engine's values and to the
/// ratings of people, at one depth.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingScale {
    /// What to call it.
    pub name: &'static str,
    players: Players,
    pub range: RangeInclusive<f64>,
    /// What is thought of a player before his moves are seen, where something is: a mean and a standard
    /// deviation. It counts for little where there are many moves.
    pub beforehand: Option<(f64, f64)>,
    /// By how much errors are longer than the number of turns explains.
    pub dispersion: f64,
    /// How far players of one rating differ in what their moves show, as a standard deviation.
    pub between_players: f64,
}

/// Who has which rating.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Players {
    Published,
    Fitted(People),
    People(Pool),
}

/// A rating with its intervals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rating {
    pub elo: f64,
    pub deviation: f64,
    /// What the turns alone say, whatever was thought beforehand, and its error from their number.
    pub alone: f64,
    pub sampling: f64,
    /// The same error where the turns of one game may be alike.
    pub by_games: f64,
    pub turns: usize,
}

/// `s = a + b Elo` through the fitted sensitivities of 2006 to 2009, and the same for `ln s` (from
/// the table of section 7).
const SENSITIVITY: (f64, f64) = (0.299_031_468_5, -8.129_370_63e-5);
const LN_SENSITIVITY: (f64, f64) = (-0.653_047_418_96, -6.790_266_39e-4);
/// Beyond this the line would soon be below zero.
const STRAIGHT_TO: f64 = 3000.0;
/// Steps of ratings for the fit, which expects parameters of the order of one.
pub(super) const UNIT: f64 = 400.0;
/// People with a rating over the board, and those on a server: mean and standard deviation.
const BOARD: (f64, f64) = (2100.0, 400.0);
const ONLINE: (f64, f64) = (1600.0, 400.0);

impl RatingScale {
    /// The scale of the paper.
    pub fn published() -> RatingScale {
        RatingScale {
            name: "the published line of Regan and Haworth",
            players: Players::Published,
            range: 600.0..=3400.0,
            beforehand: None,
            dispersion: 1.0,
            between_players: BETWEEN_PLAYERS,
        }
    }

    /// People over the board, by Regan's curve.
    pub fn fitted() -> RatingScale {
        RatingScale::of_lines(*People::built_in())
    }

    /// The same by other lines than those built in.
    pub fn of_lines(people: People) -> RatingScale {
        RatingScale {
            name: "ratings over the board (FIDE), by Regan's curve fitted to this engine's values",
            players: Players::Fitted(people),
            beforehand: Some(BOARD),
            ..RatingScale::published()
        }
    }

    /// People who play such games, by the ratings that they have for them.
    pub fn of_people(pool: Pool) -> RatingScale {
        RatingScale {
            name: match pool {
                Pool::Board => "the ratings of people over the board (FIDE)",
                Pool::Classical => "the ratings of people in classical games on a server (Lichess)",
                Pool::Rapid => "the ratings of people in rapid games (Lichess)",
                Pool::Blitz => "the ratings of people in blitz games (Lichess)",
                Pool::Bullet => "the ratings of people in bullet games (Lichess)",
            },
            players: Players::People(pool),
            beforehand: Some(if pool == Pool::Board { BOARD } else { ONLINE }),
            dispersion: DISPERSION,
            range: human::LOWEST..=human::HIGHEST,
            ..RatingScale::published()
        }
    }

    /// The scale of this name.
    pub fn named(name: &str) -> Option<RatingScale> {
        let mut all = vec![RatingScale::published(), RatingScale::fitted()];
        all.extend(Pool::ALL.map(RatingScale::of_people));
        all.into_iter().find(|scale| scale.name == name)
    }

    /// Whose ratings these are, as a player says it.
    pub fn ratings(&self) -> &'static str {
        match self.players {
            Players::People(Pool::Classical) => "Lichess classical",
            Players::People(Pool::Rapid) => "Lichess rapid",
            Players::People(Pool::Blitz) => "Lichess blitz",
            Players::People(Pool::Bullet) => "Lichess bullet",
            Players::Published => "on the published line",
            Players::People(Pool::Board) | Players::Fitted(_) => "FIDE",
        }
    }

    /// Was it not fitted to this engine's values?
    pub fn is_provisional(&self) -> bool {
        self.players == Players::Published
    }

    /// How this depth differs from that of the values it was fitted to, if it does. People are taken
    /// to look only so deep; more tells nothing else of them.
    pub fn departure(&self, depth: Depth) -> Option<String> {
        let fitted = match self.players {
            Players::Published => return None,
            Players::Fitted(_) => vec![Levels::built_in().depth],
            Players::People(pool) => {
                let fits = Human::built_in().fits(pool).iter();
                fits.map(|fit| fit.depth).collect()
            }
        };
        let is_of_people = matches!(self.players, Players::People(_));
        let is_deeper = is_of_people && fitted.iter().any(|&fitted| depth > fitted);
        let known: Vec<String> = fitted.iter().map(Depth::to_string).collect();
        let is_enough = is_deeper || fitted.contains(&depth);
        (!is_enough).then(|| format!("p={depth} instead of {}", known.join(" or ")))
    }

    /// The curve that turns have to be seen with.
    pub fn family(&self) -> Family {
        match self.players {
            Players::People(pool) => Family::human(pool),
            _ => Family::REGAN,
        }
    }

    /// Sensitivity and consistency of a rating by Regan's curve: on the published line, unless it is a
    /// scale of its own.
    pub fn parameters(&self, elo: f64) -> (f64, f64) {
        if let Players::Fitted(people) = self.players {
            let (c, s) = people.regan(elo);
            return (s, c);
        }
        let line = |(start, slope): (f64, f64), x: f64| start + slope * x;
        // Above the straight part the logarithm goes on from where it ends.
        let s = match elo <= STRAIGHT_TO {
            true => line(SENSITIVITY, elo),
            false => {
                let end = line(SENSITIVITY, STRAIGHT_TO);
                end * exp(LN_SENSITIVITY.1 * (elo - STRAIGHT_TO))
            }
        };
        (s, 0.513 - 0.007 * (2700.0 - elo) / 100.0)
    }

    /// The nearest rating to this that there are people of.
    pub fn nearest(&self, elo: f64) -> f64 {
        match self.players {
            Players::People(_) => elo.clamp(*self.range.start(), *self.range.end()),
            Players::Published | Players::Fitted(_) => elo,
        }
    }

    /// The player of a rating.
    pub fn selector(&self, elo: f64) -> Option<Selector> {
        if let Players::People(_) = self.players {
            let one = Competence::new(1.0).ok()?;
            return Some(Selector::new(Curve::new(self.family(), one, elo).ok()?));
        }
        let (s, c) = self.parameters(elo);
        Some(Selector::new(Curve::new(Family::REGAN, Competence::new(c).ok()?, s).ok()?))
    }

    /// The ratings at which the likelihood of turns is kept: a little beyond the range of the scale
    /// where its line goes on. The policy is known at some of them, and changes evenly
    /// between.
    pub(super) fn points(&self) -> Vec<f64> {
        let (beyond, step) = match self.players {
            Players::People(_) => (0.0, 50.0),
            Players::Published | Players::Fitted(_) => (UNIT, 100.0),
        };
        let (low, high) = (self.range.start() - beyond, self.range.end() + beyond);
        evenly_spaced(low, high, 1 + ((high - low) / step) as usize)
    }
}

impl Rating {
    /// The interval that holds the player's rating with this probability.
    pub fn interval(&self, probability: f64) -> (f64, f64) {
        let reach = normal_quantile((1.0 + probability) / 2.0) * self.deviation;
        (self.elo - reach, self.elo + reach)
    }
}

/// The logarithms of s and c as parameters of a fit.
pub fn regan_by_logarithms(parameters: &[f64]) -> Option<Selector> {
    let [s, c] = *parameters else { return None };
    Some(Selector::new(Curve::new(Family::REGAN, Competence::new(exp(c)).ok()?, exp(s)).ok()?))
}
