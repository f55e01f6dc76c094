//! Counts the rating scales of games.

use std::borrow::Borrow;
use std::cmp::Reverse;

use super::PgnGame;
use crate::player::EloScale;

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
            (vec![("Event", "Casual game"), ("Site", "London")], EloScale::Fide),
            (vec![lichess, ("Event", "Casual Rapid game")], EloScale::LichessRapid),
            (vec![lichess, ("Event", "casual ultrabullet game")], EloScale::LichessBullet),
            (vec![lichess, ("TimeControl", " 600+0 ")], EloScale::LichessRapid),
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
            // Our own games name the scale.
            (
                vec![("RatingScale", "Lichess-Rapid"), ("TimeControl", "60+0")],
                EloScale::LichessRapid,
            ),
            (vec![lichess, ("RatingScale", "USCF")], EloScale::LichessBlitz),
        ] {
            assert_eq!(game(&tags).rating_scale(), expected, "{tags:?}");
        }
    }
}
