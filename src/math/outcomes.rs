//! Elo and normalised Elo from the score of a match, with their errors, and the draw rate between players of different
//! strength.
//!
//! A match is described by counts of outcomes. Single games have three outcomes (trinomial). Pairs of games with the
//! same opening and reversed colours have five (pentanomial): 0, ½, 1, 1½ and 2 points. Pairs are better, because the
//! advantage that an opening gives to one side cancels out and does not increase the variance.
//!
//! Elo is the logistic scale on which 400 points correspond to odds of 10 to 1. Normalised Elo measures the score in
//! standard deviations of a single game, so it does not depend on how drawish the openings are (M. Van den Bergh,
//! "Normalized Elo", section 3). The factor 800/ln 10 makes the two scales agree for small differences if there are no
//! draws.
//!
//! Draws follow Davidson's model: their number is proportional to the geometric mean of the numbers of wins and losses.
//! Given the expected score p, this leads to a quadratic equation for the draw rate (M. Ballicora, Ordo manual, "Draw
//! rate from p and D_eq").

use std::f64::consts::LN_10;

use super::root;
use super::statistics::normal;

/// The 97.5% point of the normal distribution: half the width of a 95% interval.
pub const TWO_SIDED_95: f64 = 1.959_963_984_540_054;

/// The log-odds of the expected score per pawn, by Lichess's formula for winning chances (lichess.org/page/accuracy).
pub(crate) const LICHESS_LN_ODDS_PER_PAWN: f64 = 0.368_208;

/// One standard deviation of a game, in normalised Elo.
pub(super) const NORMALISED_UNIT: f64 = 800.0 / LN_10;

/// The number of times that each outcome occurred, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcomes<const N: usize>(pub [u64; N]);

/// Losses, draws and wins.
pub(crate) type Trinomial = Outcomes<3>;

/// Pairs with 0, ½, 1, 1½ and 2 points.
pub type Pentanomial = Outcomes<5>;

/// An estimate with its 95% interval.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Half the width of the 95% interval.
    pub error: f64,
}

impl<const N: usize> Default for Outcomes<N> {
    fn default() -> Outcomes<N> {
        Outcomes([0; N])
    }
}

impl<const N: usize> Outcomes<N> {
    /// The number of games that make up one outcome.
    pub(super) const GAMES: f64 = (N as f64 - 1.0) / 2.0;

    /// The share of the points that the outcome with this index is worth.
    pub(super) fn share(index: usize) -> f64 {
        index as f64 / (N - 1) as f64
    }

    /// The number of outcomes: games, or pairs of games.
    pub(crate) fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The share of the points that were won. NaN if there are no outcomes.
    pub fn score(&self) -> f64 {
        self.average(Self::share)
    }

    /// The variance of the share of the points in a single outcome.
    pub(crate) fn variance(&self) -> f64 {
        let score = self.score();
        self.average(|index| (Self::share(index) - score).powi(2))
    }

    /// The difference in strength in Elo.
    pub fn elo(&self) -> Estimate {
        let score = self.score();
        let reach = TWO_SIDED_95 * self.standard_error();
        Estimate {
            value: elo_of_score(score),
            error: (elo_of_score(score + reach) - elo_of_score(score - reach)) / 2.0,
        }
    }

    /// The difference in strength in normalised Elo.
    pub(crate) fn normalised_elo(&self) -> Estimate {
        let deviation = (Self::GAMES * self.variance()).sqrt();
        Estimate {
            value: (self.score() - 0.5) / deviation * NORMALISED_UNIT,
            error: TWO_SIDED_95 * NORMALISED_UNIT / (Self::GAMES * self.total() as f64).sqrt(),
        }
    }

    /// The likelihood of superiority (LOS): the probability that the true score is above one half.
    pub(crate) fn superiority(&self) -> f64 {
        normal((self.score() - 0.5) / self.standard_error())
    }

    fn standard_error(&self) -> f64 {
        (self.variance() / self.total() as f64).sqrt()
    }

    fn average(&self, of: impl Fn(usize) -> f64) -> f64 {
        let sum: f64 =
            self.0.iter().enumerate().map(|(index, &count)| count as f64 * of(index)).sum();
        sum / self.total() as f64
    }
}

/// The Elo difference at which this score is expected. It is infinite for 0 and 1, and NaN outside this range.
pub(crate) fn elo_of_score(score: f64) -> f64 {
    -400.0 * (1.0 / score - 1.0).log10()
}

/// The probability of a draw if one side's expected score is `score`, given the draw rate of equal players.
pub fn draw_rate(score: f64, of_equals: f64) -> f64 {
    let phi = (1.0 - of_equals) / (2.0 * of_equals);
    let spread = 4.0 * score * (1.0 - score);
    // The root of (4φ² - 1) D² + 2 D - spread = 0, in the form that is numerically stable.
    spread / (1.0 + (1.0 + (4.0 * phi * phi - 1.0) * spread).max(0.0).sqrt())
}

/// The probabilities of a loss, a draw and a win for the side whose expected score is `score`.
pub fn outcome_rates(score: f64, of_equals: f64) -> [f64; 3] {
    let draw = draw_rate(score, of_equals);
    [1.0 - score - draw / 2.0, draw, score - draw / 2.0]
}

/// The draw rate of equal players at which `draws` draws are expected in these games. `games` contains expected scores,
/// each with its number of games.
pub fn rate_of_equals(games: &[(f64, f64)], draws: f64) -> f64 {
    let expected = |rate| games.iter().map(|&(score, n)| n * draw_rate(score, rate)).sum::<f64>();
    root(0.0, 1.0, |rate| expected(rate) - draws)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(estimate: Estimate) -> (String, String) {
        (format!("{:.2}", estimate.value), format!("{:.2}", estimate.error))
    }

    fn words(value: &str, error: &str) -> (String, String) {
        (value.to_owned(), error.to_owned())
    }

    #[test]
    fn pairs_agree_with_reference_values() {
        let cases = [
            ([34, 54, 63, 64, 75], "55.58", "27.65", "57.94", "28.28"),
            ([332, 433, 498, 333, 334], "-8.64", "10.33", "-9.17", "10.96"),
            ([7895, 8757, 5685, 568, 9999], "-21.04", "2.95", "-19.01", "2.65"),
        ];
        for (counts, elo, error, normalised, normalised_error) in cases {
            let pairs = Outcomes(counts);
            assert_eq!(rounded(pairs.elo()), words(elo, error));
            assert_eq!(rounded(pairs.normalised_elo()), words(normalised, normalised_error));
        }
        let behind = Outcomes([332, 433, 498, 333, 334]).superiority();
        assert_eq!(format!("{:.2}", 100.0 * behind), "5.05");
    }

    #[test]
    fn single_games_agree_with_reference_values() {
        let games = Outcomes([89, 123, 76]);
        assert_eq!(rounded(games.normalised_elo()), words("-20.76", "40.13"));
        assert_eq!(format!("{:.2}", 100.0 * games.superiority()), "15.53");
        let games = Outcomes([96, 111, 136]);
        assert_eq!(rounded(games.elo()), words("40.70", "30.43"));
        assert_eq!(rounded(games.normalised_elo()), words("49.77", "36.77"));
        assert_eq!(format!("{:.2}", 100.0 * games.superiority()), "99.60");
        let games = Outcomes([356, 0, 34]);
        assert_eq!(rounded(games.normalised_elo()), words("-508.44", "34.48"));
    }

    #[test]
    fn a_clean_sweep_is_an_infinite_elo_difference() {
        assert_eq!(Outcomes([0, 0, 0, 0, 9]).elo().value, f64::INFINITY);
        assert!(Outcomes([0; 5]).score().is_nan());
    }

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
    fn draw_rates_at_the_ends_of_the_scale_are_valid() {
        assert_eq!(draw_rate(0.7, 0.0), 0.0);
        assert!((draw_rate(0.7, 1.0) - 0.6).abs() < 1e-12);
        assert_eq!(draw_rate(1.0, 0.5), 0.0);
    }

    #[test]
    fn the_draw_rate_of_equals_is_recovered() {
        let games: Vec<(f64, f64)> = [0.5, 0.64, 0.9].map(|score| (score, 100.0)).to_vec();
        let draws = games.iter().map(|&(score, n)| n * draw_rate(score, 0.37)).sum();
        assert!((rate_of_equals(&games, draws) - 0.37).abs() < 1e-12);
        assert!(rate_of_equals(&games, 0.0) < 1e-12);
    }
}
