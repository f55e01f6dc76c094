//! Reads a game's kind and its players' ratings from the tags.

use stopdown::board::Colour;
use stopdown::games::pgn::{PgnGame, Server};
use stopdown::policy::GameKind;

/// A larger rating change in one game means that the player is new and has no established rating.
const MAX_CHANGE: f64 = 30.0;

/// The initial rating of Lichess players.
const FIRST_RATING: u16 = 1500;

/// The rating of a side, if it is known and established, and the side is not a program.
pub fn rating(pgn: &PgnGame, colour: Colour) -> Option<u16> {
    let side = if colour == Colour::White { "White" } else { "Black" };
    let tag = |name: &str| pgn.tag(&format!("{side}{name}"));
    let elo = tag("Elo")?.trim().parse().ok().filter(|&elo: &u16| elo > 0)?;
    let change = tag("RatingDiff").and_then(|change| change.parse::<f64>().ok());
    let is_new = tag("Provisional").is_some()
        || change.is_some_and(|change| change.abs() > MAX_CHANGE)
        || change.is_none() && elo == FIRST_RATING && pgn.server().is_some();
    let is_program = tag("Title").is_some_and(|title| title == "BOT");
    (!is_new && !is_program).then_some(elo)
}

/// Whether the ratings in a game are chess.com ratings.
pub fn is_chesscom(pgn: &PgnGame) -> bool {
    pgn.server() == Some(Server::Chesscom)
}

/// The kind of game, and whether the tags state it. An online game of unknown kind is most likely
/// blitz.
pub fn stated_or_likely(pgn: &PgnGame) -> Option<(GameKind, bool)> {
    let unknown_server =
        || pgn.server_event()?.starts_with("game").then_some((GameKind::Blitz, false));
    pgn.kind().map(|pool| (pool, true)).or_else(unknown_server)
}
