//! Runs the bench, and shows what players rated 1500 would play, in WebAssembly.

use stopdown::board::{Game, Position};
use stopdown::evaluation::RootEvaluation;
use stopdown::math::fingerprint;
use stopdown::player::{Elo, EloScale, Engine, Skill, TargetRating, USUAL_DEPTH};
use stopdown::search::{Controls, EvaluationRequest, Limits, NoObserver};
use stopdown::selector::Selector;

const POSITIONS: &str = include_str!("../../src/cli/bench.epd");

fn engine() -> Engine {
    Engine::built_in(16)
}

fn game(fen: &str) -> Game {
    Game::new(Position::from_fen(fen, false).expect("the list has legal positions"))
}

/// The number of nodes that the bench searches.
#[unsafe(no_mangle)]
pub extern "C" fn nodes() -> u64 {
    let mut engine = engine();
    let limits = Limits::depth(USUAL_DEPTH);
    let mut nodes = |fen| {
        engine.clear();
        engine.best_move(&game(fen), &limits, &Controls::new(), &mut NoObserver).nodes
    };
    POSITIONS.lines().map(&mut nodes).sum()
}

/// The digest of the bench.
#[unsafe(no_mangle)]
pub extern "C" fn digest() -> u64 {
    let mut engine = engine();
    let mut bytes = Vec::new();
    for fen in POSITIONS.lines().step_by(3) {
        let request = EvaluationRequest::depth(USUAL_DEPTH);
        let RootEvaluation { moves, nodes, .. } =
            engine.evaluate(&game(fen), &request, &Controls::new(), &mut NoObserver);
        for found in &moves {
            bytes.extend(found.mv.packed().0.to_le_bytes());
            bytes.extend(found.by_depth.iter().flat_map(|d| d.value.raw().to_le_bytes()));
        }
        bytes.extend(nodes.to_le_bytes());
    }
    fingerprint(&bytes)
}

/// The share of players rated 1500 who begin with 1. e4.
#[unsafe(no_mangle)]
pub extern "C" fn share_of_e4() -> f64 {
    let game = Game::default();
    let request = EvaluationRequest::depth(USUAL_DEPTH);
    let evaluation = engine().evaluate(&game, &request, &Controls::new(), &mut NoObserver);
    let curve = TargetRating::new(Elo(1500.0), None, EloScale::Fide).curve();
    let skill = Skill::new(Selector::new(curve), USUAL_DEPTH);
    let distribution = skill.distribution(&game, &evaluation);
    let mut moves = evaluation.moves.iter().zip(distribution.probabilities());
    let e4 = moves.find(|(found, _)| game.position().uci(found.mv) == "e2e4");
    *e4.expect("the move is legal").1
}
