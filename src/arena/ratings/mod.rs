//! Rating lists: the strengths of many players, fitted to all their games at once.
//!
//! The fit is that of Ordo (see [`crate::math::paired`]); so are the scale, the anchors and what an
//! error is relative to: to the anchored player where there is one, else to the average of all.

mod fitting;

use std::collections::{BTreeMap, HashMap};

use self::fitting::Fitting;
use crate::arena::record::GameRecord;
use crate::board::Colour;
use crate::games::GameResult;
use crate::math::outcomes::{Estimate, Outcomes, Trinomial};

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
    pub rating: RatingKind,
    /// Half the width of the 95 % interval.
    pub error: Option<f64>,
    /// How sure it is that he is better than the next one.
    pub superiority: Option<f64>,
    pub outcomes: Trinomial,
    /// The mean rating of his opponents, weighted by games.
    pub opposition: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RatingKind {
    No,
    Anchored(f64),
    Estimated(f64),
    AtLeast(f64),
    AtMost(f64),
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

impl RatingKind {
    pub fn value(self) -> Option<f64> {
        match self {
            RatingKind::No => None,
            RatingKind::Anchored(value)
            | RatingKind::Estimated(value)
            | RatingKind::AtLeast(value)
            | RatingKind::AtMost(value) => Some(value),
        }
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
