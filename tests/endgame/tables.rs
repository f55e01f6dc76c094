//! The tables that we build are exact, detect corruption, and agree with the literature.
//! `stopdown-lab endgame verify` compares them with Syzygy tables.

use std::fs;
use std::io::{Read, Write};
use std::sync::{Arc, LazyLock};

use crate::common::Folder;
use stopdown::board::{Colour, Position};
use stopdown::endgame::{
    BackgroundBuilder, BuildError, BuildObserver, Cell, Cells, EndgameTable, Layout, Material,
    Metric, Outcome, Syzygy, TableResult, Tables, build, plan,
};

fn build_tables(tables: &Tables, names: &[&str], metrics: &[Metric]) {
    let materials = names.iter().map(|name| name.parse::<Material>().expect(name));
    let jobs = plan(tables, materials, metrics);
    build(tables, &jobs, 2, &()).expect("small tables can be made");
}

/// Small tables in all metrics, shared by the tests.
static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let tables = Tables::in_memory();
    build_tables(&tables, &["KQK", "KRK", "KPK", "KBBK", "KBNK", "KQKR"], &Metric::ALL);
    tables
});

/// KPKP as a pawn race: after any capture or promotion, the side with more pieces wins. Looking up
/// the real results would need half of all four-piece tables, and the code under test does not
/// depend on them.
static RACE: LazyLock<Tables> = LazyLock::new(|| {
    let tables = Tables::in_memory();
    let kpkp: Material = "KPKP".parse().expect("a material");
    for material in kpkp.conversions().into_iter().filter(|material| material.is_tabulated()) {
        let layout = Layout::new(material);
        let is_even = material.counts(Colour::White) == material.counts(Colour::Black);
        let cells = Cells::pack(2 * layout.size, |index| match index < layout.size {
            _ if is_even => Cell::DRAW,
            true => Cell::of(Outcome::Win(1)),
            false => Cell::of(Outcome::Loss(2)),
        });
        tables.insert(EndgameTable::new(layout, Metric::Dtc, cells));
    }
    build_tables(&tables, &["KPKP"], &[Metric::Dtc, Metric::Dtz]);
    tables
});

fn position(fen: &str) -> Position {
    Position::from_fen(fen, false).expect(fen)
}

#[test]
fn the_longest_wins_match_the_literature() {
    for (name, metric, moves) in [
        ("KQK", Metric::Dtm, 10),
        ("KRK", Metric::Dtm, 16),
        ("KPK", Metric::Dtm, 28),
        ("KBBK", Metric::Dtm, 19),
        ("KBNK", Metric::Dtm, 33),
        ("KQKR", Metric::Dtm, 35),
        ("KQKR", Metric::Dtc, 31),
    ] {
        let material = name.parse().expect(name);
        let table = TABLES.table(material, metric).expect("it was made");
        assert_eq!(table.longest.div_ceil(2), moves, "{name} in {metric}");
    }
}

/// The value of a position follows from its best move, in every metric and for both sides.
#[test]
fn a_depth_is_one_more_than_after_the_best_move() {
    for name in ["KQK", "KRK", "KPK", "KBBK", "KBNK", "KQKR", "KPKP"] {
        for metric in Metric::ALL {
            let material: Material = name.parse().expect(name);
            let tables: &Tables = if name == "KPKP" { &RACE } else { &TABLES };
            let Some(table) = tables.table(material, metric) else { continue };
            for entry in table.entries().step_by(if material.pieces() == 3 { 7 } else { 1499 }) {
                let fen = table.layout.fen(&entry.squares, entry.turn);
                let position = position(&fen);
                let moves = position.legal_moves().into_iter();
                let values =
                    moves.map(|m| tables.value_of(&position, m, metric).expect("all are made"));
                let stuck = if position.in_check() { Outcome::Loss(0) } else { Outcome::Draw };
                let best = values.reduce(Outcome::better).unwrap_or(stuck);
                assert_eq!(entry.outcome, best, "{fen} in {metric}");
                assert_eq!(tables.probe(&position, metric), Some(best), "{fen} in {metric}");
            }
        }
    }
}

#[test]
fn colours_and_reflections_do_not_matter() {
    for (fen, other) in [
        ("8/8/8/8/Q7/5k2/8/K3r3 w - - 0 1", "k3R3/8/5K2/q7/8/8/8/8 b - - 0 1"),
        ("8/8/8/8/Q7/5k2/8/K3r3 w - - 0 1", "8/8/2k5/r7/8/8/8/K2Q4 w - - 0 1"),
        ("8/8/8/1k6/8/8/K5P1/8 w - - 0 1", "8/k5p1/8/8/1K6/8/8/8 b - - 0 1"),
        ("8/8/8/1k6/8/8/K5P1/8 w - - 0 1", "8/8/8/6k1/8/8/1P5K/8 w - - 0 1"),
    ] {
        for metric in Metric::ALL {
            let here = TABLES.probe(&position(fen), metric);
            assert!(here.is_some());
            assert_eq!(here, TABLES.probe(&position(other), metric), "{fen} {other}");
        }
    }
}

#[test]
fn en_passant_is_considered() {
    // Capturing en passant is the only way not to lose the race.
    let with = position("8/8/8/k7/5pP1/8/8/K7 b - g3 0 1");
    let without = position("8/8/8/k7/5pP1/8/8/K7 b - - 0 1");
    let [with, without] = [with, without].map(|p| RACE.probe(&p, Metric::Dtc).expect("made"));
    assert_eq!(with.result(), TableResult::Win);
    assert_ne!(with, without);
}

#[test]
fn positions_without_a_table_have_no_answer() {
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "8/8/8/8/8/2k5/8/K2R1R2 w - - 0 1",
        "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1",
        "qqqqk3/8/8/8/8/8/8/K7 w - - 0 1",
    ] {
        assert_eq!(TABLES.probe(&position(fen), Metric::Dtm), None, "{fen}");
        assert!(TABLES.report(&position(fen)).is_none(), "{fen}");
    }
    let bare = position("8/8/8/8/8/2k5/8/K7 w - - 0 1");
    assert_eq!(TABLES.probe(&bare, Metric::Dtz), Some(Outcome::Draw));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let cells = |threads| {
        let tables = Tables::in_memory();
        let jobs = plan(&tables, ["KPK".parse().expect("a material")], &Metric::ALL);
        build(&tables, &jobs, threads, &()).expect("KPK can be made");
        Metric::ALL.map(|metric| {
            let table = tables.table("KPK".parse().expect("a material"), metric);
            table.expect("it was made").cells.clone()
        })
    };
    assert_eq!(cells(1), cells(3));
}

#[test]
fn a_saved_table_is_loaded_and_a_damaged_one_is_set_aside() {
    let folder = Folder::new();
    let kqk: Material = "KQK".parse().expect("a material");
    build_tables(&Tables::in_directory(folder.path()), &["KQK"], &[Metric::Dtm]);
    let again = Tables::in_directory(folder.path());
    let table = again.table(kqk, Metric::Dtm).expect("it was saved");
    assert_eq!(table.cells, TABLES.table(kqk, Metric::Dtm).expect("it was made").cells);
    assert!(plan(&again, [kqk], &[Metric::Dtm]).is_empty());

    let path = folder.path().join("KQK.dtm");
    let whole = fs::read(&path).expect("it was saved");
    let mut flipped = whole.clone();
    flipped[5_000] ^= 4;
    let mut later = whole.clone();
    later[8] = 99;
    let damages: [(&[u8], &str); 5] = [
        (&flipped, "checksum"),
        (&whole[..whole.len() - 1], "wrong length"),
        (&whole[..20], "ends in its header"),
        (&later, "of version 99"),
        (b"something else entirely", "not a table file from this program"),
    ];
    for (count, (content, word)) in damages.into_iter().enumerate() {
        fs::write(&path, content).expect("the directory is writable");
        let tables = Tables::in_directory(folder.path());
        assert!(tables.table(kqk, Metric::Dtm).is_none());
        assert!(tables.table(kqk, Metric::Dtm).is_none());
        let notices = tables.take_notices();
        assert_eq!(notices.len(), 1, "not reported exactly once: {notices:?}");
        assert!(notices[0].contains(word) && notices[0].contains("KQK.dtm"), "{notices:?}");
        let aside = folder.path().join(format!("KQK.dtm.unusable-{}", count + 1));
        assert_eq!(fs::read(aside).expect("set aside"), content, "the old file was changed");
        build_tables(&tables, &["KQK"], &[Metric::Dtm]);
        assert_eq!(fs::read(&path).expect("made again"), whole);
    }
}

#[test]
fn a_damaged_block_is_detected_when_read() {
    let folder = Folder::new();
    build_tables(&Tables::in_directory(folder.path()), &["KQK"], &[Metric::Dtm]);
    let path = folder.path().join("KQK.dtm");
    let mut bytes = fs::read(&path).expect("it was saved");
    *bytes.last_mut().expect("it is not empty") ^= 1;
    fs::write(&path, &bytes).expect("the directory is writable");
    let tables = Tables::in_directory(folder.path());
    let probe = |fen: &str| tables.probe(&position(fen), Metric::Dtm);
    // Probes the first block, then the corrupt last block, then the first block again.
    assert_eq!(probe("8/8/8/8/8/2k5/8/K6Q w - - 0 1").map(Outcome::result), Some(TableResult::Win));
    assert!(tables.take_notices().is_empty());
    assert_eq!(probe("8/8/8/8/3K4/1k6/8/7Q w - - 0 1"), None);
    assert_eq!(probe("8/8/8/8/8/2k5/8/K6Q w - - 0 1"), None, "a corrupt table was probed");
    let notices = tables.take_notices();
    assert!(notices.len() == 1 && notices[0].contains("checksum"), "{notices:?}");
    assert_eq!(fs::read(folder.path().join("KQK.dtm.unusable-1")).expect("set aside"), bytes);
}

#[test]
fn every_changed_byte_is_detected() {
    let folder = Folder::new();
    let krk: Material = "KRK".parse().expect("a material");
    build_tables(&Tables::in_directory(folder.path()), &["KRK"], &[Metric::Dtc]);
    let path = folder.path().join("KRK.dtc");
    let whole = fs::read(&path).expect("it was saved");
    for place in (0..200).chain((200..whole.len()).step_by(97)) {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x55;
        fs::write(&path, &bytes).expect("the directory is writable");
        let tables = Tables::in_directory(folder.path());
        assert!(tables.table(krk, Metric::Dtc).is_none(), "byte {place}");
        assert_eq!(tables.take_notices().len(), 1, "byte {place}");
        let aside = folder.path().join("KRK.dtc.unusable-1");
        fs::remove_file(aside).expect("it was set aside");
    }
}

/// Changes the index and the model of a table, and recomputes the header checksum.
fn with_head(whole: &[u8], change: impl FnOnce(&mut Vec<u8>, &mut Vec<u8>)) -> Vec<u8> {
    const HEADER: usize = 39;
    let length = u32::from_le_bytes(whole[31..35].try_into().expect("four bytes")) as usize;
    let (head, blocks) = whole[HEADER..].split_at(length);
    // The model is deflated and starts with these bytes.
    let model = head.windows(2).rposition(|two| two == b"\x78\xda").expect("a model");
    let (index, model) = head.split_at(model);
    let (mut index, mut numbers) = (index.to_vec(), Vec::new());
    flate2::read::ZlibDecoder::new(model).read_to_end(&mut numbers).expect("a model");
    change(&mut index, &mut numbers);
    let mut deflated = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    deflated.write_all(&numbers).expect("memory can be written to");
    let head = [index, deflated.finish().expect("memory can be written to")].concat();
    let mut bytes = whole[..31].to_vec();
    bytes.extend((head.len() as u32).to_le_bytes());
    let mut sum = flate2::Crc::new();
    sum.update(&bytes);
    sum.update(&head);
    bytes.extend(sum.sum().to_le_bytes());
    [bytes, head, blocks.to_vec()].concat()
}

#[test]
fn valid_checksums_do_not_make_a_table_valid() {
    let folder = Folder::new();
    let kqk: Material = "KQK".parse().expect("a material");
    build_tables(&Tables::in_directory(folder.path()), &["KQK"], &[Metric::Dtm]);
    let path = folder.path().join("KQK.dtm");
    let whole = fs::read(&path).expect("it was saved");
    let refused = |bytes: &[u8], length: u64, word: &str| {
        fs::write(&path, bytes).expect("the directory is writable");
        let file = fs::File::options().write(true).open(&path).expect("writable");
        // Unwritten parts of a sparse file need no disk space.
        file.set_len(length.max(bytes.len() as u64)).expect("writable");
        let tables = Tables::in_directory(folder.path());
        assert!(tables.table(kqk, Metric::Dtm).is_none(), "{word}");
        let notices = tables.take_notices();
        assert!(notices.len() == 1 && notices[0].contains(word), "{notices:?}");
    };
    // An unchanged table is accepted.
    fs::write(&path, with_head(&whole, |_, _| ())).expect("the directory is writable");
    assert!(Tables::in_directory(folder.path()).table(kqk, Metric::Dtm).is_some());
    // A header or block that is too long for this table is not read.
    let mut endless = whole.clone();
    endless[31..35].copy_from_slice(&u32::MAX.to_le_bytes());
    refused(&endless, 39 + u64::from(u32::MAX), "wrong size");
    let mut long = whole.clone();
    let vast = 1_u32 << 30;
    long.truncate(long.len() - last_block(&whole));
    let long = with_head(&long, |index, _| {
        let at = index.len() - 8;
        index[at..at + 4].copy_from_slice(&vast.to_le_bytes());
    });
    refused(&long, long.len() as u64 + u64::from(vast), "a block is too long");
    // No ending has depths as large as these, and counting from them would overflow.
    for code in [u16::MAX, u16::MAX - 1, 1 << 14] {
        let deep = with_head(&whole, |_, model| model[4..6].copy_from_slice(&code.to_le_bytes()));
        refused(&deep, 0, "statistics cannot be read");
    }
}

/// The length of the last block.
fn last_block(whole: &[u8]) -> usize {
    let length = u32::from_le_bytes(whole[31..35].try_into().expect("four bytes")) as usize;
    let head = &whole[39..39 + length];
    let model = head.windows(2).rposition(|two| two == b"\x78\xda").expect("a model");
    u32::from_le_bytes(head[model - 8..model - 4].try_into().expect("four bytes")) as usize
}

#[test]
fn probing_by_blocks_equals_probing_whole_tables() {
    let folder = Folder::new();
    let names = ["KPK", "KQKR"];
    build_tables(&Tables::in_directory(folder.path()), &names, &[Metric::Dtc]);
    let small = Tables::in_directory(folder.path()).compressed();
    for name in names {
        let whole = TABLES.table(name.parse().expect(name), Metric::Dtc).expect("it was made");
        for entry in whole.entries().step_by(397) {
            let position = position(&whole.layout.fen(&entry.squares, entry.turn));
            assert_eq!(small.probe(&position, Metric::Dtc), Some(entry.outcome), "{position:?}");
        }
    }
    let made_small = Arc::new(Tables::in_memory().compressed());
    let builder = BackgroundBuilder::open(made_small.clone());
    let kpk: Material = "KPK".parse().expect("a material");
    builder.order(kpk, &Metric::ALL);
    builder.finish();
    for metric in Metric::ALL {
        let [one, other] = [&*made_small, &*TABLES].map(|t| t.table(kpk, metric).expect("made"));
        assert_eq!(one.cells, other.cells, "built from compressed tables, in {metric}");
    }
}

#[test]
fn only_blocks_that_can_be_reread_are_evicted() {
    let folder = Folder::new();
    let [kqk, krk] = ["KQK", "KRK"].map(|name| name.parse::<Material>().expect(name));
    let saved = Tables::in_directory(folder.path());
    build_tables(&saved, &["KQK", "KRK"], &[Metric::Dtm]);
    let loaded = |tables: &Tables, material| tables.table(material, Metric::Dtm).expect("made");
    let before = [kqk, krk].map(|material| loaded(&saved, material));
    saved.release(|key| key.material == krk);
    let after = [kqk, krk].map(|material| loaded(&saved, material));
    assert_eq!(before[0].cells, after[0].cells, "the table read again differs");
    let is_same = |place: usize| std::sync::Arc::ptr_eq(&before[place], &after[place]);
    assert!(!is_same(0) && is_same(1), "the wrong table was evicted");
    TABLES.release(|_| false);
    assert!(TABLES.table(kqk, Metric::Dtm).is_some(), "a table without a file was evicted");
}

#[test]
fn an_unwritable_directory_is_refused_before_the_build() {
    let folder = Folder::new();
    let file = folder.path().join("a-file");
    fs::write(&file, "not a directory").expect("the directory is writable");
    let tables = Tables::in_directory(&file);
    let jobs = plan(&tables, ["KQK".parse().expect("a material")], &[Metric::Dtm]);
    let error = build(&tables, &jobs, 1, &()).expect_err("a file is not a directory");
    assert!(matches!(error, BuildError::File(_)), "{error}");
    assert!(error.to_string().contains("a-file"), "{error}");
}

#[test]
fn an_unsaved_table_stays_in_memory() {
    let folder = Folder::new();
    // A folder with the file's name makes saving fail, as on a full disk.
    fs::create_dir_all(folder.path().join("KQK.dtm/in-the-way"))
        .expect("the directory is writable");
    let tables = Tables::in_directory(folder.path());
    let kqk: Material = "KQK".parse().expect("a material");
    let jobs = plan(&Tables::in_memory(), [kqk], &[Metric::Dtm]);
    let error = build(&tables, &jobs, 1, &()).expect_err("it cannot be saved");
    assert!(error.to_string().contains("KQK.dtm"), "{error}");
    assert!(error.to_string().contains("the table was not saved"), "{error}");
    assert!(tables.table(kqk, Metric::Dtm).is_some(), "the table is not in memory");
    assert_eq!(fs::read_dir(folder.path()).expect("it exists").count(), 1, "another file was left");
}

#[test]
fn a_table_built_meanwhile_by_another_program_is_used() {
    let folder = Folder::new();
    let kqk: Material = "KQK".parse().expect("a material");
    let [ours, theirs] = [(); 2].map(|()| Tables::in_directory(folder.path()));
    let jobs = plan(&ours, [kqk], &[Metric::Dtm]);
    assert_eq!(jobs.len(), 1);
    build_tables(&theirs, &["KQK"], &[Metric::Dtm]);
    let saved =
        fs::metadata(folder.path().join("KQK.dtm")).and_then(|m| m.modified()).expect("saved");
    build(&ours, &jobs, 1, &()).expect("there is nothing to do");
    let now =
        fs::metadata(folder.path().join("KQK.dtm")).and_then(|m| m.modified()).expect("saved");
    assert_eq!(saved, now, "the file was written again");
    // Two builds at the same time produce one complete table.
    let both = Folder::new();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                build_tables(&Tables::in_directory(both.path()), &["KQK"], &[Metric::Dtm])
            });
        }
    });
    assert!(Tables::in_directory(both.path()).table(kqk, Metric::Dtm).is_some());
    assert_eq!(fs::read_dir(both.path()).expect("it exists").count(), 1);
}

#[test]
fn a_stopped_build_leaves_no_partial_table() {
    struct Impatient;
    impl BuildObserver for Impatient {
        fn is_stopped(&self) -> bool {
            true
        }
    }
    let folder = Folder::new();
    let tables = Tables::in_directory(folder.path());
    let jobs = plan(&tables, ["KQK".parse().expect("a material")], &[Metric::Dtm]);
    assert!(matches!(build(&tables, &jobs, 2, &Impatient), Err(BuildError::Stopped(_))));
    assert_eq!(fs::read_dir(folder.path()).expect("it exists").count(), 0);
}

#[test]
fn a_bad_syzygy_path_is_reported_once_and_harmless() {
    let folder = Folder::new();
    fs::write(folder.path().join("KQvK.rtbw"), b"too short").expect("the directory is writable");
    let paths = format!("{};/nowhere/at/all", folder.path().display());
    let syzygy = Syzygy::open(&paths, 7, true);
    let notices = syzygy.take_notices();
    assert_eq!(notices.len(), 2, "{notices:?}");
    assert!(notices[0].contains("KQvK.rtbw") && notices[1].contains("nowhere"), "{notices:?}");
    let won = position("8/8/8/8/8/2k5/8/K2Q4 w - - 0 1");
    assert_eq!(syzygy.result(&won), None);
    assert_eq!(syzygy.report(&won), None);
    assert!(syzygy.take_notices().is_empty());
    assert_eq!(Syzygy::open("<empty>", 7, true).take_notices(), Vec::<String>::new());
    assert_eq!(won.turn(), Colour::White);
}
