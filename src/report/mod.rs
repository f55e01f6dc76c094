//! Results as text, JSON and pages.

mod analysis;
pub mod chart;
pub mod endgame;
mod evaluation;
mod ladder;
mod matches;
pub mod page;

pub use analysis::{
    AnalysisPage, BOARD_SCRIPT, BRIEF_CAUTION, CAUTION, CSV_HEAD, FEW, LineConditions,
    TournamentPlayer, TournamentTables, VIEWER_STYLE, analysis_json, analysis_text, game_csv,
    game_line, moves_json,
};
pub use evaluation::{EvaluationLine, deposit_epd, deposit_json, evaluation_table, holdings_table};
pub use ladder::{rating_json, rating_page, rating_table};
pub use matches::{match_json, match_summary};
pub use page::PAGE_STYLE;

/// `low to high`, as a page has it.
pub fn in_words([low, high]: [f64; 2], number: impl Fn(f64) -> String) -> String {
    match (low.is_nan(), high.is_finite()) {
        (true, _) => "-".to_owned(),
        (false, true) => format!("{} to {}", number(low), number(high)),
        (false, false) => format!("from {}", number(low)),
    }
}

/// `[low, high]`, as a table has it.
pub fn in_brackets([low, high]: [f64; 2], digits: usize) -> String {
    match low.is_nan() {
        true => "-".to_owned(),
        false => format!("[{low:.digits$}, {high:.digits$}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_no_number() {
        let words = |ends| in_words(ends, |x| format!("{x:.1}"));
        assert_eq!(words([1.0, 2.25]), "1.0 to 2.2");
        assert_eq!(words([1.0, f64::INFINITY]), "from 1.0");
        assert_eq!(words([f64::NAN, f64::NAN]), "-");
        assert_eq!(in_brackets([1.0, 2.0], 0), "[1, 2]");
        assert_eq!(in_brackets([f64::NAN, f64::NAN], 2), "-");
    }
}
