//! The record of a finished game: the result, the nodes and the time used, and the game as PGN.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::contestant::{PlayedMove, RandomChoice};
use super::play::FinishedGame;
use super::time_control::{MoveLimits, TimeControl};
use crate::board::colour_index;
use crate::games::pgn::{PgnWriter, RATING_SCALE_TAG};
use crate::games::{GameResult, utc_date, utc_timestamp};
use crate::player::{EloScale, SavedPrior, ScaledRating};
use crate::value::{Meaning, Value};

/// A game to be played. The numbers start at 1. The two games of a pair have the same opening and
/// reversed colours, except in odds games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The number of the game.
    pub game: usize,
    /// The number of the pair that the game belongs to.
    pub pair: usize,
    /// The number of its opening.
    pub opening: usize,
    /// The index of the player with the white pieces, in the list of players.
    pub white: usize,
    /// The index of the player with the black pieces.
    pub black: usize,
}

impl Pairing {
    /// The two games of a pair.
    pub fn game_pair(pair: usize, one: usize, other: usize) -> [Pairing; 2] {
        let first = Pairing { game: 2 * pair - 1, pair, opening: pair, white: one, black: other };
        [first, Pairing { game: 2 * pair, white: other, black: one, ..first }]
    }
}

/// A finished game, as the journal stores it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The number of the game, from 1.
    pub game: usize,
    /// The number of the pair that the game belongs to, from 1.
    pub pair: usize,
    /// The index of the player with the white pieces.
    pub white: usize,
    /// The index of the player with the black pieces.
    pub black: usize,
    /// The result of the game.
    pub result: GameResult,
    /// The reason for the end, such as `White mates` or `Black loses on time`.
    pub reason: String,
    /// The value of the PGN tag `Termination`, such as `normal`, `adjudication` or `time forfeit`.
    pub termination: String,
    /// White's and Black's moves, time and nodes.
    pub effort: [Effort; 2],
    /// White's and Black's estimates of each other after the game. A player that remembers its opponent starts their
    /// next game with its estimate.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub estimates: [Option<SavedPrior>; 2],
    /// The text of the game in PGN.
    pub pgn: String,
}

fn is_empty(estimates: &[Option<SavedPrior>; 2]) -> bool {
    estimates.iter().all(Option::is_none)
}

impl GameRecord {
    /// Returns whether a fault ended the game: lost time, an illegal move or a crash.
    pub fn is_fault(&self) -> bool {
        !matches!(self.termination.as_str(), "normal" | "adjudication")
    }
}

/// A player's moves, time and nodes in one or more games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Effort {
    /// The number of moves.
    pub moves: u64,
    /// The time used, in seconds.
    pub seconds: f64,
    /// The sum of the search depths of all moves.
    pub depth: u64,
    /// The number of nodes searched.
    pub nodes: u64,
}

impl Effort {
    /// Adds the numbers from another game.
    pub(crate) fn add(&mut self, other: Effort) {
        self.moves += other.moves;
        self.seconds += other.seconds;
        self.depth += other.depth;
        self.nodes += other.nodes;
    }
}

/// The facts needed for the tags of a game.
#[derive(Clone, Debug)]
pub(super) struct GameHeader<'a> {
    pub event: &'a str,
    pub pairing: Pairing,
    pub names: [&'a str; 2],
    pub limits: [MoveLimits; 2],
    /// Descriptions of players below full strength.
    pub handicaps: [Option<String>; 2],
    /// The ratings that the players are meant to play at.
    pub ratings: [Option<ScaledRating>; 2],
    /// Whether comments and tags include everything needed to repeat the search and the random
    /// choice.
    pub is_detailed: bool,
    pub opening: &'a str,
    pub start: SystemTime,
    pub end: SystemTime,
}

pub(super) fn record(header: &GameHeader<'_>, played: &FinishedGame) -> GameRecord {
    let Pairing { game, pair, white, black, .. } = header.pairing;
    let pgn = PgnWriter {
        tags: tags(header, played),
        game: &played.game,
        comments: comments(played, header.is_detailed),
        result: &played.result.to_string(),
    };
    GameRecord {
        game,
        pair,
        white,
        black,
        result: played.result,
        reason: played.result_text(),
        termination: played.termination().to_owned(),
        effort: efforts(played),
        estimates: played.estimates.clone(),
        pgn: pgn.to_string(),
    }
}

fn tags(header: &GameHeader<'_>, played: &FinishedGame) -> Vec<(&'static str, String)> {
    let round = format!("{}.{}", header.pairing.pair, (header.pairing.game + 1) % 2 + 1);
    let duration = header.end.duration_since(header.start).unwrap_or_default();
    let mut tags = vec![
        ("Event", header.event.to_owned()),
        ("Site", "?".to_owned()),
        ("Date", utc_date(header.start)),
        ("Round", round),
        ("White", header.names[0].to_owned()),
        ("Black", header.names[1].to_owned()),
        ("Result", played.result.to_string()),
        ("GameStartTime", utc_timestamp(header.start)),
        ("GameEndTime", utc_timestamp(header.end)),
        ("GameDuration", format!("{:.3} s", duration.as_secs_f64())),
        ("PlyCount", played.game.ply().to_string()),
        ("Termination", played.termination().to_owned()),
    ];
    if header.ratings != [None; 2] {
        tags.extend(rating_tags(header.ratings));
    }
    let handicaps = ["WhiteProfile", "BlackProfile"].into_iter().zip(&header.handicaps);
    let handicaps = handicaps.filter(|_| header.is_detailed);
    tags.extend(handicaps.filter_map(|(name, handicap)| Some((name, handicap.clone()?))));
    if !header.opening.is_empty() {
        tags.push(("Opening", header.opening.to_owned()));
    }
    if played.game.start().is_chess960() {
        tags.push(("Variant", "Chess960".to_owned()));
    }
    let [white, black] = header.limits.map(|limits| time_control_tag(limits.time));
    if white == black {
        tags.push(("TimeControl", white));
    } else {
        tags.extend([("WhiteTimeControl", white), ("BlackTimeControl", black)]);
    }
    tags
}

/// The tags for the players' ratings and their scale. Ratings on different scales are converted to
/// FIDE ratings. For a player without a rating, the PGN standard prescribes `-` (section 9.1.2).
pub fn rating_tags(ratings: [Option<ScaledRating>; 2]) -> Vec<(&'static str, String)> {
    let mut scales = ratings.iter().flatten().map(|rating| rating.scale);
    let scale = scales.next().filter(|first| scales.all(|scale| scale == *first));
    let scale = scale.unwrap_or(EloScale::Fide);
    let text = |rating: Option<ScaledRating>| {
        rating.map_or("-".to_owned(), |rating| rating.on(scale).to_string())
    };
    let [white, black] = ratings.map(text);
    let mut tags = vec![("WhiteElo", white), ("BlackElo", black)];
    if ratings != [None; 2] {
        tags.push((RATING_SCALE_TAG, scale.to_string()));
    }
    tags
}

/// The value of the tag `TimeControl`. The PGN standard has no notation for a fixed time per move,
/// so that is written as other match runners write it.
pub fn time_control_tag(control: Option<TimeControl>) -> String {
    control.map_or("-".to_owned(), |control| control.to_string())
}

/// A comment for each move: `book` for opening moves, and the score, depth and time for other
/// moves. The last comment also says why the game ended.
fn comments(played: &FinishedGame, is_detailed: bool) -> Vec<String> {
    let comment = if is_detailed { detailed_comment } else { move_comment };
    let mut comments = vec!["book".to_owned(); played.book_plies];
    comments.extend(played.choices.iter().map(comment));
    if let Some(last) = comments.last_mut() {
        *last = format!("{last}, {}", played.result_text());
    }
    comments
}

/// The comment for a move, as match runners write it: `+0.34/12 0.450s`.
fn move_comment(choice: &PlayedMove) -> String {
    let value =
        choice.value.map_or(String::new(), |value| format!("{}/{} ", signed(value), choice.depth));
    format!("{value}{:.3}s", choice.elapsed.as_secs_f64())
}

/// The comment for a move, including the nodes and the random choice: `+0.34/12 0.450s, n=12345,
/// p=0.3100 c=7.200 seed=1`.
pub fn detailed_comment(choice: &PlayedMove) -> String {
    let draw = choice.draw.as_ref().map_or(String::new(), describe_draw);
    format!("{}, n={}{draw}", move_comment(choice), choice.nodes)
}

/// The part of the comment about the random choice: `, p=0.3100 c=7.200 seed=1`. For Regan's
/// curves, it has both s and c.
fn describe_draw(draw: &RandomChoice) -> String {
    let numbers = match draw.curve.parameters() {
        [("competence", c), _] => format!("c={c:.3}"),
        [(_, s), (_, c)] => format!("s={s:.3} c={c:.3}"),
    };
    format!(", p={:.4} {numbers} seed={}", draw.probability, draw.seed)
}

fn signed(value: Value) -> String {
    match value.meaning() {
        Meaning::Mate(moves) if value < Value::DRAW => format!("-M{}", moves.abs()),
        Meaning::Mate(moves) => format!("+M{moves}"),
        // Tablebase scores are further from zero than all evaluations, so they can be written
        // unchanged.
        Meaning::Centipawns(_) | Meaning::Table(_) => {
            format!("{:+.2}", f64::from(value.raw()) / 100.0)
        }
    }
}

fn efforts(played: &FinishedGame) -> [Effort; 2] {
    let mut efforts = [Effort::default(); 2];
    let first = colour_index(played.game.start().turn());
    for (index, choice) in played.choices.iter().enumerate() {
        efforts[(first + played.book_plies + index) % 2].add(Effort {
            moves: 1,
            seconds: choice.elapsed.as_secs_f64(),
            depth: u64::from(choice.depth),
            nodes: choice.nodes,
        });
    }
    efforts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::Elo;

    #[test]
    fn both_ratings_of_a_game_are_on_the_scale_in_its_tags() {
        let rated = |elo, scale| Some(ScaledRating { elo: Elo(elo), scale });
        let blitz = rated(1705.0, EloScale::LichessBlitz);
        for (ratings, expected) in [
            ([blitz, None], ["1705", "-", "Lichess-Blitz"]),
            ([blitz, blitz], ["1705", "1705", "Lichess-Blitz"]),
            ([rated(1500.0, EloScale::Fide), blitz], ["1500", "1650", "FIDE"]),
        ] {
            let names = ["WhiteElo", "BlackElo", "RatingScale"];
            let expected = names.into_iter().zip(expected.map(str::to_owned));
            assert_eq!(rating_tags(ratings), expected.collect::<Vec<_>>());
        }
        assert_eq!(rating_tags([None; 2]).len(), 2, "no rating, no scale");
    }
}
