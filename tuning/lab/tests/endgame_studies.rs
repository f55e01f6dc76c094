//! The endgame studies reproduce the paper's KQKR figures.

#[path = "../../../tests/common/mod.rs"]
mod common;
#[path = "../../../tests/common/kqkr.rs"]
mod kqkr;

use std::fs;
use std::sync::LazyLock;

use common::data;
use kqkr::{KQKR, games, position};
use stopdown::board::{Colour, Game, Move, SyzygyFiles};
use stopdown::endgame::{Metric, Rfep, Tables, build, plan};
use stopdown::math::grid::{Posterior, evenly_spaced};
use stopdown_lab::study::endgame::{
    Comparison, Endgame, Trial, Walk, against_syzygy, expected_depths, expected_moves, infallible,
    product, profile, step,
};

static ENDGAME: LazyLock<Endgame> = LazyLock::new(|| {
    let material = "KQKR".parse().expect("a material");
    let table = KQKR.table(material, Metric::Dtc).expect("built above");
    Endgame::new(&table, &KQKR).expect("its conversions were made with it")
});

#[test]
fn both_browne_belle_games_are_annotated_as_in_the_paper() {
    let player = Rfep::as_published(0.0);
    let mut belief = Posterior::uniform(evenly_spaced(0.0, 100.0, 101)).expect("a grid");
    for (start, game) in games() {
        let mut played = Game::new(start);
        game.iter().for_each(|recorded| played.play(recorded.mv));
        for side in [Colour::White, Colour::Black] {
            let found = profile(&KQKR, &played, side, &player, belief.clone());
            let mut ceded = 0.0;
            let recorded = game.iter().filter(|recorded| recorded.position.turn() == side);
            for (found, recorded) in found.moves.iter().zip(recorded) {
                let fields = &recorded.fields;
                let number = |index: usize| fields[index].parse::<f64>().expect("a number");
                assert_eq!(found.mv, recorded.mv);
                assert_eq!(found.depth, Some(number(2)), "{fields:?}");
                assert_eq!(found.depth_after, Some(number(3)), "{fields:?}");
                let mut optimal: Vec<String> =
                    found.optimal.iter().map(|&m| recorded.position.san(m)).collect();
                optimal.sort();
                let mut expected: Vec<&str> = fields[5].split(',').collect();
                expected.sort_unstable();
                assert_eq!(optimal, expected, "{fields:?}");
                if side == Colour::White {
                    ceded += found.ceded;
                    assert_eq!(ceded, number(4), "{fields:?}");
                    assert!((found.mean - number(6)).abs() < 1e-6, "{fields:?} {}", found.mean);
                }
            }
            if side == Colour::White {
                belief = found.belief;
            }
        }
    }
    assert!((belief.mean() - 19.263599).abs() < 1e-6);
    assert!((belief.standard_deviation() - 2.130743).abs() < 1e-6);
}

/// A position, the moves to compare, and the best moves. Each best move comes with the competence
/// from which it is best.
type Case = (&'static str, &'static [&'static str], &'static [(&'static str, f64)]);

#[test]
fn preferences_cross_where_they_should() {
    let compare = |fen: &str, sans: &[&str]| {
        let position = position(fen);
        let moves: Vec<Move> = sans.iter().map(|san| position.parse_san(san).expect(san)).collect();
        let comparison =
            Comparison::new(&KQKR, &position, &moves, Rfep::as_published(0.0)).expect(fen);
        comparison
            .preferences()
            .iter()
            .map(|p| (position.san(p.mv), p.from))
            .collect::<Vec<(String, f64)>>()
    };
    let cases: [Case; 5] = [
        ("8/8/8/5r2/4K1k1/4Q3/8/8 b - - 0 1", &["Rf7", "Rf6"], &[("Rf7", 0.0)]),
        ("8/8/6Q1/2K5/5r2/4k3/8/8 b - - 0 1", &["Ra4", "Re4"], &[("Ra4", 0.0), ("Re4", 6.231)]),
        (
            "8/8/8/2K5/r7/2Q5/4k3/8 b - - 0 1",
            &["Re4", "Rf4", "Rg4", "Rh4"],
            &[("Rf4", 0.0), ("Re4", 16.548), ("Rg4", 32.732)],
        ),
        (
            "8/5r2/8/7k/4K3/6Q1/8/8 b - - 0 1",
            &["Rb7", "Rf6", "Rf8"],
            &[("Rb7", 0.0), ("Rf6", 4.248), ("Rb7", 27.986)],
        ),
        ("8/8/r7/2Q2k2/8/4K3/8/8 b - - 0 1", &["Kf6", "Kg6"], &[("Kf6", 0.0), ("Kg6", 2.530)]),
    ];
    for (fen, moves, expected) in cases {
        let found = compare(fen, moves);
        assert_eq!(found.len(), expected.len(), "{fen} {found:?}");
        for ((san, from), (expected_san, expected_from)) in found.iter().zip(expected) {
            assert_eq!(san, expected_san, "{fen}");
            assert!((from - expected_from).abs() < 0.002, "{fen} {from}");
        }
    }
}

#[test]
fn position_counts_of_each_depth_match_the_paper() {
    let white = ENDGAME.counts(Colour::White);
    let black = ENDGAME.counts(Colour::Black);
    assert_eq!(white[1..4], [3_564_000, 1_461_944, 344_640]);
    assert_eq!(white[29..], [7_508, 696, 16]);
    assert_eq!(white.iter().sum::<u64>(), 8_952_608 - 88_840);
    assert_eq!(black[..3], [10_972, 348_432, 130_768]);
    assert_eq!(black[30..], [4_592, 88]);
    assert_eq!(black.iter().sum::<u64>(), 10_780_728 - 3_718_048);
}

#[test]
fn the_markov_chain_of_kqkr_matches_the_paper() {
    let (critical, depth) = ENDGAME.critical_competence(1.0, 100.0).expect("some c suffices");
    assert!((critical - 19.10557).abs() < 1e-4, "{critical}");
    assert!((23..=24).contains(&depth), "{depth}");
    let (critical, _) = ENDGAME.critical_competence(0.0, 100.0).expect("some c suffices");
    assert!((critical - 18.32661).abs() < 1e-4, "{critical}");
    for (c, after_10, after_50, within_50, moves) in [
        (10.0, 27.296153, 26.658259, 0.00015717, 32529.2692),
        (20.0, 26.494078, 17.365477, 0.12669123, 97.1959),
        (30.0, 25.495190, 2.178279, 0.74403147, 46.1162),
        (50.0, 23.512241, 0.000907, 0.99964537, 34.8999),
    ] {
        let white = ENDGAME.white(c, 1.0);
        let chain = product(&white, &infallible(white.len()));
        let mut state = vec![0.0; 32];
        state[31] = 1.0;
        let mean =
            |state: &[f64]| -> f64 { state.iter().zip(0..).map(|(p, d)| p * f64::from(d)).sum() };
        for n in 1..=50 {
            state = step(&state, &chain);
            if n == 10 {
                assert!((mean(&state) - after_10).abs() < 2e-6, "{c}");
            }
        }
        assert!((mean(&state) - after_50).abs() < 2e-6, "{c}");
        assert!((state[0] - within_50).abs() < 1e-7, "{c}");
        let v = expected_moves(&chain)[31];
        assert!((v / moves - 1.0).abs() < 1e-6, "{c}: {v}");
    }
}

/// Theorems 1, 3, 6 and 7 for all depths at once: more skill never helps the opponent.
#[test]
fn the_theorems_hold_on_the_table() {
    let grid = [-2.0, -1.0, 0.0, 0.5, 1.0, 3.0, 8.0, 20.0, 50.0];
    for pair in grid.windows(2) {
        let [weak, strong] = [pair[0], pair[1]];
        let white = [weak, strong].map(|c| expected_depths(&ENDGAME.white(c, 1.0)));
        let black = [weak, strong].map(|c| expected_depths(&ENDGAME.black(c, 1.0)));
        for depth in 1..=ENDGAME.deepest {
            assert!(white[0][depth] >= white[1][depth] - 1e-12, "depth {depth}, c {weak}");
            assert!(black[0][depth] <= black[1][depth] + 1e-12, "depth {depth}, c {weak}");
        }
    }
    // Theorems 2 and 4: play is perfect in the limit.
    let white = expected_depths(&ENDGAME.white(f64::INFINITY, 1.0));
    let black = expected_depths(&ENDGAME.black(f64::INFINITY, 1.0));
    for depth in 1..=ENDGAME.deepest {
        assert!((white[depth] - (depth as f64 - 1.0)).abs() < 1e-9, "{depth}");
        assert!((black[depth] - depth as f64).abs() < 1e-9, "{depth}");
    }
    // Theorem 7 for a c above c*. At the deepest position, the second inequality is an equality.
    let expected = expected_depths(&ENDGAME.white(19.2, 1.0));
    for depth in 1..ENDGAME.deepest {
        assert!(expected[depth] < depth as f64);
        assert!(depth as f64 <= expected[depth + 1] + 1e-12);
    }
}

#[test]
fn the_exact_course_of_krk_agrees_with_played_games() {
    let tables = Tables::in_memory();
    let krk = "KRK".parse().expect("a material");
    build(&tables, &plan(&tables, [krk], &[Metric::Dtc]), 1, &()).expect("KRK can be made");
    let table = tables.table(krk, Metric::Dtc).expect("built above");
    let walk = Walk::new(&table, &tables).expect("no table is missing").expect("it stays in KRK");
    let start = position("8/6R1/5k2/8/8/8/8/1K6 w - - 0 1");
    let follow = |winner, loser| walk.follow(&table, &start, winner, loser, 1.0).expect("won");
    let perfect = follow(f64::INFINITY, f64::INFINITY);
    assert!(perfect.expected_moves.is_some_and(|moves| (moves - 16.0).abs() < 1e-9));
    assert!(perfect.won_within[15] < 1e-9 && perfect.won_within[16] > 1.0 - 1e-9);
    for (winner, loser) in [(10.0, f64::INFINITY), (20.0, 10.0)] {
        let course = follow(winner, loser);
        let trial = Trial {
            winner: Rfep::as_published(winner),
            loser: Rfep::as_published(loser),
            goal: Metric::Dtc,
            games: 300,
            seed: 2,
            longest: 10_000,
        };
        let played = trial.play(&tables, &start).expect("a KRK position");
        let (mean, share) = (played.mean_moves(), played.share_within(50));
        let moves = course.expected_moves.expect("the game ends");
        assert!((mean.value - moves).abs() < 4.0 * mean.error, "{moves} {mean:?}");
        let within = course.won_within[50];
        assert!((share.value - within).abs() < 4.0 * share.error + 0.01, "{within} {share:?}");
    }
}

#[test]
fn endgames_that_leave_their_table_are_not_followed() {
    let kqkr = KQKR.table("KQKR".parse().expect("a material"), Metric::Dtc).expect("built above");
    assert!(Walk::new(&kqkr, &Tables::in_memory()).is_err(), "its conversions are missing");
    let tables = Tables::in_memory();
    let kpk = "KPK".parse().expect("a material");
    build(&tables, &plan(&tables, [kpk], &Metric::ALL), 1, &()).expect("KPK can be made");
    let walk = |metric| {
        let table = tables.table(kpk, metric).expect("built above");
        Walk::new(&table, &tables).expect("no table is missing").is_some()
    };
    assert_eq!(
        Metric::ALL.map(walk),
        [true, false, true],
        "wins to mate leave KPK, since the pawn promotes"
    );
}

#[test]
fn played_games_take_longer_than_the_chain_predicts() {
    let start = position("K3r3/8/5k2/Q7/8/8/8/8 w - - 0 1");
    let trial = Trial {
        winner: Rfep::as_published(20.0),
        loser: Rfep::as_published(f64::INFINITY),
        goal: Metric::Dtc,
        games: 400,
        seed: 1,
        longest: 10_000,
    };
    let played = trial.play(&KQKR, &start).expect("a KQKR position");
    assert_eq!(played, trial.play(&KQKR, &start).expect("a KQKR position"));
    assert_eq!(played.unfinished, 0);
    let mean = played.mean_moves();
    // An independent study of 3,000 games gives 102.95, and the chain 97.2.
    assert!((mean.value - 102.95).abs() < 4.0 * mean.error + 3.0, "{mean:?}");
    let share = played.share_within(50);
    assert!((share.value - 0.055).abs() < 4.0 * share.error + 0.02, "{share:?}");
}

#[test]
fn a_random_sample_agrees_with_syzygy() {
    let Some(syzygy) = data("syzygy") else { return };
    let mut files = SyzygyFiles::default();
    for entry in fs::read_dir(syzygy).expect("a folder of files") {
        let path = entry.expect("readable").path();
        if path.extension().is_some_and(|e| e == "rtbw" || e == "rtbz") {
            files.add(&path).expect("a sound file");
        }
    }
    let tables = Tables::in_memory();
    for (name, step) in [("KQK", 11), ("KRK", 11), ("KPK", 11), ("KBBK", 997), ("KQKR", 997)] {
        let material = name.parse().expect(name);
        build(&tables, &plan(&tables, [material], &[Metric::Dtz]), 2, &()).expect(name);
        let found =
            against_syzygy(&tables, &files, material, step).expect("all tables are available");
        assert!(found.positions > 1_000, "{name}");
        assert_eq!(found.differences, 0, "{name}: {:#?}", found.examples);
    }
}
