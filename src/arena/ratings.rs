//! Rating lists: the strengths of many players, fitted to all their games at once.
//!
//! The fit is that of Ordo (see [`crate::math::paired`]); so are the scale, the anchors and what an
//! error is relative to: to the anchored player where there is one, else to the average of all.

use std::collections::{BTreeMap, HashMap};

use super::record::GameRecord;
use crate::board::Colour;
use crate::games::GameResult;
use crate::math::outcomes::{Estimate, Outcomes, TWO_SIDED_95, Trinomial};
use crate::math::paired::{Encounter, Fit, FitError, PairedGames, Uncertainty};
use crate::math::statistics::normal;

pub use crate::math::paired::Strength;

/// How many points a factor e in the odds is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointScale(f64);

impl PointScale {
    /// 202 points expect 76 %: Ordo's (its manual, "Scale").
    pub fn ordo() -> PointScale {
        PointScale(202.0 / libm::log(0.76 / 0.24))
    }

    /// 400 points are odds of ten to one.
    pub fn logistic() -> PointScale {
        PointScale(400.0 / std::f64::consts::LN_10)
    }
}

/// What ratings are relative to, and how their errors are found.
#[derive(Clone, Debug)]
pub struct RatingRules {
    pub scale: PointScale,
    /// The mean of all ratings where nobody is anchored.
    pub average: f64,
    /// Players whose ratings are given.
    pub anchors: Vec<(String, f64)>,
    /// What the white pieces are worth; `None` to find out.
    pub advantage: Option<f64>,
    /// Errors from so many simulations with this seed, instead of from the slopes of the fit.
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

/// One player of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerRating {
    pub name: String,
    /// On the scale.
    pub rating: Strength,
    /// Half the width of the 95 % interval.
    pub error: Option<f64>,
    /// How sure it is that he is better than the next one.
    pub superiority: Option<f64>,
    pub outcomes: Trinomial,
    /// The mean rating of his opponents, weighted by games.
    pub opposition: Option<f64>,
}

/// The list, the best first.
#[derive(Clone, Debug)]
pub struct RatingList {
    pub ratings: Vec<PlayerRating>,
    /// `None` where it was given.
    pub advantage: Option<Estimate>,
    /// How often equals draw.
    pub draws: Option<Estimate>,
    /// Why there are no ratings.
    pub trouble: Option<String>,
}

/// An anchor without games.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is to be an anchor and has no games; there are {1}")]
pub struct UnknownAnchor(String, String);

impl RatingList {
    pub fn new(table: &Crosstable, rules: &RatingRules) -> Result<RatingList, UnknownAnchor> {
        let mut anchors = Vec::new();
        for (name, rating) in &rules.anchors {
            let place = table.places.get(name);
            let unknown = || UnknownAnchor(name.clone(), table.names.join(", "));
            anchors.push((*place.ok_or_else(unknown)?, *rating));
        }
        let mut list = Fitting { table, rules, anchors }.list();
        list.ratings.sort_by(|a, b| {
            let key = |r: &PlayerRating| (r.rating.value().unwrap_or(f64::MIN), r.outcomes.score());
            let ((a, score), (b, other)) = (key(a), key(b));
            b.total_cmp(&a).then(other.total_cmp(&score))
        });
        Ok(list)
    }
}

/// The games of many players, counted.
#[derive(Clone, Debug, Default)]
pub struct Crosstable {
    names: Vec<String>,
    places: HashMap<String, usize>,
    /// By White and Black, counted for White.
    encounters: BTreeMap<(usize, usize), Trinomial>,
}

impl Crosstable {
    /// A table in which these players come first, games or not.
    pub fn of_players(names: &[String]) -> Crosstable {
        let mut table = Crosstable::default();
        for name in names {
            table.place(name);
        }
        table
    }

    pub fn add(&mut self, white: &str, black: &str, result: GameResult) {
        let (white, black) = (self.place(white), self.place(black));
        let points = result.half_points(Colour::White);
        self.encounters.entry((white, black)).or_default().0[points] += 1;
    }

    /// Adds a finished game between players of the list that the table began with.
    pub fn add_record(&mut self, record: &GameRecord) {
        let points = record.result.half_points(Colour::White);
        self.encounters.entry((record.white, record.black)).or_default().0[points] += 1;
    }

    pub fn games(&self) -> u64 {
        self.encounters.values().map(Outcomes::total).sum()
    }

    fn place(&mut self, name: &str) -> usize {
        if let Some(&place) = self.places.get(name) {
            return place;
        }
        self.places.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        self.names.len() - 1
    }

    /// Everything that a player has won, drawn and lost.
    fn outcomes_of(&self, player: usize) -> Trinomial {
        let mut sum = Trinomial::default();
        for (&(white, black), &Outcomes([losses, draws, wins])) in &self.encounters {
            let own = match player {
                player if player == white => [losses, draws, wins],
                player if player == black => [wins, draws, losses],
                _ => continue,
            };
            sum.0.iter_mut().zip(own).for_each(|(sum, count)| *sum += count);
        }
        sum
    }
}

/// A list in the making.
struct Fitting<'a> {
    table: &'a Crosstable,
    rules: &'a RatingRules,
    /// Places and ratings.
    anchors: Vec<(usize, f64)>,
}

impl Fitting<'_> {
    fn list(&self) -> RatingList {
        let pool = self.pool();
        let fit = match pool.fit() {
            Ok(fit) => fit,
            Err(error) => {
                let ratings = (0..self.table.names.len()).map(|player| self.unrated(player));
                let trouble = Some(self.words(&error));
                return RatingList {
                    ratings: ratings.collect(),
                    advantage: None,
                    draws: None,
                    trouble,
                };
            }
        };
        let uncertainty = match self.rules.simulations {
            Some((count, seed)) => Uncertainty::of_simulations(&pool, &fit, count, seed),
            None => Uncertainty::of_slopes(&pool, &fit),
        };
        let points = self.rules.scale.0;
        let estimate =
            |value: f64, deviation: f64| Estimate { value, error: TWO_SIDED_95 * deviation };
        let deviation = uncertainty.as_ref().and_then(|uncertainty| uncertainty.advantage);
        RatingList {
            ratings: self.ratings(&fit, uncertainty.as_ref()),
            advantage: deviation
                .map(|deviation| estimate(points * fit.advantage, points * deviation)),
            draws: uncertainty.as_ref().map(|uncertainty| estimate(fit.draws, uncertainty.draws)),
            trouble: None,
        }
    }

    /// One anchor is a point to count from; only several of them bear on the fit.
    fn pool(&self) -> PairedGames {
        let points = self.rules.scale.0;
        let mut fixed = vec![None; self.table.names.len()];
        if self.anchors.len() > 1 {
            self.anchors.iter().for_each(|&(place, rating)| fixed[place] = Some(rating / points));
        }
        let encounters = self
            .table
            .encounters
            .iter()
            .map(|(&(first, second), &outcomes)| Encounter { first, second, outcomes });
        let advantage = self.rules.advantage.map(|advantage| advantage / points);
        PairedGames { fixed, encounters: encounters.collect(), advantage }
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
        let mut order: Vec<usize> = (0..self.table.names.len()).collect();
        order.sort_by(|&a, &b| {
            value(b).unwrap_or(f64::MIN).total_cmp(&value(a).unwrap_or(f64::MIN))
        });
        let next: HashMap<usize, usize> = order.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let superiority = |player: usize| {
            let other = *next.get(&player)?;
            let difference = fit.strengths[player].value()? - fit.strengths[other].value()?;
            Some(normal(difference / uncertainty?.of_difference(player, other)?))
        };
        let rating = |player: usize| PlayerRating {
            rating: rated(player),
            error: deviation(player).map(|deviation| TWO_SIDED_95 * points * deviation),
            superiority: superiority(player).filter(|superiority| !superiority.is_nan()),
            opposition: self.opposition(player, |other| Some(value(other)? + offset)),
            ..self.unrated(player)
        };
        (0..self.table.names.len()).map(rating).collect()
    }

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

    fn opposition(&self, player: usize, rating: impl Fn(usize) -> Option<f64>) -> Option<f64> {
        let [mut sum, mut games] = [0.0; 2];
        for (&(white, black), outcomes) in &self.table.encounters {
            let other = match player {
                player if player == white => black,
                player if player == black => white,
                _ => continue,
            };
            sum += rating(other)? * outcomes.total() as f64;
            games += outcomes.total() as f64;
        }
        (games > 0.0).then(|| sum / games)
    }

    fn words(&self, error: &FitError) -> String {
        let FitError::Disconnected(groups) = error else { return error.to_string() };
        let name = |&player: &usize| self.table.names[player].as_str();
        let group = |group: &Vec<usize>| group.iter().map(name).collect::<Vec<&str>>().join(", ");
        let groups: Vec<String> = groups.iter().map(group).collect();
        format!(
            "there are no ratings yet: these groups have not both won and lost points against each \
             other: {}",
            groups.join(" / ")
        )
    }
}
