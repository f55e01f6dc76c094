//! Learns the weights of a style by maximum likelihood.
//!
//! In the model, every trait multiplies the odds of a move by `e^weight`. Newton's method finds the
//! weights under which the decisions are most likely. A weight rises as long as the chosen moves
//! have more of its trait than the current weights predict. A normal prior keeps the weights small
//! if the decisions give little evidence.
//!
//! The weights describe how players with the style differ from other players. Multiples of the style's signature are
//! then added to make the style visible. They are limited so that human moves do not become too unlikely.

use stopdown::math::cholesky::Cholesky;
use stopdown::math::statistics::mean_with_reach;
use stopdown::player::{MoveTrait, PlayingStyle, Traits};
use stopdown::selector::Distribution;

use super::decisions::{Decision, StyleDecisions};
use super::{dot, signature, visible};

/// The number of weights: one for each trait, and one for the logarithm of the loss.
const WEIGHTS: usize = MoveTrait::ALL.len() + 1;

/// The prior standard deviation of a weight.
const PRIOR: f64 = 0.3;

/// The number of steps of Newton's method. Four already give all digits that matter.
const ROUNDS: usize = 6;

/// The maximum increase in the log loss that a style may cause on other players' moves, in nats per
/// move.
const MAX_COST: f64 = 0.04;

/// The largest multiple of a signature that is added to the weights.
const MAX_RAISE: f64 = 6.0;

/// The result of learning a style.
#[derive(Clone, Debug)]
pub struct LearntStyle {
    /// The weights to play with.
    pub weights: Traits,
    /// The multiples of the signature that were added to the fitted weights: for the visible trait, and for the others.
    pub raises: [f64; 2],
    /// The players to whom the weights were fitted, and the players on whom they were tested.
    pub fitted_players: Vec<String>,
    pub test_players: Vec<String>,
    /// Three gains in nats per move, each with half the width of its 95% interval: for the test
    /// players with the weights as learnt, for the test players with the weights to play with, and
    /// for all other players with the weights to play with.
    pub gains: [(f64, f64); 3],
    /// The factor by which the style changes the expected frequency of the visible trait.
    pub visibility: f64,
}

/// Decisions of too few players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there are decisions of {players} players; a style needs at least 2 players who show it, and others for \
     comparison, so give at least 2 and fewer than {players} with --each, or collect more players"
)]
pub struct TooFewPlayers {
    pub players: usize,
}

/// Learns a style from the `each` players who show it most. The weights are fitted to half of them
/// and tested on the other half.
pub fn learn(
    all: &StyleDecisions,
    style: PlayingStyle,
    each: usize,
) -> Result<LearntStyle, TooFewPlayers> {
    let by_player = by_player(all);
    let signature = signature(style);
    let leans = by_player.iter().map(|decisions| lean(decisions, &signature)).zip(0..);
    let mut ranked: Vec<(f64, usize)> =
        leans.filter(|&(_, player)| !by_player[player].is_empty()).collect();
    ranked.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let ranked: Vec<usize> = ranked.into_iter().map(|(_, player)| player).collect();
    if each < 2 || each >= ranked.len() {
        return Err(TooFewPlayers { players: ranked.len() });
    }
    let (stylists, others) = ranked.split_at(each);
    let halves = [0, 1]
        .map(|half| -> Vec<usize> { stylists.iter().copied().skip(half).step_by(2).collect() });
    let of = |players: &[usize]| -> Vec<&Decision> {
        players.iter().flat_map(|&player| by_player[player].iter().copied()).collect()
    };
    let usual = fit(&of(others), &Traits::default());
    let learnt = fit(&of(&halves[0]), &usual);
    let sample: Vec<&Decision> = of(others).into_iter().step_by(5).collect();
    let (raises, weights) = raise(&sample, &learnt, style);
    let weights = weights.map(|weight| (100.0 * weight).round() / 100.0);
    let gain = |players: &[usize], weights: &Traits| {
        let means = players.iter().map(|&player| mean_gain(&by_player[player], weights));
        mean_with_reach(&means.collect::<Vec<f64>>())
    };
    let names = |players: &[usize]| {
        players.iter().map(|&player| all.players[player].name.clone()).collect()
    };
    Ok(LearntStyle {
        weights,
        raises,
        fitted_players: names(&halves[0]),
        test_players: names(&halves[1]),
        gains: [gain(&halves[1], &learnt), gain(&halves[1], &weights), gain(others, &weights)],
        visibility: visibility(&sample, &weights, visible(style).0),
    })
}

fn by_player(all: &StyleDecisions) -> Vec<Vec<&Decision>> {
    let mut players = vec![Vec::new(); all.players.len()];
    all.decisions.iter().for_each(|d| players[usize::from(d.player)].push(d));
    players
}

/// A player's preference for moves with a signature, beyond what the human curve expects: an estimate of the
/// signature's weight, shrunk towards 0.
fn lean(decisions: &[&Decision], signature: &Traits) -> f64 {
    let (mut excess, mut information) = (0.0, PRIOR.powi(-2));
    for decision in decisions {
        let before = decision.distribution();
        let shown: Vec<f64> = decision.moves.iter().map(|m| dot(&m.traits, signature)).collect();
        let expected = before.expected(&shown);
        let squares: Vec<f64> = shown.iter().map(|x| (x - expected).powi(2)).collect();
        excess += shown[decision.chosen] - expected;
        information += before.expected(&squares);
    }
    excess / information
}

/// The weights that, when added to `usual`, make these decisions most likely.
fn fit(decisions: &[&Decision], usual: &Traits) -> Traits {
    let mut weights = [0.0; WEIGHTS];
    for _ in 0..ROUNDS {
        let mut slope = weights.map(|weight| -weight / (PRIOR * PRIOR));
        let mut curvature = vec![0.0; WEIGHTS * WEIGHTS];
        (0..WEIGHTS).for_each(|k| curvature[k * WEIGHTS + k] = PRIOR.powi(-2));
        for decision in decisions {
            let inputs: Vec<[f64; WEIGHTS]> = decision
                .moves
                .iter()
                .map(|m| {
                    let mut input = [0.0; WEIGHTS];
                    input[..WEIGHTS - 1].copy_from_slice(&m.traits);
                    input[WEIGHTS - 1] = -(1.0 + m.delta / 0.3).ln();
                    input
                })
                .collect();
            let scores = decision.moves.iter().zip(&inputs);
            let scores = scores.map(|(m, x)| m.ln_p + dot(&m.traits, usual) + dot(x, &weights));
            let now = Distribution::from_ln(scores.collect());
            let mut mean = [0.0; WEIGHTS];
            for (x, p) in inputs.iter().zip(now.probabilities()) {
                mean.iter_mut().zip(x).for_each(|(mean, x)| *mean += p * x);
            }
            for k in 0..WEIGHTS {
                slope[k] += inputs[decision.chosen][k] - mean[k];
            }
            for (x, p) in inputs.iter().zip(now.probabilities()) {
                for row in 0..WEIGHTS {
                    let part = p * (x[row] - mean[row]);
                    if part != 0.0 {
                        for column in 0..=row {
                            curvature[row * WEIGHTS + column] += part * (x[column] - mean[column]);
                        }
                    }
                }
            }
        }
        let Some(solved) = Cholesky::new(&curvature, WEIGHTS) else { break };
        weights.iter_mut().zip(solved.solve(&slope)).for_each(|(weight, step)| *weight += step);
    }
    let mut traits = Traits::default();
    traits.copy_from_slice(&weights[..WEIGHTS - 1]);
    traits
}

/// Adds the visible trait of the signature until it is as frequent as [`visible`] asks for, and then the other traits of
/// the signature, at most as often. Stops where these decisions would become too unlikely. Returns both multiples, and
/// the raised weights.
fn raise(decisions: &[&Decision], learnt: &Traits, style: PlayingStyle) -> ([f64; 2], Traits) {
    let (shown, wanted) = visible(style);
    let mut others = signature(style);
    let mut alone = Traits::default();
    std::mem::swap(&mut alone[shown as usize], &mut others[shown as usize]);
    let is_costly = |weights: &Traits| -mean_gain(decisions, weights) > MAX_COST;
    let is_visible = |weights: &Traits| {
        let found = visibility(decisions, weights, shown);
        if wanted > 1.0 { found >= wanted } else { found <= wanted }
    };
    let first = largest(MAX_RAISE, |multiple| {
        let weights = raised(learnt, &alone, multiple);
        !is_visible(&weights) && !is_costly(&weights)
    });
    let weights = raised(learnt, &alone, first);
    let second = largest(first, |multiple| !is_costly(&raised(&weights, &others, multiple)));
    ([first, second], raised(&weights, &others, second))
}

/// The largest allowed number from 0 to `most`. Every number below an allowed one must be allowed too.
fn largest(most: f64, is_allowed: impl Fn(f64) -> bool) -> f64 {
    if is_allowed(most) {
        return most;
    }
    let (mut low, mut high) = (0.0, most);
    for _ in 0..10 {
        let middle = (low + high) / 2.0;
        if is_allowed(middle) { low = middle } else { high = middle }
    }
    low
}

fn raised(weights: &Traits, signature: &Traits, raise: f64) -> Traits {
    let mut raised = *weights;
    raised.iter_mut().zip(signature).for_each(|(weight, of)| *weight += raise * of);
    raised
}

/// The factor by which these weights change the expected frequency of a trait.
fn visibility(decisions: &[&Decision], weights: &Traits, shown: MoveTrait) -> f64 {
    let (mut before, mut after) = (0.0, 0.0);
    for decision in decisions {
        let found: Vec<f64> = decision.moves.iter().map(|m| m.traits[shown as usize]).collect();
        if found.iter().any(|&found| found != 0.0) {
            before += decision.distribution().expected(&found);
            after += decision.tilted(weights).expected(&found);
        }
    }
    after / before
}

/// The mean gain of these weights in nats per decision.
fn mean_gain(decisions: &[&Decision], weights: &Traits) -> f64 {
    let gain = |decision: &&Decision| {
        let [before, after] = [decision.distribution(), decision.tilted(weights)];
        after.ln_probability(decision.chosen) - before.ln_probability(decision.chosen)
    };
    decisions.iter().map(gain).sum::<f64>() / decisions.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::super::decisions::{Candidate, PlayerName};
    use super::*;
    use crate::tune::random_stream;
    use rand::RngExt as _;

    #[test]
    fn preferences_beyond_those_of_other_players_are_learnt_if_there_are_others() {
        const LIKING: f64 = 0.8;
        let mut random = random_stream(1, 0);
        let mut all = StyleDecisions::default();
        for player in 0..20 {
            all.players.push(PlayerName { name: player.to_string(), rating: 2000.0 });
            for _ in 0..400 {
                let mut moves =
                    vec![Candidate { ln_p: -4f64.ln(), delta: 0.0, traits: Traits::default() }; 4];
                moves[0].traits[MoveTrait::Sacrifice as usize] = 1.0;
                moves[1].delta = 0.4;
                let odds = if player < 10 { LIKING.exp() } else { 1.0 };
                let chosen = match random.random::<f64>() * (3.0 + odds) {
                    draw if draw < 3.0 => 1 + draw as usize,
                    _ => 0,
                };
                all.decisions.push(Decision { player, chosen, moves });
            }
        }
        for each in [1, 20, 30] {
            let refused = learn(&all, PlayingStyle::Attacker, each).expect_err("no comparison");
            assert_eq!(refused, TooFewPlayers { players: 20 }, "{each}");
        }
        let learnt = learn(&all, PlayingStyle::Attacker, 10).expect("there are other players");
        let weight = learnt.weights[MoveTrait::Sacrifice as usize] - learnt.raises[0];
        assert!((weight - LIKING).abs() < 0.25, "{learnt:?}");
        assert!(learnt.test_players.iter().all(|name| name.parse::<u16>().is_ok_and(|n| n < 10)));
        assert!(learnt.gains[0].0 > 0.02 && learnt.gains[2].0 < 0.0, "{learnt:?}");
    }
}
