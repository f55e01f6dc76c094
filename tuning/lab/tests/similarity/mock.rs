//! A UCI engine that spoils the test in the ways that Hair describes.

use std::fs::OpenOptions;
use std::io::{BufRead, Write};

use stopdown::board::Game;

/// Runs the engine with the behaviour that its name describes. It waits for `stop` (`sound`),
/// answers before `stop` (`early`), exits during every third search (`crash`), or names no move
/// (`mute`). The file counts searches across restarts.
pub fn run(vice: &str, file: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout();
    let mut game = Game::default();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_time = match words[..] {
            ["go", ..] => vice != "sound",
            ["stop"] => vice == "sound",
            _ => false,
        };
        match words[..] {
            ["uci", ..] => writeln!(out, "id name {vice}\nuciok")?,
            ["isready", ..] => writeln!(out, "readyok")?,
            ["position", "startpos", "moves", ref moves @ ..] => {
                game = Game::from_uci(None, moves.iter().copied(), false).unwrap_or_default();
            }
            ["go", "infinite"] => {
                OpenOptions::new().append(true).create(true).open(file)?.write_all(b".")?;
                if vice == "crash" && std::fs::read(file)?.len().is_multiple_of(3) {
                    std::process::exit(3);
                }
            }
            ["quit", ..] => return Ok(()),
            _ => {}
        }
        if is_time {
            let m = game.position().legal_moves()[0];
            let word = if vice == "mute" { "(none)".to_owned() } else { game.position().uci(m) };
            writeln!(out, "info depth 3 score cp 0\nbestmove {word}")?;
        }
        out.flush()?;
    }
    Ok(())
}
