//! What is kept of a finished game, and how a match stands after it.

use std::collections::{BTreeMap, HashMap};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::contestant::{PlayedMove, PlayerCard, RandomChoice};
use super::play::FinishedGame;
use super::time_control::{MoveLimits, TimeControl};
use crate::board::{Colour, place_of};
use crate::games::pgn::PgnWriter;
use crate::games::{GameResult, utc_date, utc_timestamp};
use crate::math::outcomes::{Pentanomial, Trinomial};
use crate::math::sprt::Sprt;
use crate::value::{Meaning, Value};

/// A game that is to be played. Numbers count from 1; the two games of a pair share their opening
/// and have the colours reversed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    pub game: usize,
    pub pair: usize,
    /// Indices into the list of players.
    pub white: usize,
    pub black: usize,
}

impl Pairing {
    /// The two games of a pair.
    pub fn both(pair: usize, one: usize, other: usize) -> [Pairing; 2] {
        let first = Pairing { game: 2 * pair - 1, pair, white: one, black: other };
        [first, Pairing { game: 2 * pair, pair, white: other, black: one }]
    }
}

/// A finished game, as the journal has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    pub game: usize,
    pub pair: usize,
    pub white: usize,
    pub black: usize,
    pub result: GameResult,
    /// `White mates`, `Black loses on time`...
    pub reason: String,
    /// The word of the PGN tag: `normal`, `adjudication`, `time forfeit`...
    pub termination: String,
    /// White's and Black's.
    pub effort: [Effort; 2],
    pub pgn: String,
}

impl GameRecord {
    /// Was it lost by a fault: on time, by an illegal move, by a crash?
    pub fn is_fault(&self) -> bool {
        !matches!(self.termination.as_str(), "normal" | "adjudication")
    }
}

/// What one side has spent on a game, or on many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Effort {
    pub moves: u64,
    pub seconds: f64,
    /// Summed over the moves.
    pub depth: u64,
    pub nodes: u64,
}

impl Effort {
    pub fn add(&mut self, other: Effort) {
        self.moves += other.moves;
        self.seconds += other.seconds;
        self.depth += other.depth;
        self.nodes += other.nodes;
    }
}

/// What stands in the headers of a match's games.
#[derive(Clone, Debug)]
pub(super) struct GameHeader<'a> {
    pub event: &'a str,
    pub pairing: Pairing,
    pub names: [&'a str; 2],
    pub limits: [MoveLimits; 2],
    /// What is played in this game where it is less than full strength.
    pub handicaps: [Option<String>; 2],
    pub opening: &'a str,
    pub start: SystemTime,
    pub end: SystemTime,
}

pub(super) fn record(header: &GameHeader<'_>, played: &FinishedGame) -> GameRecord {
    let Pairing { game, pair, white, black } = header.pairing;
    let pgn = PgnWriter {
        tags: tags(header, played),
        game: &played.game,
        comments: comments(played),
        result: &played.result.to_string(),
    };
    GameRecord {
        game,
        pair,
        white,
        black,
        result: played.result,
        reason: played.words(),
        termination: played.termination().to_owned(),
        effort: efforts(played),
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
    let handicaps = ["WhiteProfile", "BlackProfile"].into_iter().zip(&header.handicaps);
    tags.extend(handicaps.filter_map(|(name, handicap)| Some((name, handicap.clone()?))));
    if !header.opening.is_empty() {
        tags.push(("Opening", header.opening.to_owned()));
    }
    if played.game.start().is_chess960() {
        tags.push(("Variant", "Chess960".to_owned()));
    }
    let controls = header.limits.map(|limits| limits.time.map_or("-".to_owned(), pgn_control));
    let [white, black] = controls;
    if white == black {
        tags.push(("TimeControl", white));
    } else {
        tags.extend([("WhiteTimeControl", white), ("BlackTimeControl", black)]);
    }
    tags
}

/// The PGN standard has no word for a fixed time per move; this is what other runners write.
fn pgn_control(control: TimeControl) -> String {
    match control {
        TimeControl::Clock { .. } => control.to_string(),
        TimeControl::PerMove(time) => format!("{}/move", time.as_secs_f64()),
    }
}

/// `book` for the opening, `value/depth time` for the moves of the players, with the probability
/// where they were drawn; the last one says why the game is over.
fn comments(played: &FinishedGame) -> Vec<String> {
    let mut comments = vec!["book".to_owned(); played.book_plies];
    comments.extend(played.choices.iter().map(move_comment));
    if let Some(last) = comments.last_mut() {
        *last = format!("{last}, {}", played.words());
    }
    comments
}

/// What a player thought of his move, as a comment: `+0.34/12 0.450s, n=12345`.
pub fn move_comment(choice: &PlayedMove) -> String {
    let value =
        choice.value.map_or(String::new(), |value| format!("{}/{} ", signed(value), choice.depth));
    let draw = choice.draw.as_ref().map_or(String::new(), describe_draw);
    format!("{value}{:.3}s, n={}{draw}", choice.elapsed.as_secs_f64(), choice.nodes)
}

/// `, p=0.3100 c=7.200 seed=1`; Regan's curves have s and c.
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
        // That of a table is beyond all others.
        Meaning::Centipawns(_) | Meaning::Table(_) => {
            format!("{:+.2}", f64::from(value.raw()) / 100.0)
        }
    }
}

fn efforts(played: &FinishedGame) -> [Effort; 2] {
    let mut efforts = [Effort::default(); 2];
    let first = place_of(played.game.start().turn());
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

/// Everything that a report on a match can say. The score is the first player's.
#[derive(Clone, Debug)]
pub struct MatchResult {
    pub players: [MatchSide; 2],
    pub book: String,
    pub sprt: Option<Sprt>,
    pub games: Trinomial,
    /// The same with the first player's games as White only.
    pub as_white: Trinomial,
    /// Complete pairs by points.
    pub pairs: Pentanomial,
    /// Of the pairs with one point, those with two decided games.
    pub win_and_loss: u64,
    /// How often games ended in which way.
    pub reasons: BTreeMap<String, u64>,
    /// The first half of every pair of which the other is still to come.
    half_pairs: HashMap<usize, usize>,
}

/// One player with what he has spent so far.
#[derive(Clone, Debug)]
pub struct MatchSide {
    pub card: PlayerCard,
    pub limits: MoveLimits,
    pub effort: Effort,
    /// Games lost by a fault: on time, by an illegal move, by a crash.
    pub faults: u64,
}

impl MatchResult {
    pub fn new(players: [(PlayerCard, MoveLimits); 2], book: &str, sprt: Option<Sprt>) -> Self {
        let side =
            |(card, limits)| MatchSide { card, limits, effort: Effort::default(), faults: 0 };
        MatchResult {
            players: players.map(side),
            book: book.to_owned(),
            sprt,
            games: Trinomial::default(),
            as_white: Trinomial::default(),
            pairs: Pentanomial::default(),
            win_and_loss: 0,
            reasons: BTreeMap::new(),
            half_pairs: HashMap::new(),
        }
    }

    /// Counts a game.
    pub fn add(&mut self, record: &GameRecord) {
        let colour = if record.white == 0 { Colour::White } else { Colour::Black };
        let points = record.result.half_points(colour);
        self.games.0[points] += 1;
        if colour == Colour::White {
            self.as_white.0[points] += 1;
        }
        match self.half_pairs.remove(&record.pair) {
            None => drop(self.half_pairs.insert(record.pair, points)),
            Some(other) => {
                self.pairs.0[points + other] += 1;
                self.win_and_loss += u64::from(points + other == 2 && points != 1);
            }
        }
        self.players[record.white].effort.add(record.effort[0]);
        self.players[record.black].effort.add(record.effort[1]);
        if record.is_fault() {
            self.players[if points == 0 { 0 } else { 1 }].faults += 1;
        }
        *self.reasons.entry(record.reason.clone()).or_default() += 1;
    }

    /// The ratio of the sequential test, if one is being made.
    pub fn log_likelihood_ratio(&self) -> Option<f64> {
        self.sprt.map(|sprt| sprt.ratio(&self.pairs))
    }
}
