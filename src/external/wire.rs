//! The client's side of UCI as text: `position` commands, `option` lines and `info` lines.

use crate::board::{Game, STARTING_FEN};
use crate::search::Bound;
use crate::value::{MAX_PLY, Value};

/// An option that an engine has declared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UciOption {
    /// The name as the engine writes it.
    pub(crate) name: String,
    /// The default value, or empty if there is none.
    pub(crate) default: String,
    /// The smallest allowed number, or `None` if the option is not a number.
    pub(crate) min: Option<i64>,
    /// The largest allowed number, or `None` if the option is not a number.
    pub(crate) max: Option<i64>,
    /// The whole text of the declaration.
    pub(crate) text: String,
}

impl UciOption {
    /// Parses a line such as `option name Hash type spin default 16 min 1 max 4096`.
    pub fn parse(text: &str) -> Option<UciOption> {
        let declaration = text.trim().strip_prefix("option ")?.trim().strip_prefix("name ")?;
        let (name, rest) = declaration.split_once(" type ")?;
        let after_default = rest.split_once(" default ").map_or("", |(_, value)| value);
        let ends = [" min ", " max ", " var "].iter().filter_map(|word| after_default.find(word));
        let default = &after_default[..ends.min().unwrap_or(after_default.len())];
        let number = |word: &str| {
            let (_, after) = rest.split_once(word)?;
            after.split_whitespace().next()?.parse().ok()
        };
        Some(UciOption {
            name: name.trim().to_owned(),
            default: default.trim().to_owned(),
            min: number(" min "),
            max: number(" max "),
            text: text.trim().to_owned(),
        })
    }

    /// Returns the allowed number that is nearest to this one.
    pub fn nearest(&self, number: i64) -> i64 {
        let most = self.max.unwrap_or(i64::MAX);
        number.max(self.min.unwrap_or(i64::MIN)).min(most)
    }

    /// The message about a value outside the range of the option, or `None` if the value is possible.
    pub fn refusal(&self, value: &str) -> Option<String> {
        let (min, max) = self.min.zip(self.max).filter(|(min, max)| min <= max)?;
        let number = value.trim().parse::<i64>();
        let is_possible = number.is_ok_and(|number| (min..=max).contains(&number));
        (!is_possible).then(|| {
            let name = &self.name;
            format!("\"{name}\" cannot be {value}; it must be a whole number from {min} to {max}")
        })
    }

    /// Returns whether the option is a button, which has no value.
    pub fn is_button(&self) -> bool {
        self.text.ends_with(" type button")
    }
}

/// Detects whether a search makes progress. Only a new depth counts. Depths are limited, so an
/// engine cannot keep us waiting forever.
#[derive(Clone, Copy, Debug, Default)]
pub struct DepthProgress {
    deepest: u32,
}

impl DepthProgress {
    /// Returns whether this line shows a new depth.
    pub fn is_shown_by(&mut self, info: &Info<'_>) -> bool {
        let depth = info.depth.unwrap_or(0);
        let is_new = depth > self.deepest && depth <= MAX_PLY as u32;
        self.deepest = self.deepest.max(depth);
        is_new
    }
}

/// The contents of an `info` line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Info<'a> {
    /// The search depth in plies, if it is given.
    pub(crate) depth: Option<u32>,
    /// The number of nodes searched so far, if it is given.
    pub(crate) nodes: Option<u64>,
    /// The number of the line (`multipv`), if it is given.
    pub(crate) number: Option<u32>,
    /// The score from the mover's point of view.
    pub(crate) value: Option<Value>,
    /// Whether the score is only a bound. `None` if it is exact.
    pub(crate) bound: Option<Bound>,
    /// The moves of the line (`pv`) in UCI notation, which have not been checked.
    pub(crate) line: Vec<&'a str>,
}

/// The `position` command for a game.
pub fn position_command(game: &Game) -> String {
    let fen = game.start().fen();
    let mut command = match fen == STARTING_FEN {
        true => "position startpos".to_owned(),
        false => format!("position fen {fen}"),
    };
    let mut position = game.start().clone();
    for (index, &m) in game.moves().iter().enumerate() {
        command.push_str(if index == 0 { " moves " } else { " " });
        command.push_str(&position.uci(m));
        position.play(m);
    }
    command
}

impl Info<'_> {
    /// Parses an `info` line. Unknown words are ignored.
    pub fn parse(line: &str) -> Info<'_> {
        let mut info = Info::default();
        let mut words = line.split_whitespace();
        while let Some(word) = words.next() {
            match word {
                "depth" => info.depth = words.next().and_then(|n| n.parse().ok()),
                "nodes" => info.nodes = words.next().and_then(|n| n.parse().ok()),
                "multipv" => info.number = words.next().and_then(|n| n.parse().ok()),
                "score" => {
                    let (unit, number) = (words.next(), words.next().and_then(|n| n.parse().ok()));
                    info.value = number.and_then(|number| parse_score(unit?, number));
                }
                "lowerbound" => info.bound = Some(Bound::Lower),
                "upperbound" => info.bound = Some(Bound::Upper),
                "pv" => info.line = words.by_ref().collect(),
                "string" => break,
                _ => {}
            }
        }
        info
    }
}

fn parse_score(unit: &str, number: i32) -> Option<Value> {
    let plies = (number.unsigned_abs() as usize).min(90) * 2;
    match unit {
        "cp" => Some(Value::centipawns(number).clamp_evaluation()),
        "mate" if number > 0 => Some(Value::mate_in(plies - 1)),
        "mate" => Some(Value::mated_in(plies)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_new_depth_is_progress() {
        let mut progress = DepthProgress::default();
        let alive = [
            ("info depth 1 score cp 3", true),
            ("info depth 1 nodes 100", false),
            ("info string depth 2", false),
            ("info depth 3 currmove e2e4", true),
            ("info depth 2 score cp 3", false),
            ("info depth 100000", false),
            ("info depth 4", false),
        ];
        // After an impossibly large depth, no later depth counts as progress.
        for (line, expected) in alive {
            assert_eq!(progress.is_shown_by(&Info::parse(line)), expected, "{line}");
        }
    }

    #[test]
    fn options_are_read_with_their_defaults() {
        let cases = [
            ("name Hash type spin default 16 min 1 max 4096", "Hash", "16", Some(4096)),
            ("name Clear Hash type button", "Clear Hash", "", None),
            ("name Book File type string default /my books/a", "Book File", "/my books/a", None),
            ("name Style type combo default Solid var Solid var Risky", "Style", "Solid", None),
        ];
        for (text, name, default, max) in cases {
            let option = UciOption::parse(&format!("option {text}")).expect(text);
            assert_eq!((&*option.name, &*option.default, option.max), (name, default, max));
        }
        assert_eq!(UciOption::parse("option nonsense"), None);
    }

    #[test]
    fn scores_are_read_in_any_order_of_words() {
        let value = |line| Info::parse(line).value;
        assert_eq!(value("info depth 9 score cp -31 nodes 7"), Some(Value::centipawns(-31)));
        assert_eq!(value("info score mate 2 pv e2e4"), Some(Value::mate_in(3)));
        assert_eq!(value("info score mate -1"), Some(Value::mated_in(2)));
        assert_eq!(value("info score mate -2147483648"), Some(Value::mated_in(180)));
        assert_eq!(value("info score cp"), None);
        assert_eq!(value("info score cp x"), None);
        let info = Info::parse("info score cp 3 upperbound depth 4 multipv 2 pv e2e4 e7e5");
        assert_eq!((info.depth, info.number, info.bound), (Some(4), Some(2), Some(Bound::Upper)));
        assert_eq!(info.line, ["e2e4", "e7e5"]);
        assert_eq!(Info::parse("info string score cp 3"), Info::default());
    }

    #[test]
    fn a_position_command_has_the_moves() {
        let game = Game::from_uci(None, ["e2e4"], false).expect("legal");
        assert_eq!(position_command(&game), "position startpos moves e2e4");
    }
}
