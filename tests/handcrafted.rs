//! The hand-crafted evaluation is fair to both sides, carried along faithfully, and what the
//! tuner is told of it is what is played.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use stopdown::board::{Colour, Move, Position};
use stopdown::eval::Evaluator;
use stopdown::eval::handcrafted::{
    COUNT, ENDGAME_DIVISOR, FULL_PHASE, Handcrafted, LARGEST_DANGER, SQUARE_DIVISOR, Trace,
    Weights, is_danger,
};
use stopdown::value::Value;

/// Calls a function at every step of some random games: before, move, after.
fn walk(games: usize, plies: usize, mut visit: impl FnMut(&Position, Move, &Position)) {
    let starts = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "8/PP4kp/4q3/8/8/3B4/1pp3K1/8 b - - 0 1",
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "4k3/8/8/2b5/8/5B2/4PP2/4K3 w - - 0 1",
    ];
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for game in 0..games {
        let mut position = Position::from_fen(starts[game % starts.len()], false).expect("a FEN");
        for _ in 0..plies {
            let moves = position.legal_moves();
            let Some(&m) = moves.choose(&mut random) else { break };
            let next = position.after(m);
            visit(&position, m, &next);
            position = next;
        }
    }
}

fn evaluate(evaluator: &Handcrafted, position: &Position) -> Value {
    let mut cache = evaluator.new_cache();
    evaluator.evaluate_afresh(position, &mut cache)
}

/// The same position with the colours exchanged.
fn turned_over(position: &Position) -> Position {
    let fen = position.fen();
    let fields: Vec<&str> = fen.split(' ').collect();
    let swap = |text: &str| -> String {
        text.chars()
            .map(|c| if c.is_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() })
            .collect()
    };
    let board: Vec<String> = fields[0].split('/').rev().map(swap).collect();
    let turn = if fields[1] == "w" { "b" } else { "w" };
    let en_passant = fields[3].replace('3', "x").replace('6', "3").replace('x', "6");
    let text = format!(
        "{} {turn} {} {en_passant} {} {}",
        board.join("/"),
        swap(fields[2]),
        fields[4],
        fields[5]
    );
    Position::from_fen(&text, position.is_chess960()).expect("a FEN turned over")
}

#[test]
fn both_colours_are_judged_alike() {
    let evaluator = Handcrafted::new();
    walk(60, 120, |position, _, _| {
        assert_eq!(
            evaluate(&evaluator, position),
            evaluate(&evaluator, &turned_over(position)),
            "{}",
            position.fen()
        );
    });
}

#[test]
fn the_state_carried_along_is_the_state_from_scratch() {
    let evaluator = Handcrafted::new();
    walk(120, 150, |before, m, after| {
        let mut line = [evaluator.refresh(before), Default::default()];
        evaluator.follow(&mut line, 0, before, m, after);
        assert_eq!(line[1], evaluator.refresh(after), "{m:?} in {}", before.fen());
    });
}

#[test]
fn the_cache_does_not_change_a_value() {
    let evaluator = Handcrafted::new();
    let mut cache = evaluator.new_cache();
    walk(60, 120, |position, _, _| {
        let warm = evaluator.evaluate_afresh(position, &mut cache);
        assert_eq!(warm, evaluate(&evaluator, position), "{}", position.fen());
    });
}

/// The value from White's view as a trace and the weights give it.
fn recomputed(trace: &Trace, weights: &Weights) -> f64 {
    let mut plain = [0.0, 0.0];
    let mut danger = [[0.0, 0.0], [0.0, 0.0]];
    for weight in 0..COUNT {
        let pair = [weights[weight].middlegame(), weights[weight].endgame()].map(f64::from);
        let [black, white] = trace.counts[weight].map(f64::from);
        for phase in 0..2 {
            if is_danger(weight) {
                danger[0][phase] += black * pair[phase];
                danger[1][phase] += white * pair[phase];
            } else {
                plain[phase] += (white - black) * pair[phase];
            }
        }
    }
    for (colour, sign) in [(Colour::Black, 1.0), (Colour::White, -1.0)] {
        if trace.in_danger[colour as usize] {
            let clamp = |x: f64| x.clamp(0.0, f64::from(LARGEST_DANGER));
            let [middlegame, endgame] = danger[colour as usize].map(clamp);
            plain[0] += sign * (middlegame * middlegame / f64::from(SQUARE_DIVISOR));
            plain[1] += sign * (endgame / f64::from(ENDGAME_DIVISOR));
        }
    }
    let phase = f64::from(trace.phase) / f64::from(FULL_PHASE);
    plain[0] * phase + plain[1] * f64::from(trace.scale) / 64.0 * (1.0 - phase)
}

#[test]
fn a_trace_and_the_weights_give_the_value_back() {
    let evaluator = Handcrafted::new();
    let mut compared = 0;
    walk(60, 120, |position, _, _| {
        let Some(trace) = evaluator.trace(position) else { return };
        let white = recomputed(&trace, evaluator.weights());
        let own = if position.turn() == Colour::White { white } else { -white };
        let value = f64::from(evaluate(&evaluator, position).raw());
        // Each king's danger and each part of the mixture is rounded to whole centipawns.
        assert!((own - value).abs() <= 4.0, "{own} against {value} in {}", position.fen());
        compared += 1;
    });
    assert!(compared > 4000, "only {compared} positions were compared");
}

#[test]
fn material_that_cannot_win_is_worth_nothing() {
    let evaluator = Handcrafted::new();
    let cases = [
        ("8/8/8/4k3/8/8/3NN3/4K3 w - - 0 1", 0),
        ("8/8/8/4k3/8/8/3B4/4K3 w - - 0 1", 0),
        ("8/8/8/4k3/8/8/3N4/4K3 b - - 0 1", 0),
        ("8/8/3b4/4k3/8/8/3R4/4K3 w - - 0 1", 60),
        ("8/8/3r4/4k3/8/8/3RB3/4K3 w - - 0 1", 160),
        // The wrong bishop for the rook's pawn.
        ("k7/8/8/P7/8/8/3B4/4K3 w - - 0 1", 60),
    ];
    for (fen, most) in cases {
        let value = evaluate(&evaluator, &Position::from_fen(fen, false).expect(fen)).raw();
        assert!(value.abs() <= most, "{value} for {fen}");
    }
}

#[test]
fn more_is_better() {
    let evaluator = Handcrafted::new();
    let pairs = [
        // (better, worse) for White
        ("4k3/8/8/8/8/8/P7/QK6 w - - 0 1", "4k3/8/8/8/8/8/P7/RK6 w - - 0 1"),
        ("4k3/7p/8/P7/8/8/8/4K3 w - - 0 1", "4k3/7p/8/8/8/8/P7/4K3 w - - 0 1"),
        (
            "r1bq1rk1/pppp1ppp/2n2n2/4p3/4P3/2N2N2/PPPP1PPP/R1BQ1RK1 w - - 0 1",
            "r1bq1rk1/pppp1ppp/2n2n2/4p3/4P3/2NK1N2/PPPP1PPP/R1BQ1R2 w - - 0 1",
        ),
    ];
    for (better, worse) in pairs {
        let value = |fen| evaluate(&evaluator, &Position::from_fen(fen, false).expect(fen));
        assert!(value(better) > value(worse), "{better} against {worse}");
    }
}

/// Run with `cargo test --release --test handcrafted -- --ignored --nocapture speed`.
#[test]
#[ignore = "a measurement, not a promise"]
#[expect(clippy::print_stdout, reason = "prints what it measures")]
fn speed() {
    let evaluator = Handcrafted::new();
    let mut positions = Vec::new();
    walk(60, 80, |position, _, _| {
        if !position.in_check() && positions.len() < 2048 {
            positions.push((position.clone(), [evaluator.refresh(position)]));
        }
    });
    let mut cache = evaluator.new_cache();
    let rounds = 500;
    let mut sum = 0;
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = std::time::Instant::now();
        for _ in 0..rounds {
            for (position, line) in &mut positions {
                sum += i64::from(evaluator.evaluate(position, line, 0, &mut cache).raw());
            }
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    let calls = (rounds * positions.len()) as f64;
    println!("{:.0} ns per evaluation (sum {sum})", best * 1e9 / calls);
}
