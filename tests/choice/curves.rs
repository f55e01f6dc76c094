//! Properties that hold for every curve, with ordinary and with extreme values.

use stopdown::board::Move;
use stopdown::evaluation::{DepthValue, MoveEvaluation, RootEvaluation};
use stopdown::math::streams::{Occasion, Purpose, Stream};
use stopdown::selector::{Competence, Curve, DepthWeights, Family, Selector, Values};
use stopdown::value::Value;

fn curve(family: Family, c: f64) -> Curve {
    let scale = if family.is_power_law() { 1.0 } else { 0.1 };
    Curve::new(family, Competence::new(c).expect("a number"), scale).expect("valid")
}

fn values(list: &[f64]) -> Values {
    Values::at_one_depth(list).expect("finite")
}

/// Lists of values that occur in positions, and some extreme ones.
fn lists() -> Vec<Vec<f64>> {
    let mut lists = vec![
        vec![0.0],
        vec![0.0; 218],
        vec![20.0, 19.996, 19.0, 3.0, 0.0, -20.0],
        vec![-19.9, -19.95, -20.0, -20.0],
        vec![1e-12, 0.0, -1e-12],
        vec![320.0, -320.0],
        vec![1e300, 0.0, -1e300],
        (0..218).map(|j| 5.0 - f64::from(j) / 10.0).collect(),
    ];
    for game in 0..20 {
        let occasion = Occasion { seed: 1, game, ply: 0 };
        let mut stream = Stream::new(occasion, Purpose::Simulation);
        let count = 1 + stream.next_u64() % 60;
        // In tenths, so that ties are common and different values are well apart.
        lists.push((0..count).map(|_| (stream.uniform() * 100.0).floor() / 10.0 - 5.0).collect());
    }
    lists
}

const COMPETENCES: [f64; 16] = [
    f64::NEG_INFINITY,
    -1e6,
    -300.0,
    -5.0,
    -0.5,
    -1e-9,
    0.0,
    1e-9,
    0.45,
    1.0,
    7.0,
    20.0,
    300.0,
    1e6,
    1e300,
    f64::INFINITY,
];

#[test]
fn probabilities_add_up_to_one_and_are_probabilities() {
    for (name, family) in Family::ALL {
        for c in COMPETENCES {
            for list in lists() {
                let found = Selector::new(curve(family, c)).distribution(&values(&list));
                let sum: f64 = found.probabilities().iter().sum();
                assert!((sum - 1.0).abs() < 1e-12, "{name} c = {c}: {sum} over {list:?}");
                let fine = |p: &f64| (0.0..=1.0).contains(p);
                assert!(found.probabilities().iter().all(fine), "{name} c = {c}: {list:?}");
                assert!((0..list.len()).all(|j| !found.ln_probability(j).is_nan()));
                assert!(found.entropy().is_finite());
            }
        }
    }
}

#[test]
fn better_moves_are_never_less_likely_and_with_negative_c_never_likelier() {
    for (name, family) in Family::ALL {
        for c in COMPETENCES {
            for list in lists() {
                let found = Selector::new(curve(family, c)).distribution(&values(&list));
                for i in 0..list.len() {
                    for j in 0..list.len() {
                        // Regan's correction for ties may rank a tied move below a slightly worse
                        // one. This is as published.
                        if list[i] <= list[j] || list[i] - list[j] < 0.03 {
                            continue;
                        }
                        let (better, worse) = (found.probability(i), found.probability(j));
                        let right = if c >= 0.0 {
                            better >= worse - 1e-15
                        } else {
                            better <= worse + 1e-15
                        };
                        assert!(right, "{name} c = {c}: {} {} in {list:?}", list[i], list[j]);
                    }
                }
            }
        }
    }
}

#[test]
fn exponents_computed_together_equal_those_computed_alone() {
    for list in lists() {
        let values = values(&list);
        for (name, family) in Family::ALL {
            let selector = Selector::new(curve(family, 1.0));
            for chosen in [0, list.len() / 2, list.len() - 1] {
                let found = selector.ln_likelihoods(&values, chosen, &COMPETENCES);
                for (c, found) in COMPETENCES.into_iter().zip(found) {
                    let alone = Selector::new(curve(family, c)).distribution(&values);
                    let alone = alone.ln_probability(chosen);
                    let is_near = (found - alone).abs() <= 1e-12 * (1.0 + alone.abs());
                    assert!(found == alone || is_near, "{name} {c}: {found}, {alone}");
                }
            }
        }
    }
}

#[test]
fn zero_competence_is_uniform() {
    for (name, family) in Family::ALL {
        for list in lists() {
            let found = Selector::new(curve(family, 0.0)).distribution(&values(&list));
            let uniform = 1.0 / list.len() as f64;
            let even = |p: &f64| (p - uniform).abs() < 1e-12;
            assert!(found.probabilities().iter().all(even), "{name}: {list:?}");
        }
    }
}

#[test]
fn infinite_competence_shares_the_best_or_worst_moves() {
    let list = values(&[0.3, 1.0, 1.0, -2.0, -2.0, -2.0]);
    let third = 1.0 / 3.0;
    for (name, family) in Family::ALL {
        let best = Selector::new(curve(family, f64::INFINITY)).distribution(&list);
        let worst = Selector::new(curve(family, f64::NEG_INFINITY)).distribution(&list);
        for (found, expected) in
            [(best, [0.0, 0.5, 0.5, 0.0, 0.0, 0.0]), (worst, [0.0, 0.0, 0.0, third, third, third])]
        {
            let pairs = found.probabilities().iter().zip(expected);
            assert!(pairs.clone().all(|(p, e)| (p - e).abs() < 1e-12), "{name}: {found:?}");
        }
    }
}

#[test]
fn the_expected_value_grows_with_competence() {
    for family in [Family::HAWORTH, Family::LEVELLED] {
        for list in lists() {
            let shown: Vec<f64> = list.iter().map(|v| v.clamp(-20.0, 20.0)).collect();
            let expected = |c: f64| {
                Selector::new(curve(family, c)).distribution(&values(&shown)).expected(&shown)
            };
            let rising = COMPETENCES.windows(2).all(|w| expected(w[0]) <= expected(w[1]) + 1e-9);
            assert!(rising, "{family}: {shown:?}");
        }
    }
}

/// Haworth 2007, section 2: the odds between two moves that differ by 1 in depth tend to 1 as their
/// depths grow without bound.
#[test]
fn haworth_odds_are_a_power_of_the_ratio_of_the_depths() {
    let selector = Selector::new(curve(Family::HAWORTH, 7.0));
    let mut last = f64::INFINITY;
    for ahead in [0.0, 1.0, 4.0, 20.0, 1000.0] {
        let found = selector.distribution(&values(&[-ahead, -ahead - 1.0]));
        let odds = found.probability(0) / found.probability(1);
        let expected = ((2.0 + ahead) / (1.0 + ahead)).powi(7);
        assert!((odds / expected - 1.0).abs() < 1e-9);
        assert!(odds > 1.0 && odds < last);
        last = odds;
    }
}

/// Relates the two papers: for a player who is not ahead, Haworth's curve equals Regan's curve in
/// its share form (`regan-share`) with consistency 1 and s = 1/c.
#[test]
fn haworth_behind_is_regan_by_share() {
    let list = values(&[-0.2, -0.9, -1.5, -6.0]);
    let haworth = Selector::new(curve(Family::HAWORTH, 8.0)).distribution(&list);
    let family = "regan-share".parse().expect("known");
    let one = Competence::new(1.0).expect("a number");
    let regan =
        Selector::new(Curve::new(family, one, 1.0 / 8.0).expect("valid")).distribution(&list);
    for (a, b) in haworth.probabilities().iter().zip(regan.probabilities()) {
        assert!((a - b).abs() < 1e-12);
    }
}

/// A player with the curve `levelled` does not give away the queen when far ahead.
#[test]
fn levelled_keeps_the_queen_when_far_ahead() {
    let list = values(&[9.0, 0.0]);
    let odds = |family| {
        let found = Selector::new(curve(family, 5.0)).distribution(&list);
        found.probability(1) / found.probability(0)
    };
    assert!((odds(Family::HAWORTH) - 0.04).abs() < 0.005);
    assert!(odds(Family::LEVELLED) < odds(Family::HAWORTH) / 10.0);
}

#[test]
fn depth_weights_mix_the_choices_of_each_depth() {
    // A trap: the first move wins a pawn at depth 1 and loses a piece at depth 2.
    let rows = [vec![1.0, 0.0, 0.0], vec![-3.0, 0.1, 0.0]];
    let trap = Values::by_depth(&rows).expect("finite");
    let probability = |weights: &[f64]| {
        let weights = DepthWeights::new(weights).expect("valid");
        let selector = Selector { curve: curve(Family::LEVELLED, 6.0), weights };
        selector.distribution(&trap).probability(0)
    };
    let falls = [[1.0, 0.0], [0.7, 0.3], [0.3, 0.7], [0.0, 1.0]].map(|w| probability(&w));
    assert!(falls.windows(2).all(|w| w[0] > w[1]), "{falls:?}");
    // Putting all the weight on one depth is the same as using that depth alone.
    let shallow = Selector::new(curve(Family::LEVELLED, 6.0)).distribution(&values(&rows[0]));
    assert!((falls[0] - shallow.probability(0)).abs() < 1e-12);
    // If each of the two depths is certain of its own move, equal weights give each move 50%.
    let weights = DepthWeights::new(&[1.0, 1.0]).expect("valid");
    let selector = Selector { curve: curve(Family::LEVELLED, f64::INFINITY), weights };
    assert_eq!(selector.distribution(&trap).probabilities(), [0.5, 0.5, 0.0]);
}

#[test]
fn mates_become_finite_values_in_order() {
    let pawns = [Value::mate_in(1), Value::mate_in(3), Value::centipawns(2500), Value::DRAW];
    let evaluation = RootEvaluation {
        depth: 1,
        moves: pawns
            .iter()
            .map(|&value| MoveEvaluation {
                mv: Move::NONE,
                by_depth: vec![DepthValue { value, exact: true }],
                line: vec![],
            })
            .collect(),
        ..RootEvaluation::default()
    };
    let list = Values::of(&evaluation, 30);
    for (name, family) in Family::ALL {
        let found = Selector::new(curve(family, 2.0)).distribution(&list);
        assert!(found.probabilities().windows(2).all(|w| w[0] > w[1]), "{name}: {found:?}");
        assert!((found.probabilities().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn no_moves_give_no_probabilities() {
    for (_, family) in Family::ALL {
        assert!(Selector::new(curve(family, 3.0)).distribution(&values(&[])).is_empty());
    }
}

/// The Fisher information of a power law is the variance of the logarithm of its base.
#[test]
fn information_is_the_variance_of_the_logarithms() {
    let list = [0.0f64, -0.4, -1.3, -6.0];
    let selector = Selector::new(curve(Family::LEVELLED, 3.0));
    let found = selector.distribution(&values(&list));
    let logs: Vec<f64> = list.iter().map(|v| (1.0 + (1.0 - v).ln()).ln()).collect();
    let mean = found.expected(&logs);
    let squares: Vec<f64> = logs.iter().map(|l| (l - mean) * (l - mean)).collect();
    let information = selector.information(&values(&list));
    assert!((information - found.expected(&squares)).abs() < 1e-6);
    assert_eq!(selector.information(&values(&[0.3])), 0.0);
}
