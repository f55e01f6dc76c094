//! Pairings: in each round, every participant plays two games against an opponent of similar
//! strength.
//!
//! A round depends only on its number, the seed and the games of earlier rounds. So a study that
//! was killed resumes as if it had not been interrupted.

use std::collections::BTreeMap;

use super::entrants::Entrant;
use super::fit::Kinds;
use super::fit::{RatingModel, Scores};
use stopdown::arena::{
    Book, BookError, ContestantError, ContestantSpec, GameRecord, JournalSettings, Order, Pairing,
    Rules, Tournament,
};
use stopdown::math::streams::{Occasion, Purpose, Stream};
use stopdown::player::Roster;

/// The noise added to ratings before neighbours are paired, for even and for odd rounds, counted
/// from 0. Games between equally strong players are best for measuring small differences in rating.
/// Games between unequal players measure the length of the scale.
const NOISE: [f64; 2] = [150.0, 400.0];

/// The length limit ends games between players too weak to give mate. Nothing else is adjudicated,
/// because weak players lose won positions.
const RULES: Rules = Rules { draw: None, resign: None, max_moves: Some(150) };

/// The games of a study.
#[derive(Clone, Copy, Debug)]
pub struct Rounds<'a> {
    pub entrants: &'a [Entrant],
    pub seed: u64,
    /// The number of rounds. In each, every participant plays two games.
    pub count: usize,
}

/// Why a study cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    #[error(transparent)]
    Player(#[from] ContestantError),
    #[error(transparent)]
    Opening(#[from] BookError),
}

impl Rounds<'_> {
    /// The total number of games.
    pub fn games(&self) -> usize {
        // Each participant plays two games against one opponent.
        (0..self.count).map(|round| self.present(round).len()).sum()
    }

    /// The games of a round, given the records of earlier rounds.
    pub fn pairings(&self, round: usize, records: &[GameRecord]) -> Vec<Pairing> {
        let first = self.first_pair(round);
        let earlier = records.iter().filter(|record| record.pair < first);
        let guesses: Vec<f64> = self.entrants.iter().map(|entrant| entrant.guess).collect();
        let model = RatingModel { guesses: &guesses, rows: &[], kinds: &Kinds::default() };
        let ratings = model.fit(&Scores::of_records(earlier)).ratings;
        let pairs = self.meetings(round, &ratings);
        let numbered = (first..).zip(pairs);
        numbered.flat_map(|(pair, (one, other))| Pairing::game_pair(pair, one, other)).collect()
    }

    /// Whether a game belongs to these rounds. An earlier run may have had more rounds.
    pub fn has(&self, record: &GameRecord) -> bool {
        record.pair < self.first_pair(self.count)
    }

    /// The players and conditions of all games.
    pub fn tournament(&self, event: &str) -> Result<Tournament, StudyError> {
        let spec = |entrant: &Entrant| ContestantSpec::parse(&entrant.words, &Roster::default());
        let players = self.entrants.iter().map(spec).collect::<Result<_, _>>()?;
        let openings = Book::built_in().select(Order::Random(self.seed), None, usize::MAX)?;
        Ok(Tournament {
            event: event.to_owned(),
            names: self.entrants.iter().map(|entrant| entrant.name.clone()).collect(),
            players,
            openings,
            rules: RULES,
            is_detailed: true,
            tables: None,
            concurrency: 1,
            guard: None,
        })
    }

    /// The settings that must match for games to be combined: the players and their identities, and
    /// everything that affects the pairings. `own` is the identity of our players, and `others` has
    /// the index and the identity of each external engine.
    pub fn settings(&self, own: String, others: &[(usize, String)]) -> JournalSettings {
        let every: Vec<String> = self.entrants.iter().map(|one| one.every.to_string()).collect();
        let mut settings = BTreeMap::from([
            ("players are".to_owned(), own),
            ("openings".to_owned(), "built-in".to_owned()),
            ("seed".to_owned(), self.seed.to_string()),
            ("rules".to_owned(), format!("{RULES:?}")),
            ("schedule".to_owned(), format!("{NOISE:?}, every {}", every.join(" "))),
        ]);
        for (number, entrant) in (1..).zip(self.entrants) {
            settings.insert(format!("player {number}"), entrant.words.clone());
        }
        let identities = others
            .iter()
            .map(|(place, identity)| (format!("player {} is", place + 1), identity.clone()));
        settings.extend(identities);
        JournalSettings(settings)
    }

    /// The participants of a round. If their number is odd, they take turns sitting out.
    fn present(&self, round: usize) -> Vec<usize> {
        let comes = |&one: &usize| round.is_multiple_of(self.entrants[one].every);
        let mut present: Vec<usize> = (0..self.entrants.len()).filter(comes).collect();
        if !present.len().is_multiple_of(2) {
            present.remove(round % present.len());
        }
        present
    }

    /// The pairs of a round, which is counted from 0.
    fn meetings(&self, round: usize, ratings: &[f64]) -> Vec<(usize, usize)> {
        let noise = NOISE[round % NOISE.len()];
        let place = |player: usize| {
            let occasion = Occasion { seed: self.seed, game: round as u64, ply: player as u64 };
            let drawn = Stream::new(occasion, Purpose::Pairing).uniform();
            ratings[player] + noise * (2.0 * drawn - 1.0)
        };
        let mut row: Vec<(f64, usize)> =
            self.present(round).into_iter().map(|one| (place(one), one)).collect();
        row.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        row.chunks_exact(2).map(|pair| (pair[0].1, pair[1].1)).collect()
    }

    /// The number of a round's first pair, counted from 1. Rounds with fewer pairs leave some
    /// numbers unused.
    fn first_pair(&self, round: usize) -> usize {
        round * (self.entrants.len() / 2) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn entrants(own: usize, others: usize) -> Vec<Entrant> {
        let entrant = |place: usize| Entrant {
            name: place.to_string(),
            words: String::new(),
            guess: 0.0,
            is_anchor: false,
            nominal: None,
            every: if place < own { 1 } else { 4 },
        };
        (0..own + others).map(entrant).collect()
    }

    #[test]
    fn everyone_meets_a_neighbour_once_a_round_and_takes_turns_resting() {
        let rounds = Rounds { entrants: &entrants(9, 2), seed: 7, count: 36 };
        let ratings: Vec<f64> = (0..11).map(|place| f64::from(place * 200)).collect();
        let mut games = [0; 11];
        for round in 0..36 {
            let pairs = rounds.meetings(round, &ratings);
            let players: Vec<usize> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
            assert_eq!(players.iter().collect::<HashSet<_>>().len(), players.len());
            assert_eq!(players.len(), if round % 4 == 0 { 10 } else { 8 });
            for (one, other) in pairs {
                assert!((ratings[one] - ratings[other]).abs() <= 1200.0);
            }
            players.iter().for_each(|&player| games[player] += 1);
        }
        assert!(games[..9].iter().all(|&games| games >= 31), "{games:?}");
        assert!(games[9..].iter().all(|&games| games >= 7), "{games:?}");
    }

    #[test]
    fn pairings_depend_on_seed_and_round() {
        let entrants = entrants(20, 0);
        let rounds = |seed| Rounds { entrants: &entrants, seed, count: 9 };
        let draw = |round, seed| rounds(seed).meetings(round, &[0.0; 20]);
        assert_eq!(draw(3, 1), draw(3, 1));
        assert_ne!(draw(3, 1), draw(5, 1));
        assert_ne!(draw(3, 1), draw(3, 2));
        assert_eq!(rounds(1).first_pair(3), 31);
    }
}
