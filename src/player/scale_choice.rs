//! The choice of a rating scale: always the same scale, or the one that a chess server uses for the time control of the
//! game.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::{EloScale, UnknownScale};
use crate::policy::GameKind;

/// A choice of rating scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScaleChoice {
    /// This scale, whatever the time control.
    Always(EloScale),
    /// Lichess ratings for the time control of the game.
    Lichess,
    /// Chess.com ratings for the time control of the game.
    Chesscom,
}

impl ScaleChoice {
    /// All choices, in the order in which they are offered.
    pub fn all() -> impl Iterator<Item = ScaleChoice> {
        let [fide, others @ ..] = EloScale::ALL.map(ScaleChoice::Always);
        [fide, ScaleChoice::Lichess, ScaleChoice::Chesscom].into_iter().chain(others)
    }

    /// The name of the choice in options.
    pub const fn name(self) -> &'static str {
        match self {
            ScaleChoice::Always(scale) => scale.name(),
            ScaleChoice::Lichess => "Lichess",
            ScaleChoice::Chesscom => "Chesscom",
        }
    }

    /// Whether the scale depends on the time control.
    pub fn follows_time_control(self) -> bool {
        !matches!(self, ScaleChoice::Always(_))
    }

    /// The scale for a game with this initial time and increment. Without a time control, the game is assumed to be
    /// blitz. Classical games use the rapid scale, and bullet games on chess.com use the blitz scale.
    pub fn scale(self, time: Option<(Duration, Duration)>) -> EloScale {
        let kind = |of_time: fn(f64, f64) -> GameKind| {
            time.map_or(GameKind::Blitz, |(base, increment)| {
                of_time(base.as_secs_f64(), increment.as_secs_f64())
            })
        };
        match self {
            ScaleChoice::Always(scale) => scale,
            ScaleChoice::Lichess => match kind(GameKind::of_time) {
                GameKind::Bullet => EloScale::LichessBullet,
                GameKind::Blitz => EloScale::LichessBlitz,
                _ => EloScale::LichessRapid,
            },
            ScaleChoice::Chesscom => match kind(GameKind::of_chesscom_time) {
                GameKind::Bullet | GameKind::Blitz => EloScale::ChesscomBlitz,
                _ => EloScale::ChesscomRapid,
            },
        }
    }
}

impl Default for ScaleChoice {
    fn default() -> ScaleChoice {
        ScaleChoice::Always(EloScale::default())
    }
}

impl fmt::Display for ScaleChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ScaleChoice {
    type Err = UnknownScale;

    /// Parses a name, ignoring case.
    fn from_str(text: &str) -> Result<ScaleChoice, UnknownScale> {
        let found =
            ScaleChoice::all().find(|choice| choice.name().eq_ignore_ascii_case(text.trim()));
        found.map_or_else(|| text.parse().map(ScaleChoice::Always), Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_has_one_scale_for_each_kind_of_game() {
        for (name, base, increment, expected) in [
            ("Lichess", 60, 0, EloScale::LichessBullet),
            ("lichess", 180, 2, EloScale::LichessBlitz),
            ("Lichess", 300, 5, EloScale::LichessRapid),
            ("Lichess", 3600, 30, EloScale::LichessRapid),
            ("Chesscom", 60, 0, EloScale::ChesscomBlitz),
            ("Chesscom", 300, 5, EloScale::ChesscomBlitz),
            ("chesscom", 600, 0, EloScale::ChesscomRapid),
            ("FIDE", 60, 0, EloScale::Fide),
            ("Lichess Bullet", 900, 10, EloScale::LichessBullet),
        ] {
            let choice: ScaleChoice = name.parse().expect(name);
            let time = (Duration::from_secs(base), Duration::from_secs(increment));
            assert_eq!(choice.scale(Some(time)), expected, "{name} {base}+{increment}");
        }
        assert_eq!(ScaleChoice::Lichess.scale(None), EloScale::LichessBlitz);
        assert!("Chess".parse::<ScaleChoice>().is_err());
    }
}
