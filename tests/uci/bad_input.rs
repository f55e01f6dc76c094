//! Regardless of the input, the engine explains the error, keeps its state and continues.

use crate::common::Engine;

/// The position that must be kept: Black to move, with one legal move.
const KEPT: &str = "7k/5K2/8/6P1/8/8/8/8 b - - 0 1";
const ONLY_MOVE: &str = "h8h7";

fn with_position() -> Engine {
    let mut engine = Engine::start();
    engine.send(&format!("position fen {KEPT}"));
    assert_eq!(engine.sync(), Vec::<String>::new());
    engine
}

/// Sends bad input. The engine must explain it with these words and change nothing.
fn refuse(engine: &mut Engine, line: &str, words: &str) {
    engine.send(line);
    let output = engine.drain();
    assert_eq!(output.len(), 1, "the answer to {line} is {output:?}");
    assert!(output[0].starts_with("info string "), "{output:?}");
    assert!(output[0].contains(words), "the answer to {line} is {output:?}");
    assert_eq!(engine.go("depth 2").best(), ONLY_MOVE, "after {line}");
}

#[test]
fn a_bad_position_keeps_the_old_one() {
    let engine = &mut with_position();
    for (line, words) in [
        ("position", "\"startpos\" or \"fen\""),
        ("position fen", "not a FEN"),
        ("position startpos moves e2e5", "\"e2e5\" is not legal"),
        ("position startpos moves e2e4 e7e5 xyz g1f3", "move 3 of the list: \"xyz\""),
        ("position startpos moves 0000", "move 1 of the list"),
        ("position fen hello world", "not a FEN"),
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "the board is empty"),
        ("position fen 8/8/8/8/8/8/8/K7 w - - 0 1", "a king is missing"),
        ("position fen KK6/8/8/8/8/8/8/k7 w - - 0 1", "more than one king"),
        ("position fen 4k3/8/8/8/8/8/8/4KP2 w - - 0 1", "first or last rank"),
        ("position fen 4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", "not to move is in check"),
        ("position fen 4k3/8/QQQQQQQQ/QQQ5/8/8/8/4K3 w - - 0 1", "more pieces"),
        ("position fen 9/8/8/8/8/8/8/8 w - - 0 1", "not a FEN"),
        ("position fen 4k3/8/8/8/8/8/8/4K3 w - - -1 1", "not a FEN"),
        ("position fen 4k3/8/8/8/8/8/8/4K3 x - - 0 1", "not a FEN"),
        ("position fen 4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "not a FEN"),
    ] {
        refuse(engine, line, words);
    }
}

#[test]
fn almost_valid_positions_are_repaired() {
    let mut engine = Engine::start();
    for fen in [
        // Missing fields, castling rights without a rook, and an en passant square that is not
        // valid.
        "4k3/8/8/8/8/8/8/4K3 w",
        "4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - e3 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - - 999999999999 999999999999",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 0 and more",
    ] {
        engine.send(&format!("position fen {fen}"));
        let output = engine.drain();
        if fen.contains("and more") {
            assert_eq!(output.len(), 1, "{fen}: {output:?}");
        } else {
            assert_eq!(output, Vec::<String>::new(), "{fen}");
        }
        assert_eq!(engine.go("depth 2").best().len(), 4);
    }
}

#[test]
fn a_bad_option_keeps_the_old_value() {
    let engine = &mut with_position();
    for (line, words) in [
        ("setoption", "needs a name and a value"),
        ("setoption name", "needs a name and a value"),
        ("setoption Hash 64", "needs a name and a value"),
        ("setoption name Skill Level value 3", "unknown option \"Skill Level\""),
        ("setoption name Hash", "Hash needs a value"),
        ("setoption name Hash value", "Hash needs a value"),
        ("setoption name Hash value many", "Hash cannot be \"many\""),
        ("setoption name Hash value 1.5", "Hash cannot be \"1.5\""),
        ("setoption name Ponder value perhaps", "true or false"),
        ("setoption name UCI_EngineAbout value me", "is read-only"),
        ("setoption name Threads value 0", "Threads must be from 1 to 512; it is set to 1"),
        ("setoption name threads value -5", "Threads must be from 1 to 512; it is set to 1"),
        (
            "setoption name MultiPV value 99999999999999999999999",
            "MultiPV must be from 1 to 256; it is set to 256",
        ),
        // More memory than any test machine has.
        ("setoption name Hash value 1048576", "fit into memory; the old one of 16 MiB is kept"),
        ("debug perhaps", "\"on\" or \"off\""),
    ] {
        refuse(engine, line, words);
    }
}

#[test]
fn options_without_a_value_are_cleared() {
    let engine = &mut with_position();
    for value in ["value", "value <empty>", "value  "] {
        engine.send(&format!("setoption name UCI_Opponent {value}"));
        assert_eq!(engine.sync(), Vec::<String>::new());
    }
}

#[test]
fn go_works_before_any_position() {
    let mut engine = Engine::start();
    assert_eq!(engine.go("depth 2").best().len(), 4);
}

#[test]
fn a_huge_line_is_skipped() {
    let engine = &mut with_position();
    let mut line = "position startpos moves".to_owned();
    line.push_str(&" e2e4".repeat(2_000_000 / 5));
    refuse(engine, &line, "bytes, which is too long for a command");
    // A long line is still read if it is short enough to be a command.
    let long = format!("position startpos moves{}", " g1f3 g8f6 f3g1 f6g8".repeat(20_000));
    engine.send(&long);
    assert_eq!(engine.sync(), Vec::<String>::new());
    let quoted = format!("position fen {}", "x".repeat(500_000));
    engine.send(&quoted);
    let output = engine.drain();
    assert!(output[0].len() < 1000, "the quotation was not shortened");
}

#[test]
fn invalid_text_is_harmless() {
    let engine = &mut with_position();
    engine
        .send_bytes(b"\xff\xfe\x00\x80\n\x00\n\n\r\n \t \r\nsetoption name \xc3\x28 value \xff\n");
    let output = engine.drain();
    assert_eq!(output.len(), 1, "{output:?}");
    engine.send_bytes(b"position fen \xf0\x28\x8c\x28 w - -\n");
    assert_eq!(engine.drain().len(), 1);
    engine.send_bytes(b"\x1b[31mgo\x07 depth 1\r\nisready\r\n");
    engine.until("readyok");
    assert_eq!(engine.go("depth 2\r").best(), ONLY_MOVE);
}

#[test]
fn an_incomplete_last_line_is_read() {
    let mut engine = Engine::start();
    engine.send_bytes(b"uci");
    engine.close_input();
    let (code, output) = engine.end();
    assert_eq!(code, 0);
    assert_eq!(output.last().map(String::as_str), Some("uciok"));
}
