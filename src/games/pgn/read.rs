//! A tolerant reader of PGN text. It reads only main lines.
//!
//! The reader looks at the first character of each token. `[` starts a tag, `{` or `;` a comment,
//! and `(` a variation. A line that starts with `%` is skipped, as the PGN standard requires (section
//! 6). Anything else is a word: a move, a move number, a glyph or a result.
//! Variations, glyphs and comments are skipped, except for clock times in comments. Moves stay text
//! until [`PgnGame::replay`] checks them.

use std::iter;

use super::game::{LONGEST_GAME, PgnGame, UNCLOSED_VARIATION};
use super::tag::{FIRST_TAGS, begins_with_tag, parse_tag};

/// Reads all games in a text.
pub fn read_pgn(text: &str) -> Vec<PgnGame> {
    PgnReader::read(text).games
}

/// Reads all games in a text, each with the part of the text that contains its tags, moves, comments and variations.
pub(super) fn read_with_text(text: &str) -> impl Iterator<Item = (PgnGame, &str)> {
    let PgnReader { games, mut ends, .. } = PgnReader::read(text);
    if let Some(last) = ends.last_mut() {
        *last = text.len();
    }
    let starts = iter::once(0).chain(ends.clone());
    let parts = starts.zip(ends).map(|(start, end)| &text[start..end]);
    games.into_iter().zip(parts)
}

/// Replaces chess symbols with the letters of the pieces. The symbol of a pawn is dropped.
fn symbols_to_letters(word: &str) -> String {
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

/// Returns the seconds of `[%clk h:mm:ss]` in a comment, without fractions.
fn parse_clock(comment: &str) -> Option<u32> {
    let (_, rest) = comment.split_once("[%clk ")?;
    let (time, _) = rest.split_once(']')?;
    let whole = time.split('.').next()?;
    whole.split(':').try_fold(0u32, |sum, part| {
        let part: u32 = part.trim().parse().ok()?;
        sum.checked_mul(60)?.checked_add(part)
    })
}

/// The ways in which programs write a null move.
const NULL_MOVES: [&str; 5] = ["--", "0000", "@@@@", "Z0", "null"];

/// Removes a move number, such as `12.` or `12...`, from the start of a word.
fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    // Castling written with zeros, and moves that consist of digits, such as `0000`.
    let is_move = word.starts_with("0-0") || rest.is_empty() && word.len() >= 4;
    if is_move { word } else { rest.trim_start_matches(['.', '…']) }
}

/// Removes glyphs such as `!?` or `+-` from the end of a word.
fn without_glyphs(mut word: &str) -> &str {
    loop {
        let marks = ['!', '?', '±', '∓', '∞', '⩲', '⩱', '□'];
        let shorter = word.trim_end_matches(marks);
        let signs = ["+/-", "-/+", "+/=", "=/+", "+-", "-+", "="];
        let shorter = signs.iter().find_map(|sign| shorter.strip_suffix(sign)).unwrap_or(shorter);
        if shorter.len() == word.len() {
            // `N` marks a novelty, and after a pawn move a promotion.
            let is_piece = word.starts_with(['K', 'Q', 'R', 'B', 'N', 'O']) && word.len() > 2;
            return word.strip_suffix('N').filter(|_| is_piece).unwrap_or(word);
        }
        word = shorter;
    }
}

/// Whether a word is a move, which may be illegal or unreadable. Other words are glyphs, such as `+-` or `∞`, and
/// remarks. A move contains a letter, unless it consists of digits.
fn is_move(word: &str) -> bool {
    // `e.p.` follows an en passant capture, `N` marks a novelty, and `D` a diagram.
    let is_remark = matches!(word.trim_end_matches('.'), "e.p" | "ep" | "N" | "D" | "mate");
    !is_remark
        && (word.contains(char::is_alphabetic) || word.starts_with(|c: char| c.is_ascii_digit()))
}

struct PgnReader<'a> {
    rest: &'a str,
    /// Whether the rest starts at the start of a line.
    begins_line: bool,
    /// The length of the text after the line last found by `rest_of_line`.
    after_line: usize,
    line: usize,
    games: Vec<PgnGame>,
    /// The offset at which each game ends.
    ends: Vec<usize>,
    /// The line on which the last game ended.
    last_line: usize,
    /// The length of the whole text.
    length: usize,
    game: PgnGame,
}

impl<'a> PgnReader<'a> {
    fn read(text: &'a str) -> PgnReader<'a> {
        let mut reader = PgnReader {
            rest: text,
            begins_line: true,
            after_line: usize::MAX,
            line: 1,
            games: Vec::new(),
            ends: Vec::new(),
            last_line: 0,
            length: text.len(),
            game: PgnGame::default(),
        };
        while reader.step() {}
        reader.finish_game();
        reader
    }

    /// Reads one token. Returns false at the end of the text.
    fn step(&mut self) -> bool {
        let blank = self.rest.len() - self.rest.trim_start().len();
        self.take(blank);
        let Some(first) = self.rest.chars().next() else { return false };
        match first {
            '[' => self.tag(),
            '{' => self.clock_comment(),
            ';' => drop(self.comment('\n')),
            '%' if self.begins_line => drop(self.take_through('\n')),
            '(' => self.variation(),
            _ => self.word(first),
        }
        true
    }

    /// Reads `[Name "value"]`. A tag after moves starts the next game, and so does a second `Event`
    /// or `White` tag.
    fn tag(&mut self) {
        let line = self.rest_of_line();
        let has_moves = !self.game.moves.is_empty();
        if has_moves && !begins_with_tag(line.as_bytes()) {
            // Some programs write remarks in brackets between the moves.
            let length = line.find(']').map_or(line.len(), |at| at + 1);
            self.take(length);
            return;
        }
        if has_moves {
            self.finish_game();
        }
        let tag = parse_tag(line);
        let starts_game = |name| FIRST_TAGS.contains(&name) && self.game.tag(name).is_some();
        if tag.as_ref().is_some_and(|&(name, ..)| starts_game(name)) {
            self.finish_game();
        }
        self.begin_game();
        let behind = tag.as_ref().map_or(0, |(.., rest)| rest.len());
        self.take(line.len() - behind);
        let Some((name, value, _)) = tag else { return };
        self.game.tags.push((name.to_owned(), value));
    }

    /// Returns the rest of the current line. The end of a line is searched for only once, because a
    /// malicious line can contain any number of tags.
    fn rest_of_line(&mut self) -> &'a str {
        if self.after_line > self.rest.len() {
            let line = self.rest.split('\n').next().unwrap_or_default();
            self.after_line = self.rest.len() - line.trim_end().len();
        }
        &self.rest[..self.rest.len() - self.after_line]
    }

    /// Takes a comment. If it follows a result on the same line, it belongs to the game that the result ends.
    fn comment(&mut self, end: char) -> &'a str {
        let follows_game = self.game.line == 0 && self.line == self.last_line;
        let comment = self.take_through(end);
        if follows_game && let Some(end) = self.ends.last_mut() {
            *end = self.length - self.rest.len();
        }
        comment
    }

    /// Skips a comment, but keeps a clock time that it contains.
    fn clock_comment(&mut self) {
        let clock = parse_clock(self.comment('}'));
        if let Some(last) = self.game.clocks.last_mut() {
            *last = clock.or(*last);
        }
    }

    /// Reads a move, a move number, a glyph or a result.
    fn word(&mut self, first: char) {
        let ends = |c: char| c.is_whitespace() || "{}();[]$".contains(c);
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        // A closing bracket without an opening one counts as a word of one character.
        let word = self.take(end.max(first.len_utf8()));
        let result = if ["½-½", "½"].contains(&word) { "1/2-1/2" } else { word };
        if matches!(result, "1-0" | "0-1" | "1/2-1/2" | "*") {
            self.begin_game();
            self.game.result = Some(result.to_owned());
            self.finish_game();
            return;
        }
        let san = symbols_to_letters(without_glyphs(without_number(word)));
        if NULL_MOVES.contains(&san.as_str()) {
            // Replaying the game reports a null move.
            self.add_move("--".to_owned());
        } else if san.starts_with("0-0") {
            self.add_move(san.replace('0', "O"));
        } else if is_move(&san) {
            self.add_move(san);
        }
    }

    fn add_move(&mut self, san: String) {
        self.begin_game();
        // One ply beyond the limit tells `PgnGame::replay` that the game is too long.
        if self.game.moves.len() <= LONGEST_GAME {
            self.game.moves.push(san);
            self.game.clocks.push(None);
        }
    }

    /// Skips a variation and everything nested in it. If it is never closed, its bracket is added
    /// as a move, so that replaying this game fails but other games are not affected.
    fn variation(&mut self) {
        let mut depth = 0;
        while let Some(at) = self.rest.find(['(', ')', '{', ';', '[', '%']) {
            let found = self.rest.as_bytes()[at];
            self.take(at);
            match found {
                b'[' if self.begins_line => break,
                b'%' if self.begins_line => drop(self.take_through('\n')),
                b'[' | b'%' => drop(self.take(1)),
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
        self.add_move(UNCLOSED_VARIATION.to_owned());
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
            self.ends.push(self.length - self.rest.len());
            self.last_line = self.line;
        }
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.line += taken.bytes().filter(|&byte| byte == b'\n').count();
        self.begins_line = taken.bytes().last().map_or(self.begins_line, |byte| byte == b'\n');
        self.rest = rest;
        taken
    }

    /// Takes the text up to and including this character.
    fn take_through(&mut self, end: char) -> &'a str {
        let length = self.rest.find(end).map_or(self.rest.len(), |at| at + end.len_utf8());
        self.take(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::pgn::PgnFault;

    #[test]
    fn only_the_main_line_is_read() {
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
    fn tags_of_a_game_without_moves_do_not_apply_to_the_next() {
        let games =
            read_pgn("[Event \"a\"]\n[White \"A\"]\n\n[Event \"b\"]\n[White \"B\"]\n\n1. e4 *\n");
        let found: Vec<_> =
            games.iter().map(|game| (game.line, game.tag("White"), game.moves.len())).collect();
        assert_eq!(found, [(1, Some("A"), 0), (4, Some("B"), 1)]);
    }

    #[test]
    fn clock_times_are_read_from_comments() {
        let text =
            "1. d4 {[%clk 0:03:00]} 1... c5 {good [%clk 1:00:02.7] x} 2. c3 {no} cxd4 {[%clk }";
        let game = &read_pgn(text)[0];
        assert_eq!(game.clocks, [Some(180), Some(3602), None, None]);
        assert_eq!(read_pgn("{[%clk 0:1:00]} 1. d4 {[%clk 99999999:99:99]}")[0].clocks, [None]);
    }

    #[test]
    fn an_illegal_move_is_reported_with_its_line() {
        let message = |text: &str| read_pgn(text)[0].replay(None).expect_err("illegal").to_string();
        assert_eq!(message("\n\n1. e4 e5 2. Ke3"), "line 3: illegal move at move 2: \"Ke3\"");
        let named = "[White \"Ann\"]\n[Black \"Bob\"]\n\n1. e4 e5 2. Ke3";
        assert_eq!(message(named), "line 1: illegal move at move 2 of Ann - Bob: \"Ke3\"");
        for (date, shown) in [("2014.11.09", " (2014.11.09)"), ("????.??.??", ""), ("", "")] {
            let message = message(&format!("[Date \"{date}\"]\n{named}"));
            assert!(message.contains(&format!(" of Ann - Bob{shown}: ")), "{message}");
        }
    }

    #[test]
    fn a_move_of_the_wrong_piece_is_illegal_with_both_squares_too() {
        for text in ["1. Qg1f3", "1. Ng1-f3 Rb8-c6", "1. Bg1-f3", "1. e4 e5 2. Kf1-c4"] {
            let error = read_pgn(text)[0].replay(None).expect_err(text).to_string();
            assert!(error.contains("illegal move"), "{text}: {error}");
        }
        // These letters name the knight in German and in Dutch.
        for text in ["1. Sg1-f3 Sb8-c6", "1. Pg1-f3 Pb8-c6"] {
            assert_eq!(read_pgn(text)[0].replay(None).expect(text).ply(), 2);
        }
    }

    #[test]
    fn a_move_that_two_pieces_can_make_is_ambiguous() {
        let text = "1. Nc3 a6 2. Nh3 a5 3. Ng5 a4 4. Ne4";
        let error = read_pgn(text)[0].replay(None).expect_err("ambiguous").to_string();
        assert!(error.contains("ambiguous move at move 4: \"Ne4\""), "{error}");
        assert!(error.contains("add the file or rank"), "{error}");
        assert!(read_pgn(&text.replace("Ne4", "Nce4"))[0].replay(None).is_ok());
    }

    #[test]
    fn null_moves_and_unknown_words_are_reported_and_glyphs_skipped() {
        for (text, word) in [
            ("1. e4 0000 2. d4", "--"),
            ("1. e4 @@@@ 2. d4", "--"),
            ("1. e4 Z0 2. d4", "--"),
            ("1. e4 null 2. d4", "--"),
            ("1. 5254 5755", "5254"),
            ("1. e4 %x 2. d4", "%x"),
            ("1. e4 \"e5\" 2. d4", "e5"),
        ] {
            let error = read_pgn(text)[0].replay(None).expect_err(text).to_string();
            assert!(error.contains(word), "{text}: {error}");
        }
        let moves = |text: &str| read_pgn(text)[0].moves.join(" ");
        for glyph in [
            "!", "?", "!?", "+-", "-+", "+/-", "\u{b1}", "\u{2213}", "=", "=/+", "\u{221e}",
            "\u{2a72}", "\u{25a1}", "\u{2191}", "N", "D", "$12", "$146", "(=)", "#", "~", "e.p.",
            "+0.35/12", "...", "\u{2026}",
        ] {
            assert_eq!(moves(&format!("1. e4 {glyph} e5 2. Nf3 *")), "e4 e5 Nf3", "{glyph}");
        }
        for glued in ["Nf3!?", "Nf3+-", "Nf3-+", "Nf3=", "Nf3+/=", "Nf3\u{b1}", "Nf3N", "Nf3 mate"]
        {
            assert_eq!(moves(&format!("1. e4 e5 2. {glued} *")), "e4 e5 Nf3", "{glued}");
        }
        assert_eq!(moves("1. Qe8+ 2. e8N 3. e8=Q+- 4. O-O-O= *"), "Qe8+ e8N e8=Q O-O-O");
        for number in ["1...", "1\u{2026}", "1. \u{2026}", "1.\u{2026}"] {
            assert_eq!(moves(&format!("1. e4 {{c}} {number}e5 2. Nf3 *")), "e4 e5 Nf3", "{number}");
        }
    }

    #[test]
    fn a_percent_sign_hides_a_line_only_in_the_first_column() {
        let text = "%first\n1. e4 e5\n%2. f4\n2. Nf3 (2. f4\n%)\n exf4) Nc6 {\n%} 3. Bb5 *\n";
        assert_eq!(read_pgn(text)[0].moves.join(" "), "e4 e5 Nf3 Nc6 Bb5");
        let error = read_pgn("1. e4 e5 %x 2. Nf3 Nc6 *")[0].replay(None).expect_err("a word");
        assert!(error.to_string().contains("%x"), "{error}");
    }

    #[test]
    fn a_line_of_many_remarks_takes_linear_time() {
        // If the whole line were searched for each remark, this would take half an hour.
        let text = format!("1. e4 {}e5 *", "[a] ".repeat(1 << 20));
        let games = read_pgn(&text);
        assert_eq!((games.len(), games[0].moves.len()), (1, 2));
    }

    #[test]
    fn games_on_one_line_keep_their_own_text() {
        let text =
            "{intro} 1. e4 {one} e5 1-0 {resigned} 1. d4 (1. c4) d5 0-1 ; two\n1. c4 * {three}";
        let parts: Vec<&str> = read_with_text(text).map(|(_, part)| part.trim()).collect();
        let expected = [
            "{intro} 1. e4 {one} e5 1-0 {resigned}",
            "1. d4 (1. c4) d5 0-1 ; two",
            "1. c4 * {three}",
        ];
        assert_eq!(parts, expected);
        let tagged = "[White \"A\"]\n1. e4\n[White \"B\"]\n*";
        let parts: Vec<&str> = read_with_text(tagged).map(|(_, part)| part).collect();
        assert_eq!(parts, ["[White \"A\"]\n1. e4\n", "[White \"B\"]\n*"]);
    }

    #[test]
    fn a_move_in_another_language_gets_advice_for_pgn() {
        let error = read_pgn("1. e4 e5 2. Sf3")[0].replay(None).expect_err("a German move");
        let message = error.to_string();
        assert!(message.contains("unreadable move at move 2: "), "{message}");
        assert!(message.contains("\"Sf3\"") && message.contains("Nf3"), "{message}");
        assert!(!message.contains("e2e4") && !message.contains("illegal"), "{message}");
    }

    #[test]
    fn moves_in_the_notation_of_other_programs_are_read() {
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
        let error = read_pgn("1. e4 -- 2. d4")[0].replay(None).expect_err("a null move");
        assert!(error.to_string().contains("--"), "{error}");
        // A Cyrillic letter that looks like a K is reported as an error.
        let error = read_pgn("1. e4 e5 2. Кf3 Nc6")[0].replay(None).expect_err("not a move");
        assert!(error.to_string().contains("Кf3"), "{error}");
    }

    #[test]
    fn an_unclosed_variation_spoils_only_its_own_game() {
        let games = read_pgn("1. e4 (1. d4 {[x]} d5\n1-0\n\n[White \"B\"]\n\n1. c4 c5 *");
        assert_eq!(games.len(), 2);
        let message = games[0].replay(None).expect_err("unclosed").to_string();
        assert!(message.contains("a variation at move 1 is"), "{message}");
        assert!(message.contains("is never closed"), "{message}");
        assert_eq!(games[1].replay(None).expect("whole").ply(), 2);
    }

    #[test]
    fn a_remark_in_brackets_is_not_a_tag() {
        let games = read_pgn("1. e4 e5 2. Nf3\n[this is a remark] Nc6 [%odd\n3. Bb5 *");
        assert_eq!((games.len(), games[0].moves.len()), (1, 5));
    }

    #[test]
    fn malformed_text_does_not_panic() {
        for text in ["", "[", "[Event", "(", ")", "{", "1. e4 (", "]]", "}", "ü 1. e4 \u{0}", ";"]
        {
            read_pgn(text);
        }
    }

    #[test]
    fn a_game_beyond_the_limit_is_refused_and_not_stored() {
        let text = "Nf3 Nf6 Ng1 Ng8 ".repeat(7_500);
        let game = &read_pgn(&text)[0];
        assert_eq!(game.moves.len(), LONGEST_GAME + 1);
        let error = game.replay(None).expect_err("too long");
        assert_eq!(error.fault, PgnFault::Length);
        assert!(error.to_string().contains("4000 plies"), "{error}");
        assert_eq!(game.replay(Some(10)).expect("legal").ply(), 10);
        let longest = &read_pgn(&text[..4 * LONGEST_GAME])[0];
        assert_eq!(longest.replay(None).expect("legal").ply(), LONGEST_GAME);
    }
}
