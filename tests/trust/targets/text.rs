//! Readers of text: positions, lines from GUIs, games, openings and settings.

use std::io::{BufRead, BufReader, Cursor, Read, Write};

use flate2::{Compression, write::GzEncoder};
use stopdown::arena::{Book, Order};
use stopdown::board::{Game, PackedPosition, Position};
use stopdown::config::load_settings;
use stopdown::external::{DepthProgress, Info, UciOption};
use stopdown::games::pgn::{PgnStream, read_results, unpacked};
use stopdown::games::read_position_line;
use stopdown::uci::{InputLine, UciCommand, read_line};

use super::{Target, USUAL_MEMORY, write_input};

pub const FEN: Target = Target {
    name: "fen",
    read: |bytes, _| read_fen(&String::from_utf8_lossy(bytes), bytes.len().is_multiple_of(2)),
    seeds: || FENS.map(|fen| fen.as_bytes().to_vec()).to_vec(),
    words: POSITION_WORDS,
    repair: None,
    memory: USUAL_MEMORY,
    rounds: 20_000,
};

pub const EPD: Target = Target {
    name: "epd",
    read: |bytes, _| {
        for line in String::from_utf8_lossy(bytes).lines() {
            if let Some(Ok(position)) = read_position_line(line, bytes.len().is_multiple_of(2)) {
                assert!(position.legal_moves().len() <= 256, "{line}");
            }
        }
    },
    seeds: || {
        let all = FENS.map(|fen| format!("{fen}\n")).concat();
        let epd = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"a; b\"; hmvc 7; fmvn 31;\n# no\n\n";
        vec![all.into_bytes(), epd.as_bytes().to_vec()]
    },
    words: POSITION_WORDS,
    repair: None,
    memory: USUAL_MEMORY,
    rounds: 8_000,
};

pub const UCI_LINE: Target = Target {
    name: "uci_line",
    read: |mut bytes, _| {
        while let Ok(Some(line)) = read_line(&mut bytes) {
            let InputLine::Text(text) = line else { continue };
            if let Ok(Some(UciCommand::Position { fen, moves })) = UciCommand::parse(&text) {
                let _ = Game::from_uci(fen.as_deref(), moves.iter().map(String::as_str), false);
            }
        }
    },
    seeds: || {
        let lines = [
            "uci\nisready\nucinewgame\nposition startpos moves e2e4 e7e5\ngo wtime 1 btime 2\n",
            "setoption name Hash value 64\nposition fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1g1\n",
            "go depth 3 searchmoves e2e4 nodes 7 mate 2 movestogo 1 infinite ponder\nstop\nquit\n",
        ];
        lines.map(|line| line.as_bytes().to_vec()).to_vec()
    },
    words: UCI_WORDS,
    repair: None,
    memory: USUAL_MEMORY,
    rounds: 20_000,
};

/// Output of an external engine.
pub const UCI_SERVER: Target = Target {
    name: "engine_line",
    read: |bytes, _| {
        let mut pulse = DepthProgress::default();
        for line in String::from_utf8_lossy(bytes).lines() {
            let info = Info::parse(line);
            let _ = pulse.is_shown_by(&info);
            if let Some(option) = UciOption::parse(line) {
                let _ = (option.nearest(i64::MIN), option.nearest(7), option.is_button());
            }
        }
    },
    seeds: || {
        let lines = [
            "id name X\noption name Hash type spin default 16 min 1 max 4096\nuciok\n",
            "info depth 12 seldepth 20 multipv 1 score cp -31 lowerbound nodes 99 pv e2e4 e7e5\n",
            "info depth 3 score mate -2 string depth 4\nbestmove e2e4 ponder e7e5\n",
        ];
        lines.map(|line| line.as_bytes().to_vec()).to_vec()
    },
    words: UCI_WORDS,
    repair: None,
    memory: USUAL_MEMORY,
    rounds: 20_000,
};

pub const PGN: Target = Target {
    name: "pgn",
    read: |bytes, _| read_games(bytes),
    seeds: pgn_seeds,
    words: PGN_WORDS,
    repair: None,
    memory: USUAL_MEMORY,
    rounds: 3_000,
};

pub const PACKED: Target = Target {
    name: "packed_pgn",
    read: |bytes, _| {
        // A small file may contain a very long text, and reading it may take time.
        const MOST: u64 = 1 << 20;
        let Ok(text) = unpacked(Cursor::new(bytes.to_vec())) else { return };
        for game in PgnStream::new(BufReader::new(text.take(MOST))).flatten() {
            let _ = game.replay(None);
        }
    },
    seeds: || {
        let packed = |text: Vec<u8>| {
            let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
            gzip.write_all(&text).and_then(|()| gzip.finish()).expect("memory can be written to")
        };
        let mut all: Vec<Vec<u8>> = pgn_seeds().into_iter().map(packed).collect();
        // Zstandard: a skippable frame, then a raw block and one that repeats a byte.
        let text = b"1. e4 e5 *";
        let mut zstd = vec![0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, b'x', b'y'];
        zstd.extend([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58]);
        zstd.extend([8 * text.len() as u8, 0, 0]);
        zstd.extend(text);
        zstd.extend([8 * 9 + 2 + 1, 0, 0, b'\n']);
        all.push(zstd);
        all
    },
    words: &[b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18", b"\xff\xff\xff\xff"],
    repair: None,
    memory: USUAL_MEMORY,
    rounds: 2_000,
};

pub const BOOK: Target = Target {
    name: "opening_book",
    read: |bytes, folder| {
        let path = write_input(folder, "book.pgn", bytes);
        for order in [Order::Sequential, Order::Random(3)] {
            if let Ok(book) = Book::open(&path) {
                let _ = book.select(order, Some(6), 20);
            }
        }
    },
    seeds: pgn_seeds,
    words: PGN_WORDS,
    repair: None,
    memory: USUAL_MEMORY,
    rounds: 1_500,
};

pub const ENGINE_TOML: Target = Target {
    name: "engine_toml",
    read: |bytes, folder| {
        let _ = load_settings(Some(&write_input(folder, "engine.toml", bytes)));
    },
    seeds: || {
        let own = "[options]\nHash = 64\nThreads = 2\nProfile = \"mine\"\n[profiles.mine]\n\
                   curve = \"haworth\"\ncompetence = 7.5\ndepth = 8\nweights = [0.5, 0.5]\n\
                   [profiles.both]\nmix = [{ profile = \"mine\", weight = 3 }]\n";
        vec![own.as_bytes().to_vec(), include_bytes!("../../../engine.toml").to_vec()]
    },
    words: TOML_WORDS,
    repair: None,
    memory: USUAL_MEMORY,
    rounds: 400,
};

/// A position that was accepted can be written, read again and played on.
fn read_fen(text: &str, chess960: bool) {
    let Ok(position) = Position::from_fen(text, chess960) else { return };
    let again = Position::from_fen(&position.fen(), position.is_chess960());
    assert_eq!(again.as_ref(), Ok(&position));
    for m in position.legal_moves() {
        assert_eq!(position.parse_uci(&position.uci(m)), Ok(m));
        assert_eq!(position.parse_san(&position.san(m)), Ok(m));
        let _ = position.after(m).legal_moves();
    }
    if let Some(packed) = PackedPosition::of(&position) {
        assert!(packed.unpack().is_some(), "{text}");
    }
}

fn read_games(bytes: &[u8]) {
    for game in PgnStream::new(bytes).flatten() {
        let _ = (game.replay(None), game.players(), game.fingerprint());
    }
    let _ = read_results(bytes, |_| ());
    // The same text, read one byte at a time.
    let slow = BufReader::with_capacity(1, bytes);
    assert_eq!(PgnStream::new(slow).count(), PgnStream::new(bytes).count());
    let _ = bytes.lines().count();
}

pub const FENS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 7 31",
    "8/2p5/3p4/KP5r/1R3pPk/8/4P3/8 b - g3 0 1",
    "1rk4r/p6p/8/8/8/8/P6P/R4KR1 w GAhb - 0 1",
    "8/PPPPk3/8/8/8/8/3Kpppp/8 w - - 99 100",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
];

fn pgn_seeds() -> Vec<Vec<u8>> {
    let games = [
        "[Event \"a\"]\n[White \"A, B\"]\n[WhiteElo \"1500\"]\n[Result \"1-0\"]\n\n1. e4 {[%clk 0:01:00]} \
         e5 2. Nf3 (2. f4 exf4 (2... d5)) Nc6 $1 3. Bb5! a6 ; why\n4. O-O 1-0\n\n1. d4 d5 *\n",
        "[Event \"b\"] [FEN \"8/4P1k1/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. e8=Q Kf6 2. Qe7+ 1/2-1/2\n",
        "[Variant \"Chess960\"]\n[FEN \"nrkrbbqn/pppppppp/8/8/8/8/PPPPPPPP/NRKRBBQN w DBdb - 0 1\"]\n\n\
         1. e2-e4 e7e5 2. \u{2658}g3 {not closed\n\n[Event \"c\"]\n1. c4 *\n",
    ];
    let mut all: Vec<Vec<u8>> = games.map(|game| game.as_bytes().to_vec()).to_vec();
    all.push(b"[White \"M\xfcller\"]\n\n1. e4 *".to_vec());
    all
}

const POSITION_WORDS: &[&[u8]] = &[
    b"8/8/8/8/8/8/8/8",
    b"/",
    b" w ",
    b" b ",
    b"KQkq",
    b"HAha",
    b"-",
    b"e3",
    b"e6",
    b"k",
    b"K",
    b"p",
    b"P",
    b"RNBQKBNR",
    b"PPPPPPPP",
    b"qqqqqqqq",
    b"4294967295",
    b"99999999999999999999",
    b"-1",
    b"hmvc ",
    b"fmvn ",
    b";",
    b"\"",
    b"\n",
    b"\xef\xbb\xbf",
    b"\0",
];

const UCI_WORDS: &[&[u8]] = &[
    b"position ",
    b"startpos ",
    b"fen ",
    b"moves ",
    b"e2e4 ",
    b"a7a8q ",
    b"0000 ",
    b"go ",
    b"depth ",
    b"mate ",
    b"nodes ",
    b"wtime ",
    b"-1 ",
    b"99999999999999999999 ",
    b"infinite ",
    b"setoption ",
    b"name ",
    b"value ",
    b"info ",
    b"score ",
    b"cp ",
    b"multipv ",
    b"pv ",
    b"string ",
    b"option ",
    b" type spin ",
    b" min ",
    b" max ",
    b" default ",
    b"9223372036854775807 ",
    b"-9223372036854775808 ",
    b"-2147483648 ",
    b"bestmove ",
    b"\n",
    b"\r",
    b"\t",
    b"\0",
    b"\xff",
];

const PGN_WORDS: &[&[u8]] = &[
    b"[Event \"",
    b"\"]\n",
    b"[FEN \"",
    b"[Variant \"Chess960\"]\n",
    b"\n\n",
    b"(",
    b")",
    b"{",
    b"}",
    b";",
    b"%",
    b"[",
    b"]",
    b"\\",
    b"\"",
    b"[A \"b\"] ",
    b"$9 ",
    b"1. ",
    b"e4 ",
    b"Nf3 ",
    b"O-O ",
    b"0-0-0 ",
    b"e8=Q ",
    b"exd6 e.p. ",
    b"-- ",
    b"1-0",
    b" 1/2-1/2 ",
    b" * ",
    b"[%clk 9:99:99]",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xe2\x99\x98",
    b"\xc2\xbd-\xc2\xbd",
];

const TOML_WORDS: &[&[u8]] = &[
    b"[options]\n",
    b"[profiles.x]\n",
    b"[[profiles]]\n",
    b"Hash = ",
    b"competence = ",
    b"depth = ",
    b"mix = [",
    b"{",
    b"}",
    b"[",
    b"]",
    b"a.",
    b"a.a.a.a.",
    b"= 1\n",
    b"\"",
    b"'''",
    b"\"\"\"",
    b"#",
    b"inf",
    b"nan",
    b"-0.0",
    b"1e999",
    b"0xffffffffffffffff",
    b"9223372036854775808",
    b"true",
    b"profile = \"mine\", weight = ",
    b"weights = [",
    b"1979-05-27T07:32:00Z",
    b"\\u0000",
];
