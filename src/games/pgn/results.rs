//! The players and results of games, read from the tags alone.
//!
//! A rating list needs only the players and the result of each game. Skipping the moves makes this
//! much faster than reading whole games.

use std::io::{self, BufRead, Read};

use super::stream::LONGEST_LINE;
use super::tag::{begins_with_tag, decoded, parse_tag};
use crate::games::GameResult;

/// The players and the result of a finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayersAndResult {
    /// The name of the player with the white pieces.
    pub(crate) white: String,
    /// The name of the player with the black pieces.
    pub(crate) black: String,
    /// The result of the game.
    pub(crate) result: GameResult,
}

/// Passes every game with two different players and a result to `found`. Returns the number of
/// other games.
pub fn read_results(
    mut text: impl BufRead,
    mut found: impl FnMut(PlayersAndResult),
) -> io::Result<usize> {
    let mut others = 0;
    let mut game = Tags::default();
    let mut bytes = Vec::new();
    while (&mut text).take(LONGEST_LINE as u64).read_until(b'\n', &mut bytes)? > 0 {
        if bytes.len() == LONGEST_LINE && bytes.last() != Some(&b'\n') {
            let limit = LONGEST_LINE >> 20;
            let message = format!("a line is longer than {limit} MiB; this is not a PGN file");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        let line = decoded(std::mem::take(&mut bytes));
        let mut rest = line.trim();
        while let Some((name, value, behind)) =
            parse_tag(rest).filter(|_| begins_with_tag(rest.as_bytes()))
        {
            if game.has_moves || name == "Event" && game.has_event {
                others += std::mem::take(&mut game).report(&mut found);
            }
            game.take(name, value);
            rest = behind.trim_start();
        }
        game.has_moves |= !rest.is_empty() && game.has_tags;
    }
    Ok(others + game.report(&mut found))
}

/// The relevant tags of a game, as far as they have been read.
#[derive(Default)]
struct Tags {
    white: Option<String>,
    black: Option<String>,
    result: Option<GameResult>,
    has_tags: bool,
    has_event: bool,
    /// Whether text has followed the tags, so that the next tag starts another game.
    has_moves: bool,
}

impl Tags {
    fn take(&mut self, name: &str, value: String) {
        self.has_tags = true;
        match name {
            "Event" => self.has_event = true,
            "White" => self.white = Some(value),
            "Black" => self.black = Some(value),
            "Result" => self.result = GameResult::parse(&value),
            _ => {}
        }
    }

    /// Passes a game with two players and a result to `found` and returns 0. For other games,
    /// returns 1.
    fn report(self, found: &mut impl FnMut(PlayersAndResult)) -> usize {
        let named = |name: Option<String>| name.filter(|name| !name.is_empty() && name != "?");
        match (named(self.white), named(self.black), self.result) {
            (Some(white), Some(black), Some(result)) if white != black => {
                found(PlayersAndResult { white, black, result });
                0
            }
            _ => usize::from(self.has_tags),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finished_games_between_two_players_are_found_and_others_counted() {
        let text = "[White \"A \\\"x\\\"\"]\n[Black \"B\"]\n[Result \"1/2-1/2\"]\n\n1. e4 {[White \"no\"]\n\
                    [%clk 1]} e5\n\n[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n*\n\
                    [Event \"e\"]\n[Black \"B\"]\n[White \"C\"]\n[Result \"0-1\"]\n0-1\n\
                    [White \"?\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1-0";
        let mut games = Vec::new();
        let others = read_results(text.as_bytes(), |game| games.push(game)).expect("in memory");
        assert_eq!(others, 2);
        let found: Vec<(&str, &str, GameResult)> =
            games.iter().map(|game| (&*game.white, &*game.black, game.result)).collect();
        assert_eq!(found, [("A \"x\"", "B", GameResult::Draw), ("C", "B", GameResult::BlackWins)]);
        assert_eq!(read_results(&b"\xff\xfe\n\n"[..], |_| {}).expect("in memory"), 0);
        // Tags on one line, a comment that continues on the next line, and Latin-1.
        let text = b"[White \"M\xfcller\"] [Black \"M\xf6ller\"] [Result \"1-0\"] 1. e4 {\n[%clk 1]} e5\n1-0\n";
        let mut names = Vec::new();
        let others = read_results(&text[..], |game| names.push((game.white, game.black)));
        assert_eq!(others.expect("in memory"), 0);
        assert_eq!(names, [("M\u{fc}ller".to_owned(), "M\u{f6}ller".to_owned())]);
    }

    #[test]
    fn an_endless_line_is_an_error() {
        let error = read_results(io::BufReader::new(io::repeat(0)), |_| {}).expect_err("endless");
        assert!(error.to_string().contains("16 MiB"), "{error}");
    }
}
