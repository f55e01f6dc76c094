//! The engine says when the clock changes its strength. The option `Clock Effect` turns this change
//! off.

use crate::common::{Engine, Search, word_after};

const NOTICE: &str = "info string Clock Effect: ";
const BELOW: &str = " Elo below its level because of the clock";

fn says(lines: &[String], text: &str) -> bool {
    lines.iter().any(|line| line.contains(text))
}

fn level() -> Engine {
    let mut engine = Engine::start();
    for option in ["UCI_LimitStrength value true", "Pace value Human", "Depth value 3"] {
        engine.send(&format!("setoption name {option}"));
    }
    engine.send("setoption name Seed value 7\nsetoption name Explain value true\nucinewgame");
    engine
}

#[test]
fn the_effect_is_announced_once_a_game_and_reported_when_it_is_large() {
    let mut engine = level();
    for _ in 0..2 {
        for (go, notice, below) in [
            ("wtime 20000 btime 20000", true, false),
            ("wtime 18000 btime 18000", false, false),
            ("wtime 4000 btime 4000", false, true),
            ("movetime 1000", false, false),
            ("depth 2", false, false),
        ] {
            let Search(lines) = engine.go(go);
            assert_eq!((says(&lines, NOTICE), says(&lines, BELOW)), (notice, below), "{go}");
        }
        engine.send("ucinewgame");
    }
    engine.send("setoption name Clock Effect value false\nucinewgame");
    for go in ["wtime 20000 btime 20000", "wtime 4000 btime 4000"] {
        let Search(lines) = engine.go(go);
        assert!(!says(&lines, NOTICE) && !says(&lines, BELOW), "{go}: {lines:?}");
    }
}

#[test]
fn time_lost_before_the_first_clock_does_not_change_the_kind_of_game() {
    // This is a blitz game, and with `Auto` the level takes its time.
    let below = |first: &str| {
        let mut engine = level();
        engine.send("setoption name UCI_Elo value 1850\nsetoption name Pace value Auto");
        engine.send("ucinewgame");
        engine.go(first);
        let Search(lines) = engine.go("wtime 5000 btime 5000");
        let points = lines.iter().find_map(|line| line.strip_suffix(BELOW));
        points.map(|line| word_after(line, "plays ").parse::<u32>().expect(line))
    };
    // The time that the program itself uses also counts.
    let in_blitz = below("wtime 180000 btime 180000").expect("it has a clock effect");
    let again = below("wtime 179000 btime 180000").expect("it has a clock effect");
    assert!(again.abs_diff(in_blitz) < 50, "{again} {in_blitz}");
    assert_eq!(below("wtime 60000 btime 60000"), None, "it moves at once in a bullet game");
}

#[test]
fn a_level_above_all_humans_has_no_clock_effect() {
    let mut engine = level();
    engine.send("setoption name UCI_Elo value 3200");
    for go in ["wtime 20000 btime 20000", "wtime 4000 btime 4000"] {
        let Search(lines) = engine.go(go);
        assert!(!says(&lines, NOTICE) && !says(&lines, BELOW), "{go}: {lines:?}");
    }
}

#[test]
fn without_the_effect_a_level_chooses_alike_at_any_time() {
    let shares = |options: &str, go: &str| {
        let mut engine = level();
        engine.send(options);
        engine.send("position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6");
        let Search(lines) = engine.go(go);
        let shares = lines.into_iter().filter(|line| line.starts_with("info string prob "));
        shares.collect::<Vec<String>>()
    };
    let (off, on) = ("setoption name Clock Effect value false", "isready");
    let at_once = "setoption name Pace value Instant";
    let (short, none) = ("wtime 25000 btime 25000", "movetime 9000");
    assert!(shares(on, none).len() > 20);
    assert_eq!(shares(off, short), shares(on, none));
    assert_eq!(shares(at_once, short), shares(on, none));
    assert_ne!(shares(on, short), shares(on, none));
}

#[test]
fn a_rating_on_a_server_is_a_rating_for_the_time_control() {
    for (server, go, scale) in [
        ("Lichess", "wtime 60000 btime 60000", "Lichess-Bullet"),
        ("Lichess", "wtime 180000 btime 180000 winc 2000 binc 2000", "Lichess-Blitz"),
        ("Lichess", "wtime 900000 btime 900000 winc 10000 binc 10000", "Lichess-Rapid"),
        ("Chesscom", "wtime 60000 btime 60000", "Chesscom-Blitz"),
        ("Chesscom", "wtime 600000 btime 600000", "Chesscom-Rapid"),
        // A little time is often lost before the clock is sent, and some clocks get the first increment early.
        ("Lichess", "wtime 179000 btime 180000", "Lichess-Blitz"),
        ("Lichess", "wtime 121000 btime 121000 winc 1000 binc 1000", "Lichess-Bullet"),
        ("Chesscom", "wtime 599990 btime 600000", "Chesscom-Rapid"),
    ] {
        let mut engine = level();
        engine.send(&format!(
            "setoption name Elo Scale value {server}\nsetoption name Pace value Instant"
        ));
        engine.send("ucinewgame\nposition startpos");
        let expected = format!("Plays like a player rated about 1600 ({scale}).");
        let Search(lines) = engine.go(go);
        assert!(says(&lines, &expected), "{server}, {go}: {lines:?}");
    }
}

#[test]
fn the_first_clock_of_a_game_decides_its_kind() {
    let mut engine = level();
    engine.send("setoption name Elo Scale value Lichess\nsetoption name Pace value Instant");
    let mut scales = |position: &str, remaining: u32| {
        engine.send(&format!("position startpos moves {position}"));
        let Search(lines) =
            engine.go(&format!("wtime {remaining} btime {remaining} winc 5000 binc 5000"));
        let scale = |name: &str| says(&lines, &format!("({name})."));
        [scale("Lichess-Blitz"), scale("Lichess-Rapid")]
    };
    // With the increments, more time is left later than at the start.
    assert_eq!(scales("e2e4", 240_000), [true, false]);
    let later = "e2e4 e7e5 g1f3 b8c6 f1b5";
    assert_eq!(scales(later, 290_000), [false, false], "no change to announce");
    // A new game, with a slower time control.
    assert_eq!(scales("d2d4", 300_000), [false, true]);
}

#[test]
fn a_program_may_send_its_clock_late_or_never() {
    for strength in ["Elo", "Imitator"] {
        let mut engine = level();
        engine.send("setoption name Elo Scale value Lichess\nsetoption name Pace value Instant");
        engine.send(&format!("setoption name Strength value {strength}"));
        engine.send("setoption name UCI_Opponent value none 1712 human Anna");
        engine.send("ucinewgame");
        engine.drain();
        let mut said = |position: &str, go: &str, scale: &str| {
            engine.send(&format!("position startpos moves {position}"));
            let Search(lines) = engine.go(go);
            [
                says(&lines, "info string Plays "),
                says(&lines, "Anna's rating is assumed"),
                says(&lines, scale),
            ]
        };
        let is_imitator = strength == "Imitator";
        // lichess-bot gives the first move a fixed time.
        let rapid = "Lichess-Rapid";
        assert_eq!(said("e2e4", "movetime 500", rapid), [false; 3], "{strength}");
        let clock = "wtime 899000 btime 899000 winc 10000 binc 10000";
        let second = said("e2e4 e7e5 g1f3 b8c6 f1b5", clock, rapid);
        assert_eq!(second, [true, is_imitator, true], "{strength}");
        // Other programs never send a clock. At first, the imitator assumes the time control of the last game.
        let [first, second] = ["d2d4", "d2d4 d7d5 c2c4"];
        assert_eq!(said(first, "depth 1", rapid), [false, false, is_imitator], "{strength}");
        let second = said(second, "depth 1", "Lichess-Blitz");
        assert_eq!(second, [true, is_imitator, true], "{strength}");
    }
}
