//! The parameters for reductions and pruning in the search.
//!
//! Most are in centipawns and depend on the scale and the errors of the evaluation, so they belong to the
//! [`super::Evaluator`]. The built-in values are tuned by `stopdown-lab tune search-params`. A bonus of 0 turns its
//! rule off.
//!
//! There are two sets. The evaluation of all moves has its own, which must stay the same, because levels, curves and
//! ratings are fitted to its values. The search for the best move can be improved without fitting these again, so new
//! rules are tried there first.

use std::path::Path;
use std::str::FromStr;

use once_cell::sync::Lazy;
use serde::{Deserialize, Serialize};

use crate::files::line_at;
use crate::math::fingerprint;

/// Why a file of search parameters was rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchParamsError {
    /// The file cannot be read. Contains the error of the operating system.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// The file is not valid.
    #[error("line {line}: {problem}")]
    Syntax {
        /// The line of the mistake, counted from 1.
        line: usize,
        /// The message of the parser.
        problem: String,
    },
    /// A parameter is outside its range.
    #[error("{name} = {value} is out of range; it must be from {least} to {most}")]
    OutOfRange {
        /// The name of the parameter.
        name: &'static str,
        /// The value in the file.
        value: i32,
        /// The smallest allowed value.
        least: i32,
        /// The largest allowed value.
        most: i32,
    },
}

/// The range of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The name of the field in [`SearchParams`].
    pub name: &'static str,
    /// The smallest change that makes a measurable difference.
    pub step: i32,
    /// The smallest allowed value.
    pub least: i32,
    /// The largest allowed value.
    pub most: i32,
    /// The value with which the parameter has no effect, for parameters that were added later.
    pub neutral: Option<i32>,
}

/// Declares the parameters with name, step and range. Those in the second list have a neutral value as well, with which
/// the search is the same as before their rule was added.
macro_rules! search_params {
    (
        { $($(#[$doc:meta])* $name:ident by $step:literal in $least:literal to $most:literal;)* }
        { $($(#[$doc2:meta])* $name2:ident by $step2:literal in $least2:literal to $most2:literal, neutral $neutral:literal;)* }
    ) => {
        /// The parameters, in centipawns unless stated otherwise.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        // One comment may cover several parameters.
        #[allow(missing_docs)]
        pub struct SearchParams {
            $($(#[$doc])* pub $name: i32,)*
            $($(#[$doc2])* pub $name2: i32,)*
        }

        /// The ranges of all parameters, in the order of [`SearchParams`].
        pub const SPANS: &[Span] = &[
            $(Span { name: stringify!($name), step: $step, least: $least, most: $most, neutral: None },)*
            $(Span {
                name: stringify!($name2), step: $step2, least: $least2, most: $most2, neutral: Some($neutral),
            },)*
        ];

        impl SearchParams {
            /// The parameters in the order of [`SPANS`].
            pub fn numbers(&self) -> [i32; NUMBERS] {
                [$(self.$name,)* $(self.$name2,)*]
            }

            /// Parameters from numbers in the order of [`SPANS`]. Each number is clamped to its range.
            pub fn of_numbers([$($name,)* $($name2,)*]: [i32; NUMBERS]) -> SearchParams {
                SearchParams {
                    $($name: $name.clamp($least, $most),)*
                    $($name2: $name2.clamp($least2, $most2),)*
                }
            }
        }
    };
}

search_params! {
    {
    /// Razoring: the distance below alpha at which only captures can help.
    razoring by 40 in 0 to 800;
    /// Razoring: this times the depth squared is added to the distance.
    razoring_by_depth by 35 in 0 to 800;
    /// Reverse futility pruning: distance above beta for every ply.
    reverse_futility by 10 in 10 to 250;
    /// Subtracted from that distance if the mover's evaluation is improving.
    reverse_futility_improving by 15 in 0 to 250;
    /// Null move: distance above beta that the evaluation needs. The second number is subtracted for every ply.
    null_move by 20 in -200 to 300;
    null_move_by_depth by 5 in 0 to 80;
    /// Reduction after a null move in hundredths of a ply. The second number is added for every ply of depth.
    null_move_reduction by 40 in 100 to 800;
    null_move_reduction_by_depth by 5 in 0 to 80;
    /// Lead over beta that adds another ply to the reduction after a null move.
    null_move_reduction_by_lead by 30 in 40 to 600;
    /// Probcut: distance above beta that is enough at a reduced depth.
    probcut by 20 in 40 to 500;
    /// Subtracted from that distance if the mover's evaluation is improving.
    probcut_improving by 15 in 0 to 200;
    /// SEE pruning: loss that a capture may incur per ply of depth. The second number is for captures that give check.
    capture_loss by 12 in 10 to 300;
    checking_capture_loss by 30 in 10 to 600;
    /// History score that makes up for a centipawn of a capture's loss.
    capture_history by 12 in 10 to 400;
    /// Late move pruning: number of moves after which quiet moves are skipped, in hundredths. The second number times
    /// the depth squared is added.
    late_moves by 60 in 100 to 1500;
    late_moves_by_depth by 12 in 20 to 400;
    /// Futility pruning: the most that a quiet move can gain. The second number is added for every ply of the reduced
    /// depth.
    futility by 15 in 0 to 400;
    futility_by_depth by 12 in 10 to 300;
    /// History score that counts as a centipawn of a quiet move's gain.
    futility_history by 24 in 20 to 800;
    /// History pruning: a quiet move is skipped if its history score is below minus this number times the depth.
    bad_history by 500 in 500 to 12000;
    /// SEE pruning: loss that a quiet move may incur, to be multiplied by the square of the reduced depth.
    quiet_loss by 4 in 4 to 100;
    /// History score that counts as a ply of depth in pruning decisions.
    history_ply by 1200 in 2000 to 40000;
    /// Singular extensions: margin in hundredths of a centipawn for every ply of depth.
    singular by 20 in 10 to 400;
    /// Further margin that extends a singular move by two plies.
    doubly_singular by 6 in 0 to 150;
    /// Late move reductions: constant part in hundredths of a ply.
    reduction by 12 in 0 to 300;
    /// Late move reductions: the logarithms of depth and move number are multiplied, divided by this many hundredths,
    /// and added.
    reduction_divisor by 20 in 100 to 500;
    /// History score that shortens the reduction by a ply, for quiet moves and for captures.
    reduction_history by 1300 in 2000 to 40000;
    capture_reduction_history by 1000 in 1500 to 40000;
    /// A reduced move that beats the best value by this much, plus two centipawns per ply, is searched a ply deeper.
    /// One that beats it by less than the second number is searched a ply less deeply.
    deeper by 8 in 0 to 200;
    shallower by 3 in 0 to 60;
    /// Bonus for a good move in the histories: the points for every ply of depth, a constant that is subtracted, and
    /// the maximum.
    bonus by 25 in 40 to 500;
    bonus_less by 25 in -200 to 400;
    bonus_most by 250 in 400 to 5000;
    /// Delta pruning in quiescence: the most that a capture can gain beyond the captured piece.
    quiescence by 25 in 20 to 500;
    /// Divisor that turns the sum of the three stored corrections of the evaluation into centipawns.
    correction by 4 in 8 to 100;
    /// Weight of the correction by the last two moves, in hundredths of the weight of the others.
    correction_by_moves by 25 in 0 to 400;
    /// Bonus for a quiet move that no reply refutes, in hundredths of a good move's bonus.
    refutation by 15 in 0 to 300;
    /// Bonus for a quiet move for every centipawn by which it raises the evaluation.
    surprise by 2 in 0 to 50;
    /// Move ordering: history added to quiet moves that escape from an attack by a piece of lower value.
    escape by 1500 in 0 to 30000;
    /// Move ordering: history added to quiet checks that lose no material.
    quiet_check by 2000 in 0 to 40000;
    /// Part of the excess over beta that is taken off a fail-high value, in hundredths. It is divided by the depth plus
    /// one.
    softening by 12 in 0 to 100;
    }
    {
    /// Penalty for moves that were tried before the best one: the points for every ply of depth, a constant that is
    /// subtracted, and the maximum. If the maximum is 0, the penalty is as large as the bonus.
    penalty by 25 in 0 to 600, neutral 0;
    penalty_less by 25 in -200 to 400, neutral 0;
    penalty_most by 250 in 0 to 5000, neutral 0;
    /// Whether the histories of quiet moves depend on attacks on the two squares of the move. They then also order
    /// evasions in quiescence.
    threats by 0 in 0 to 1, neutral 0;
    /// Weight of the pawn history, in hundredths of the weight of the others.
    pawn_history by 25 in 0 to 300, neutral 0;
    /// A node that was reached by a reduced move is searched a ply less deeply if the opponent's evaluation dropped by
    /// more than this number, and a ply more deeply if the reduction was large and it did not drop.
    hindsight by 30 in 0 to 600, neutral 0;
    /// Reverse futility pruning: subtracted from the distance if the opponent's evaluation is worsening.
    reverse_futility_worsening by 10 in 0 to 200, neutral 0;
    /// Bonus for a quiet move from the table that causes a cut-off at once, in hundredths of a good move's bonus.
    table_bonus by 20 in 0 to 300, neutral 0;
    /// History score that makes up for a centipawn of loss when captures are sorted into good and bad ones.
    good_capture by 15 in 0 to 600, neutral 0;
    /// Whether late move reductions count fractions of a ply.
    fractions by 0 in 0 to 1, neutral 0;
    /// Late move reductions, changes in hundredths of a ply: more if the evaluation is not improving, more at cut
    /// nodes, less at nodes that have been in a principal variation, less at nodes that are in one, less for checks,
    /// more if the move from the table is a capture, less for killers, and more if several moves at the next ply caused
    /// cut-offs.
    reduction_not_improving by 12 in -100 to 400, neutral 100;
    reduction_cut_node by 20 in -100 to 500, neutral 200;
    reduction_was_pv by 15 in -100 to 400, neutral 100;
    reduction_pv by 15 in -100 to 400, neutral 100;
    reduction_check by 15 in -100 to 500, neutral 200;
    reduction_table_capture by 12 in -100 to 400, neutral 100;
    reduction_killer by 12 in -100 to 400, neutral 100;
    reduction_cuts by 12 in -100 to 400, neutral 100;
    /// Late move reductions: less at nodes that have been in a principal variation if the value from the table is above
    /// alpha, and again if its depth is sufficient. The latter counts twice at cut nodes.
    reduction_entry by 15 in 0 to 300, neutral 0;
    /// Whether captures are ordered by the exchange value of the captured piece. If not, they are ordered by its rank.
    captures_by_value by 0 in 0 to 1, neutral 0;
    /// In quiescence, captures beyond this number are skipped unless they are recaptures. 0 means no limit.
    quiescence_moves by 0 in 0 to 20, neutral 0;
    /// Futility pruning of captures: what a capture can gain beyond the captured piece. The second number is added for
    /// every ply of the reduced depth. If it is 0, the rule is off.
    capture_futility by 25 in 0 to 800, neutral 0;
    capture_futility_by_depth by 20 in 0 to 600, neutral 0;
    /// Internal iterative reduction also applies if the table entry is this many plies too shallow. 0 turns this off.
    stale_entry by 0 in 0 to 20, neutral 0;
    /// Half the width of the first aspiration window.
    aspiration by 2 in 4 to 60, neutral 14;
    /// Further margin that extends a singular quiet move by three plies.
    triply_singular by 12 in 0 to 400, neutral 400;
    /// Added to `doubly_singular` at nodes of a principal variation.
    doubly_singular_pv by 12 in 0 to 40000, neutral 40000;
    }
}

/// The number of parameters.
pub const NUMBERS: usize = SPANS.len();

static EVALUATION: Lazy<SearchParams> = Lazy::new(|| {
    let text = include_str!("../../tuning/margins.toml");
    text.parse().expect("a test parses the embedded file")
});

static BEST_MOVE: Lazy<SearchParams> = Lazy::new(|| {
    let text = include_str!("../../tuning/best-move.toml");
    text.parse().expect("a test parses the embedded file")
});

impl SearchParams {
    /// The built-in parameters for the evaluation of all moves. Everything that is fitted to evaluations depends on
    /// them.
    pub fn for_evaluation() -> &'static SearchParams {
        &EVALUATION
    }

    /// The built-in parameters for the search for the best move.
    pub fn for_best_move() -> &'static SearchParams {
        &BEST_MOVE
    }

    /// A number that changes with the values of the parameters. Those at their neutral values do not count, so a new
    /// rule does not change it.
    pub fn fingerprint(&self) -> u64 {
        let counted = SPANS.iter().zip(self.numbers());
        let counted = counted.filter(|(span, number)| span.neutral != Some(*number));
        let bytes: Vec<u8> = counted.flat_map(|(_, number)| number.to_le_bytes()).collect();
        fingerprint(&bytes)
    }

    /// Reads a file of parameters.
    pub fn load(path: &Path) -> Result<SearchParams, SearchParamsError> {
        let text = std::fs::read_to_string(path);
        text.map_err(|error| SearchParamsError::Unreadable(error.to_string()))?.parse()
    }
}

impl FromStr for SearchParams {
    type Err = SearchParamsError;

    fn from_str(text: &str) -> Result<SearchParams, SearchParamsError> {
        let params: SearchParams =
            toml::from_str(text).map_err(|error| SearchParamsError::Syntax {
                line: line_at(text, error.span().map_or(0, |span| span.start)),
                problem: error.message().to_owned(),
            })?;
        for (&Span { name, least, most, .. }, value) in SPANS.iter().zip(params.numbers()) {
            if !(least..=most).contains(&value) {
                return Err(SearchParamsError::OutOfRange { name, value, least, most });
            }
        }
        Ok(params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_parameters_are_complete_and_in_range() {
        for params in [SearchParams::for_best_move(), SearchParams::for_evaluation()] {
            assert_eq!(SearchParams::of_numbers(params.numbers()), *params);
            let text = toml::to_string(params).expect("parameters can be written");
            assert_eq!(text.parse().as_ref(), Ok(params));
        }
    }

    #[test]
    fn only_rules_that_have_an_effect_change_the_fingerprint() {
        let params = SearchParams::for_evaluation();
        let without: Vec<u8> = SPANS
            .iter()
            .zip(params.numbers())
            .filter(|(span, _)| span.neutral.is_none())
            .flat_map(|(_, number)| number.to_le_bytes())
            .collect();
        assert_eq!(params.fingerprint(), fingerprint(&without));
        let with = SearchParams { hindsight: 100, ..params.clone() };
        assert_ne!(with.fingerprint(), params.fingerprint());
    }

    #[test]
    fn an_error_names_the_parameter() {
        let params =
            SearchParams { correction: 24, deeper: 40, ..SearchParams::for_best_move().clone() };
        let text = toml::to_string(&params).expect("parameters can be written");
        let wrong = text.replace("correction = 24", "correction = 0");
        let error = wrong.parse::<SearchParams>().expect_err("0 is out of range").to_string();
        assert_eq!(error, "correction = 0 is out of range; it must be from 8 to 100");
        let missing = text.replace("deeper = 40", "").parse::<SearchParams>();
        assert!(missing.expect_err("a parameter is missing").to_string().contains("deeper"));
    }
}
