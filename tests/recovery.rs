//! What was put in comes out: from the moves of a simulated player the posterior finds his c, and
//! is neither wider nor narrower than the moves allow.

mod synthetic;

use stopdown::math::grid::{Posterior, evenly_spaced};
use stopdown::math::statistics::median;
use stopdown::math::streams::Stream;
use stopdown::player::Hypotheses;
use stopdown::selector::{Competence, Curve, DepthWeights, Selector, Values};
use synthetic::{simulation, spread};

fn player(c: f64) -> Selector {
    Selector::new(Curve::levelled(Competence::new(c).expect("a number")))
}

fn scale() -> Hypotheses {
    let points = evenly_spaced(0.0, 60.0, 121);
    Hypotheses::of_competence(
        Curve::levelled(Competence::RANDOM),
        &DepthWeights::deepest(),
        &points,
    )
}

/// The belief after so many moves of a player, and the information that they held.
fn watch(scale: &Hypotheses, c: f64, moves: usize, stream: &mut Stream) -> (Posterior, f64) {
    let mut posterior = scale.know_nothing();
    let mut information = 0.0;
    for _ in 0..moves {
        let count = 10 + (stream.next_u64() % 30) as usize;
        let values = Values::at_one_depth(&spread(stream, count)).expect("finite");
        let found = player(c).distribution(&values);
        let chosen = stream.index(found.probabilities()).expect("there is a move");
        assert!(posterior.update(&scale.ln_likelihoods(&values, chosen)));
        information += player(c).information(&values);
    }
    (posterior, information)
}

/// Games in which the 90 % interval holds the truth, and the median of the posterior's width over
/// the width that the information allows.
fn recover(c_of_game: impl Fn(u64) -> f64, games: u64, moves: usize) -> (f64, f64) {
    let scale = scale();
    let mut held = 0;
    let mut widths = Vec::new();
    for game in 0..games {
        let c = c_of_game(game);
        let (posterior, information) = watch(&scale, c, moves, &mut simulation(20, game));
        let (low, high) = posterior.interval(0.9);
        held += u32::from((low..=high).contains(&c));
        widths.push(posterior.standard_deviation() * information.sqrt());
    }
    (f64::from(held) / games as f64, median(&widths))
}

#[test]
fn the_interval_holds_the_truth_as_often_as_it_says() {
    for c in [2.0, 5.0, 10.0, 20.0] {
        let (held, width) = recover(|_| c, 200, 40);
        assert!((0.85..=0.95).contains(&held), "c = {c}: {held} of the games");
        assert!((0.85..=1.15).contains(&width), "c = {c}: {width} times the width allowed");
    }
}

#[test]
fn a_player_drawn_for_each_game_is_found_in_each() {
    let (held, _) = recover(|game| if game % 2 == 0 { 4.0 } else { 12.0 }, 200, 40);
    assert!((0.85..=0.95).contains(&held), "{held} of the games");
}

/// The table of `tuning/studies/recovery`: `cargo test --test recovery -- --ignored`.
#[test]
#[ignore = "a study of some minutes; writes tuning/studies/recovery/table.md"]
fn table() {
    let mut text = String::from(
        "Made by `cargo test --test recovery -- --ignored`, seed 20, 200 games a row.\n\
         Levelled curve, flat prior on c from 0 to 60, made-up positions of 10 to 39 moves.\n\n\
         | c | moves | truth within 90 % interval | width over Fisher's |\n|---|---|---|---|\n",
    );
    for c in [2.0, 5.0, 10.0, 20.0] {
        for moves in [10, 20, 40, 80, 200] {
            let (held, width) = recover(|_| c, 200, moves);
            text += &format!("| {c} | {moves} | {:.1} % | {width:.2} |\n", held * 100.0);
        }
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tuning/studies/recovery");
    std::fs::create_dir_all(folder).expect("the folder can be made");
    std::fs::write(format!("{folder}/table.md"), text).expect("the table can be written");
}
