//! The network: incremental accumulators, instruction sets and files.

use crate::common::{Engine, Folder, word_after};
use crate::hashes::recompute_hash;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use stopdown::board::{Move, PackedPosition, Position};
use stopdown::eval::network::inputs::{INPUTS, PIECES, inputs};
use stopdown::eval::network::{MAX_BIAS, MAX_OUTPUT, NetworkFormatError, Parameters};
use stopdown::eval::{Evaluator, Network, NetworkError};
use stopdown::weights_file::WeightsFileError;

/// A network with random weights.
fn random_parameters(width: usize, buckets: usize) -> Parameters {
    let mut random = ChaCha8Rng::seed_from_u64(width as u64);
    let mut numbers = |count: usize, bound: i16| -> Vec<i16> {
        (0..count).map(|_| random.random_range(-bound..=bound)).collect()
    };
    Parameters {
        width,
        buckets,
        centipawns: 200,
        rows: numbers(PIECES * width, 300),
        steps: numbers((INPUTS - PIECES) * width, 127).into_iter().map(|step| step as i8).collect(),
        biases: numbers(width, 300),
        outputs: numbers(2 * width * buckets, MAX_OUTPUT),
        output_biases: numbers(buckets, 10_000).into_iter().map(i32::from).collect(),
    }
}

const STARTS: [&str; 5] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    // Chess960: the king castles across and onto the rooks' squares.
    "nrkrbbqn/pppppppp/8/8/8/8/PPPPPPPP/NRKRBBQN w DBdb - 0 1",
    "1rk4r/p6p/8/8/8/8/P6P/R4KR1 w GAhb - 0 1",
    // Promotions, and kings that cross the centre line.
    "8/PPPPk3/8/8/8/8/3Kpppp/8 w - - 0 1",
];

/// Plays random games. After every move, calls `visit` with all the positions and moves of the game
/// so far.
fn walk(mut visit: impl FnMut(&[Position], &[Option<Move>])) {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for round in 0..60 {
        let fen = STARTS[round % STARTS.len()];
        let mut positions = vec![Position::from_fen(fen, false).expect(fen)];
        let mut moves = Vec::new();
        while positions.len() < 80 {
            let position = positions.last().expect("never empty");
            let passed = if random.random_bool(0.05) { position.after_null_move() } else { None };
            let legal = position.legal_moves();
            // Castling and en passant are rare among random moves.
            let rare = legal.iter().copied().filter(|m| m.is_castle() || m.is_en_passant());
            let rare: Vec<Move> = rare.collect();
            let Some(&m) = rare.choose(&mut random).or_else(|| legal.choose(&mut random)) else {
                break;
            };
            let (next, m) = match passed {
                Some(next) => (next, None),
                None => (position.after(m), Some(m)),
            };
            positions.push(next);
            moves.push(m);
            visit(&positions, &moves);
        }
    }
}

#[test]
fn incremental_accumulators_equal_fresh_ones() {
    let mut random = ChaCha8Rng::seed_from_u64(6);
    let network = Network::new(&random_parameters(64, 8));
    let mut line = Vec::new();
    let mut kinds = [0; 4];
    walk(|positions, moves| {
        let at = moves.len();
        if at == 1 {
            line = vec![Default::default(); 100];
            line[0] = network.root_state(&positions[0]);
        }
        network.advance(&mut line, at - 1);
        match moves[at - 1] {
            Some(m) => {
                kinds[0] += u32::from(m.is_castle());
                kinds[1] += u32::from(m.is_en_passant());
                kinds[2] += u32::from(m.promoted().is_some());
            }
            None => kinds[3] += 1,
        }
        // A search does not evaluate every position, and it returns to earlier ones.
        for at in [at, at.saturating_sub(random.random_range(0..4))] {
            if random.random_bool(0.4) {
                let carried = network.evaluate(&positions[at], &mut line, at);
                let scratch = network.evaluate_afresh(&positions[at]);
                assert_eq!(carried, scratch, "{} after {:?}", positions[at].fen(), moves[at - 1]);
            }
        }
    });
    assert!(
        kinds.iter().all(|&count| count > 5),
        "castling, en passant, promotion, pass: {kinds:?}"
    );
}

#[test]
fn every_instruction_set_gives_the_same_evaluation() {
    for width in [32, 96, 512] {
        let networks = Network::with_all_instructions(&random_parameters(width, 3));
        walk(|positions, _| {
            let position = positions.last().expect("never empty");
            let values: Vec<i32> = networks.iter().map(|n| n.output(position)).collect();
            assert!(values.iter().all(|value| *value == values[0]), "{values:?}");
        });
    }
}

#[test]
fn the_output_follows_its_definition() {
    let parameters = random_parameters(32, 4);
    let network = Network::new(&parameters);
    walk(|positions, _| {
        let position = positions.last().expect("never empty");
        let mut seen = [Vec::new(), Vec::new()];
        let packed = PackedPosition::of(position).expect("at most 32 pieces");
        inputs(&packed, &mut seen).expect("both kings are on the board");
        let pieces = position.occupied().count();
        let bucket = (pieces - 1) / 8;
        let mut sum = 0;
        for (half, inputs) in seen.iter().enumerate() {
            for neuron in 0..32 {
                let row = |&input: &u16| {
                    let (input, place) = (usize::from(input), usize::from(input) * 32 + neuron);
                    let step =
                        place.checked_sub(32 * PIECES).map_or(0, |place| parameters.steps[place]);
                    i64::from(parameters.rows[input % PIECES * 32 + neuron]) + i64::from(step)
                };
                let hidden =
                    i64::from(parameters.biases[neuron]) + inputs.iter().map(row).sum::<i64>();
                let active = hidden.clamp(0, 255);
                let weight = parameters.outputs[64 * bucket + 32 * half + neuron];
                sum += active * active * i64::from(weight);
            }
        }
        let value = (sum / 255 + i64::from(parameters.output_biases[bucket])) * 200 / (255 * 64);
        assert_eq!(i64::from(network.output(position)), value, "{}", position.fen());
    });
}

fn value(network: &Network, fen: &str) -> i32 {
    let position = Position::from_fen(fen, false).expect(fen);
    network.evaluate_afresh(&position).raw()
}

#[test]
fn known_endings_override_the_network() {
    let (random, embedded) = (Network::new(&random_parameters(32, 1)), Network::embedded());
    // Won for White against a bare king. The score exceeds every network output.
    for fen in [
        "8/8/8/4k3/8/8/8/KQ6 w - - 0 1",
        "8/8/8/4k3/8/8/8/KR6 w - - 0 1",
        "8/8/8/4k3/8/8/8/KBB5 w - - 0 1",
        "8/8/8/4k3/8/8/8/KBN5 w - - 0 1",
    ] {
        let (white, black) = (value(&embedded, fen), value(&embedded, &fen.replace('w', "b")));
        assert!(white > 5000, "{white} for {fen}");
        assert_eq!(white, -black, "{fen}");
        assert_eq!(white, value(&random, fen), "{fen}");
    }
    // Drawn: insufficient material, and the wrong bishop for the rook's pawn.
    for fen in [
        "8/8/8/4k3/8/8/3NN3/4K3 w - - 0 1",
        "8/8/8/4k3/8/8/3B4/4K3 w - - 0 1",
        "8/8/8/4k3/8/8/3N4/4K3 b - - 0 1",
        "k7/8/8/P7/8/8/3B4/4K3 w - - 0 1",
    ] {
        assert_eq!((value(&embedded, fen), value(&random, fen)), (0, 0), "{fen}");
    }
    // At best, a side without mating material is equal.
    for fen in ["k7/8/8/8/8/2B5/P7/K6n w - - 0 1", "8/8/3pk3/8/8/3K4/8/2B5 w - - 0 1"] {
        assert!(value(&embedded, fen) <= 0 && value(&random, fen) <= 0, "{fen}");
    }
    // The network evaluates endings that are merely difficult to win.
    let fen = "8/8/3nk3/8/8/3K4/8/2BN4 w - - 0 1";
    let position = Position::from_fen(fen, false).expect(fen);
    let hopeful = Parameters { output_biases: vec![1 << 17], ..random_parameters(32, 1) };
    let hopeful = Network::new(&hopeful);
    assert_eq!(value(&hopeful, fen), hopeful.output(&position), "{fen}");
    assert!(value(&hopeful, fen) > 0);
}

/// The same position with the colours swapped.
fn colours_swapped(position: &Position) -> Position {
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
    let text = format!("{} {turn} {} {en_passant} 0 1", board.join("/"), swap(fields[2]));
    Position::from_fen(&text, position.is_chess960()).expect("a valid FEN")
}

#[test]
fn both_colours_are_evaluated_alike() {
    let network = Network::embedded();
    walk(|positions, _| {
        let position = positions.last().expect("never empty");
        let value = |position| network.evaluate_afresh(position);
        assert_eq!(value(position), value(&colours_swapped(position)), "{}", position.fen());
    });
}

#[test]
fn more_material_scores_higher() {
    let network = Network::embedded();
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
        let (more, less) = (value(&network, better), value(&network, worse));
        assert!(more > less, "{more} for {better} against {less} for {worse}");
    }
}

#[test]
fn a_network_survives_writing_and_reading() {
    for (width, buckets) in [(32, 1), (128, 8)] {
        let parameters = random_parameters(width, buckets);
        let bytes = parameters.to_bytes("notes\nof two lines").expect("the network can be written");
        assert_eq!(Parameters::from_bytes(&bytes), Ok(parameters));
        assert!(String::from_utf8_lossy(&bytes[..512]).contains("two lines"));
    }
    let built_in = include_bytes!("../../tuning/network.bin");
    assert!(built_in.len() <= 1 << 20, "the built-in network is {} bytes", built_in.len());
    Parameters::from_bytes(built_in).expect("the built-in network is sound");
}

#[test]
fn a_network_that_could_not_be_read_back_is_not_written() {
    let parameters = random_parameters(32, 1);
    let of = |change: fn(&mut Parameters)| {
        let mut changed = parameters.clone();
        change(&mut changed);
        changed.to_bytes("").map(|_| ())
    };
    let summed = Err(NetworkFormatError::Overflow);
    assert_eq!(of(|_| ()), Ok(()));
    assert_eq!(of(|changed| changed.rows[7] = 2000), summed);
    assert_eq!(
        of(|changed| changed.rows[7] = i16::MAX),
        summed,
        "a row and the rows added to it overflow"
    );
    assert_eq!(of(|changed| changed.biases[7] = -30_000), summed);
    assert_eq!(of(|changed| changed.outputs[7] = MAX_OUTPUT + 1), summed);
    assert_eq!(of(|changed| changed.output_biases[0] = MAX_BIAS + 1), summed);
    assert_eq!(of(|changed| changed.output_biases[0] = -MAX_BIAS), Ok(()));
    assert_eq!(
        of(|changed| changed.centipawns = 0),
        Err(WeightsFileError::Header("centipawns").into())
    );
}

#[test]
fn a_network_without_attack_inputs_gets_zero_weights_for_them() {
    let random = random_parameters(32, 2);
    let indifferent = Parameters { steps: vec![0; random.steps.len()], ..random };
    let bytes = indifferent.to_bytes("").expect("the network can be written");
    let (text, numbers) = bytes.split_at(512);
    let (rows, rest) = numbers.split_at(2 * PIECES * 32);
    let blind = [rows, &rest[indifferent.steps.len()..]].concat();
    let mut text = String::from_utf8_lossy(text).replace("3072 ->", "768 ->").into_bytes();
    text.resize(512, 0);
    let mut blind = [text, blind].concat();
    recompute_hash(&mut blind, 512);
    assert_eq!(Parameters::from_bytes(&blind), Ok(indifferent));
}

#[test]
fn bad_files_are_refused_with_a_reason() {
    let parameters = random_parameters(32, 2);
    let bytes = parameters.to_bytes("").expect("the network can be written");
    let changed = |from: &str, to: &str| {
        let header = String::from_utf8_lossy(&bytes[..512]).replace(from, to);
        [&header.as_bytes()[..512], &bytes[512..]].concat()
    };
    let mut flipped = bytes.clone();
    flipped[3000] ^= 4;
    let title = || NetworkFormatError::from(WeightsFileError::Title("stopdown network 2"));
    let header = |name| NetworkFormatError::from(WeightsFileError::Header(name));
    let length =
        |found, wanted| NetworkFormatError::from(WeightsFileError::Length { found, wanted });
    let damaged = || NetworkFormatError::from(WeightsFileError::Hash);
    let cases = [
        (Vec::new(), title()),
        (b"MZ and then some".repeat(99), title()),
        (changed("network 2", "network 1"), title()),
        (changed("32 x 2", "33 x 2"), NetworkFormatError::Shape("3072 -> 33 x 2 -> 2".to_owned())),
        (changed("32 x 2", "64 x 2"), length(123_208, 246_408)),
        (bytes[..bytes.len() - 1].to_vec(), length(123_207, 123_208)),
        (flipped, damaged()),
        (changed("centipawns: 200", "centipawns: 201"), damaged()),
        (changed("centipawns: 200", "centipawns: two"), header("centipawns")),
    ];
    for (bytes, mistake) in cases {
        assert_eq!(Parameters::from_bytes(&bytes), Err(mistake));
    }
    let rows = 2000_i16.to_le_bytes().repeat(PIECES * 32);
    let mut too_large = bytes.clone();
    too_large.splice(512..512 + rows.len(), rows);
    recompute_hash(&mut too_large, 512);
    assert_eq!(Parameters::from_bytes(&too_large), Err(NetworkFormatError::Overflow));
    let message = Network::load("no/such/file".as_ref()).map_err(|error| error.to_string());
    assert!(message.expect_err("there is none").starts_with("no/such/file: "));
    let folder = Folder::new();
    let path = folder.write("text.bin", "a text");
    let error = Network::load(path.as_ref()).expect_err("a text file is not a network");
    assert!(
        matches!(&error, NetworkError::Refused { mistake, .. } if *mistake == title()),
        "{error}"
    );
}

#[test]
fn no_bytes_crash_the_network_reader() {
    let mut random = ChaCha8Rng::seed_from_u64(8);
    let sound = PackedPosition::of(&Position::default()).expect("at most 32 pieces").0;
    let mut seen = [Vec::new(), Vec::new()];
    let mut understood = 0;
    for _ in 0..50_000 {
        let mut bytes = sound;
        for _ in 0..random.random_range(1..20) {
            bytes[random.random_range(0..bytes.len())] = random.random();
        }
        let packed = PackedPosition(bytes);
        if let Some(position) = packed.unpack() {
            understood += 1;
            assert_eq!(
                PackedPosition::of(&position).and_then(|packed| packed.unpack()),
                Some(position)
            );
        }
        let _ = inputs(&packed, &mut seen);
    }
    assert!(understood > 100, "{understood}");
    let bytes = random_parameters(32, 1).to_bytes("").expect("the network can be written");
    for _ in 0..500 {
        let mut damaged = bytes.clone();
        damaged[random.random_range(0..512)] = random.random();
        let _ = Parameters::from_bytes(&damaged);
    }
}

#[test]
fn a_gui_can_choose_the_network() {
    let mut engine = Engine::start();
    let values = |engine: &mut Engine| -> Vec<String> {
        // The random choice depends on the seed and the game number, so the engine always plays the
        // same move in the first game.
        engine.send("setoption name Seed value 1\nucinewgame\nposition startpos moves e2e4");
        let search = engine.go("depth 6");
        let words = |line: &str| [" cp", " nodes"].map(|key| word_after(line, key)).join(" ");
        search.scored().into_iter().map(words).collect()
    };
    // At full strength, and below it.
    for strength in ["Full", "Competence"] {
        engine.send("setoption name Competence value 2000");
        engine.send(&format!("setoption name Strength value {strength}"));
        let usual = values(&mut engine);
        let folder = Folder::new();
        let path = folder.path().join("random.bin");
        let bytes = random_parameters(32, 1).to_bytes("").expect("the network can be written");
        std::fs::write(&path, bytes).expect("a temporary file");
        engine.send(&format!("setoption name EvalFile value {}", path.display()));
        assert_eq!(engine.drain(), Vec::<String>::new());
        let strange = values(&mut engine);
        engine.send("setoption name EvalFile value nowhere.bin");
        let printed = engine.drain().concat();
        assert!(
            printed.contains("nowhere.bin") && printed.contains("was not changed"),
            "{printed}"
        );
        assert_eq!(values(&mut engine), strange);
        engine.send("setoption name EvalFile value <empty>");
        assert_eq!(values(&mut engine), usual);
        assert_ne!(strange, usual);
    }
}
