//! The cost of choosing a move, and of learning from an opponent's choice.

use std::hint::black_box;
use std::time::Instant;

use stopdown::board::{Colour, Game};
use stopdown::evaluation::{DepthValue, MoveEvaluation, RootEvaluation};
use stopdown::math::streams::{Occasion, Purpose, Stream};
use stopdown::player::{EloScale, Hypotheses, Imitator, OpponentKnowledge};
use stopdown::selector::{Competence, Curve, DepthWeights, Family, Selector, Values};
use stopdown::value::Value;

const MOVES: usize = 40;
const DEPTHS: usize = 20;
const REPEATS: usize = 20;
const ROUNDS: usize = 300;

/// The shortest time of many short rounds, in microseconds. The minimum excludes interference from
/// other programs.
fn microseconds(mut work: impl FnMut()) -> f64 {
    let round = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        (0..REPEATS).for_each(|_| work());
        start.elapsed().as_secs_f64() * 1e6 / REPEATS as f64
    };
    (0..ROUNDS).map(|_| round(&mut work)).fold(f64::INFINITY, f64::min)
}

/// Values from slightly worse to a queen worse than the best. They change a little with depth.
fn rows(seed: u64) -> Vec<Vec<f64>> {
    let occasion = Occasion { seed, game: 0, ply: 0 };
    let mut stream = Stream::new(occasion, Purpose::Simulation);
    let losses: Vec<f64> = (0..MOVES).map(|_| -1.5 * (1.0 - stream.uniform()).ln()).collect();
    let mut value = |loss: &f64| ((0.3 - loss + stream.uniform() - 0.5) * 100.0).round() / 100.0;
    (0..DEPTHS).map(|_| losses.iter().map(&mut value).collect()).collect()
}

pub fn selection() {
    println!("\nmicroseconds to choose among {MOVES} moves");
    println!("{:<14}{:>12}{:>12}", "curve", "1 depth", format!("{DEPTHS} depths"));
    let tables: Vec<Values> =
        (0..8).map(|seed| Values::by_depth(&rows(seed)).expect("finite")).collect();
    for (name, family) in Family::ALL {
        let (c, scale) = if family.is_power_law() { (7.0, 1.0) } else { (0.5, 0.1) };
        let curve = Curve::new(family, Competence::new(c).expect("a number"), scale);
        let weights = DepthWeights::new(&[1.0; DEPTHS]).expect("positive");
        let mut one = Selector::new(curve.expect("valid"));
        let shallow = time(&one, &tables);
        one.weights = weights;
        println!("{name:<14}{shallow:>12.1}{:>12.1}", time(&one, &tables));
    }
}

fn time(selector: &Selector, tables: &[Values]) -> f64 {
    let mut place = 0;
    microseconds(|| {
        place = (place + 1) % tables.len();
        black_box(selector.distribution(black_box(&tables[place])));
    })
}

/// Measures learning from an opponent's 60th move, after its position has been evaluated.
pub fn imitation() {
    println!("\nmicroseconds for a whole update of the imitator after 60 moves");
    for (what, weights) in [
        ("deepest depth", DepthWeights::deepest()),
        ("all 20 depths", DepthWeights::new(&[1.0; DEPTHS]).expect("positive")),
    ] {
        for family in [Family::LEVELLED, Family::REGAN] {
            let scale = Hypotheses::of_rating(family, EloScale::Fide, &weights);
            let prior = OpponentKnowledge::new(&scale, None);
            let mut imitator = Imitator::new(scale, DEPTHS as u8, prior);
            let mut game = Game::default();
            let (mut before, mut last) = (imitator.clone(), RootEvaluation::default());
            let mut earlier = game.clone();
            while game.ply() < 119 && game.ending().is_none() {
                let turn = game.position().turn();
                let evaluation = evaluation(&game);
                let position = game.clone();
                game.play(evaluation.moves[game.ply() % evaluation.moves.len()].mv);
                if turn == Colour::White {
                    before = imitator.clone();
                    let seen = imitator.observe(&game, Colour::White);
                    imitator.learn(seen.last().expect("a move"), &position, &evaluation);
                    (earlier, last) = (position, evaluation);
                }
            }
            // An imitator learns from a move only once, so each round uses a new move.
            let round = |_| {
                let mut imitator = before.clone();
                let start = Instant::now();
                let seen = imitator.observe(&game, Colour::White);
                imitator.learn(seen.last().expect("a move"), &earlier, &last);
                black_box(imitator.estimate(&seen));
                start.elapsed().as_secs_f64() * 1e6
            };
            let cost = (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min);
            let moves = last.moves.len();
            println!("{what:<15}{:<10}{moves} moves to choose from{cost:>10.1}", family.name());
        }
    }
}

/// Synthetic values of a position's moves at all depths.
fn evaluation(game: &Game) -> RootEvaluation {
    let rows = rows(game.position().key());
    let assessment =
        |pawns: f64| DepthValue { value: Value::centipawns((pawns * 100.0) as i32), exact: true };
    let moves = game.position().legal_moves();
    let moves = moves.iter().take(MOVES).enumerate().map(|(j, &mv)| MoveEvaluation {
        mv,
        by_depth: rows.iter().map(|row| assessment(row[j])).collect(),
        line: vec![mv],
    });
    RootEvaluation { depth: DEPTHS as u8, moves: moves.collect(), ..RootEvaluation::default() }
}
