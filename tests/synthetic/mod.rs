//! Synthetic evaluations of real positions, which give repeatable values without a search.
#![allow(dead_code, reason = "each test binary uses a part of this")]

use stopdown::board::{Game, Move};
use stopdown::evaluation::{DepthValue, MoveEvaluation, RootEvaluation};
use stopdown::math::grid::Posterior;
use stopdown::math::streams::{Occasion, Purpose, Stream};
use stopdown::player::Hypotheses;
use stopdown::selector::{Selector, Values};
use stopdown::value::Value;

pub fn simulation(seed: u64, game: u64) -> Stream {
    Stream::new(Occasion { seed, game, ply: 0 }, Purpose::Simulation)
}

/// Values of moves in pawns. The best move is close to equality. The others lose up to a queen, but
/// most of them only a little.
pub fn spread(stream: &mut Stream, moves: usize) -> Vec<f64> {
    let best = 3.0 * (stream.uniform() + stream.uniform() - 1.0);
    let hardness = 0.2 + 2.0 * stream.uniform();
    let loss = |stream: &mut Stream| -hardness * (1.0 - stream.uniform()).ln();
    (0..moves)
        .map(|j| best - if j == 0 { 0.0 } else { (loss(stream) * 100.0).round() / 100.0 })
        .collect()
}

/// A position's moves with synthetic values at one depth, best first.
pub fn evaluate(game: &Game, stream: &mut Stream) -> RootEvaluation {
    let legal = game.position().legal_moves();
    let mut pawns = spread(stream, legal.len());
    pawns.sort_by(|a, b| b.total_cmp(a));
    let moves = legal.iter().zip(pawns).map(|(&mv, v)| MoveEvaluation {
        mv,
        by_depth: vec![DepthValue { value: Value::centipawns((v * 100.0) as i32), exact: true }],
        line: vec![mv],
    });
    RootEvaluation { depth: 1, moves: moves.collect(), ..RootEvaluation::default() }
}

/// Draws a move as a player with this selector would choose it.
pub fn play(selector: &Selector, evaluation: &RootEvaluation, stream: &mut Stream) -> Move {
    let found = selector.distribution(&Values::of(evaluation, 1));
    evaluation.moves[stream.index(found.probabilities()).expect("there is a move")].mv
}

/// A broad prior with this mean, truncated at the ends of the scale.
pub fn prior_of_mean(scale: &Hypotheses, mean: f64) -> Posterior {
    let (mut low, mut high) = (-5_000.0, 8_000.0);
    for _ in 0..60 {
        let centre = (low + high) / 2.0;
        let is_less = scale.believe(centre, 500.0).mean() < mean;
        if is_less { low = centre } else { high = centre }
    }
    scale.believe(low, 500.0)
}
