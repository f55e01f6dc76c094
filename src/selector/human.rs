//! The human curve: the human policy, corrected by the values of the moves at three depths.
//!
//! `ln p = a ln π - c1 ln(1 + δ_1/k1) - c4 ln(1 + δ_4/k4) - cd ln(1 + δ_d/kd) + const`. Here p is the probability of a
//! move, and π is the policy network's prediction of the share of players who would choose it. The δ are Regan's scaled
//! losses (2011, section 3.1) at depth 1, at depth 4 and at the full depth d. In the opening, players play from memory.
//! So after n plies, `ln π` is mixed in with the weight `e^(-n/t)`, where t is about 14 plies. If there is a mate in one,
//! memory does not matter. The fit ignores this exception, because its games hardly contain such positions.
//!
//! In online rapid and blitz games, players who are ahead are careless. Let E be the expected score of the best move at
//! the full depth. The costs c1, c4 and cd are multiplied by `1 - h max(0, 2E - 1)`. Players who are behind take as
//! much care as in an even position.
//!
//! Each of the seven parameters is the exponential of a quadratic in the rating. There is a set of quadratics for every
//! kind of game and every d. `tuning/policy/fit.py` fits them to games of human players. If there is no policy, π is
//! the same for all moves.
//!
//! No human is rated much above 2800. A stronger player is modelled as one rated 2800 who chooses the likeliest moves
//! more often.

use std::str::FromStr;

use once_cell::sync::Lazy;

use super::{Distribution, Values};
use crate::math::exact::{exp, ln, logistic};
use crate::math::interpolation::log_linear;
use crate::math::outcomes::LICHESS_LN_ODDS_PER_PAWN;
use crate::policy::GameKind;
use crate::value::{Depth, Value};

/// The built-in model.
static BUILT_IN: Lazy<Human> = Lazy::new(|| FILE.parse().expect("a test parses the embedded file"));

/// The file of the built-in model.
pub const FILE: &str = include_str!("../../tuning/calibration/human.toml");

/// The lowest rating of the model. A rating outside the range is clamped to it, because there are hardly any games with
/// such ratings.
pub const LOWEST: f64 = 600.0;
/// The highest rating of the model.
pub const HIGHEST: f64 = 2800.0;
/// The highest rating that a player with a human curve can be given. Above [`HIGHEST`], only the exponent rises.
pub const TOP: f64 = 3000.0;

/// The middle depth of the three.
const MID: usize = 4;

/// The log-odds of the expected score per pawn, by Lichess's formula. The formula was made for an older Stockfish,
/// before +1.00 was normalised to a 50% chance of winning. One of our pawns is 1.74 (361/208) of its pawns.
const LN_ODDS_PER_PAWN: f64 = LICHESS_LN_ODDS_PER_PAWN * 361.0 / 208.0;

/// The number of rating points that change the argument of the quadratics by 1.
pub const UNIT: f64 = 500.0;
/// The rating at which the argument of the quadratics is 0.
pub const MIDDLE: f64 = 2000.0;

/// The quadratics for a kind of game and a depth. Each gives the logarithm of one parameter. The constant coefficient
/// comes first.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HumanFit {
    /// The full depth d.
    pub depth: Depth,
    /// The weight a of the policy.
    pub policy: [f64; 3],
    /// The cost c1 of a loss at depth 1.
    pub shallow: [f64; 3],
    /// The scale k1 of losses at depth 1.
    pub shallow_scale: [f64; 3],
    /// The cost c4 of a loss at depth 4.
    pub mid: [f64; 3],
    /// The scale k4 of losses at depth 4.
    pub mid_scale: [f64; 3],
    /// The cost cd of a loss at depth d.
    pub deep: [f64; 3],
    /// The scale kd of losses at depth d.
    pub deep_scale: [f64; 3],
    /// The share h of these costs that a player in a completely won position ignores.
    pub carelessness: f64,
}

/// The parameters for all ratings: for each kind of game, sets of quadratics in order of increasing d.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Human {
    /// The number of plies t over which knowledge of openings fades.
    pub opening: f64,
    /// The exponents applied to the probabilities when the program plays at a level: pairs of a rating and an exponent,
    /// both in increasing order. Between two pairs, the logarithm of the exponent is linear in the rating.
    ///
    /// A program that draws every move from the human distribution reaches positions that humans do not reach, and
    /// makes errors there more or less often than humans do. With this exponent, the differences in strength between
    /// levels match the differences between their ratings.
    pub played: Vec<[f64; 2]>,
    /// Games over the board.
    pub board: Vec<HumanFit>,
    /// Classical games on Lichess.
    pub classical: Vec<HumanFit>,
    /// Rapid games on Lichess.
    pub rapid: Vec<HumanFit>,
    /// Blitz games on Lichess.
    pub blitz: Vec<HumanFit>,
    /// Bullet games on Lichess.
    pub bullet: Vec<HumanFit>,
}

/// Why a model was rejected.
#[derive(Debug, thiserror::Error)]
pub enum HumanError {
    /// The text is not a valid file of parameters.
    #[error("the parameters of the human curve: {0}")]
    Syntax(#[from] toml::de::Error),
    /// A kind of game has no parameters, or its depths are not in increasing order.
    #[error(
        "the parameters of the human curve: every kind of game needs at least one set of parameters, and its \
         sets must be in order of depth"
    )]
    Depths,
    /// The carelessness of a set is not between 0 and 1.
    #[error("the parameters of the human curve: \"carelessness\" must be at least 0 and below 1")]
    Carelessness,
    /// The exponents of levels are not in increasing order.
    #[error(
        "the parameters of the human curve: \"played\" needs pairs of a rating and a positive exponent, both \
         in increasing order"
    )]
    Played,
}

/// The parameters of the formula for one rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HumanParameters {
    /// The weight of the policy.
    pub a: f64,
    /// The cost of a loss at depth 1.
    pub c1: f64,
    /// The scale of losses at depth 1.
    pub k1: f64,
    /// The cost of a loss at depth 4.
    pub c4: f64,
    /// The scale of losses at depth 4.
    pub k4: f64,
    /// The cost of a loss at depth d.
    pub cd: f64,
    /// The scale of losses at depth d.
    pub kd: f64,
}

impl Human {
    /// The built-in model.
    pub fn built_in() -> &'static Human {
        &BUILT_IN
    }

    /// The sets of quadratics for a kind of game.
    pub fn fits(&self, pool: GameKind) -> &[HumanFit] {
        pool.pick([&self.board, &self.classical, &self.rapid, &self.blitz, &self.bullet])
    }

    /// The greatest depth d for a kind of game.
    pub fn depth(&self, pool: GameKind) -> Depth {
        self.fits(pool).last().map_or(1, |fit| fit.depth)
    }

    /// The set of quadratics for values at depths 1 to `depths`: the set for the greatest d that they reach, or else
    /// the set for the smallest d.
    pub fn fit(&self, pool: GameKind, depths: usize) -> &HumanFit {
        let fits = self.fits(pool);
        let reached = fits.partition_point(|fit| usize::from(fit.depth) <= depths);
        &fits[reached.saturating_sub(1)]
    }

    /// The exponent applied to the probabilities of players with this rating. With it, the program plays as well as
    /// they do.
    pub fn sharpening(&self, rating: f64) -> f64 {
        log_linear(&self.played, rating).unwrap_or(1.0)
    }

    /// The probabilities with which players of this rating choose each move, without the exponent used for playing.
    pub fn distribution(&self, values: &Values, pool: GameKind, rating: f64) -> Distribution {
        Distribution::from_ln(self.scores(values, pool, rating))
    }

    /// The logarithms of the probabilities, up to a constant.
    pub(super) fn scores(&self, values: &Values, pool: GameKind, rating: f64) -> Vec<f64> {
        let known = match values.plies() {
            Some(plies) if !has_mate_in_one(values) => exp(-(plies as f64) / self.opening),
            _ => 0.0,
        };
        let policy = values.ln_shares(rating).unwrap_or_else(|| vec![0.0; values.moves()]);
        let weights = self.fit(pool, values.depths()).weights(rating);
        let care = self.care(values, pool);
        let score = |([shallow, mid, deep], policy): ([f64; 3], f64)| {
            let later = weights.a * policy - care * (shallow + mid + deep);
            known * policy + (1.0 - known) * later
        };
        self.costs(values, pool, &weights).zip(policy).map(score).collect()
    }

    /// For each move, the contributions of the policy and of the losses at depths 1, 4 and d to the logarithm of its
    /// probability, without opening knowledge.
    pub fn contributions(&self, values: &Values, pool: GameKind, rating: f64) -> Vec<[f64; 4]> {
        let policy = values.ln_shares(rating).unwrap_or_else(|| vec![0.0; values.moves()]);
        let weights = self.fit(pool, values.depths()).weights(rating);
        let care = self.care(values, pool);
        let parts = |([shallow, mid, deep], policy): ([f64; 3], f64)| {
            [weights.a * policy, -care * shallow, -care * mid, -care * deep]
        };
        self.costs(values, pool, &weights).zip(policy).map(parts).collect()
    }

    /// How much losses count. Players who are winning care less about them.
    fn care(&self, values: &Values, pool: GameKind) -> f64 {
        let fit = self.fit(pool, values.depths());
        let expected = logistic(LN_ODDS_PER_PAWN * values.best(usize::from(fit.depth)));
        1.0 - fit.carelessness * (2.0 * expected - 1.0).max(0.0)
    }

    /// For each move, the costs of its losses at depths 1, 4 and d.
    fn costs<'v>(
        &self,
        values: &'v Values,
        pool: GameKind,
        weights: &HumanParameters,
    ) -> impl Iterator<Item = [f64; 3]> + use<'v> {
        let HumanParameters { c1, k1, c4, k4, cd, kd, .. } = *weights;
        let depth = usize::from(self.fit(pool, values.depths()).depth);
        let early = values.losses(1).zip(values.losses(MID));
        early.zip(values.losses(depth)).map(move |((shallow, mid), deep)| {
            [c1 * ln(1.0 + shallow / k1), c4 * ln(1.0 + mid / k4), cd * ln(1.0 + deep / kd)]
        })
    }
}

fn has_mate_in_one(values: &Values) -> bool {
    values.depths() > 0 && values.best(1) >= Value::mate_in(1).pawns()
}

impl HumanFit {
    /// The parameters for a rating.
    pub fn weights(&self, rating: f64) -> HumanParameters {
        let at = |of| exp_quadratic(of, rating);
        HumanParameters {
            a: at(self.policy),
            c1: at(self.shallow),
            k1: at(self.shallow_scale),
            c4: at(self.mid),
            k4: at(self.mid_scale),
            cd: at(self.deep),
            kd: at(self.deep_scale),
        }
    }
}

/// The exponential of a quadratic in the rating.
pub fn exp_quadratic([level, slope, bend]: [f64; 3], rating: f64) -> f64 {
    let x = (rating.clamp(LOWEST, HIGHEST) - MIDDLE) / UNIT;
    exp(level + x * (slope + x * bend))
}

impl FromStr for Human {
    type Err = HumanError;

    fn from_str(text: &str) -> Result<Human, HumanError> {
        let human: Human = toml::from_str(text)?;
        let rises = |pair: &[[f64; 2]]| pair[0][0] < pair[1][0] && pair[0][1] <= pair[1][1];
        let positive = |[_, exponent]: &[f64; 2]| *exponent > 0.0 && exponent.is_finite();
        if !human.played.iter().all(positive) || !human.played.windows(2).all(rises) {
            return Err(HumanError::Played);
        }
        let deepens = |pair: &[HumanFit]| pair[0].depth < pair[1].depth;
        let is_sound = |pool: &GameKind| {
            let fits = human.fits(*pool);
            fits.first().is_some_and(|fit| fit.depth > 0) && fits.windows(2).all(deepens)
        };
        if !GameKind::ALL.iter().all(is_sound) {
            return Err(HumanError::Depths);
        }
        let mut all = GameKind::ALL.iter().flat_map(|pool| human.fits(*pool));
        if !all.all(|fit| (0.0..1.0).contains(&fit.carelessness)) {
            return Err(HumanError::Carelessness);
        }
        Ok(human)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Competence, Curve, Family, PolicyShares, Selector};
    use super::*;

    fn of_rating(rating: f64, c: Competence) -> Selector {
        Selector::new(Curve::new(Family::human(GameKind::Board), c, rating).expect("a rating"))
    }

    /// Three moves: one that only looks good, one that only looks bad, and one that looks bad and is bad.
    fn values() -> Values {
        let rows = [vec![1.0, -1.0, -1.0], vec![-2.0, 0.5, -2.0]];
        let shallow =
            |rating| PolicyShares { rating, ln_shares: [0.7f64, 0.2, 0.1].map(ln).to_vec() };
        Values::by_depth(&rows).expect("finite").with_policy(30, vec![shallow(1500.0)])
    }

    #[test]
    fn the_distribution_agrees_with_the_formula() {
        let HumanParameters { a, c1, k1, c4, k4, cd, kd } =
            Human::built_in().fit(GameKind::Board, 2).weights(1500.0);
        let scaled = |x: f64| x.signum() * (1.0 + x.abs()).ln();
        let (first, last) = (scaled(1.0) - scaled(-1.0), scaled(0.5) - scaled(-2.0));
        // There are two depths, so the second one is used for depth 4 and depth d.
        let (mid, deep) = (c4 * (1.0 + last / k4).ln(), cd * (1.0 + last / kd).ln());
        let odds = a * (0.7f64 / 0.2).ln() + c1 * (1.0 + first / k1).ln() - mid - deep;
        let one = Competence::new(1.0).expect("a number");
        let distribution = of_rating(1500.0, one).distribution(&values());
        let known = (-30.0 / Human::built_in().opening).exp();
        let odds = known * (0.7f64 / 0.2).ln() + (1.0 - known) * odds;
        let found = distribution.ln_probability(0) - distribution.ln_probability(1);
        assert!((found - odds).abs() < 1e-9, "{found} {odds}");
    }

    #[test]
    fn nobody_forgets_a_mate_in_one_in_the_opening() {
        let mate = Value::mate_in(1).pawns();
        let few_play_it =
            PolicyShares { rating: 2000.0, ln_shares: [0.9f64, 0.1].map(ln).to_vec() };
        let one = Competence::new(1.0).expect("a number");
        let share_of = |best: f64| {
            let values = Values::by_depth(&[vec![1.0, best]]).expect("finite");
            let values = values.with_policy(3, vec![few_play_it.clone()]);
            of_rating(2000.0, one).distribution(&values).probability(1)
        };
        assert!(share_of(mate) > 0.8 && share_of(mate - 0.5) < 0.5);
    }

    #[test]
    fn the_competence_multiplies_the_whole_exponent() {
        let of = |c: f64| {
            let c = Competence::new(c).expect("a number");
            of_rating(1500.0, c).distribution(&values())
        };
        let odds = |c: f64| of(c).ln_probability(0) - of(c).ln_probability(2);
        assert!((odds(2.0) - 2.0 * odds(1.0)).abs() < 1e-9);
        assert!((odds(-1.0) + odds(1.0)).abs() < 1e-9);
        assert!(of(0.0).probabilities().iter().all(|p| (p - 1.0 / 3.0).abs() < 1e-12));
        let ends = [f64::INFINITY, f64::NEG_INFINITY].map(of);
        assert!(ends.iter().all(|end| end.probabilities().contains(&1.0)));
        assert_eq!(ends[1].probability(2), 1.0);
        let all = of_rating(1500.0, Competence::BEST).ln_likelihoods(&values(), 2, &[0.0, 1.0]);
        assert!((all[1] - of(1.0).ln_probability(2)).abs() < 1e-12);
    }

    #[test]
    fn stronger_players_see_deep_values() {
        let one = Competence::new(1.0).expect("a number");
        let sound = |rating| of_rating(rating, one).distribution(&values()).probability(1);
        assert!(sound(2600.0) > sound(1400.0));
    }

    #[test]
    fn online_players_who_are_winning_mind_losses_less() {
        // Two moves whose values differ by 1 on Regan's scale.
        let odds = |best: f64, pool: GameKind| {
            let other: f64 = (1.0 + best.abs()).ln().copysign(best) - 1.0;
            let values = [best, (other.abs().exp() - 1.0).copysign(other)];
            let values = Values::at_one_depth(&values).expect("finite");
            let scores = Human::built_in().scores(&values, pool, 1800.0);
            scores[0] - scores[1]
        };
        let of = |best| odds(best, GameKind::Rapid);
        assert!(of(6.0) < of(1.0) && of(1.0) < of(0.0));
        assert!((of(-6.0) - of(0.0)).abs() < 1e-9);
        let care = 1.0 - Human::built_in().fit(GameKind::Rapid, 1).carelessness;
        assert!((of(1e4) - care * of(0.0)).abs() < 1e-9);
        assert!((odds(6.0, GameKind::Board) - odds(0.0, GameKind::Board)).abs() < 1e-9);
        let too_careless = FILE.replacen("carelessness = 0", "carelessness = 1", 1);
        assert!(matches!(too_careless.parse::<Human>(), Err(HumanError::Carelessness)));
    }

    #[test]
    fn no_player_sees_more_than_twelve_plies() {
        let rows: Vec<Vec<f64>> =
            (0..14).map(|depth| vec![0.0, if depth < 12 { -1.0 } else { 1.0 }]).collect();
        let deep = Values::by_depth(&rows).expect("finite");
        let one = Competence::new(1.0).expect("a number");
        for rating in [LOWEST, 2000.0, HIGHEST, TOP] {
            let player = of_rating(rating, one);
            let [deep, usual] = [&deep, &deep.up_to(12)].map(|values| player.distribution(values));
            assert_eq!(deep, usual, "{rating}");
        }
    }

    #[test]
    fn exponents_for_play_are_interpolated_between_ratings() {
        let human = Human::built_in();
        for pair in human.played.windows(2) {
            let [[low, weak], [high, strong]] = [pair[0], pair[1]];
            assert!((human.sharpening(low) - weak).abs() < 1e-12);
            let middle = human.sharpening((low + high) / 2.0);
            assert!((middle * middle - weak * strong).abs() < 1e-9);
        }
        assert_eq!(human.played.last().map(|[rating, _]| *rating), Some(TOP));
        let ends = [human.played.first(), human.played.last()].map(|end| end.map(|[_, e]| *e));
        assert_eq!([Some(human.sharpening(0.0)), Some(human.sharpening(4000.0))], ends);
        let falling = FILE.replacen("[2000.0, ", "[2000.0, 9", 1);
        assert!(matches!(falling.parse::<Human>(), Err(HumanError::Played)));
    }
}
