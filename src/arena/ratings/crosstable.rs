//! Who has met whom, and what came of it.

use std::collections::{BTreeMap, HashMap};

use crate::arena::record::GameRecord;
use crate::board::Colour;
use crate::games::GameResult;
use crate::math::outcomes::{Outcomes, Trinomial};

/// The games of many players, counted.
#[derive(Clone, Debug, Default)]
pub struct Crosstable {
    pub(super) names: Vec<String>,
    pub(super) places: HashMap<String, usize>,
    /// By White and Black, counted for White.
    pub(super) encounters: BTreeMap<(usize, usize), Trinomial>,
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
    pub(super) fn outcomes_of(&self, player: usize) -> Trinomial {
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
