//! Weights are found again from results, and self-play goes on where it stopped.

use std::fmt::Write;
use std::sync::Arc;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use stopdown::board::{Colour, Position};
use stopdown::eval::Evaluator;
use stopdown::eval::handcrafted::{Handcrafted, Term, Weights};
use stopdown::tuning::fit::{FitObserver, FitOptions, Losses, fit};
use stopdown::tuning::samples::Samples;
use stopdown::tuning::selfplay::{GameObserver, SelfPlay, make_games};

struct Unwatched;

impl FitObserver for Unwatched {
    fn epoch_finished(&mut self, _epoch: usize, _losses: Losses) {}
}

impl GameObserver for Unwatched {
    fn game_finished(&mut self, _games: u64, _positions: usize) {}
}

/// Positions from random games, with the results that an evaluator expects.
fn expected_results(evaluator: &Handcrafted, games: usize) -> String {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut cache = evaluator.new_cache();
    let mut text = String::new();
    for game in 0..games {
        writeln!(text, "# game {game}").expect("a string");
        let mut position = Position::default();
        for ply in 0..80 {
            let Some(&m) = position.legal_moves().choose(&mut random) else { break };
            position.play(m);
            if ply < 8 || position.in_check() {
                continue;
            }
            let value = evaluator.evaluate_afresh(&position, &mut cache);
            let white = if position.turn() == Colour::White { value } else { -value };
            let expected = 1.0 / (1.0 + (-white.pawns() / 2.0).exp());
            writeln!(text, "{};{expected};{}", position.fen(), white.raw()).expect("a string");
        }
    }
    text
}

#[test]
fn weights_that_made_the_results_are_found_again() {
    let weights = Weights::embedded();
    let knight = Term::Material.at(1);
    let truth = Weights::from_fn(|weight| {
        let more = if weight == knight { 150 } else { 0 };
        (weights[weight].middlegame() + more, weights[weight].endgame() + more)
    });
    let text = expected_results(&Handcrafted::with_weights(truth), 400);
    let samples = Samples::parse(&text, &Handcrafted::new());
    let options =
        FitOptions { epochs: 30, batch: 1024, rate: 3.0, pull: 0.0, ..Default::default() };
    let fit = fit(&options, &weights, &samples, &mut Unwatched);
    assert!(fit.after.held_out < fit.before.held_out, "{:?} -> {:?}", fit.before, fit.after);
    // The gain is shared between the knight's own weight, its squares and its mobility.
    let knight_ahead = |weights: &Weights| {
        let fen = "r1bqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let position = Position::from_fen(fen, false).expect(fen);
        let evaluator = Handcrafted::with_weights(weights.clone());
        let mut cache = evaluator.new_cache();
        evaluator.evaluate_afresh(&position, &mut cache).raw()
    };
    let gain = knight_ahead(&fit.weights) - knight_ahead(&weights);
    assert!(gain > 75, "the knight gained {gain} of 150");
}

#[test]
fn a_gradient_is_the_slope_of_the_value() {
    let evaluator = Handcrafted::new();
    let samples = Samples::parse(&expected_results(&evaluator, 4), &evaluator);
    let weights = evaluator.weights();
    let parameters: Vec<f32> = (0..stopdown::eval::handcrafted::COUNT)
        .flat_map(|weight| [weights[weight].middlegame() as f32, weights[weight].endgame() as f32])
        .collect();
    for index in (0..samples.len()).step_by(29) {
        let mut gradient = vec![0.0; parameters.len()];
        samples.descend(index, &parameters, &mut gradient, |_| 1.0);
        for at in 0..parameters.len() {
            let moved = |by: f32| {
                let mut moved = parameters.clone();
                moved[at] += by;
                samples.value(index, &moved)
            };
            let slope = (moved(0.1) - moved(-0.1)) / 0.2;
            assert!((slope - gradient[at]).abs() < 0.05, "parameter {at} of sample {index}");
        }
    }
}

#[test]
fn what_is_cut_off_is_skipped_and_counted() {
    let text = "# seed 1 game 0\n\
        rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1;0.5;20\n\
        rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1;7;20\n\
        rnbqkbnr/pppppppp/8/8";
    let samples = Samples::parse(text, &Handcrafted::new());
    assert_eq!((samples.len(), samples.unreadable, samples.games.len()), (1, 2, 1));
}

#[test]
fn interrupted_games_go_on_to_the_same_file() {
    let folder = std::env::temp_dir().join(format!("stopdown-tuning-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    let (once, twice) = (folder.join("once.txt"), folder.join("twice.txt"));
    let make = |path, games| {
        let options = SelfPlay { seed: 3, games, nodes: 60, hash: 1, threads: 1 };
        make_games(&options, Arc::new(Handcrafted::new()), path, &mut Unwatched)
            .expect("the folder can be written to");
    };
    make(&once, 3);
    make(&twice, 1);
    make(&twice, 3);
    make(&twice, 3);
    let read = |path| std::fs::read_to_string(path).expect("just written");
    assert_eq!(read(&once), read(&twice));
    assert_eq!(read(&once).lines().filter(|line| line.starts_with('#')).count(), 3);
    std::fs::remove_dir_all(&folder).expect("just made");
}
