//! How far a search may bet on an evaluation: the numbers of its rules for reductions and pruning.
//!
//! They stand in the centipawns of an evaluation and rest on how much that one may be trusted, so
//! every [`super::Evaluator`] has them with it. Those that are built in are found by `stopdown-lab tune margins`.
//! A rule whose number is 0 is not there.

use std::path::Path;
use std::str::FromStr;

use once_cell::sync::Lazy;
use serde::{Deserialize, Serialize};

use crate::files::line_at;

/// What is wrong with a file of margins.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MarginsError {
    #[error("cannot be read: {0}")]
    Unreadable(String),
    #[error("line {line}: {problem}")]
    Syntax { line: usize, problem: String },
    #[error("{name} = {value} is out of range; it may be {least} to {most}")]
    OutOfRange { name: &'static str, value: i32, least: i32, most: i32 },
}

/// What is known of one of the numbers beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub name: &'static str,
    /// A change of so much can be felt.
    pub step: i32,
    pub least: i32,
    pub most: i32,
}

/// Declares the numbers: name, step, and the range that means something.
macro_rules! margins {
    ($($(#[$doc:meta])* $name:ident by $step:literal in $least:literal to $most:literal;)*) => {
        /// All the numbers. Where nothing else is said, they are centipawns.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Margins {
            $($(#[$doc])* pub $name: i32,)*
        }

        /// What may be in [`Margins`], in the same order.
        pub const SPANS: &[Span] = &[
            $(Span { name: stringify!($name), step: $step, least: $least, most: $most },)*
        ];

        impl Margins {
            /// The numbers in the order of [`SPANS`].
            pub fn numbers(&self) -> [i32; NUMBERS] {
                [$(self.$name,)*]
            }

            /// From numbers in the order of [`SPANS`]; what is out of range becomes what is nearest.
            pub fn of_numbers([$($name,)*]: [i32; NUMBERS]) -> Margins {
                Margins { $($name: $name.clamp($least, $most),)* }
            }
        }
    };
}

margins! {
    /// Razoring: so far below alpha only captures help.
    razoring by 40 in 0 to 800;
    /// More of it for the square of the depth.
    razoring_by_depth by 35 in 0 to 800;
    /// Reverse futility: so far above beta for every ply nothing brings a node down.
    reverse_futility by 10 in 10 to 250;
    /// Less of it in a position that gets better.
    reverse_futility_improving by 15 in 0 to 250;
    /// Null move: the evaluation lies so far above beta, less for every ply.
    null_move by 20 in -200 to 300;
    null_move_by_depth by 5 in 0 to 80;
    /// Hundredths of plies by which a null move is reduced, and more of them for every ply.
    null_move_reduction by 40 in 100 to 800;
    null_move_reduction_by_depth by 5 in 0 to 80;
    /// A lead over beta of so much reduces it by one ply.
    null_move_reduction_by_lead by 30 in 40 to 600;
    /// Probcut: so much above beta at a reduced depth is enough.
    probcut by 20 in 40 to 500;
    /// Less of it in a position that gets better.
    probcut_improving by 15 in 0 to 200;
    /// A capture may lose so much for every ply.
    capture_loss by 12 in 10 to 300;
    checking_capture_loss by 30 in 10 to 600;
    /// So much history of a capture is worth a centipawn.
    capture_history by 12 in 10 to 400;
    /// Hundredths of quiet moves that are tried, and more of them for the square of the depth.
    late_moves by 60 in 100 to 1500;
    late_moves_by_depth by 12 in 20 to 400;
    /// Futility: quiet moves lift an evaluation by so much, and more for every ply left.
    futility by 15 in 0 to 400;
    futility_by_depth by 12 in 10 to 300;
    /// So much history of a quiet move is worth a centipawn.
    futility_history by 24 in 20 to 800;
    /// Quiet moves with a history this bad, for every ply, are not tried.
    bad_history by 500 in 500 to 12000;
    /// A quiet move may lose so much for the square of the depth.
    quiet_loss by 4 in 4 to 100;
    /// So much history is worth a ply when leaving out is decided.
    history_ply by 1200 in 2000 to 40000;
    /// Hundredths of a centipawn, for every ply, by which a move must stand out to be looked at deeper.
    singular by 20 in 10 to 400;
    /// Standing out so clearly is worth two plies.
    doubly_singular by 6 in 0 to 150;
    /// Hundredths of plies by which late moves are reduced.
    reduction by 12 in 0 to 300;
    /// More of them for the logarithms of depth and number: hundredths of what their product is divided by.
    reduction_divisor by 20 in 100 to 500;
    /// So much history takes a ply of the reduction away.
    reduction_history by 1300 in 2000 to 40000;
    capture_reduction_history by 1000 in 1500 to 40000;
    /// So much better than expected is looked at deeper; so little better less deep.
    deeper by 8 in 0 to 200;
    shallower by 3 in 0 to 60;
    /// What a good move is worth to the histories, by depth, less a constant, and at most.
    bonus by 25 in 40 to 500;
    bonus_less by 25 in -200 to 400;
    bonus_most by 250 in 400 to 5000;
    /// A capture in quiescence gains at most so much beyond the captured piece.
    quiescence by 25 in 20 to 500;
    /// Corrections of the evaluation are kept in such parts of a centipawn; three are summed.
    correction by 4 in 8 to 100;
    /// Hundredths of the weight of these that a fourth has, the one of the last two moves.
    correction_by_moves by 25 in 0 to 400;
    /// Hundredths of a good move's bonus for the quiet move after which nothing helped.
    refutation by 15 in 0 to 300;
    /// What a quiet move is worth to the histories for every centipawn that it lifts the evaluation.
    surprise by 2 in 0 to 50;
    /// Quiet moves away from a lower-valued piece's attack are tried earlier, those into one later: in history.
    escape by 1500 in 0 to 30000;
    /// Quiet moves that give check without loss are tried earlier.
    quiet_check by 2000 in 0 to 40000;
    /// Hundredths of what a cut is above beta are left out, more of them near the horizon.
    softening by 12 in 0 to 100;
}

/// How many numbers there are.
pub const NUMBERS: usize = SPANS.len();

static BUILT_IN: Lazy<Margins> = Lazy::new(|| {
    let text = include_str!("../../tuning/margins.toml");
    text.parse().expect("a test reads the embedded margins")
});

impl Margins {
    /// Those that are built in.
    pub fn built_in() -> &'static Margins {
        &BUILT_IN
    }

    /// Reads a file of margins.
    pub fn load(path: &Path) -> Result<Margins, MarginsError> {
        let text = std::fs::read_to_string(path);
        text.map_err(|error| MarginsError::Unreadable(error.to_string()))?.parse()
    }
}

impl FromStr for Margins {
    type Err = MarginsError;

    fn from_str(text: &str) -> Result<Margins, MarginsError> {
        let margins: Margins = toml::from_str(text).map_err(|error| MarginsError::Syntax {
            line: line_at(text, error.span().map_or(0, |span| span.start)),
            problem: error.message().to_owned(),
        })?;
        for (&Span { name, least, most, .. }, value) in SPANS.iter().zip(margins.numbers()) {
            if !(least..=most).contains(&value) {
                return Err(MarginsError::OutOfRange { name, value, least, most });
            }
        }
        Ok(margins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_margins_are_complete_and_in_range() {
        let margins = Margins::built_in();
        assert_eq!(Margins::of_numbers(margins.numbers()), *margins);
        let text = toml::to_string(margins).expect("numbers can be written");
        assert_eq!(text.parse().as_ref(), Ok(margins));
    }

    #[test]
    fn a_number_that_is_wrong_is_named() {
        let margins = Margins { correction: 24, deeper: 40, ..Margins::built_in().clone() };
        let text = toml::to_string(&margins).expect("numbers can be written");
        let wrong = text.replace("correction = 24", "correction = 0");
        let error = wrong.parse::<Margins>().expect_err("nothing is divided by 0").to_string();
        assert_eq!(error, "correction = 0 is out of range; it may be 8 to 100");
        let missing = text.replace("deeper = 40", "").parse::<Margins>();
        assert!(missing.expect_err("one is missing").to_string().contains("deeper"));
    }
}
