//! The board as text: in colour on a terminal, and in plain letters elsewhere.

use std::env;
use std::io::{self, IsTerminal};

use crate::board::{Colour, File, Game, Position, Rank, Role, Square};

/// The appearance of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    pub colour: bool,
    pub unicode: bool,
    /// The side at the bottom of the board.
    pub below: Colour,
}

/// Colours of squares and pieces from the 256-colour palette. The pieces of both sides must stand
/// out on every square.
const LIGHT: u8 = 137;
const DARK: u8 = 94;
const LIGHT_MARKED: u8 = 71;
const DARK_MARKED: u8 = 64;
const WHITE_PIECE: u8 = 231;
const BLACK_PIECE: u8 = 16;
/// The colour of the square of a king in check.
const CHECK: u8 = 160;

impl Style {
    /// Detects what the terminal supports, if standard output is a terminal.
    pub fn detect(below: Colour, ascii: bool) -> Style {
        let set = |name| env::var(name).unwrap_or_default();
        let on_terminal = io::stdout().is_terminal() && set("TERM") != "dumb";
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(set).into_iter().find(|l| !l.is_empty());
        let locale = locale.unwrap_or_default().to_lowercase().replace('-', "");
        Style {
            colour: on_terminal && set("NO_COLOR").is_empty(),
            unicode: on_terminal && !ascii && (locale.contains("utf8") || cfg!(windows)),
            below,
        }
    }

    /// Draws the board with coordinates, the last move highlighted, and notes on the right.
    pub fn draw(&self, game: &Game, notes: &[String]) -> String {
        let position = game.position();
        let marked = last_squares(game);
        let mut ranks: Vec<Rank> = Rank::ALL.to_vec();
        let mut files: Vec<File> = File::ALL.to_vec();
        match self.below {
            Colour::White => ranks.reverse(),
            Colour::Black => files.reverse(),
        }
        let mut text = String::new();
        for (number, &rank) in ranks.iter().enumerate() {
            text += &format!("  {} ", rank.char());
            for &file in &files {
                let square = Square::from_coords(file, rank);
                text += &self.square(position, square, marked.contains(&Some(square)));
            }
            text += &self.note(notes.get(number));
        }
        let letters: String = files.iter().map(|file| format!(" {} ", file.char())).collect();
        text + "    " + &letters + &self.note(notes.get(ranks.len()))
    }

    fn note(&self, note: Option<&String>) -> String {
        note.filter(|note| !note.is_empty()).map_or("\n".to_owned(), |note| format!("    {note}\n"))
    }

    fn square(&self, position: &Position, square: Square, marked: bool) -> String {
        let piece = position.role_at(square).zip(position.colour_at(square));
        let symbol = self.symbol(piece);
        if !self.colour {
            let [left, right] = if marked { ["[", "]"] } else { [" ", " "] };
            return format!("{left}{symbol}{right}");
        }
        let in_check = position.in_check() && square == position.king(position.turn());
        let background = match (square.is_light(), marked) {
            _ if in_check => CHECK,
            (true, false) => LIGHT,
            (false, false) => DARK,
            (true, true) => LIGHT_MARKED,
            (false, true) => DARK_MARKED,
        };
        let is_white = piece.is_some_and(|(_, colour)| colour == Colour::White);
        let foreground = if is_white { WHITE_PIECE } else { BLACK_PIECE };
        format!("\x1b[48;5;{background}m\x1b[38;5;{foreground}m {symbol} \x1b[0m")
    }

    fn symbol(&self, piece: Option<(Role, Colour)>) -> char {
        let Some((role, colour)) = piece else {
            return match (self.colour, self.unicode) {
                (true, _) => ' ',
                (false, true) => '·',
                (false, false) => '.',
            };
        };
        let index = role as usize - 1;
        match (self.unicode, colour) {
            (false, Colour::White) => role.upper_char(),
            (false, Colour::Black) => role.char(),
            // On coloured squares, the text colour shows the side, and solid shapes show it best.
            (true, Colour::White) if !self.colour => ['♙', '♘', '♗', '♖', '♕', '♔'][index],
            (true, _) => ['♟', '♞', '♝', '♜', '♛', '♚'][index],
        }
    }

    /// Emphasises text, if colours are available.
    pub fn bold(&self, text: &str) -> String {
        if self.colour { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Dims text, if colours are available.
    pub fn dim(&self, text: &str) -> String {
        if self.colour { format!("\x1b[2m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// The squares of the last move. For castling, the second one is the king's new square.
fn last_squares(game: &Game) -> [Option<Square>; 2] {
    let Some(m) = game.moves().last() else { return [None; 2] };
    let to = if m.is_castle() { game.position().king(!game.position().turn()) } else { m.to() };
    [Some(m.from()), Some(to)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Style = Style { colour: false, unicode: false, below: Colour::White };

    #[test]
    fn the_last_move_is_marked_from_either_side() {
        let game = Game::from_uci(None, ["e2e4", "g8f6"], false).expect("legal");
        let white = PLAIN.draw(&game, &["note".to_owned()]);
        let lines: Vec<&str> = white.lines().collect();
        assert_eq!(lines[0], "  8  r  n  b  q  k  b [.] r     note");
        assert_eq!(lines[2], "  6  .  .  .  .  . [n] .  . ");
        assert_eq!(lines[8], "     a  b  c  d  e  f  g  h ");
        let black = Style { below: Colour::Black, ..PLAIN }.draw(&game, &[]);
        assert_eq!(black.lines().next(), Some("  1  R  N  B  K  Q  B  N  R "));
        assert!(black.lines().last().is_some_and(|line| line.ends_with(" b  a ")));
    }

    #[test]
    fn castling_marks_the_new_square_of_the_king() {
        let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
        let game = Game::from_uci(Some(fen), ["e1g1"], false).expect("legal");
        let text = PLAIN.draw(&game, &[]);
        assert!(text.contains("  1  .  .  .  . [.] R [K] . "), "{text}");
    }

    #[test]
    fn every_style_has_a_row_of_eight_squares() {
        for (colour, unicode) in [(false, true), (true, false), (true, true)] {
            let text = Style { colour, unicode, below: Colour::White }.draw(&Game::default(), &[]);
            assert_eq!(text.lines().count(), 9);
            assert_eq!(text.contains('\x1b'), colour);
            assert_eq!(text.contains('♛'), unicode);
        }
    }
}
