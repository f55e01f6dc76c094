//! Rating lists, fitted to all the games between many players at once.
//!
//! The method, the scale and the anchors are those of Ordo (see [`crate::math::paired`]). Errors
//! are relative to the anchored player, if there is one. Otherwise they are relative to the average
//! of all players.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use super::record::GameRecord;
use crate::board::Colour;
use crate::games::GameResult;
use crate::math::outcomes::{Estimate, Outcomes, TWO_SIDED_95, Trinomial};
use crate::math::paired::{Encounter, Fit, FitError, GamePool, Uncertainty};
use crate::math::statistics::normal;

pub use crate::math::paired::Strength;

/// With fewer games than this, White's advantage is taken to be 0, and the draw rate is not shown.
pub const MIN_GAMES: u64 = 20;

/// The rating difference that multiplies the odds by e.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointScale(f64);

impl PointScale {
    /// Ordo's scale: a lead of 202 points corresponds to an expected score of 76% (Ordo's manual,
    /// "Scale").
    pub fn ordo() -> PointScale {
        PointScale(202.0 / libm::log(0.76 / 0.24))
    }

    /// The logistic scale: a lead of 400 points corresponds to odds of ten to one.
    pub fn logistic() -> PointScale {
        PointScale(400.0 / std::f64::consts::LN_10)
    }
}

/// The scale and the origin of the ratings, and the method for computing their errors.
#[derive(Clone, Debug)]
pub struct RatingRules {
    /// The scale of the rating points.
    pub scale: PointScale,
    /// The mean of all ratings if no player is anchored.
    pub average: f64,
    /// The anchored players, with their fixed ratings.
    pub anchors: Vec<(String, f64)>,
    /// White's advantage in rating points, or `None` to estimate it from at least [`MIN_GAMES`] games.
    pub advantage: Option<f64>,
    /// The number of simulations used to compute errors, and their seed. Without simulations,
    /// errors come from the curvature of the likelihood.
    pub simulations: Option<(u64, u64)>,
}

impl Default for RatingRules {
    fn default() -> RatingRules {
        RatingRules {
            scale: PointScale::ordo(),
            average: 2300.0,
            anchors: Vec::new(),
            advantage: None,
            simulations: None,
        }
    }
}

/// A player in a rating list.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerRating {
    /// The name of the player.
    pub name: String,
    /// The rating, in points.
    pub rating: Strength,
    /// Half the width of the 95% interval.
    pub error: Option<f64>,
    /// The probability that this player is stronger than the next one.
    pub superiority: Option<f64>,
    /// The player's losses, draws and wins.
    pub outcomes: Trinomial,
    /// The mean rating of the opponents, weighted by the number of games.
    pub opposition: Option<f64>,
}

impl PlayerRating {
    /// Orders the list. Ratings are compared as they are shown, with one decimal, because rounding
    /// errors of the fit would order tied players at random. Ties are listed by score, then by name.
    fn ranking(&self, other: &PlayerRating) -> Ordering {
        let shown = |of: &PlayerRating| of.rating.value().map_or(f64::MIN, to_tenths);
        let by_rating = shown(other).total_cmp(&shown(self));
        let by_score = || other.outcomes.score().total_cmp(&self.outcomes.score());
        by_rating.then_with(by_score).then_with(|| self.name.cmp(&other.name))
    }
}

/// Rounds a rating to one decimal. Zero has no sign.
pub(crate) fn to_tenths(rating: f64) -> f64 {
    (10.0 * rating).round() / 10.0 + 0.0
}

/// A rating list, strongest player first.
#[derive(Clone, Debug)]
pub struct RatingList {
    /// The players, strongest first.
    pub ratings: Vec<PlayerRating>,
    /// White's advantage, or `None` if it was given or the results do not determine it.
    pub advantage: Option<Estimate>,
    /// Whether White's advantage was given.
    pub is_advantage_given: bool,
    /// The share of draws between equal players.
    pub draws: Option<Estimate>,
    /// The reason why there are no ratings, if there are none.
    pub problem: Option<String>,
}

/// An anchor for a player without games.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the anchor \"{0}\" has no games; choose one of {1}")]
pub struct UnknownAnchor(String, String);

impl RatingList {
    /// Rates the players of a crosstable. Returns an error if an anchor has no games.
    pub fn new(table: &Crosstable, rules: &RatingRules) -> Result<RatingList, UnknownAnchor> {
        let mut anchors = Vec::new();
        for (name, rating) in &rules.anchors {
            let index = table.indices.get(name);
            let unknown = || UnknownAnchor(name.clone(), table.names.join("; "));
            anchors.push((*index.ok_or_else(unknown)?, *rating));
        }
        let mut list = Fitting { table, rules, anchors }.list();
        list.ratings.sort_by(PlayerRating::ranking);
        Ok(list)
    }
}

/// The results between all pairs of players.
#[derive(Clone, Debug, Default)]
pub struct Crosstable {
    names: Vec<String>,
    indices: HashMap<String, usize>,
    /// The results from White's point of view, by the indices of White and Black.
    encounters: BTreeMap<(usize, usize), Trinomial>,
}

impl Crosstable {
    /// Creates a table that starts with these players, even if they have no games.
    pub(crate) fn of_players(names: &[String]) -> Crosstable {
        let mut table = Crosstable::default();
        for name in names {
            table.index(name);
        }
        table
    }

    /// Adds a game. Players that are not in the table are added to it.
    pub fn add(&mut self, white: &str, black: &str, result: GameResult) {
        let (white, black) = (self.index(white), self.index(black));
        let points = result.half_points(Colour::White);
        self.encounters.entry((white, black)).or_default().0[points] += 1;
    }

    /// Adds a game between players in the list that the table was created with.
    pub(crate) fn add_record(&mut self, record: &GameRecord) {
        let points = record.result.half_points(Colour::White);
        self.encounters.entry((record.white, record.black)).or_default().0[points] += 1;
    }

    /// The number of games between all players.
    pub(crate) fn games(&self) -> u64 {
        self.encounters.values().map(Outcomes::total).sum()
    }

    fn index(&mut self, name: &str) -> usize {
        if let Some(&index) = self.indices.get(name) {
            return index;
        }
        self.indices.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        self.names.len() - 1
    }

    /// All of a player's results.
    fn outcomes_of(&self, player: usize) -> Trinomial {
        let mut sum = Trinomial::default();
        for (&(white, black), &Outcomes([losses, draws, wins])) in &self.encounters {
            let own = match player {
                _ if player == white => [losses, draws, wins],
                _ if player == black => [wins, draws, losses],
                _ => continue,
            };
            sum.0.iter_mut().zip(own).for_each(|(sum, count)| *sum += count);
        }
        sum
    }
}

const NOT_ENOUGH_GAMES: &str =
    "not enough games: ratings need two or more players who have both won and lost points";

/// The fit of a rating list.
struct Fitting<'a> {
    table: &'a Crosstable,
    rules: &'a RatingRules,
    /// The indices of the anchored players, with their fixed ratings.
    anchors: Vec<(usize, f64)>,
}

impl Fitting<'_> {
    fn list(&self) -> RatingList {
        let games = self.paired_games();
        let fit = match games.fit() {
            Ok(fit) if self.is_informative(&fit) => fit,
            Ok(_) => return self.unrated_list(NOT_ENOUGH_GAMES.to_owned()),
            Err(error) => return self.unrated_list(self.explain(&error)),
        };
        let uncertainty = match self.rules.simulations {
            Some((count, seed)) => Uncertainty::of_simulations(&games, &fit, count, seed),
            None => Uncertainty::of_slopes(&games, &fit),
        };
        let points = self.rules.scale.0;
        let estimate =
            |value: f64, deviation: f64| Estimate { value, error: TWO_SIDED_95 * deviation };
        let deviation = uncertainty.as_ref().and_then(|uncertainty| uncertainty.advantage);
        RatingList {
            ratings: self.ratings(&fit, uncertainty.as_ref()),
            advantage: deviation
                .map(|deviation| estimate(points * fit.advantage, points * deviation)),
            is_advantage_given: self.rules.advantage.is_some(),
            draws: uncertainty.as_ref().map(|uncertainty| estimate(fit.draws, uncertainty.draws)),
            problem: None,
        }
    }

    /// Whether the fit compares any players. If only one player can be estimated, its rating is
    /// just the average. This also holds if there is an anchor that has won or lost every game.
    fn is_informative(&self, fit: &Fit) -> bool {
        let is_estimated = |of: &Strength| matches!(of, Strength::Estimated(_));
        let is_alone = fit.strengths.iter().filter(|of| is_estimated(of)).count() == 1;
        match self.anchors[..] {
            [] => !is_alone,
            [(anchor, _)] => !is_alone || is_estimated(&fit.strengths[anchor]),
            _ => true,
        }
    }

    fn unrated_list(&self, problem: String) -> RatingList {
        let ratings = (0..self.table.names.len()).map(|player| self.unrated(player));
        let ratings = ratings.collect();
        RatingList {
            ratings,
            advantage: None,
            is_advantage_given: self.rules.advantage.is_some(),
            draws: None,
            problem: Some(problem),
        }
    }

    /// The games to fit. A single anchor only shifts all ratings after the fit. Several anchors
    /// take part in the fit.
    fn paired_games(&self) -> GamePool {
        let points = self.rules.scale.0;
        let mut fixed = vec![None; self.table.names.len()];
        if self.anchors.len() > 1 {
            self.anchors.iter().for_each(|&(index, rating)| fixed[index] = Some(rating / points));
        }
        let encounters = self
            .table
            .encounters
            .iter()
            .map(|(&(first, second), &outcomes)| Encounter { first, second, outcomes });
        let assumed = (self.table.games() < MIN_GAMES).then_some(0.0);
        let advantage = self.rules.advantage.map(|advantage| advantage / points).or(assumed);
        GamePool { fixed, encounters: encounters.collect(), advantage }
    }

    fn ratings(&self, fit: &Fit, uncertainty: Option<&Uncertainty>) -> Vec<PlayerRating> {
        let points = self.rules.scale.0;
        let value = |player: usize| fit.strengths[player].value().map(|value| points * value);
        let offset = match self.anchors[..] {
            [] => self.rules.average,
            [(anchor, rating)] => rating - value(anchor).unwrap_or_default(),
            _ => 0.0,
        };
        let rated = |player: usize| match (fit.strengths[player], &self.anchors[..]) {
            (Strength::Estimated(_), &[(anchor, rating)]) if anchor == player => {
                Strength::Fixed(rating)
            }
            (strength, _) => strength.map(|value| points * value + offset),
        };
        let deviation = |player: usize| match self.anchors[..] {
            _ if !matches!(rated(player), Strength::Estimated(_)) => None,
            [] => uncertainty?.against_mean(player),
            [(anchor, _)] => uncertainty?.of_difference(player, anchor),
            _ => uncertainty?.of_strength(player),
        };
        let rating = |player: usize| PlayerRating {
            rating: rated(player),
            error: deviation(player).map(|deviation| TWO_SIDED_95 * points * deviation),
            opposition: self.opposition(player, |other| Some(value(other)? + offset)),
            ..self.unrated(player)
        };
        let mut ratings: Vec<PlayerRating> = (0..self.table.names.len()).map(rating).collect();
        let superiority = |player: usize, other: usize| {
            let difference = fit.strengths[player].value()? - fit.strengths[other].value()?;
            let superiority = normal(difference / uncertainty?.of_difference(player, other)?);
            Some(superiority).filter(|superiority| !superiority.is_nan())
        };
        let mut order: Vec<usize> = (0..ratings.len()).collect();
        order.sort_by(|&a, &b| ratings[a].ranking(&ratings[b]));
        for pair in order.windows(2) {
            ratings[pair[0]].superiority = superiority(pair[0], pair[1]);
        }
        ratings
    }

    /// A player that has results but no rating.
    fn unrated(&self, player: usize) -> PlayerRating {
        PlayerRating {
            name: self.table.names[player].clone(),
            rating: Strength::Unknown,
            error: None,
            superiority: None,
            outcomes: self.table.outcomes_of(player),
            opposition: None,
        }
    }

    /// The mean rating of a player's opponents, weighted by the number of games.
    fn opposition(&self, player: usize, rating: impl Fn(usize) -> Option<f64>) -> Option<f64> {
        let (mut sum, mut games) = (0.0, 0.0);
        for (&(white, black), outcomes) in &self.table.encounters {
            let other = match player {
                _ if player == white => black,
                _ if player == black => white,
                _ => continue,
            };
            sum += rating(other)? * outcomes.total() as f64;
            games += outcomes.total() as f64;
        }
        (games > 0.0).then(|| sum / games)
    }

    fn explain(&self, error: &FitError) -> String {
        let FitError::Disconnected(groups) = error else { return error.to_string() };
        let name = |&player: &usize| self.table.names[player].as_str();
        let group = |group: &Vec<usize>| group.iter().map(name).collect::<Vec<&str>>().join("; ");
        let groups: Vec<String> = groups.iter().map(group).collect();
        format!(
            "each of these groups of players must score at least half a point against the others, \
             directly or through other players: {}",
            groups.join(" / ")
        )
    }
}
