//! From the games of a crosstable to the list of ratings.

use std::collections::HashMap;

use super::{Crosstable, PlayerRating, RatingKind, RatingList, RatingRules};
use crate::math::normal::normal;
use crate::math::outcomes::{Estimate, TWO_SIDED_95};
use crate::math::paired::{Encounter, Fit, FitError, PairedGames, Strength, Uncertainty};

/// A list in the making.
pub(super) struct Fitting<'a> {
    pub table: &'a Crosstable,
    pub rules: &'a RatingRules,
    /// Places and ratings.
    pub anchors: Vec<(usize, f64)>,
}

impl Fitting<'_> {
    pub fn list(&self) -> RatingList {
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
        let rated = |player: usize| {
            let on_scale = |value: f64| points * value + offset;
            match fit.strengths[player] {
                Strength::Unknown => RatingKind::No,
                Strength::Fixed(value) => RatingKind::Anchored(on_scale(value)),
                Strength::AtLeast(value) => RatingKind::AtLeast(on_scale(value)),
                Strength::AtMost(value) => RatingKind::AtMost(on_scale(value)),
                Strength::Estimated(value) => match self.anchors[..] {
                    [(anchor, rating)] if anchor == player => RatingKind::Anchored(rating),
                    _ => RatingKind::Estimated(on_scale(value)),
                },
            }
        };
        let deviation = |player: usize| match self.anchors[..] {
            _ if !matches!(rated(player), RatingKind::Estimated(_)) => None,
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
            rating: RatingKind::No,
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
