//! The server, the kind and the rating scale of a game, according to its tags.

use std::borrow::Borrow;
use std::cmp::Reverse;

use super::PgnGame;
use crate::player::EloScale;
use crate::policy::GameKind;

/// A chess server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server {
    /// lichess.org
    Lichess,
    /// chess.com
    Chesscom,
}

impl PgnGame {
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
        } else if !is_broadcast && (at("lichess") || self.server_event().is_some()) {
            Some(Server::Lichess)
        } else {
            None
        }
    }

    /// The kind of game. `None` for correspondence games, and for online games of unknown kind.
    pub fn kind(&self) -> Option<GameKind> {
        if let Some(kind) = self.tag("TimeClass").and_then(GameKind::of_class) {
            return Some(kind);
        }
        let Some(server) = self.server() else { return Some(GameKind::Board) };
        let time = self.tag("TimeControl").and_then(|time| {
            let (base, increment) = time.split_once('+').unwrap_or((time, "0"));
            Some((base.parse().ok()?, increment.parse().ok()?))
        });
        let of_time = |(base, increment)| match GameKind::of_time(base, increment) {
            // On chess.com, rapid games start at ten minutes.
            GameKind::Rapid if server == Server::Chesscom && base + 40.0 * increment < 600.0 => {
                GameKind::Blitz
            }
            kind => kind,
        };
        let class = || match self.server_event()?.split_whitespace().next()? {
            "UltraBullet" => Some(GameKind::Bullet),
            word => GameKind::of_class(word),
        };
        time.map(of_time).or_else(class)
    }

    /// The scale of the ratings in the game, or the nearest scale that we have.
    ///
    /// Classical and correspondence games on a server count as rapid games. Bullet games on
    /// chess.com count as bullet games on Lichess. An online game of unknown kind is assumed to be
    /// blitz.
    pub(crate) fn rating_scale(&self) -> EloScale {
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

    /// The part of a Lichess event name after "Rated": `Blitz game`, `Bullet tournament ...`, or
    /// just `game`.
    pub fn server_event(&self) -> Option<&str> {
        let event = self.tag("Event")?.strip_prefix("Rated ")?;
        let mut words = event.split_whitespace().take(2);
        words.any(|word| ["game", "tournament", "swiss"].contains(&word)).then_some(event)
    }
}

/// Counts games by their rating scale, most frequent scale first. Scales without games are left out.
pub(crate) fn count_scales<G: Borrow<PgnGame>>(
    games: impl IntoIterator<Item = G>,
) -> Vec<(EloScale, usize)> {
    let mut counts = EloScale::ALL.map(|scale| (scale, 0));
    for game in games {
        let scale = game.borrow().rating_scale();
        counts.iter_mut().filter(|(of, _)| *of == scale).for_each(|(_, count)| *count += 1);
    }
    let mut found: Vec<_> = counts.into_iter().filter(|(_, count)| *count > 0).collect();
    found.sort_by_key(|(_, count)| Reverse(*count));
    found
}

/// The rating scale of most games, given the result of [`count_scales`]. In case of a tie, the
/// first one.
pub(crate) fn most_common_scale(counts: &[(EloScale, usize)]) -> EloScale {
    counts.first().map_or(EloScale::default(), |(scale, _)| *scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(tags: &[(&str, &str)]) -> PgnGame {
        let tags = tags.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        PgnGame { tags: tags.collect(), ..PgnGame::default() }
    }

    #[test]
    fn the_scale_follows_from_the_server_and_the_time_control() {
        let lichess = ("Site", "https://lichess.org/AbCd1234");
        let chesscom = ("Site", "Chess.com");
        for (tags, expected) in [
            (vec![("Site", "Wijk aan Zee NED"), ("TimeControl", "300+3")], EloScale::Fide),
            (vec![], EloScale::Fide),
            (vec![lichess, ("TimeControl", "300+3")], EloScale::LichessBlitz),
            (vec![lichess, ("TimeControl", "60+0")], EloScale::LichessBullet),
            (vec![lichess, ("TimeControl", "600+5")], EloScale::LichessRapid),
            (vec![lichess, ("TimeControl", "1800+20")], EloScale::LichessRapid),
            (vec![lichess, ("TimeControl", "-")], EloScale::LichessRapid),
            (vec![("Event", "Rated Bullet game")], EloScale::LichessBullet),
            (vec![("Event", "Rated Rapid tournament https://l")], EloScale::LichessRapid),
            (vec![("Event", "Rated game")], EloScale::LichessBlitz),
            (vec![chesscom, ("TimeControl", "180")], EloScale::ChesscomBlitz),
            (vec![chesscom, ("TimeControl", "300+5")], EloScale::ChesscomBlitz),
            (vec![chesscom, ("TimeControl", "900+10")], EloScale::ChesscomRapid),
            (vec![chesscom, ("TimeControl", "1/86400")], EloScale::ChesscomRapid),
            (
                vec![chesscom, ("TimeClass", "rapid"), ("TimeControl", "180")],
                EloScale::ChesscomRapid,
            ),
            (vec![chesscom, ("TimeControl", "60")], EloScale::LichessBullet),
            (vec![("Link", "https://www.chess.com/game/live/1")], EloScale::ChesscomBlitz),
            // A broadcast game was played over the board.
            (
                vec![("Site", "https://lichess.org/broadcast/x/y"), ("TimeControl", "5400+30")],
                EloScale::Fide,
            ),
            (vec![lichess, ("BroadcastURL", "https://lichess.org/broadcast/x")], EloScale::Fide),
        ] {
            assert_eq!(game(&tags).rating_scale(), expected, "{tags:?}");
        }
    }
}
