//! Reads moves as people type them, in any common notation. If a move cannot be played, the error
//! says why and lists moves that can be played.

use crate::board::{File, Move, Position, Rank, Role, Square, shorten};
use crate::suggest::alternatives;

/// Why a string is not a legal move in a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpellingError {
    #[error("{0} is not a move; write moves like Nf3 or g1f3")]
    NoMove(String),
    #[error("{0}")]
    NotPlayable(String),
}

/// Reads a move in SAN, in UCI notation, or in a mixture of the two.
///
/// The text is turned into one or two patterns, the likelier one first. The first pattern that fits
/// a legal move is used. It must fit exactly one legal move, or else the move is ambiguous.
pub fn read_move(text: &str, position: &Position) -> Result<Move, SpellingError> {
    if let Ok(m) = position.parse_uci(&text.to_lowercase()) {
        return Ok(m);
    }
    let legal = position.legal_moves();
    let mut found: Vec<Move> = Vec::new();
    let mut patterns = MovePattern::read(text);
    if patterns.is_empty() {
        // The text may have been typed with caps lock: `E4` or `NXF3`.
        patterns = MovePattern::read(&text.to_lowercase());
    }
    for pattern in &patterns {
        found = legal.iter().copied().filter(|&m| pattern.fits(m)).collect();
        if !found.is_empty() {
            break;
        }
    }
    let shown = format!("\"{}\"", shorten(text));
    let why = match (&found[..], patterns.first()) {
        (&[m], _) => return Ok(m),
        (_, None) => return Err(SpellingError::NoMove(shown)),
        ([], Some(pattern)) => {
            format!("{shown} is not legal{}", explain(pattern, &legal, position))
        }
        ([first, ..], _) if found.iter().all(|m| m.from() == first.from()) => {
            format!("{shown} needs a promotion piece: {}", list(position, &found))
        }
        _ => {
            let long = found.iter().map(|&m| long_form(m)).collect::<Vec<String>>();
            format!("{shown} is ambiguous: {}", alternatives(&long))
        }
    };
    Err(SpellingError::NotPlayable(why))
}

/// The properties of a move that the user's text specifies. `None` matches any move.
#[derive(Clone, Debug, Default, PartialEq)]
struct MovePattern {
    /// Castling: true if the king moves to the right, towards the h-file.
    castle: Option<bool>,
    role: Option<Role>,
    from: Option<Square>,
    from_file: Option<File>,
    from_rank: Option<Rank>,
    to: Option<Square>,
    promoted: Option<Role>,
}

impl MovePattern {
    /// Returns the possible meanings of a string, the likeliest first. For example, `bc3` is read
    /// first as a pawn capture and then as a bishop move.
    fn read(text: &str) -> Vec<MovePattern> {
        let bare = text.trim_end_matches(['+', '#', '!', '?']);
        let castling_text = bare.to_uppercase().replace('0', "O");
        if let Some(castle) = [("O-O", true), ("OO", true), ("O-O-O", false), ("OOO", false)]
            .into_iter()
            .find_map(|(word, right)| (word == castling_text).then_some(right))
        {
            return vec![MovePattern { castle: Some(castle), ..MovePattern::default() }];
        }
        let letters: String =
            bare.chars().filter(|c| !matches!(c, 'x' | '-' | ':' | '=')).collect();
        let piece = letters.chars().next().and_then(|c| {
            let role = Role::from_char(c).filter(|_| !matches!(c, 'a'..='h'))?;
            Some((role, &letters[1..]))
        });
        let bishop = letters.strip_prefix('b').map(|rest| (Role::Bishop, rest));
        let readings = match piece {
            Some((role, rest)) => vec![MovePattern::squares(Some(role), rest)],
            None => vec![
                MovePattern::squares(None, &letters),
                bishop.and_then(|(role, rest)| MovePattern::squares(Some(role), rest)),
            ],
        };
        readings.into_iter().flatten().collect()
    }

    /// Reads squares such as `e4`, `de4`, `2e4` or `d2e4`, with or without a promotion.
    fn squares(role: Option<Role>, text: &str) -> Option<MovePattern> {
        let promotion = text.chars().last().filter(char::is_ascii_alphabetic);
        let text = promotion.map_or(text, |_| &text[..text.len() - 1]);
        let promoted = match promotion {
            None => None,
            Some(letter) => Some(Role::from_char(letter)?),
        };
        let (origin, to) = text.split_at_checked(text.len().checked_sub(2)?)?;
        let to = Some(to.parse().ok()?);
        let mut pattern = MovePattern { role, to, promoted, ..MovePattern::default() };
        match origin.as_bytes() {
            [] => pattern.role = role.or(Some(Role::Pawn)),
            [letter @ b'a'..=b'h'] => {
                pattern.from_file = File::from_char(char::from(*letter));
                pattern.role = role.or(Some(Role::Pawn));
            }
            [digit @ b'1'..=b'8'] => pattern.from_rank = Rank::from_char(char::from(*digit)),
            _ => pattern.from = Some(origin.parse().ok()?),
        }
        Some(pattern)
    }

    fn fits(&self, m: Move) -> bool {
        if let Some(right) = self.castle {
            return m.is_castle() && (m.to() > m.from()) == right;
        }
        let agrees = self.role.is_none_or(|role| role == m.role())
            && self.from.is_none_or(|from| from == m.from())
            && self.from_file.is_none_or(|file| file == m.from().file())
            && self.from_rank.is_none_or(|rank| rank == m.from().rank())
            && self.to == Some(m.to());
        agrees && !m.is_castle() && (self.promoted.is_none() || self.promoted == m.promoted())
    }
}

/// Explains why no legal move fits, and lists legal ones.
fn explain(pattern: &MovePattern, legal: &[Move], position: &Position) -> String {
    if position.in_check() {
        return format!(": you are in check, and can play {}", list(position, legal));
    }
    if let Some(is_kingside) = pattern.castle {
        let side = if is_kingside { "kingside" } else { "queenside" };
        return format!(": you cannot castle {side} now");
    }
    let role = match pattern.from {
        Some(from) if position.colour_at(from) != Some(position.turn()) => {
            return format!(": you have no piece on {from}");
        }
        Some(from) => position.role_at(from),
        None => pattern.role,
    };
    let Some(role) = role else { return String::new() };
    let piece = format!("{role:?}").to_lowercase();
    let moves: Vec<Move> = legal.iter().copied().filter(|m| m.role() == role).collect();
    match (moves.len(), position.pieces(position.turn(), role).count()) {
        (0, 0) => format!(": you have no {piece}"),
        (0, 1) => format!(": your {piece} has no legal move"),
        (0, _) => format!(": your {piece}s have no legal moves"),
        (1..=12, _) => format!("; your {piece} moves are {}", list(position, &moves)),
        _ => String::new(),
    }
}

/// Lists moves as text: `Nf3, e4 or O-O`.
pub fn list(position: &Position, moves: &[Move]) -> String {
    alternatives(&moves.iter().map(|&m| position.san(m)).collect::<Vec<String>>())
}

/// Returns a move with both squares, such as `Nb1-d2` or `e4xd5`, so that it is never ambiguous.
fn long_form(m: Move) -> String {
    let letter = if m.role() == Role::Pawn { String::new() } else { m.role().upper_char().into() };
    let link = if m.is_capture() { 'x' } else { '-' };
    format!("{letter}{}{link}{}", m.from(), m.to())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::STARTING_FEN;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen, false).expect(fen)
    }

    fn played(text: &str, position: &Position) -> String {
        position.uci(read_move(text.trim(), position).expect(text))
    }

    #[test]
    fn moves_are_read_in_many_spellings() {
        let start = Position::default();
        for text in
            ["Nf3", "nf3", "Ngf3", "g1f3", "G1F3", "g1-f3", "Ng1-f3", "N1f3", "Nf3!?", " Nf3 "]
        {
            assert_eq!(played(text, &start), "g1f3", "{text}");
        }
        for (text, expected) in [("E4", "e2e4"), ("E3", "e2e3"), ("NF3", "g1f3"), ("B3", "b2b3")] {
            assert_eq!(played(text, &start), expected, "{text}");
        }
        let both = position("r3k2r/1p3p2/8/8/2n5/1P6/8/R3K2R w KQkq - 0 1");
        for (text, expected) in [
            ("bc4", "b3c4"),
            ("bxc4", "b3c4"),
            ("BXC4", "b3c4"),
            ("RXH8", "h1h8"),
            ("O-O", "e1g1"),
            ("0-0-0", "e1c1"),
            ("o-o", "e1g1"),
            ("e1g1", "e1g1"),
            ("Rxh8+", "h1h8"),
        ] {
            assert_eq!(played(text, &both), expected, "{text}");
        }
        let bishop = position("4k3/8/8/8/8/8/8/2B1K3 w - - 0 1");
        assert_eq!(played("bd2", &bishop), "c1d2");
        let pawn = position("8/4P2k/8/8/8/8/8/4K3 w - - 0 1");
        for text in ["e8=Q", "e8Q", "e8q", "e7e8q", "e7-e8=Q"] {
            assert_eq!(played(text, &pawn), "e7e8q", "{text}");
        }
    }

    #[test]
    fn errors_list_legal_moves() {
        let knights = "4k3/8/8/8/8/8/1r3P2/1N2K1N1 w - - 0 1";
        let two = "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1";
        let cases = [
            (two, "Nd2", "\"Nd2\" is ambiguous: Nb1-d2 or Nf3-d2"),
            (knights, "Nd4", "\"Nd4\" is not legal; your knight moves are "),
            (knights, "Qd4", "\"Qd4\" is not legal: you have no queen"),
            (STARTING_FEN, "Ke3", "\"Ke3\" is not legal: your king has no legal move"),
            (STARTING_FEN, "Bc4", "\"Bc4\" is not legal: your bishops have no legal moves"),
            (knights, "e4e5", "\"e4e5\" is not legal: you have no piece on e4"),
            (knights, "O-O", "\"O-O\" is not legal: you cannot castle kingside now"),
            ("4k3/8/8/8/8/8/4r3/4K2R w K - 0 1", "Rh8", "in check, and can play Kxe2, Kd1 or Kf1"),
            (
                "8/4P2k/8/8/8/8/8/4K3 w - - 0 1",
                "e8",
                "needs a promotion piece: e8=Q, e8=N, e8=R or e8=B",
            ),
            (knights, "hello", "\"hello\" is not a move"),
            (knights, "draw me", "\"draw me\" is not a move"),
            (knights, "ünï", "is not a move"),
            (knights, "é4", "is not a move"),
        ];
        for (fen, text, expected) in cases {
            let message = read_move(text, &position(fen)).expect_err(text).to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
