//! The reader of positions files, as a function that takes bytes. `tests/fuzz` includes this file
//! too.

use std::fs;
use std::path::Path;

use stopdown::board::{PackedPosition, Position};
use stopdown::games::GameResult;
use stopdown_lab::tune::positions::{Mark, PositionsReader, PositionsSummary, Sample};

/// Words of the format, for the dictionary.
pub const WORDS: &[&[u8]] =
    &[b"maker: ", b"command: ", b"game", b"\0\0\0\0\0\0\0\0", b"\xff\xff\xff\xff", b"\x00\x80"];

const FENS: [&str; 3] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1",
];

/// Reads an input as the program would, from a file in the folder.
pub fn read(bytes: &[u8], folder: &Path) {
    let path = folder.join("positions.bin");
    fs::write(&path, bytes).expect("the folder can be written to");
    let _ = PositionsSummary::of(&path).map(|summary| summary.to_string());
    let Ok(mut reader) = PositionsReader::open(&path) else { return };
    while let Ok(Some(game)) = reader.next_game() {
        for sample in &game.samples {
            let _ = (sample.position.unpack(), sample.position.pieces().count());
        }
    }
}

/// Valid inputs.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut bytes = b"stopdown positions 1\nmaker: a test\ncommand: none\n".to_vec();
    bytes.resize(512, 0);
    bytes.extend(Mark { seed: 1, number: 0, positions: FENS.len() as u32 }.to_bytes());
    for fen in FENS {
        let position = Position::from_fen(fen, false).expect(fen);
        let position = PackedPosition::of(&position).expect("32 pieces at most");
        let sample = Sample { position, outcome: Some(GameResult::Draw), centipawns: 31, ply: 4 };
        bytes.extend(sample.to_bytes());
    }
    vec![bytes]
}
