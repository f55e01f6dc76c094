//! A curve: a family with two parameters, an exponent and a scale.
//!
//! | family | exponent | scale |
//! |---|---|---|
//! | haworth, levelled | competence c | κ, in pawns (haworth) or units of δ (levelled) |
//! | all of Regan's | consistency c | sensitivity s, in units of δ |
//! | human and its variants | competence c; 1 gives the probabilities as fitted | the rating of the players |
//!
//! δ is Regan's scaled loss (2011, section 3.1): the integral of `dx / (1 + |x|)` from the value of the move to the
//! value of the best move.

use std::fmt;

use super::families::{Family, Shape};
use super::values::Row;
use crate::math::exact::{exp, ln};
use crate::math::largest;

/// The exponent of a curve: any real number, or infinity of either sign. With 0, all moves are equally likely. With
/// plus infinity, only the best moves are played, and with minus infinity only the worst.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Competence(f64);

/// A family with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    family: Family,
    exponent: Competence,
    scale: f64,
}

/// Why a curve was rejected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CurveError {
    /// The competence is not a number.
    #[error("NaN is not a competence; give a number, inf or -inf")]
    Competence,
    /// The scale is not a positive number.
    #[error("{name} is {value}; it must be a positive, finite number")]
    Scale {
        /// The name of the scale in the family.
        name: &'static str,
        /// The rejected number.
        value: f64,
    },
}

/// A limit for exponents of e. It is practically infinite, but small enough that differences remain finite.
const VAST: f64 = 1e300;

impl Competence {
    /// All moves are equally likely.
    pub const RANDOM: Competence = Competence(0.0);
    /// Only the best moves are played.
    pub const BEST: Competence = Competence(f64::INFINITY);

    /// A competence. Fails for NaN.
    pub fn new(c: f64) -> Result<Competence, CurveError> {
        if c.is_nan() { Err(CurveError::Competence) } else { Ok(Competence(c)) }
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Competence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Curve {
    /// A curve of a family with its exponent (competence or consistency) and scale (κ or s).
    pub fn new(family: Family, exponent: Competence, scale: f64) -> Result<Curve, CurveError> {
        if scale.is_finite() && scale > 0.0 {
            return Ok(Curve { family, exponent, scale });
        }
        let [_, name] = family.parameter_names();
        Err(CurveError::Scale { name, value: scale })
    }

    /// Haworth's curve as published, with κ = 1.
    pub fn haworth(c: Competence) -> Curve {
        Curve { family: Family::HAWORTH, exponent: c, scale: 1.0 }
    }

    /// The curve `levelled` with κ = 1.
    pub fn levelled(c: Competence) -> Curve {
        Curve { family: Family::LEVELLED, exponent: c, scale: 1.0 }
    }

    /// The family of the curve.
    pub fn family(&self) -> Family {
        self.family
    }

    /// The competence, or consistency, of the player.
    pub fn competence(&self) -> Competence {
        self.exponent
    }

    /// κ or s.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The same curve with a different exponent.
    #[must_use]
    pub(crate) fn with_competence(self, exponent: Competence) -> Curve {
        Curve { exponent, ..self }
    }

    /// The parameters with the names that users see.
    pub fn parameters(&self) -> [(&'static str, f64); 2] {
        let [exponent, scale] = self.family.parameter_names();
        let (exponent, scale) = ((exponent, self.exponent.0), (scale, self.scale));
        // Regan names the sensitivity first.
        if exponent.0 == "competence" { [exponent, scale] } else { [scale, exponent] }
    }

    /// The logarithms of the proxies of moves with these values. The largest is 0.
    pub(super) fn ln_proxies(&self, values: Row<'_>) -> Vec<f64> {
        if self.exponent.0.is_infinite() {
            return self.extreme(values.pawns);
        }
        let mut proxies: Vec<f64> = self.losses(values).map(|loss| self.ln_proxy(loss)).collect();
        let top = largest(&proxies);
        proxies.iter_mut().for_each(|proxy| *proxy -= top);
        proxies
    }

    /// The logarithms of the numbers whose `-c`th powers are the proxies. The smallest logarithm is 0. `None` for
    /// shapes that are not power laws.
    pub(super) fn ln_bases(&self, values: Row<'_>) -> Option<Vec<f64>> {
        let is_power = matches!(self.family.shape, Shape::Haworth | Shape::Levelled | Shape::Ipb);
        is_power.then(|| self.losses(values).map(ln_of_1_plus).collect())
    }

    /// The proxies themselves. They are faster to compute than their logarithms. The largest is 1. Proxies that are too
    /// small for a floating-point number are zero. `None` if the exponent is not positive and finite.
    pub(super) fn proxies<'a>(&'a self, values: Row<'a>) -> Option<impl Iterator<Item = f64> + 'a> {
        let prefers_good = self.exponent.0 > 0.0 && self.exponent.0.is_finite();
        prefers_good.then(|| self.losses(values).map(|loss| self.proxy(loss)))
    }

    /// The relative losses of the moves: δ/s for Regan's shapes, δ/κ for Levelled, and
    /// `(κ + w_j) / (κ + w_1) - 1 = |v_1 - v_j| / (κ + |v_1|)` for Haworth.
    fn losses<'a>(&'a self, values: Row<'a>) -> impl Iterator<Item = f64> + 'a {
        let (shape, best) = (self.family.shape, values.best());
        values.deltas(shape != Shape::Levelled).zip(values.pawns).map(move |(delta, &value)| {
            match shape {
                Shape::Haworth => (best - value) / (self.scale + best.abs()),
                _ => delta / self.scale,
            }
        })
    }

    /// The logarithms of the proxies for an infinite exponent, for every family: only the best or only the worst moves
    /// are played. Ties are equally likely.
    pub(super) fn extreme(&self, values: &[f64]) -> Vec<f64> {
        let wanted = match self.exponent.0 > 0.0 {
            true => largest(values),
            false => values.iter().copied().fold(f64::INFINITY, f64::min),
        };
        values.iter().map(|&v| if v == wanted { 0.0 } else { f64::NEG_INFINITY }).collect()
    }

    /// The proxy of a move with this relative loss, up to a factor that is the same for all moves.
    fn proxy(&self, loss: f64) -> f64 {
        let c = self.exponent.0;
        match self.family.shape {
            Shape::Haworth | Shape::Levelled | Shape::Ipb | Shape::Regan | Shape::Human(_) => {
                exp(self.ln_proxy(loss))
            }
            Shape::Ipa => 1.0 / (1.0 + ratio_power(loss, c)),
            Shape::Secha => {
                let e = exp(-ratio_power(loss, c));
                2.0 * e / (1.0 + e * e)
            }
            Shape::Sechb => {
                let e = exp(-ratio_power(loss, c));
                4.0 * e / ((1.0 + e) * (1.0 + e))
            }
        }
    }

    /// The logarithm of the proxy, up to a constant that is the same for all moves. It is always finite.
    fn ln_proxy(&self, loss: f64) -> f64 {
        let c = self.exponent.0;
        match self.family.shape {
            // Human curves use several depths. The selector handles that.
            Shape::Haworth | Shape::Levelled | Shape::Ipb | Shape::Human(_) => {
                power(c, ln_of_1_plus(loss))
            }
            Shape::Regan => -ratio_power(loss, c),
            Shape::Ipa => -ln_of_1_plus(ratio_power(loss, c)),
            Shape::Secha => {
                let x = ratio_power(loss, c);
                -x - ln_of_1_plus(exp(-2.0 * x))
            }
            Shape::Sechb => {
                let x = ratio_power(loss, c);
                -x - 2.0 * ln_of_1_plus(exp(-x))
            }
        }
    }
}

/// `ln(1 + x)` with sufficient absolute accuracy. It is faster than `ln_1p`, whose relative accuracy is not needed.
fn ln_of_1_plus(x: f64) -> f64 {
    ln(1.0 + x)
}

/// `ln b^-c` from `ln b`.
pub(super) fn power(c: f64, ln_base: f64) -> f64 {
    (-c * ln_base).clamp(-VAST, VAST)
}

/// `ratio^c`, limited to finite numbers. It is 1 for c = 0 and any ratio.
fn ratio_power(ratio: f64, c: f64) -> f64 {
    if c == 0.0 {
        return 1.0;
    }
    if ratio == 0.0 && c > 0.0 {
        return 0.0;
    }
    exp(c * ln(ratio)).min(VAST)
}

#[cfg(test)]
mod tests {
    use super::super::Values;
    use super::*;

    #[test]
    fn an_error_names_the_bad_parameter() {
        let c = Competence::RANDOM;
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = Curve::new(Family::REGAN, c, bad).expect_err("not a sensitivity");
            assert!(error.to_string().starts_with("sensitivity"), "{error}");
            assert!(Curve::new(Family::HAWORTH, c, bad).is_err());
        }
        assert_eq!(Competence::new(f64::NAN), Err(CurveError::Competence));
    }

    #[test]
    fn shapes_agree_with_their_formulas() {
        // A value of 0 against a best value of e - 1 gives a scaled loss of 1, and so x = 1 if s = 1.
        let (best, worse) = (1f64.exp() - 1.0, 0.0);
        let expected = [
            ("regan", (-1f64).exp()),
            ("ipa", 0.5),
            ("ipb", 0.125),
            ("secha", 2.0 / (1f64.exp() + (-1f64).exp())),
            ("sechb", 4.0 / (1f64.exp() + 2.0 + (-1f64).exp())),
            ("levelled", 0.125),
        ];
        for (name, proxy) in expected {
            let family = name.parse().expect("a known name");
            let curve = Curve::new(family, Competence(3.0), 1.0).expect("valid");
            let values = Values::at_one_depth(&[best, worse]).expect("finite");
            let proxies = curve.ln_proxies(values.at_depth(0));
            assert_eq!(proxies[0], 0.0);
            assert!((proxies[1].exp() - proxy).abs() < 1e-12, "{name}");
        }
    }
}
