//! A game as read from PGN: its tags, and the text of its moves, which have not been checked yet.

use std::sync::Arc;
use std::time::Duration;

use super::at_line::AtLine;
use crate::board::{
    Colour, FenError, Game, Move, MoveError, Position, Role, STARTING_FEN, shorten,
};
use crate::games::GameResult;
use crate::math::fingerprint;
use crate::player::{Elo, EloScale, ScaledRating};
use crate::policy::GameKind;

/// The maximum number of plies in a game that can be replayed. The longest tournament game had 538
/// plies, and long engine games have a few thousand. A limit keeps the cost of malicious files low.
pub const LONGEST_GAME: usize = 4_000;

/// Ratings of this value or higher are taken to be misprints.
const MAX_ELO: f64 = 5000.0;

/// The maximum length of [`PgnGame::players`] in characters. This is enough to find a game in a
/// file.
const LONGEST_NAME: usize = 120;

/// The values of the tag `Variant` that mean standard chess, in lower case.
const STANDARD_CHESS: [&str; 9] = [
    "",
    "?",
    "-",
    "chess",
    "standard",
    "standard chess",
    "normal",
    "normal chess",
    "from position",
];

/// Values of the tag `Variant` that mean Chess960 start with one of these words, in lower case and without spaces.
const CHESS_960: [&str; 5] = ["960", "chess960", "fischer", "freestyle", "frc"];

/// The move that stands for a variation that is never closed.
pub(super) const UNCLOSED_VARIATION: &str = "(";

/// A chess server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server {
    /// lichess.org
    Lichess,
    /// chess.com
    Chesscom,
}

/// A game as it is in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PgnGame {
    /// The name of the file, if it is known.
    pub file: Option<Arc<str>>,
    /// The first line of the game, counted from 1.
    pub line: usize,
    /// The names and values of the tags, in the order in which they appear in the file.
    pub tags: Vec<(String, String)>,
    /// The moves of the main line in standard algebraic notation. At most one ply more than
    /// `LONGEST_GAME` is kept.
    pub moves: Vec<String>,
    /// The seconds left on the mover's clock after each move (`[%clk h:mm:ss]`), if the file gives
    /// them.
    pub clocks: Vec<Option<u32>>,
    /// The result at the end of the moves.
    pub result: Option<String>,
}

/// Why a game cannot be replayed, with the first line of the game.
pub type PgnError = AtLine<PgnFault>;

/// The reason why a game cannot be replayed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PgnFault {
    /// The starting position is not valid.
    #[error("the FEN tag of the game cannot be used: {0}")]
    Start(FenError),
    /// The variant is not supported. Contains its name.
    #[error("the variant {0:?} is not supported (only standard chess and Chess960)")]
    Variant(String),
    /// A move cannot be read, or is not legal.
    #[error("{} at move {number}{players}: {}", kind(error), reason(error))]
    Move {
        /// The number of the full move, as in the game's notation.
        number: usize,
        /// The players, with `of` before their names. Empty if they are not named.
        players: String,
        /// The error, with the text of the move.
        error: MoveError,
    },
    /// A variation is never closed.
    #[error("a variation at move {number}{players} is never closed; add the missing \")\"")]
    Variation {
        /// The number of the full move before it, as in the game's notation.
        number: usize,
        /// The players, with `of` before their names. Empty if they are not named.
        players: String,
    },
    /// The game is longer than `LONGEST_GAME`.
    #[error("the game is longer than the limit of {LONGEST_GAME} plies")]
    Length,
}

/// What is wrong with a move.
fn kind(error: &MoveError) -> &'static str {
    match error {
        MoveError::Syntax(_) | MoveError::San(_) => "unreadable move",
        MoveError::Illegal(..) => "illegal move",
        MoveError::Ambiguous(_) => "ambiguous move",
    }
}

/// Whether the text looks like the move of a piece, whose name may be in another language.
fn is_piece_move(text: &str) -> bool {
    let square: Vec<char> =
        text.trim_end_matches(['+', '#', '!', '?']).chars().rev().take(2).collect();
    text.starts_with(char::is_uppercase) && matches!(square[..], ['1'..='8', 'a'..='h'])
}

/// The reason for rejecting a move.
fn reason(error: &MoveError) -> String {
    match error {
        // A capital letter and a square, such as the German "Sf3".
        MoveError::Syntax(text) | MoveError::San(text) if is_piece_move(text) => {
            format!("\"{text}\"; write moves with the English piece letters KQRBN, such as Nf3")
        }
        MoveError::Syntax(text) | MoveError::San(text) => {
            format!("\"{text}\"; write moves in standard algebraic notation, such as Nf3")
        }
        MoveError::Illegal(text, _) => format!("\"{text}\""),
        MoveError::Ambiguous(text) => {
            format!(
                "\"{text}\"; more than one piece can move there; add the file or rank of the piece that moves"
            )
        }
    }
}

/// The tag for the scale of the players' ratings, in games that this program saves.
pub(crate) const RATING_SCALE_TAG: &str = "RatingScale";

impl PgnGame {
    /// The value of the first tag with this name. Names are case-sensitive.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// A player's name, according to the tags.
    pub fn name(&self, colour: Colour) -> Option<&str> {
        self.tag(if colour == Colour::White { "White" } else { "Black" })
    }

    /// A player's rating, if the tag contains a plausible one.
    pub fn rating(&self, colour: Colour) -> Option<f64> {
        let tag = if colour == Colour::White { "WhiteElo" } else { "BlackElo" };
        // A question mark stands for a provisional rating.
        let text = self.tag(tag)?.trim().trim_end_matches('?');
        text.parse().ok().filter(|elo| (1.0..MAX_ELO).contains(elo))
    }

    /// A player's rating with its scale.
    pub(crate) fn scaled_rating(&self, colour: Colour) -> Option<ScaledRating> {
        let elo = Elo(self.rating(colour)?);
        Some(ScaledRating { elo, scale: self.rating_scale() })
    }

    /// A player's rating on the given scale. A rating on another scale is converted.
    pub(crate) fn rating_on(&self, scale: EloScale, colour: Colour) -> Option<f64> {
        self.scaled_rating(colour).map(|rating| rating.on(scale).0)
    }

    /// The result after the moves, or else the one in the tag.
    pub fn final_result(&self) -> Option<GameResult> {
        let texts = [self.result.as_deref(), self.tag("Result")];
        texts.into_iter().flatten().find_map(GameResult::parse)
    }

    /// The players and the date, such as `Carlsen - Anand, 2014.11.09`. The date is left out if it is not known.
    pub fn players(&self) -> String {
        let date = self.date().map_or(String::new(), |date| format!(", {date}"));
        (self.names() + &date).chars().take(LONGEST_NAME).collect()
    }

    fn names(&self) -> String {
        let [white, black] = ["White", "Black"].map(|name| self.tag(name).unwrap_or("?"));
        format!("{white} - {black}")
    }

    /// The date of the game, unless the year is missing.
    fn date(&self) -> Option<&str> {
        let dates = ["Date", "UTCDate"].into_iter().filter_map(|name| self.tag(name));
        dates.into_iter().find(|date| date.starts_with(|c: char| c.is_ascii_digit()))
    }

    /// The server that the game was played on, if there is one. A game that a server only broadcast
    /// was played over the board.
    pub fn server(&self) -> Option<Server> {
        let at = |server: &str| {
            let tags = ["Site", "Link"].into_iter().filter_map(|name| self.tag(name));
            tags.into_iter().any(|value| value.to_lowercase().contains(server))
        };
        let is_broadcast = at("lichess.org/broadcast")
            || at("lichess.org/study")
            || ["BroadcastURL", "StudyName"].iter().any(|name| self.tag(name).is_some());
        if at("chess.com") {
            Some(Server::Chesscom)
        } else if !is_broadcast && (at("lichess") || self.is_rated_online()) {
            Some(Server::Lichess)
        } else {
            None
        }
    }

    /// The initial time and the increment, from a tag such as `300+3` or `600`. `None` for other time controls.
    pub(crate) fn time_control(&self) -> Option<(Duration, Duration)> {
        let text = self.tag("TimeControl")?.trim();
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        let seconds = |text: &str| text.parse::<u32>().ok().map(u64::from).map(Duration::from_secs);
        let (base, increment) = (seconds(base)?, seconds(increment)?);
        (!base.is_zero() || !increment.is_zero()).then_some((base, increment))
    }

    /// The kind of game. `None` for correspondence games, and for online games of unknown kind.
    pub fn kind(&self) -> Option<GameKind> {
        if let Some(kind) = self.tag("TimeClass").and_then(GameKind::of_class) {
            return Some(kind);
        }
        let Some(server) = self.server() else { return Some(GameKind::Board) };
        let seconds = |time: Duration| time.as_secs_f64();
        let time = self.time_control().map(|(base, increment)| (seconds(base), seconds(increment)));
        let of_time = |(base, increment)| match server {
            Server::Chesscom => GameKind::of_chesscom_time(base, increment),
            Server::Lichess => GameKind::of_time(base, increment),
        };
        let class = || {
            let word = self.server_event()?.split_whitespace().next()?;
            let is_fastest = word.eq_ignore_ascii_case("UltraBullet");
            if is_fastest { Some(GameKind::Bullet) } else { GameKind::of_class(word) }
        };
        time.map(of_time).or_else(class)
    }

    /// The scale of the ratings in the game, or the nearest scale that we have. Our own games have a tag for it. For
    /// other games, it follows from the server and the kind of game.
    ///
    /// Classical and correspondence games on a server count as rapid games. Bullet games on
    /// chess.com count as bullet games on Lichess. An online game of unknown kind is assumed to be
    /// blitz.
    pub(crate) fn rating_scale(&self) -> EloScale {
        if let Some(scale) = self.tag(RATING_SCALE_TAG).and_then(|name| name.parse().ok()) {
            return scale;
        }
        let is_correspondence = self.tag("TimeClass").is_some_and(|class| class == "daily")
            || self.tag("TimeControl").is_some_and(|time| time == "-" || time.contains('/'))
            || self.server_event().is_some_and(|event| event.starts_with("Correspondence"));
        let kind = if is_correspondence { Some(GameKind::Rapid) } else { self.kind() };
        match (self.server(), kind) {
            (None, _) => EloScale::Fide,
            (Some(_), Some(GameKind::Bullet)) => EloScale::LichessBullet,
            (Some(Server::Lichess), None | Some(GameKind::Blitz)) => EloScale::LichessBlitz,
            (Some(Server::Lichess), _) => EloScale::LichessRapid,
            (Some(Server::Chesscom), None | Some(GameKind::Blitz)) => EloScale::ChesscomBlitz,
            (Some(Server::Chesscom), _) => EloScale::ChesscomRapid,
        }
    }

    /// The part of a Lichess event name after "Rated" or "Casual": `Blitz game`, `Bullet tournament ...`, or just
    /// `game`.
    pub fn server_event(&self) -> Option<&str> {
        let (stakes, event) = self.tag("Event")?.trim().split_once(' ')?;
        if !["Rated", "Casual"].iter().any(|known| stakes.eq_ignore_ascii_case(known)) {
            return None;
        }
        let mut words = event.split_whitespace().take(2);
        words.any(|word| ["game", "tournament", "swiss"].contains(&word)).then_some(event)
    }

    /// Whether the event has one of Lichess's names for rated games. Casual games were played everywhere.
    fn is_rated_online(&self) -> bool {
        let is_rated = |event: &str| event.trim().to_lowercase().starts_with("rated ");
        self.tag("Event").is_some_and(is_rated) && self.server_event().is_some()
    }

    /// A hash of what identifies the game, by which duplicates are found. Copies from different sources often have
    /// different tags, for example for openings and ratings, so these do not count.
    pub(crate) fn identity(&self) -> u64 {
        let tag = |name| self.tag(name).unwrap_or_default().trim();
        let mut text = String::new();
        for name in ["White", "Black", "Date", "UTCDate", "UTCTime", "Round", "Variant", "FEN"] {
            text.extend([tag(name), "\0"]);
        }
        // The address of a game on a server. Other sites are places, which are spelt in many ways.
        text += Some(tag("Site")).filter(|site| site.contains("://")).unwrap_or_default();
        for san in &self.moves {
            text.extend(["\n", san.trim_end_matches(['+', '#', '!', '?'])]);
        }
        fingerprint(text.as_bytes())
    }

    /// A hash of the tags and moves.
    pub fn fingerprint(&self) -> u64 {
        let mut text = String::new();
        for (tag, value) in &self.tags {
            text.extend([tag, "\0", value, "\0"]);
        }
        self.moves.iter().for_each(|san| text.extend([san, "\n"]));
        fingerprint(text.as_bytes())
    }

    /// Plays the first `plies` moves of the game, or all of them.
    pub fn replay(&self, plies: Option<usize>) -> Result<Game, PgnError> {
        self.play_moves(plies).map_err(|fault| PgnError { line: self.line, fault })
    }

    fn play_moves(&self, plies: Option<usize>) -> Result<Game, PgnFault> {
        let chess960 = self.is_chess960()?;
        let start = Position::from_fen(self.tag("FEN").unwrap_or(STARTING_FEN), chess960)
            .map_err(PgnFault::Start)?;
        let count = plies.unwrap_or(usize::MAX).min(self.moves.len());
        if count > LONGEST_GAME {
            return Err(PgnFault::Length);
        }
        let mut game = Game::new(start);
        for san in &self.moves[..count] {
            let position = game.position();
            if san == UNCLOSED_VARIATION {
                let (number, players) = (position.plies().div_ceil(2).max(1), self.of_players());
                return Err(PgnFault::Variation { number, players });
            }
            let m = parse_move(position, san).map_err(|error| PgnFault::Move {
                number: position.fullmoves() as usize,
                players: self.of_players(),
                error,
            })?;
            game.play(m);
        }
        Ok(game)
    }

    /// The players for an error message, such as ` of Ann - Bob (2026.11.30)`. Empty if they are not named.
    fn of_players(&self) -> String {
        if ["White", "Black"].iter().all(|tag| self.tag(tag).is_none()) {
            return String::new();
        }
        let names: String = self.names().chars().take(LONGEST_NAME).collect();
        let date = self.date().map_or(String::new(), |date| format!(" ({date})"));
        format!(" of {names}{date}")
    }

    pub(crate) fn is_chess960(&self) -> Result<bool, PgnFault> {
        let tag = self.tag("Variant").unwrap_or_default();
        let variant = tag.trim().to_lowercase();
        let compact = variant.replace([' ', '-'], "");
        let is_chess960 = CHESS_960.iter().any(|name| compact.starts_with(name));
        if is_chess960 || STANDARD_CHESS.contains(&variant.as_str()) {
            Ok(is_chess960)
        } else {
            Err(PgnFault::Variant(tag.to_owned()))
        }
    }
}

/// Reads a move in algebraic notation, or in a non-standard form of it that other programs write.
pub(crate) fn parse_move(position: &Position, text: &str) -> Result<Move, MoveError> {
    let san = text.trim_end_matches("e.p.").trim_end_matches("ep").trim_end_matches(['+', '#']);
    position.parse_san(san).or_else(|error| match parse_squares(position, san) {
        Some(found) => found,
        None => parse_promotion(position, san).ok_or(error),
    })
}

/// Reads a move with both squares, such as `e2-e4`, `Ng1xf3` or `e7e8Q`. An English letter must name the piece that
/// moves. A letter that stands for no piece in English is ignored, because it may name the piece in another language.
fn parse_squares(position: &Position, text: &str) -> Option<Result<Move, MoveError>> {
    let squares = text.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let bare: String = squares.chars().filter(|c| !"-x=:".contains(*c)).collect();
    let m = position.parse_uci(&bare.to_lowercase()).ok()?;
    let letter = text.chars().next().filter(|letter| "KQRBN".contains(*letter));
    let named = letter.and_then(Role::from_char);
    let illegal = || MoveError::Illegal(shorten(text), position.fen());
    Some(if named.is_none_or(|role| role == m.role()) { Ok(m) } else { Err(illegal()) })
}

/// Reads a promotion without `=`, as in `e8Q`.
fn parse_promotion(position: &Position, text: &str) -> Option<Move> {
    let (before, piece) = text.split_at_checked(text.len().checked_sub(1)?)?;
    position.parse_san(&format!("{before}={piece}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::pgn::read_pgn;

    #[test]
    fn only_the_names_of_standard_chess_are_read_as_standard_chess() {
        let replay = |variant: &str| {
            read_pgn(&format!("[Variant \"{variant}\"]\n\n1. e4 *"))[0].replay(None).map(drop)
        };
        for standard in [
            "",
            "?",
            "Chess",
            "Standard",
            "normal",
            "From Position",
            "Chess960",
            "Chess 960",
            "Fischerandom",
        ] {
            assert_eq!(replay(standard), Ok(()), "{standard}");
        }
        for other in ["chessgi", "Chess with drops", "Crazyhouse960", "King of the Hill"] {
            let error = replay(other).expect_err(other);
            assert_eq!(error.fault, PgnFault::Variant(other.to_owned()));
        }
    }

    #[test]
    fn a_provisional_rating_is_a_rating() {
        let rating = |text: &str| {
            read_pgn(&format!("[WhiteElo \"{text}\"]\n\n1. e4 *"))[0].rating(Colour::White)
        };
        assert_eq!(["1500", "1500?"].map(rating), [Some(1500.0); 2]);
        assert!(["?", "0", "", "-"].map(rating).iter().all(Option::is_none));
    }

    #[test]
    fn the_result_comes_from_the_moves_or_else_from_the_tag() {
        let result = |text: &str| read_pgn(text)[0].final_result();
        let won = Some(GameResult::WhiteWins);
        assert_eq!(result("[Result \"1-0\"]\n\n1. e4 *"), won);
        assert_eq!(result("[Result \"*\"]\n\n1. e4 1-0"), won);
        assert_eq!(result("[Result \"0-1\"]\n\n1. e4 1-0"), won);
        assert_eq!(result("[Result \"*\"]\n\n1. e4 *"), None);
    }

    fn game(tags: &[(&str, &str)], moves: &[&str]) -> PgnGame {
        let own = |text: &str| text.to_owned();
        let tags = tags.iter().map(|(name, value)| (own(name), own(value)));
        let moves = moves.iter().copied().map(own).collect();
        PgnGame { tags: tags.collect(), moves, ..PgnGame::default() }
    }

    #[test]
    fn copies_of_a_game_are_recognised_although_less_important_tags_differ() {
        let known = [("White", "Ann"), ("Black", "Bob"), ("Date", "2026.11.30"), ("Round", "1")];
        let identity = |more: &[(&str, &str)], moves: &[&str]| {
            game(&[&known[..], more].concat(), moves).identity()
        };
        let first = identity(&[("Site", "Oslo")], &["e4", "f6", "d4", "g5", "Qh5#"]);
        let copy = [("Site", "Oslo NOR"), ("ECO", "B00"), ("WhiteElo", "1500")];
        assert_eq!(identity(&copy, &["e4", "f6?", "d4", "g5", "Qh5"]), first);
        for other in [
            identity(&[], &["e4", "f6", "d4"]),
            identity(
                &[("Site", "https://lichess.org/abcd1234")],
                &["e4", "f6", "d4", "g5", "Qh5#"],
            ),
            game(&[("White", "Ann"), ("Black", "Eve")], &["e4", "f6", "d4", "g5", "Qh5#"])
                .identity(),
        ] {
            assert_ne!(other, first);
        }
    }
}
