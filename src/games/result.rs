//! The result of a finished game.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::board::Colour;

/// The result of a finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GameResult {
    /// White won.
    #[serde(rename = "1-0")]
    WhiteWins,
    /// Black won.
    #[serde(rename = "0-1")]
    BlackWins,
    /// The game was drawn.
    #[serde(rename = "1/2-1/2")]
    Draw,
}

impl GameResult {
    /// Parses `1-0`, `0-1` or `1/2-1/2`. Returns `None` for anything else, including `*`.
    pub(crate) fn parse(text: &str) -> Option<GameResult> {
        match text.trim() {
            "1-0" => Some(GameResult::WhiteWins),
            "0-1" => Some(GameResult::BlackWins),
            "1/2-1/2" => Some(GameResult::Draw),
            _ => None,
        }
    }

    /// The result of a game that this side won.
    pub fn won_by(winner: Colour) -> GameResult {
        match winner {
            Colour::White => GameResult::WhiteWins,
            Colour::Black => GameResult::BlackWins,
        }
    }

    /// The result for a White score of 0, 1 or 2 half points.
    pub fn of_half_points(points: usize) -> Option<GameResult> {
        [GameResult::BlackWins, GameResult::Draw, GameResult::WhiteWins].get(points).copied()
    }

    /// White's score: 0, 0.5 or 1.
    pub fn score(self) -> f64 {
        self.half_points(Colour::White) as f64 / 2.0
    }

    /// The half points scored by a side: 0, 1 or 2.
    pub fn half_points(self, colour: Colour) -> usize {
        match self {
            GameResult::Draw => 1,
            _ if self == GameResult::won_by(colour) => 2,
            _ => 0,
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GameResult::WhiteWins => "1-0",
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
        })
    }
}
