//! The selector reproduces figures computed from the papers, to 1e-6.

use crate::common::{list, number};
use serde_json::Value as Json;
use stopdown::math::grid::Posterior;
use stopdown::math::statistics::{mean, part_below, predicted_interval};
use stopdown::selector::{Competence, Curve, Distribution, Family, Selector, Values};

fn figures(text: &str) -> Json {
    serde_json::from_str(text).expect("the figures are JSON")
}

fn haworth() -> Json {
    figures(include_str!("../data/haworth2007.json"))
}

fn regan() -> Json {
    figures(include_str!("../data/regan2011.json"))
}

fn numbers(json: &Json) -> Vec<f64> {
    json.as_array().expect("a list").iter().map(number).collect()
}

fn competence(text: &str) -> Competence {
    Competence::new(text.parse().expect("a number")).expect("a competence")
}

fn distribution(curve: Curve, values: &[f64]) -> Distribution {
    Selector::new(curve).distribution(&Values::at_one_depth(values).expect("finite"))
}

fn regan_distribution(name: &str, s: f64, c: f64, values: &[f64]) -> Distribution {
    let family: Family = name.parse().expect("a known curve");
    let c = Competence::new(c).expect("a number");
    distribution(Curve::new(family, c, s).expect("valid"), values)
}

fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-6, "{what}: {found:?} instead of {expected:?}");
    }
}

#[test]
fn haworth_probabilities_from_minus_to_plus_infinity() {
    for example in list(&haworth()["examples"]) {
        let values = numbers(&example["v"]);
        for (c, expected) in example["q"].as_object().expect("by competence") {
            let curve = Curve::haworth(competence(c));
            let found = distribution(curve, &values);
            assert_close(
                found.probabilities(),
                &numbers(expected),
                &format!("{values:?}, c = {c}"),
            );
        }
        let best = values[0];
        let depths: Vec<f64> = values.iter().map(|v| best.abs() + (best - v).abs()).collect();
        for (c, expected) in example["E_w"].as_object().expect("by competence") {
            let found = distribution(Curve::haworth(competence(c)), &values);
            assert_close(
                &[found.expected(&depths)],
                &[number(expected)],
                &format!("E[w], c = {c}"),
            );
        }
    }
}

#[test]
fn haworth_odds_shrink_with_the_size_of_the_advantage() {
    for case in list(&haworth()["dilution"]) {
        let (best, drop) = (number(&case["v1"]), number(&case["drop"]));
        let c = Competence::new(number(&case["c"])).expect("a number");
        let found = distribution(Curve::haworth(c), &[best, best - drop]);
        let odds = found.probability(0) / found.probability(1);
        let expected = number(&case["odds_best_to_worse"]);
        assert!((odds / expected - 1.0).abs() < 1e-6, "{odds} instead of {expected}");
    }
}

#[test]
fn kappa_blurs_the_choice() {
    let case = &haworth()["kappa"];
    for (kappa, expected) in case["ratio"].as_object().expect("by kappa") {
        let c = Competence::new(number(&case["c"])).expect("a number");
        let kappa = kappa.parse().expect("a number");
        let curve = Curve::new(Family::HAWORTH, c, kappa).expect("valid");
        let found = distribution(curve, &numbers(&case["v"]));
        assert_close(&[found.probability(0)], &[number(expected)], "kappa");
    }
}

/// Parses a grid in the papers' notation: first(step)last.
fn grid(text: &str) -> Vec<f64> {
    let parts: Vec<i32> =
        text.split(['(', ')']).map(|part| part.parse().expect("an integer")).collect();
    (parts[0]..=parts[2]).step_by(parts[1] as usize).map(f64::from).collect()
}

#[test]
fn haworth_inference_follows_the_worked_trajectories() {
    for case in list(&haworth()["bayes"]) {
        let name = case["grid"].as_str().expect("a grid");
        let mut posterior = Posterior::uniform(grid(name)).expect("a rising grid");
        let at = |c: f64, values: &[f64]| {
            distribution(Curve::haworth(Competence::new(c).expect("a number")), values)
        };
        let mut evidence = 0.0;
        for (choice, expected) in list(&case["moves"]).iter().zip(list(&case["trajectory"])) {
            let values = numbers(&choice["v"]);
            let chosen = choice["chosen"].as_u64().expect("an index") as usize;
            let likelihoods: Vec<f64> =
                posterior.points().iter().map(|&c| at(c, &values).ln_probability(chosen)).collect();
            let mean: f64 =
                posterior.weights().iter().zip(&likelihoods).map(|(w, l)| w * l.exp()).sum();
            evidence += mean.ln();
            assert!(posterior.update(&likelihoods));
            assert_close(&posterior.weights(), &numbers(&expected["posterior"]), name);
            assert_close(&[posterior.mean()], &[number(&expected["E_c"])], name);
        }
        assert_close(&[evidence], &[number(&case["log_evidence"])], name);
        let values = numbers(&case["mixture_on"]);
        let parts: Vec<(f64, Distribution)> = posterior
            .points()
            .iter()
            .zip(posterior.weights())
            .map(|(&c, weight)| (weight, at(c, &values)))
            .collect();
        let mixture = Distribution::mixture(&parts);
        assert_close(mixture.probabilities(), &numbers(&case["mixture_probs"]), name);
    }
}

#[test]
fn regan_probabilities_by_either_conversion() {
    for example in list(&regan()["examples"]) {
        let values = numbers(&example["ev"]);
        let (s, c) = (number(&example["s"]), number(&example["c"]));
        let what = format!("{values:?}, s = {s}, c = {c}");
        let found = regan_distribution("regan", s, c, &values);
        assert_close(found.probabilities(), &numbers(&example["p"]), &what);
        let share = regan_distribution("regan-share", s, c, &values);
        assert_close(share.probabilities(), &numbers(&example["p_share"]), &what);
        let proxies: Vec<f64> =
            share.probabilities().iter().map(|p| p / share.probability(0)).collect();
        assert_close(&proxies, &numbers(&example["y"]), &what);
    }
}

#[test]
fn regan_percentiles_of_predictions() {
    for case in list(&regan()["percentiling"]) {
        let (s, c) = (number(&case["s"]), number(&case["c"]));
        let name = if case["conv"] == "share" { "regan-share" } else { "regan" };
        let intervals: Vec<(f64, f64)> = list(&case["data"])
            .iter()
            .map(|pair| {
                let found = regan_distribution(name, s, c, &numbers(&pair[0]));
                predicted_interval(found.probabilities(), pair[1].as_u64().expect("index") as usize)
            })
            .collect();
        let percentiles = numbers(&case["q"]);
        // The fraction of moves below q, and the sum of squared deviations.
        let below =
            |&q: &f64| mean(&intervals.iter().map(|&i| part_below(i, q)).collect::<Vec<_>>());
        let below: Vec<f64> = percentiles.iter().map(below).collect();
        let misses = below.iter().zip(&percentiles).map(|(below, q)| (below - q).powi(2));
        assert_close(&[misses.sum()], &[number(&case["S"])], name);
        assert_close(&below, &numbers(&case["Rq"]), name);
    }
}

#[test]
fn regan_projected_matches_and_likelihood() {
    let figures = regan();
    let case = &figures["projections"];
    let (s, c) = (number(&case["s"]), number(&case["c"]));
    let (mut matches, mut ln_likelihood, mut turns) = (0.0, 0.0, 0.0);
    for pair in list(&case["data"]) {
        let found = regan_distribution("regan", s, c, &numbers(&pair[0]));
        matches += found.probability(0);
        ln_likelihood += found.ln_probability(pair[1].as_u64().expect("index") as usize);
        turns += 1.0;
    }
    assert_close(&[matches / turns], &[number(&case["mm"])], "matches");
    assert_close(&[ln_likelihood], &[number(&case["loglik"])], "likelihood");
}
