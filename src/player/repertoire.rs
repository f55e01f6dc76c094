//! A player's opening repertoire: the moves that the player chose in opening positions, and how
//! often.
//!
//! The curve for a rating describes what humans with that rating play on average. With a
//! repertoire, move i in a known position has the probability `(n_i + K q_i) / (N + K)`. Here the
//! player has chosen move i in n_i of N games, and humans with the rating choose it with
//! probability q_i. Main lines are therefore about as frequent as in the player's games. Even
//! the only move that the player has chosen is not certain: all other moves remain possible.
//!
//! Positions are identified by their keys, so transpositions count as one position. In a file they
//! are written as lines that can be read and edited: `"14 e4 c5 Nf3"` means that in 14 games, after
//! 1. e4 c5, the player chose 2. Nf3.

use std::collections::BTreeMap;

use crate::board::{Game, Move, MoveError, Position, shorten};
use crate::evaluation::RootEvaluation;
use crate::math::fingerprint;
use crate::selector::Distribution;

/// K: the curve has as much weight as this many of the player's games.
pub const CURVE_GAMES: f64 = 2.0;

/// The choices of a player in opening positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repertoire {
    /// Moves and numbers of games, by the key of the position.
    known: BTreeMap<u64, Vec<(Move, u64)>>,
}

/// Why a line of a repertoire was rejected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RepertoireError {
    /// The line does not begin with a number. Contains the line.
    #[error("the opening \"{}\" does not begin with a number of games; {LINE_FORMAT}", shorten(.0))]
    Games(String),
    /// The line ends after the number. Contains the line.
    #[error("the opening \"{}\" has no moves; {LINE_FORMAT}", shorten(.0))]
    NoMoves(String),
    /// A move is illegal or is not SAN.
    #[error("the opening \"{}\": {mistake}; {LINE_FORMAT}", shorten(line))]
    Move {
        /// The line.
        line: String,
        /// Why the move was rejected.
        mistake: MoveError,
    },
}

/// The format of a line, for error messages.
const LINE_FORMAT: &str = "write the number of games and the moves from the starting position up to the player's move, \
                   for example \"14 e4 c5 Nf3\"";

impl Repertoire {
    /// Parses lines. If a move occurs in several lines for the same position, its numbers of games
    /// are added.
    pub fn parse<'a>(
        lines: impl IntoIterator<Item = &'a str>,
    ) -> Result<Repertoire, RepertoireError> {
        let mut repertoire = Repertoire::default();
        for line in lines {
            let mut words = line.split_whitespace();
            let games = words.next().and_then(|word| word.parse::<u32>().ok());
            let games = games.filter(|&games| games > 0);
            let games = games.ok_or_else(|| RepertoireError::Games(line.to_owned()))?;
            let mut game = Game::default();
            let mut last = None;
            // Move numbers may be left in: `1. e4 c5 2.Nf3`.
            let moves = words.map(|word| word.rsplit_once('.').map_or(word, |(_, mv)| mv));
            for word in moves.filter(|word| !word.is_empty()) {
                let mv = game.position().parse_san(word);
                let wrong = |mistake| RepertoireError::Move { line: line.to_owned(), mistake };
                let mv = mv.map_err(wrong)?;
                last = Some((game.position().key(), mv));
                game.play(mv);
            }
            let (key, mv) = last.ok_or_else(|| RepertoireError::NoMoves(line.to_owned()))?;
            repertoire.add(key, mv, u64::from(games));
        }
        Ok(repertoire)
    }

    fn add(&mut self, key: u64, mv: Move, games: u64) {
        let choices = self.known.entry(key).or_default();
        match choices.iter_mut().find(|(known, _)| *known == mv) {
            Some((_, count)) => *count += games,
            None => choices.push((mv, games)),
        }
    }

    /// Returns whether it has no moves.
    pub(crate) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The number of known positions.
    pub(crate) fn positions(&self) -> usize {
        self.known.len()
    }

    /// Returns whether it has a move for this position.
    pub(crate) fn knows(&self, position: &Position) -> bool {
        self.known.contains_key(&position.key())
    }

    /// Returns the number of games in which each of these moves was chosen, or `None` if the
    /// position is unknown.
    pub(crate) fn games(
        &self,
        position: &Position,
        moves: impl Iterator<Item = Move>,
    ) -> Option<Vec<u64>> {
        let choices = self.known.get(&position.key())?;
        let of = |mv| choices.iter().find(|(known, _)| *known == mv).map_or(0, |(_, games)| *games);
        Some(moves.map(of).collect())
    }

    /// Combines the repertoire with the distribution `without` it.
    pub(crate) fn with(
        &self,
        position: &Position,
        evaluation: &RootEvaluation,
        without: Distribution,
    ) -> Distribution {
        match self.games(position, evaluation.moves.iter().map(|m| m.mv)) {
            Some(games) => without.after_choices(&games, CURVE_GAMES),
            None => without,
        }
    }

    /// A hash of the whole repertoire.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut text = String::new();
        for (key, choices) in &self.known {
            let mut choices: Vec<String> = choices.iter().map(|c| format!("{c:?}")).collect();
            choices.sort();
            text += &format!("{key} {choices:?}\n");
        }
        fingerprint(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(repertoire: &Repertoire, moves: &[&str]) -> Option<Vec<(String, u64)>> {
        let mut game = Game::default();
        for san in moves {
            game.play(game.position().parse_san(san).expect("legal"));
        }
        let position = game.position();
        let legal = position.legal_moves();
        let games = repertoire.games(position, legal.iter().copied())?;
        let known = legal.iter().zip(games).filter(|(_, games)| *games > 0);
        let mut known: Vec<(String, u64)> =
            known.map(|(&mv, games)| (position.san(mv), games)).collect();
        known.sort();
        Some(known)
    }

    #[test]
    fn transpositions_count_as_one_position() {
        let lines = ["31 e4", "9 d4", "7 d4 Nf6 c4 e6 Nc3", "2 c4 e6 d4 Nf6 Nc3", "1 e4 e5"];
        let repertoire = Repertoire::parse(lines).expect("right");
        let count = |san: &str, games| (san.to_owned(), games);
        assert_eq!(games(&repertoire, &[]), Some(vec![count("d4", 9), count("e4", 31)]));
        let joined = Some(vec![count("Nc3", 9)]);
        assert_eq!(games(&repertoire, &["d4", "e6", "c4", "Nf6"]), joined);
        assert_eq!(games(&repertoire, &["e4"]), Some(vec![count("e5", 1)]));
        assert_eq!(games(&repertoire, &["d4"]), None);
        assert_eq!(repertoire.positions(), 3);
        let other = Repertoire::parse(lines.into_iter().rev()).expect("right");
        assert_eq!(other.fingerprint(), repertoire.fingerprint());
        let less = Repertoire::parse(lines[1..].iter().copied()).expect("right");
        assert_ne!(less.fingerprint(), repertoire.fingerprint());
    }

    #[test]
    fn invalid_lines_are_quoted_with_the_expected_format() {
        for (line, expected) in [
            ("e4", "the opening \"e4\" does not begin with a number of games"),
            ("0 e4", "the opening \"0 e4\" does not begin"),
            ("-3 e4", "the opening \"-3 e4\" does not begin"),
            ("", "the opening \"\" does not begin"),
            ("14", "the opening \"14\" has no moves"),
            ("14 e4 c5 Nf4", "the opening \"14 e4 c5 Nf4\": "),
            ("14 e4 zwischenzug", "the opening \"14 e4 zwischenzug\": "),
        ] {
            let error = Repertoire::parse(["31 e4", line]).expect_err(line).to_string();
            assert!(error.starts_with(expected), "{error}");
            assert!(error.ends_with("example \"14 e4 c5 Nf3\""), "{error}");
        }
    }
}
