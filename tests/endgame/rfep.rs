//! The reference fallible endgame player reproduces the KQKR figures of the paper.

use stopdown::board::{Move, Position};
use stopdown::endgame::{Rfep, TableResult, UncertainOpponent, prospects};
use stopdown::math::grid::{Posterior, evenly_spaced};

use crate::kqkr::{KQKR, Recorded, games, position};

/// The posterior for White's competence after White's moves, starting from a uniform prior on a
/// grid.
fn belief_of_white(recorded: &[Recorded], grid: Vec<f64>) -> Posterior {
    let mut belief = Posterior::uniform(grid).expect("a grid");
    for Recorded { position, mv, .. } in recorded.iter().filter(|r| r.position.turn().is_white()) {
        let report = KQKR.report(position).expect("a KQKR position");
        if report.result == TableResult::Draw {
            continue;
        }
        let played = report.moves.iter().position(|m| m.mv == *mv).expect("a legal move");
        let likelihood = |&competence: &f64| {
            let player = Rfep::as_published(competence);
            player.ln_probabilities(&report, position.halfmoves(), None)[played]
        };
        let likelihoods: Vec<f64> = belief.points().iter().map(likelihood).collect();
        belief.update(&likelihoods);
    }
    belief
}

#[test]
fn the_positions_of_table_1_have_their_depths() {
    for (fen, depth) in [
        ("K3r3/8/5k2/Q7/8/8/8/8 w - - 0 1", 31),
        ("2KQ4/8/8/8/2r5/2k5/8/8 w - - 0 1", 31),
        ("8/8/3K4/8/4rk2/3Q4/8/8 b - - 0 1", 23),
        ("8/8/6Q1/2K5/5r2/4k3/8/8 b - - 0 1", 22),
        ("8/8/8/2K5/r7/2Q5/4k3/8 b - - 0 1", 20),
        ("8/8/8/5r2/4K1k1/4Q3/8/8 b - - 0 1", 17),
        ("8/5r2/8/7k/4K3/6Q1/8/8 b - - 0 1", 15),
        ("8/8/r7/2Q2k2/8/4K3/8/8 b - - 0 1", 19),
    ] {
        let plies = KQKR.report(&position(fen)).expect(fen).depths.dtc.expect(fen);
        assert_eq!(plies.div_ceil(2), depth, "{fen}");
    }
}

#[test]
fn brownes_competence_matches_the_paper() {
    let recorded: Vec<Recorded> = games().into_iter().flat_map(|(_, game)| game).collect();
    let belief = belief_of_white(&recorded, evenly_spaced(0.0, 100.0, 101));
    assert!((belief.mean() - 19.263599).abs() < 1e-6);
    assert!((belief.standard_deviation() - 2.130743).abs() < 1e-6);
}

#[test]
fn the_opponent_model_has_the_papers_preferences() {
    let preferred = [
        (0, "8b", "Kf4", 23.6416),
        (0, "9b", "Re1", 22.2106),
        (0, "12b", "Re7", 19.3976),
        (0, "13b", "Re1", 18.3801),
        (0, "20b", "Ra7", 18.2544),
        (0, "27b", "Rg6", 16.2994),
        (0, "29b", "Rc6", 14.7205),
        (0, "38b", "Rh6", 12.2131),
        (1, "10b", "Re4", 21.5378),
        (1, "12b", "Rg4", 19.4126),
        (1, "22b", "Rf7", 16.163),
        (1, "24b", "Rb7", 14.4571),
    ];
    let games = games();
    for (game, number, san, gain) in preferred {
        let (_, recorded) = &games[game];
        let ply = recorded.iter().position(|r| r.fields[0] == number).expect("a move of the game");
        let player = Rfep::as_published(0.0);
        let belief = belief_of_white(&recorded[..ply], evenly_spaced(0.0, 50.0, 6));
        let weights: Vec<(f64, f64)> =
            belief.points().iter().copied().zip(belief.weights()).collect();
        let position = &recorded[ply].position;
        let report = KQKR.report(position).expect("a KQKR position");
        // Black is losing, so these are the moves that lose as slowly as possible.
        assert_eq!(report.result, TableResult::Loss, "{number}");
        let deepest = report.moves.iter().filter_map(|m| m.depths.dtc).max();
        let losing = report.moves.iter().filter(|m| m.result == TableResult::Loss);
        let moves: Vec<Move> = losing.filter(|m| m.depths.dtc == deepest).map(|m| m.mv).collect();
        let look_up = |position: &Position| KQKR.report(position);
        let opponent = UncertainOpponent { model: player, belief: &weights };
        let found = prospects(look_up, position, &moves, opponent);
        let found = found.expect("a KQKR position");
        assert!(found.len() > 1, "{number}");
        assert_eq!(position.san(found[0].mv), san, "{number}");
        assert!((found[0].gain - gain).abs() < 1e-4, "{number}: {}", found[0].gain);
    }
}
