//! A UCI engine that misbehaves.
//!
//! It counts its games in a file and changes its misbehaviour after every pair of games. Apart from
//! that, it plays the first legal move. It plays only if it was told that its opponent is an
//! engine.

use std::fs::OpenOptions;
use std::io::{BufRead, Read, Write};

use stopdown::board::Game;

/// The misbehaviours. Each occurs on the third move.
const VICES: [&str; 8] =
    ["none", "crash", "stall", "flood", "illegal", "garbage", "premature", "no restart"];

pub fn run(file: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout();
    let mut vice = VICES[0];
    let mut game = Game::default();
    let mut moves = 0;
    // An engine that only evaluates moves for another player has no opponent.
    let mut meets_engine = file.contains("relayed");
    // In the last pair, the misbehaviour is to refuse a restart once.
    if count(file)? == 2 * VICES.len() && !std::fs::exists(format!("{file}.refused"))? {
        std::fs::write(format!("{file}.refused"), "")?;
        std::process::exit(3);
    }
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["uci", ..] => {
                writeln!(out, "id name Mock\noption name UCI_Opponent type string default\nuciok")?;
            }
            ["setoption", "name", "UCI_Opponent", "value", _, _, kind, ..] => {
                meets_engine = kind == "computer";
            }
            ["isready", ..] => writeln!(out, "readyok")?,
            ["ucinewgame", ..] if !meets_engine => std::process::exit(4),
            ["ucinewgame", ..] => {
                vice = VICES[count(file)? / 2 % VICES.len()];
                OpenOptions::new().append(true).create(true).open(file)?.write_all(b".")?;
                moves = 0;
            }
            ["position", "startpos", "moves", ref moves @ ..] => {
                game = Game::from_uci(None, moves.iter().copied(), false).unwrap_or_default();
            }
            ["go", ..] => {
                moves += 1;
                misbehave(if moves == 3 { vice } else { "none" }, &mut out)?;
                let m = game.position().legal_moves()[0];
                writeln!(out, "info depth 1 score cp 0\nbestmove {}", game.position().uci(m))?;
                if vice == "premature" {
                    writeln!(out, "bestmove a1a1\nbestmove e2e4\nreadyok")?;
                }
            }
            ["quit", ..] => return Ok(()),
            _ => {}
        }
        out.flush()?;
    }
    Ok(())
}

/// The number of games started.
fn count(file: &str) -> std::io::Result<usize> {
    if std::fs::exists(file)? { Ok(std::fs::read(file)?.len()) } else { Ok(0) }
}

fn misbehave(vice: &str, out: &mut impl Write) -> std::io::Result<()> {
    match vice {
        "crash" | "no restart" => std::process::exit(3),
        "stall" => {
            // Ignore all input until killed.
            let mut nothing = [0; 1];
            while std::io::stdin().read(&mut nothing)? > 0 {}
            loop {
                std::thread::park();
            }
        }
        "flood" => loop {
            writeln!(out, "info depth 1 score cp 1 pv {}", "e2e4 ".repeat(10_000))?;
        },
        "illegal" => writeln!(out, "bestmove e1e8"),
        "garbage" => {
            out.write_all(b"\xff\xfe\x00 bestmove\n\n   \ninfo depth x score cp\ninfo score mate\n")
        }
        _ => Ok(()),
    }
}
