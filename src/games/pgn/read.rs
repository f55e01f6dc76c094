//! Reading games from PGN text, main lines only.
//!
//! PGN files come from everywhere: comments, variations, glyphs and missing headers are stepped
//! over. A game is read as words, which [`PgnGame::replay`] turns into moves.

use super::game::PgnGame;
use super::{begins_with_tag, parse_tag};

/// All games of a PGN text.
pub fn read_pgn(text: &str) -> Vec<PgnGame> {
    let mut reader = PgnReader {
        rest: text,
        behind_line: usize::MAX,
        line: 1,
        games: Vec::new(),
        game: PgnGame::default(),
    };
    while reader.step() {}
    reader.finish_game();
    reader.games
}

/// Figures of pieces, as letters; a figure of a pawn is left out.
fn letters(word: &str) -> String {
    let letter = |c: char| match c {
        '♔' | '♚' => Some('K'),
        '♕' | '♛' => Some('Q'),
        '♖' | '♜' => Some('R'),
        '♗' | '♝' => Some('B'),
        '♘' | '♞' => Some('N'),
        '♙' | '♟' | '\u{fe0e}' | '\u{fe0f}' => None,
        other => Some(other),
    };
    word.chars().filter_map(letter).collect()
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

struct PgnReader<'a> {
    rest: &'a str,
    /// What is left of the text behind the last word of the line in which a tag was last seen.
    behind_line: usize,
    line: usize,
    games: Vec<PgnGame>,
    game: PgnGame,
}

impl<'a> PgnReader<'a> {
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

    /// `[Name "value"]`. A tag behind moves begins the next game, and so does another event.
    fn tag(&mut self) {
        let line = self.rest_of_line();
        let has_moves = !self.game.moves.is_empty();
        if has_moves && !begins_with_tag(line.as_bytes()) {
            // A remark in brackets.
            let length = line.find(']').map_or(line.len(), |at| at + 1);
            self.take(length);
            return;
        }
        if has_moves || self.game.result.is_some() {
            self.finish_game();
        }
        let tag = parse_tag(line);
        if tag.as_ref().is_some_and(|&(name, ..)| name == "Event")
            && self.game.tag("Event").is_some()
        {
            self.finish_game();
        }
        self.begin_game();
        let behind = tag.as_ref().map_or(0, |(.., rest)| rest.len());
        self.take(line.len() - behind);
        let Some((name, value, _)) = tag else { return };
        self.game.tags.push((name.to_owned(), value));
    }

    /// What is left of the line that the next word stands on. Its end is looked for once a line, for a line may
    /// have any number of tags.
    fn rest_of_line(&mut self) -> &'a str {
        if self.behind_line > self.rest.len() {
            let line = self.rest.split('\n').next().unwrap_or_default();
            self.behind_line = self.rest.len() - line.trim_end().len();
        }
        &self.rest[..self.rest.len() - self.behind_line]
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
        let ends = |c: char| c.is_whitespace() || "{}();[]$".contains(c);
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        // A bracket that closes nothing would be an empty word.
        let word = self.take(end.max(first.len_utf8()));
        let result = if ["½-½", "½"].contains(&word) { "1/2-1/2" } else { word };
        if matches!(result, "1-0" | "0-1" | "1/2-1/2" | "*") {
            self.begin_game();
            self.game.result = Some(result.to_owned());
            self.finish_game();
            return;
        }
        let bare = if word.starts_with("0-0") {
            word // castling written with zeros is not a move number
        } else {
            word.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('.')
        };
        let san = letters(bare.trim_end_matches(['!', '?']));
        // En passant, and what is new.
        let is_remark = matches!(san.trim_end_matches('.'), "e.p" | "ep" | "N");
        // A pass is no move, and is named as none.
        if (san.starts_with(char::is_alphanumeric) && !is_remark) || san == "--" {
            self.add_move(san.replace('0', "O"));
        }
    }

    fn add_move(&mut self, san: String) {
        self.begin_game();
        self.game.moves.push(san);
        self.game.clocks.push(None);
    }

    /// Steps over a variation with all that is nested in it. One that is never closed spoils its game,
    /// and no others.
    fn variation(&mut self) {
        let mut depth = 0;
        while let Some(at) = self.rest.find(['(', ')', '{', ';', '[']) {
            let found = self.rest.as_bytes()[at];
            let begins_line = self.take(at).ends_with('\n');
            match found {
                b'[' if begins_line => break,
                b'[' => drop(self.take(1)),
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
        if !self.rest.starts_with('[') {
            self.take(self.rest.len());
        }
        self.add_move("(".to_owned());
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
    use crate::board::Game;
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
        let game = &read_pgn("[Event \"x\"] [White \"the \"A\" \\\\\"] 1. e4$1 e5 $10 *")[0];
        assert_eq!(
            (game.tag("White"), game.moves.join(" ")),
            (Some("the \"A\" \\"), "e4 e5".into())
        );
    }

    #[test]
    fn tags_without_moves_are_not_the_next_games() {
        let games =
            read_pgn("[Event \"a\"]\n[White \"A\"]\n\n[Event \"b\"]\n[White \"B\"]\n\n1. e4 *\n");
        let found: Vec<_> =
            games.iter().map(|game| (game.line, game.tag("White"), game.moves.len())).collect();
        assert_eq!(found, [(1, Some("A"), 0), (4, Some("B"), 1)]);
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
    fn moves_are_read_as_they_are_written_elsewhere() {
        let line = |text: &str| {
            let game = read_pgn(text)[0].replay(None).expect(text);
            game.position().fen()
        };
        let usual = line("1. e4 d5 2. Nf3 dxe4 3. Bb5+ c6 4. Ba4 exf3 5. O-O fxg2 1/2-1/2");
        for text in [
            "1. e4 d5 2. ♘f3 dxe4 3. ♗b5+ c6 4. ♗a4 exf3 5. 0-0 ♟fxg2 ½-½",
            "1. e2-e4 d7-d5 2. Ng1-f3 d5xe4 3. Bf1-b5+ c7-c6 4. Bb5-a4 e4xf3 5. O-O f3xg2",
            "1. e2e4 d7d5 2. g1f3 d5e4 3. f1b5 c7c6 4. b5a4 e4f3 5. e1g1 f3g2",
        ] {
            assert_eq!(line(text), usual, "{text}");
        }
        assert_eq!(read_pgn("1. e4 e5 ½-½")[0].result.as_deref(), Some("1/2-1/2"));
        let promoted = "[FEN \"8/4P1k1/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. e8";
        assert_eq!(line(&format!("{promoted}Q+")), line(&format!("{promoted}=Q")));
        assert_eq!(line(&format!("{promoted}N")), line(&format!("{promoted}=N")));
        for passing in ["exd6 e.p.", "exd6ep", "exd6e.p."] {
            let text = format!("1. e4 a6 2. e5 d5 3. {passing} cxd6");
            assert_eq!(read_pgn(&text)[0].replay(None).expect("legal").ply(), 6);
        }
        let annotated = "1. e4 d5 N 2. exd5 Qxd5 3. Nc3 Qa5 4. b4 Qe5++ 5. Qe2 Qxe2# ½";
        assert_eq!(read_pgn(annotated)[0].replay(None).expect("legal").ply(), 10);
        assert_eq!(read_pgn(annotated)[0].result.as_deref(), Some("1/2-1/2"));
        let error = read_pgn("1. e4 -- 2. d4")[0].replay(None).expect_err("a pass");
        assert!(error.to_string().contains("--"), "{error}");
        // What is no move is named, whatever its letters.
        let error = read_pgn("1. e4 e5 2. Кf3 Nc6")[0].replay(None).expect_err("no move");
        assert!(error.to_string().contains("Кf3"), "{error}");
    }

    #[test]
    fn a_variation_that_is_never_closed_spoils_one_game() {
        let games = read_pgn("1. e4 (1. d4 {[x]} d5\n1-0\n\n[White \"B\"]\n\n1. c4 c5 *");
        assert_eq!(games.len(), 2);
        assert!(games[0].replay(None).expect_err("torn").to_string().contains('('));
        assert_eq!(games[1].replay(None).expect("whole").ply(), 2);
    }

    #[test]
    fn a_remark_in_brackets_is_no_tag() {
        let games = read_pgn("1. e4 e5 2. Nf3\n[this is a remark] Nc6 [%odd\n3. Bb5 *");
        assert_eq!((games.len(), games[0].moves.len()), (1, 5));
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
