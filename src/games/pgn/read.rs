//! Reading games from PGN text, main lines only.
//!
//! PGN files come from everywhere: comments, variations, glyphs and missing headers are stepped
//! over. A game is read as words; [`PgnGame::replay`] turns them into moves and says which one is
//! not legal.

use std::sync::Arc;

use crate::board::{Colour, FenError, Game, MoveError, Position, STARTING_FEN};

/// A game as it stands in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PgnGame {
    /// The file that it comes from, where that is known.
    pub file: Option<Arc<str>>,
    /// The line that it begins on, counted from 1.
    pub line: usize,
    pub tags: Vec<(String, String)>,
    /// The main line in standard algebraic notation.
    pub moves: Vec<String>,
    /// Seconds left on the clock of its player after each move (`[%clk h:mm:ss]`), as far as told.
    pub clocks: Vec<Option<u32>>,
    pub result: Option<String>,
}

/// Why a game could not be replayed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PgnError {
    #[error("the game on line {0} begins with an unusable FEN: {1}")]
    Start(usize, FenError),
    #[error("the game on line {0} cannot be followed at move {1}: {2}")]
    Move(usize, usize, MoveError),
}

impl PgnGame {
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// What the tags call a side.
    pub fn name(&self, colour: Colour) -> Option<&str> {
        self.tag(if colour == Colour::White { "White" } else { "Black" })
    }

    /// The rating that the tags give a side.
    pub fn rating(&self, colour: Colour) -> Option<f64> {
        let tag = if colour == Colour::White { "WhiteElo" } else { "BlackElo" };
        self.tag(tag)?.trim().parse().ok().filter(|&elo: &f64| elo > 0.0)
    }

    /// The first `plies` moves of the game, or all of them.
    pub fn replay(&self, plies: Option<usize>) -> Result<Game, PgnError> {
        let chess960 = self.tag("Variant").is_some_and(|name| {
            let name = name.to_lowercase();
            name.contains("960") || name.contains("fischer")
        });
        let start = Position::from_fen(self.tag("FEN").unwrap_or(STARTING_FEN), chess960)
            .map_err(|error| PgnError::Start(self.line, error))?;
        let mut game = Game::new(start);
        for san in self.moves.iter().take(plies.unwrap_or(usize::MAX)) {
            let m = game.position().parse_san(san).map_err(|error| {
                PgnError::Move(self.line, game.position().fullmoves() as usize, error)
            })?;
            game.play(m);
        }
        Ok(game)
    }
}

/// All games of a PGN text.
pub fn read_pgn(text: &str) -> Vec<PgnGame> {
    let mut reader = Reader { rest: text, line: 1, games: Vec::new(), game: PgnGame::default() };
    while reader.step() {}
    reader.finish_game();
    reader.games
}

/// The name and the value of `[Name "value"]`.
pub(super) fn parse_tag(line: &str) -> Option<(&str, String)> {
    let inside = line.trim().trim_start_matches('[').trim_end_matches(']').trim();
    let (name, value) = inside.split_once(char::is_whitespace)?;
    let value = value.trim();
    let value = value.strip_prefix('"').unwrap_or(value);
    let value = value.strip_suffix('"').unwrap_or(value);
    Some((name, value.replace("\\\"", "\"").replace("\\\\", "\\")))
}

/// The whole seconds of `[%clk h:mm:ss]` in a comment.
fn clock(comment: &str) -> Option<u32> {
    let (_, rest) = comment.split_once("[%clk ")?;
    let (time, _) = rest.split_once(']')?;
    let whole = time.split('.').next()?;
    whole.split(':').try_fold(0u32, |sum, part| {
        let part: u32 = part.trim().parse().ok()?;
        sum.checked_mul(60)?.checked_add(part)
    })
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
    games: Vec<PgnGame>,
    game: PgnGame,
}

impl<'a> Reader<'a> {
    /// Reads one token; false at the end.
    fn step(&mut self) -> bool {
        let blank = self.rest.len() - self.rest.trim_start().len();
        self.take(blank);
        let Some(first) = self.rest.chars().next() else { return false };
        match first {
            '[' => self.tag(),
            '{' => self.comment(),
            ';' | '%' => drop(self.take_through('\n')),
            '(' => self.variation(),
            _ => self.word(first),
        }
        true
    }

    /// `[Name "value"]`. A tag behind moves begins the next game.
    fn tag(&mut self) {
        if !self.game.moves.is_empty() || self.game.result.is_some() {
            self.finish_game();
        }
        self.begin_game();
        let line_end = self.rest.find('\n').unwrap_or(self.rest.len());
        let Some((name, value)) = parse_tag(self.take(line_end)) else { return };
        self.game.tags.push((name.to_owned(), value));
    }

    /// Only the clock is read.
    fn comment(&mut self) {
        let clock = clock(self.take_through('}'));
        if let Some(last) = self.game.clocks.last_mut() {
            *last = clock.or(*last);
        }
    }

    /// A move, a move number, a glyph or a result.
    fn word(&mut self, first: char) {
        let ends = |c: char| c.is_whitespace() || "{}();[]".contains(c);
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        // A bracket that closes nothing would be an empty word.
        let word = self.take(end.max(first.len_utf8()));
        if matches!(word, "1-0" | "0-1" | "1/2-1/2" | "*") {
            self.begin_game();
            self.game.result = Some(word.to_owned());
            self.finish_game();
            return;
        }
        let bare = if word.starts_with("0-0") {
            word // castling written with zeros is not a move number
        } else {
            word.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('.')
        };
        let san = bare.trim_end_matches(['!', '?']);
        if san.starts_with(|c: char| c.is_ascii_alphanumeric()) && san != "e.p" {
            self.begin_game();
            self.game.moves.push(san.replace('0', "O"));
            self.game.clocks.push(None);
        }
    }

    /// Steps over a variation with all that is nested in it.
    fn variation(&mut self) {
        let mut depth = 0;
        while let Some(at) = self.rest.find(['(', ')', '{', ';']) {
            let found = self.rest.as_bytes()[at];
            self.take(at);
            match found {
                b'{' => drop(self.take_through('}')),
                b';' => drop(self.take_through('\n')),
                bracket => {
                    self.take(1);
                    depth += if bracket == b'(' { 1 } else { -1 };
                    if depth == 0 {
                        return;
                    }
                }
            }
        }
        self.take(self.rest.len());
    }

    fn begin_game(&mut self) {
        if self.game.line == 0 {
            self.game.line = self.line;
        }
    }

    fn finish_game(&mut self) {
        let game = std::mem::take(&mut self.game);
        if game.line != 0 {
            self.games.push(game);
        }
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.line += taken.bytes().filter(|&byte| byte == b'\n').count();
        self.rest = rest;
        taken
    }

    fn take_through(&mut self, end: char) -> &'a str {
        let length = self.rest.find(end).map_or(self.rest.len(), |at| at + end.len_utf8());
        self.take(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::pgn::PgnWriter;

    #[test]
    fn everything_but_the_main_line_is_stepped_over() {
        let text = "[Event \"a \\\"b\\\"\"]\n[Site \"?\"]\n\n1.e4 {King's (pawn) [x]} e5!? $14 2. Nf3 \
                    (2. f4 exf4 (2... d5 {deep ( }) 3. Nf3) 2... Nc6 ; to the end 3. Bc4\n\
                    % escaped\n3. Bb5 a6 4. Ba4 Nf6 5. 0-0 1/2-1/2\n\n1. d4 d5\n[Event \"third\"]\n*";
        let games = read_pgn(text);
        assert_eq!(games.len(), 3);
        assert_eq!(games[0].moves.join(" "), "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O");
        assert_eq!(games[0].tag("Event"), Some("a \"b\""));
        assert_eq!(games[0].result.as_deref(), Some("1/2-1/2"));
        assert_eq!((games[0].line, games[1].line, games[2].line), (1, 8, 9));
        assert_eq!(games[0].replay(None).expect("legal").ply(), 9);
        assert_eq!(games[0].replay(Some(4)).expect("legal").ply(), 4);
        assert_eq!(games[1].replay(None).expect("legal").ply(), 2);
    }

    #[test]
    fn clocks_are_read() {
        let text =
            "1. d4 {[%clk 0:03:00]} 1... c5 {good [%clk 1:00:02.7] x} 2. c3 {no} cxd4 {[%clk }";
        let game = &read_pgn(text)[0];
        assert_eq!(game.clocks, [Some(180), Some(3602), None, None]);
        assert_eq!(read_pgn("{[%clk 0:1:00]} 1. d4 {[%clk 99999999:99:99]}")[0].clocks, [None]);
    }

    #[test]
    fn an_illegal_move_is_named() {
        let games = read_pgn("\n\n1. e4 e5 2. Ke3");
        let message = games[0].replay(None).expect_err("illegal").to_string();
        assert!(message.contains("line 3") && message.contains("Ke3"), "{message}");
    }

    #[test]
    fn torn_and_odd_text_does_not_panic() {
        for text in ["", "[", "[Event", "(", ")", "{", "1. e4 (", "]]", "}", "ü 1. e4 \u{0}", ";"]
        {
            read_pgn(text);
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let fen = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 20";
        let game = Game::from_uci(Some(fen), ["e8g8", "e1c1", "a8a1"], false).expect("legal");
        let written = PgnWriter {
            tags: vec![("Event", "back\\slash \"quoted\"".to_owned())],
            game: &game,
            comments: vec![String::new(), "+0.25/18 1.2s, an } inside".to_owned()],
            result: "0-1",
        }
        .to_string();
        assert!(written.contains("20... O-O 21. O-O-O {+0.25/18 1.2s, an | inside} Ra1+ 0-1\n"));
        let again = &read_pgn(&written)[0];
        assert_eq!(again.tag("Event"), Some("back\\slash \"quoted\""));
        assert_eq!(again.replay(None).expect("legal").position(), game.position());
    }
}
