//! How often players of different strength draw, when it is known how often equal ones do.
//!
//! Davidson's model: draws are as frequent as the geometric mean of wins and losses, times a
//! constant. With the expected score p this makes a quadratic equation for the draw rate (M.
//! Ballicora, manual of Ordo, "Draw rate from p and D_eq").

use super::root;

/// The probability of a draw where one side is expected to score `score`.
pub fn draw_rate(score: f64, of_equals: f64) -> f64 {
    let phi = (1.0 - of_equals) / (2.0 * of_equals);
    let spread = 4.0 * score * (1.0 - score);
    // The root of (4φ² - 1) D² + 2 D - spread = 0, in the form that loses no digits.
    spread / (1.0 + (1.0 + (4.0 * phi * phi - 1.0) * spread).max(0.0).sqrt())
}

/// The probabilities of a loss, a draw and a win.
pub fn outcome_rates(score: f64, of_equals: f64) -> [f64; 3] {
    let draw = draw_rate(score, of_equals);
    [1.0 - score - draw / 2.0, draw, score - draw / 2.0]
}

/// The draw rate of equals that makes so many draws expected: from expected scores and how many
/// games were played at each.
pub fn rate_of_equals(games: &[(f64, f64)], draws: f64) -> f64 {
    let expected = |rate| games.iter().map(|&(score, n)| n * draw_rate(score, rate)).sum::<f64>();
    root(0.0, 1.0, |rate| expected(rate) - draws)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn davidsons_relation_holds() {
        for of_equals in [0.02, 0.3, 0.5, 0.500_01, 0.9, 0.999] {
            assert!((draw_rate(0.5, of_equals) - of_equals).abs() < 1e-12);
            for score in [0.01, 0.3, 0.5, 0.77, 0.999] {
                let [loss, draw, win] = outcome_rates(score, of_equals);
                assert!(loss > 0.0 && draw > 0.0 && win > 0.0);
                assert!((loss + draw + win - 1.0).abs() < 1e-12);
                assert!((win + draw / 2.0 - score).abs() < 1e-12);
                let nu = 2.0 * of_equals / (1.0 - of_equals);
                assert!((draw / (win * loss).sqrt() - nu).abs() < 1e-6 * nu, "{of_equals} {score}");
            }
        }
    }

    #[test]
    fn the_ends_of_the_scale_are_sound() {
        assert_eq!(draw_rate(0.7, 0.0), 0.0);
        assert!((draw_rate(0.7, 1.0) - 0.6).abs() < 1e-12);
        assert_eq!(draw_rate(1.0, 0.5), 0.0);
    }

    #[test]
    fn the_rate_of_equals_is_found_again() {
        let games: Vec<(f64, f64)> = [0.5, 0.64, 0.9].map(|score| (score, 100.0)).to_vec();
        let draws = games.iter().map(|&(score, n)| n * draw_rate(score, 0.37)).sum();
        assert!((rate_of_equals(&games, draws) - 0.37).abs() < 1e-12);
        assert!(rate_of_equals(&games, 0.0) < 1e-12);
    }
}
