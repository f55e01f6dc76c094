//! Reports of the laboratory as text, JSON and pages.

mod calibration;
mod depth;
pub mod endgame;
pub mod endgame_page;
pub mod endgame_study;
mod people;
mod puzzles;
mod similarity;

pub use calibration::{calibration_report, levels_text, strength_by_level};
pub use depth::{depth_json, depth_report};
pub use people::{people_report, regan_text};
pub use puzzles::{puzzle_chart, puzzle_report};
pub use similarity::{similarity_json, similarity_report};

/// `low to high`.
fn in_words([low, high]: [f64; 2], number: impl Fn(f64) -> String) -> String {
    match (low.is_nan(), high.is_finite()) {
        (true, _) => "-".to_owned(),
        (false, true) => format!("{} to {}", number(low), number(high)),
        (false, false) => format!("from {}", number(low)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infinite_and_unknown_ends_have_no_number() {
        let words = |ends| in_words(ends, |x| format!("{x:.1}"));
        assert_eq!(words([1.0, 2.25]), "1.0 to 2.2");
        assert_eq!(words([1.0, f64::INFINITY]), "from 1.0");
        assert_eq!(words([f64::NAN, f64::NAN]), "-");
    }
}
