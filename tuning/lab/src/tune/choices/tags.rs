//! What the tags of a game say about its kind and its players.

use stopdown::board::Colour;
use stopdown::games::pgn::PgnGame;
use stopdown::policy::GameKind;

/// A larger rating change in one game means a new player, whose rating says little.
const LARGEST_CHANGE: f64 = 30.0;

/// The rating with which Lichess players start.
const FIRST_RATING: u16 = 1500;

/// The rating of a side, if it is known and established.
pub fn rating(pgn: &PgnGame, colour: Colour) -> Option<u16> {
    let side = if colour == Colour::White { "White" } else { "Black" };
    let tag = |name: &str| pgn.tag(&format!("{side}{name}"));
    let elo = tag("Elo")?.trim().parse().ok().filter(|&elo: &u16| elo > 0)?;
    let change = tag("RatingDiff").and_then(|change| change.parse::<f64>().ok());
    let is_new = tag("Provisional").is_some()
        || change.is_some_and(|change| change.abs() > LARGEST_CHANGE)
        || change.is_none() && elo == FIRST_RATING && is_online(pgn);
    let is_program = tag("Title").is_some_and(|title| title == "BOT");
    (!is_new && !is_program).then_some(elo)
}

/// Whether the ratings of a game are those of chess.com.
pub fn is_chesscom(pgn: &PgnGame) -> bool {
    is_at(pgn, "chess.com")
}

/// Whether the game was played on a server, as far as is known.
pub fn is_online(pgn: &PgnGame) -> bool {
    is_at(pgn, "lichess") || is_chesscom(pgn) || server_event(pgn).is_some()
}

fn is_at(pgn: &PgnGame, server: &str) -> bool {
    pgn.tag("Site").is_some_and(|site| site.to_lowercase().contains(server))
}

/// The part of a Lichess event name after "Rated": `Blitz game`, `Bullet tournament ...`, or just
/// `game`.
fn server_event(pgn: &PgnGame) -> Option<&str> {
    let event = pgn.tag("Event")?.strip_prefix("Rated ")?;
    let words = event.split_whitespace().take(2);
    words.into_iter().any(|word| ["game", "tournament", "swiss"].contains(&word)).then_some(event)
}

/// The kind of a game, according to its tags. Returns `None` for server games of unknown kind, and for
/// correspondence games.
pub fn pool(pgn: &PgnGame) -> Option<GameKind> {
    if let Some(pool) = pgn.tag("TimeClass").and_then(GameKind::of_class) {
        return Some(pool);
    }
    if !is_online(pgn) {
        return Some(GameKind::Board);
    }
    let time = pgn.tag("TimeControl").and_then(|time| {
        let (base, increment) = time.split_once('+').unwrap_or((time, "0"));
        Some((base.parse().ok()?, increment.parse().ok()?))
    });
    let class = || match server_event(pgn)?.split_whitespace().next()? {
        "UltraBullet" => Some(GameKind::Bullet),
        word => GameKind::of_class(word),
    };
    time.map(|(base, increment)| GameKind::of_time(base, increment)).or_else(class)
}

/// The pool, and whether the game states it. A server game of unknown kind is most likely blitz.
pub fn stated_or_likely(pgn: &PgnGame) -> Option<(GameKind, bool)> {
    let unknown_server =
        || server_event(pgn)?.starts_with("game").then_some((GameKind::Blitz, false));
    pool(pgn).map(|pool| (pool, true)).or_else(unknown_server)
}
