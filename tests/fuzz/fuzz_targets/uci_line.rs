//! Any bytes, read as a GUI's lines.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stopdown::board::Game;
use stopdown::uci::{UciCommand, InputLine, read_line};

fuzz_target!(|bytes: &[u8]| {
    let mut input = bytes;
    while let Ok(Some(line)) = read_line(&mut input) {
        let InputLine::Text(text) = line else { continue };
        if let Ok(Some(UciCommand::Position { fen, moves })) = UciCommand::parse(&text) {
            let _ = Game::from_uci(fen.as_deref(), moves.iter().map(String::as_str), false);
        }
    }
});
