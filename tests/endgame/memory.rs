//! The memory and disk space that endgame tables use by default while a GUI plays through endings.

use std::fs;
use std::path::Path;

use crate::common::{Engine, Folder, peak_memory, program};
use stopdown::board::{Game, Position};

/// The most memory that the engine may use at any time, in MiB, with a hash table of 16 MiB. The
/// two policy networks take about half of it.
const MEMORY: u64 = 95;
/// The most data that the engine may write to disk, in bytes.
const DISK: u64 = 10_000_000;

fn bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
}

/// Continues a game by self-play.
fn play(engine: &mut Engine, fen: &str, how: &str, plies: usize) {
    let mut game = Game::new(Position::from_fen(fen, false).expect(fen));
    let mut moves = String::new();
    for _ in 0..plies {
        engine.send(&format!("position fen {fen}{moves}"));
        let search = engine.go(how);
        let best = search.best();
        game.play(game.position().parse_uci(best).expect("a legal move"));
        moves += if moves.is_empty() { " moves " } else { " " };
        moves += best;
        if game.ending().is_some() {
            return;
        }
    }
}

#[test]
fn endings_use_little_memory_and_disk_space() {
    let folder = Folder::new();
    let tables = folder.path().join("tables");
    let command = program(&folder, &[]);
    let mut engine = Engine::spawn(command, folder);
    engine.send("setoption name Pace value Instant");
    engine.send("setoption name Hash value 16");
    engine.send(&format!("setoption name Endgame Tables value {}", tables.display()));
    let endings = [
        "8/8/8/3k4/8/8/8/R3K3 w - - 0 1",
        "8/8/8/3k4/8/8/4P3/4K3 w - - 0 1",
        "8/8/8/3k4/2r5/8/8/Q3K3 w - - 0 1",
    ];
    for strength in ["UCI_LimitStrength value true", "UCI_LimitStrength value false"] {
        engine.send(&format!("setoption name {strength}"));
        for fen in endings {
            engine.send("ucinewgame");
            play(&mut engine, fen, "movetime 50", 60);
        }
        // The table for queen against rook takes a few seconds to build, or minutes on a busy machine. Wait
        // until it exists.
        let wanted = if strength.ends_with("true") { "KQKR.dtc" } else { "KQKR.dtm" };
        for _ in 0..1200 {
            if tables.join(wanted).is_file() {
                break;
            }
            engine.send(&format!("position fen {}", endings[2]));
            engine.go("movetime 500");
        }
        assert!(tables.join(wanted).is_file(), "{wanted} was not built");
        play(&mut engine, endings[2], "movetime 50", 30);
    }
    assert!(bytes(&tables) < DISK, "{} bytes", bytes(&tables));
    if let Some(peak) = peak_memory(engine.id()) {
        assert!(peak <= MEMORY, "{peak} MiB");
    }
}
