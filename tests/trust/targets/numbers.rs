//! Readers of numeric data: networks and endgame tables. The checksums are repaired, so that inputs
//! are read to the end and used. Anyone who alters a file can do that too.

use flate2::Crc;
use stopdown::board::{Game, Position};
use stopdown::endgame::{Metric, Tables, build, plan};
use stopdown::eval::Network;
use stopdown::eval::network::Parameters;
use stopdown::eval::network::inputs::{INPUTS, PIECES};
use stopdown::policy::{GameKind, PolicyConditions, PolicyError, PolicyNetwork};
use stopdown::weights_file::WeightsFileError;

use self::hashes::recompute_hash;
use super::text::FENS;
use super::{Target, USUAL_MEMORY, write_input};

#[path = "../../common/hashes.rs"]
mod hashes;

pub const NETWORK: Target = Target {
    name: "network",
    read: |bytes, _| {
        let Ok(parameters) = Parameters::from_bytes(bytes) else { return };
        let written = parameters.to_bytes("").expect("a network that was read can be written");
        assert_eq!(Parameters::from_bytes(&written).as_ref(), Ok(&parameters));
        let network = Network::new(&parameters);
        for fen in FENS {
            let position = Position::from_fen(fen, false).expect(fen);
            let _ = network.output(&position);
        }
    },
    seeds: || {
        let parameters = |buckets: usize| Parameters {
            width: 32,
            buckets,
            centipawns: 200,
            rows: vec![3; PIECES * 32],
            steps: vec![1; (INPUTS - PIECES) * 32],
            biases: vec![7; 32],
            outputs: vec![5; 64 * buckets],
            output_biases: vec![9; buckets],
        };
        let written = [1, 8].map(|buckets| parameters(buckets).to_bytes("a note").expect("valid"));
        written.to_vec()
    },
    words: &[
        b"shape: ",
        b" -> ",
        b" x 2",
        b"centipawns: ",
        b"hash: ",
        b"10000",
        b"\n",
        b"\xff\x7f",
        b"\x00\x80",
    ],
    repair: Some(|bytes| recompute_hash(bytes, 512)),
    memory: USUAL_MEMORY,
    rounds: 300,
};

pub const POLICY: Target = Target {
    name: "policy",
    read: |bytes, _| {
        let Ok(network) = PolicyNetwork::from_bytes(bytes) else { return };
        for fen in FENS {
            let game = Game::new(Position::from_fen(fen, false).expect(fen));
            let _ = network
                .ln_shares(&game, PolicyConditions { rating: 1500.0, pool: GameKind::Board });
        }
    },
    seeds: || {
        let text =
            "stopdown policy 5\nshapes: 16 x 1, 1 keys; 16 x 1, 2 keys\nhash: 0000000000000000\n";
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(1024, 0);
        let Err(PolicyError::File(WeightsFileError::Length { wanted, .. })) =
            PolicyNetwork::from_bytes(&bytes)
        else {
            panic!("a text without numbers has the wrong length")
        };
        // The upper half of 1/4 as a float, repeated many times: first the lower bytes, then the upper ones.
        bytes.extend([0x80, 0x3e].map(|byte| [byte].repeat(wanted / 2)).concat());
        recompute_hash(&mut bytes, 1024);
        vec![bytes]
    },
    words: &[
        b"shapes: ",
        b" x ",
        b" keys",
        b"; ",
        b"hash: ",
        b"256",
        b"40",
        b"\x7f\x7f",
        b"\x80\xff",
        b"\xff\xff",
    ],
    repair: Some(|bytes| recompute_hash(bytes, 1024)),
    memory: USUAL_MEMORY,
    rounds: 150,
};

pub const TABLE: Target = Target {
    name: "table",
    read: |bytes, folder| {
        let path = write_input(folder, TABLE_FILE, bytes);
        let tables = Tables::in_directory(folder);
        let material = "KQK".parse().expect("a material");
        let refused = || !tables.take_notices().is_empty();
        for fen in ["8/8/8/8/3K4/1k6/8/7Q w - - 0 1", "8/8/8/8/8/2k5/8/K6Q b - - 0 1"] {
            let position = Position::from_fen(fen, false).expect(fen);
            let _ = (tables.probe(&position, Metric::Dtm), tables.report(&position));
        }
        match tables.table(material, Metric::Dtm) {
            Some(table) => {
                let _ = (table.summary(), table.longest);
                let step = table.layout.size / 50;
                for entry in table.entries().step_by(step.max(1)) {
                    let fen = table.layout.fen(&entry.squares, entry.turn);
                    let position = Position::from_fen(&fen, false);
                    let Ok(position) = position else { continue };
                    for m in position.legal_moves() {
                        let _ = tables.value_of(&position, m, Metric::Dtm);
                    }
                }
            }
            // An unusable table is reported and set aside, and its file is kept.
            None => assert!(refused() && !path.exists(), "the damage was not reported"),
        }
    },
    seeds: || {
        let folder = tempfile::tempdir().expect("a folder");
        let tables = Tables::in_directory(folder.path());
        let material = "KQK".parse().expect("a material");
        build(&tables, &plan(&tables, [material], &[Metric::Dtm]), 1, &()).expect("it can be made");
        vec![std::fs::read(folder.path().join(TABLE_FILE)).expect("it was saved")]
    },
    words: &[
        b"StopTabl",
        b"\xff\xff",
        b"\xff\xff\xff\xff",
        b"\x00\x00\x00\x00",
        b"KRK\0",
        b"\x78\xda",
    ],
    repair: Some(repair_table),
    memory: USUAL_MEMORY,
    rounds: 60,
};

const TABLE_FILE: &str = "KQK.dtm";

/// Recomputes the checksums of a table: first those of its blocks, as far as the index locates
/// them, and then that of its header.
fn repair_table(bytes: &mut [u8]) {
    const HEADER: usize = 39;
    let sum = |parts: &[&[u8]]| {
        let mut sum = Crc::new();
        parts.iter().for_each(|part| sum.update(part));
        sum.sum().to_le_bytes()
    };
    let word = |bytes: &[u8], at: usize| {
        bytes
            .get(at..at + 4)
            .and_then(|four| Some(u32::from_le_bytes(four.try_into().ok()?) as usize))
    };
    let Some(head) = word(bytes, 31) else { return };
    let Some(mut start) = HEADER.checked_add(head) else { return };
    let mut entry = HEADER;
    // KQK has one block for each square of the strong king, or one for each pair of kings. This
    // makes at most 462.
    for _ in 0..462 {
        let Some(length) = word(bytes, entry) else { break };
        let Some(block) = bytes.get(start..start.saturating_add(length)) else { break };
        let found = sum(&[block]);
        let Some(place) = bytes.get_mut(entry + 4..entry + 8) else { break };
        if entry + 8 > HEADER + head {
            break;
        }
        place.copy_from_slice(&found);
        start += length;
        entry += 8;
    }
    let Some(rest) = bytes.get(HEADER..HEADER + head) else { return };
    let found = sum(&[&bytes[..35], rest]);
    bytes[35..39].copy_from_slice(&found);
}
