//! By what turns are put together: one report for each player, event, year...

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{EvaluatedGame, Turn};
use crate::board::Colour;

/// What the turns of one report have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    #[default]
    Player,
    Event,
    /// The player's rating, in hundreds.
    RatingBand,
    Colour,
    Phase,
    Year,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is nothing to group by; there are: {names}", names = By::NAMES.join(", "))]
pub struct ByError(String);

impl By {
    const NAMES: [&'static str; 6] = ["player", "event", "rating-band", "colour", "phase", "year"];
    const ALL: [By; 6] = [By::Player, By::Event, By::RatingBand, By::Colour, By::Phase, By::Year];

    /// What a turn of a game is counted under; `None` where the game does not tell.
    pub fn subject(self, evaluated: &EvaluatedGame, turn: &Turn) -> Option<String> {
        let tag = |name| known(evaluated.pgn.tag(name));
        let colour = side(turn.colour);
        match self {
            By::Player => Some(player_name(evaluated, turn.colour)),
            By::Event => tag("Event").map(str::to_owned),
            By::RatingBand => {
                let elo = evaluated.pgn.rating(turn.colour)? as u32 / 100 * 100;
                Some(format!("{elo}-{}", elo + 99))
            }
            By::Colour => Some(colour.to_owned()),
            By::Phase => Some(turn.phase.to_string()),
            By::Year => Some(tag("Date").or(tag("UTCDate"))?.get(..4)?.to_owned()),
        }
    }
}

/// Who has a side of a game.
pub(super) fn player_name(evaluated: &EvaluatedGame, colour: Colour) -> String {
    let side = side(colour);
    known(evaluated.pgn.tag(side)).map_or_else(|| format!("{side} (no name)"), str::to_owned)
}

fn side(colour: Colour) -> &'static str {
    if colour == Colour::White { "White" } else { "Black" }
}

/// What a tag says, unless it says that nobody knows.
fn known(value: Option<&str>) -> Option<&str> {
    value.map(str::trim).filter(|value| !value.is_empty() && !value.starts_with('?'))
}

impl FromStr for By {
    type Err = ByError;

    fn from_str(text: &str) -> Result<By, ByError> {
        let place = By::NAMES.iter().position(|name| name.eq_ignore_ascii_case(text));
        place.map(|index| By::ALL[index]).ok_or_else(|| ByError(text.chars().take(40).collect()))
    }
}
