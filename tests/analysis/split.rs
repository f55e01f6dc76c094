//! The `split` command, tested by running the program.

use std::io::Write as _;

use crate::common::{Finished, Folder, run_with_input};
use flate2::{Compression, write::GzEncoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::Value as Json;

/// A game with a comment and a variation.
fn game(number: usize) -> String {
    format!(
        "[Event \"Open\"]\r\n[Round \"{number}\"]\r\n[White \"P{}\"]\r\n[Black \"M\u{fc}ller\"]\r\n\
         [WhiteElo \"{}\"]\r\n[BlackElo \"2000\"]\r\n[TimeControl \"180+0\"]\r\n\r\n\
         1. e4 {{a comment, {number}}} e5 (1... c5) 2. Nf3 {{[%clk 0:03:00]}} Nc6 3. Bb5 a6 \
         4. Ba4 Nf6 5. O-O Be7\r\n\r\n",
        number % 3,
        1900 + 10 * number
    )
}

/// Games in Latin-1 with Windows line endings. One is in the file twice, and some have no result.
fn games() -> Vec<u8> {
    let mut text: String = (0..20).map(game).collect();
    text += &game(7);
    text += "[Event \"a\"]\n[White \"P1\"]\n\n1. d4 d5 2. c4 e6 3. Nc3 *\n\n1. c4 c5 2. Nc3 * 1. f4 d5 *\n";
    text.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin-1")).collect()
}

fn run(folder: &Folder, words: &[&str], input: &[u8]) -> Finished {
    run_with_input(folder, words, input)
}

fn write(folder: &Folder, name: &str, bytes: &[u8]) {
    std::fs::write(folder.path().join(name), bytes).expect("it can be written");
}

fn read(folder: &Folder, name: &str) -> Vec<u8> {
    std::fs::read(folder.path().join(name)).expect("it was written")
}

#[test]
fn the_parts_of_a_compressed_file_are_its_shards() {
    let folder = Folder::new();
    write(&folder, "games.pgn", &games());
    // Two frames, like those that parallel compressors write.
    let text = games();
    let (first, second) = text.split_at(text.len() / 2);
    let packed = [first, second].map(|half| compress_to_vec(half, CompressionLevel::Fastest));
    write(&folder, "games.pgn.zst", &packed.concat());
    let words = ["split", "games.pgn.zst", "--parts", "3", "--out", "part-{}.pgn"];
    let split = run(&folder, &words, b"");
    assert_eq!(split.code, 0, "{}", split.error);
    assert!(split.error.contains("24 of 24 games selected"), "{}", split.error);
    let measure = |games: &str, shard: &str, to: &str| {
        // On this scale, no policy network is needed.
        let scale = "Regan-Fitted";
        let words =
            ["analyse", games, "--depth", "1", "--skip", "1", "--scale", scale, "--shard", shard];
        let finished = run(&folder, &[&words[..], &["--statistics", to]].concat(), b"");
        assert_eq!(finished.code, 0, "{}", finished.error);
        read(&folder, to)
    };
    for shard in ["1/3", "2/3", "3/3"] {
        let part = format!("part-{}.pgn", &shard[..1]);
        assert_eq!(measure(&part, shard, "a.stats"), measure("games.pgn", shard, "b.stats"));
        let text = String::from_utf8(read(&folder, &part)).expect("UTF-8");
        assert!(text.contains("M\u{fc}ller") && text.contains("{a comment, "), "{text}");
        assert!(text.contains("(1... c5)"), "{text}");
    }
    // All parts together contain the same games as the whole.
    let parts: Vec<u8> =
        (1..=3).flat_map(|part| read(&folder, &format!("part-{part}.pgn"))).collect();
    write(&folder, "joined.pgn", &parts);
    assert_eq!(measure("joined.pgn", "1/1", "a.stats"), measure("games.pgn", "1/1", "b.stats"));
}

#[test]
fn games_without_a_blank_line_between_them_keep_their_comments() {
    let folder = Folder::new();
    let text = "1. e4 {keep} e5 1-0\n1. d4 (1. c4) d5 0-1 1. c4 $1 *\n";
    let split = run(&folder, &["split", "-"], text.as_bytes());
    assert_eq!(
        split.out, "1. e4 {keep} e5 1-0\n\n1. d4 (1. c4) d5 0-1\n\n1. c4 $1 *\n\n",
        "{}",
        split.error
    );
}

#[test]
fn a_truncated_file_is_reported_as_corrupt() {
    let folder = Folder::new();
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(&games()).expect("there is memory");
    let packed = packer.finish().expect("there is memory");
    write(&folder, "games.pgn.gz", &packed[..packed.len() - 20]);
    for words in [&["split", "games.pgn.gz"][..], &["rate", "games.pgn.gz", "--depth", "1"]] {
        let finished = run(&folder, words, b"");
        assert_eq!(finished.code, 2, "{words:?}");
        let advice = "the compressed file is corrupt or incomplete; download or copy it again";
        assert_eq!(finished.error.matches(advice).count(), 1, "{words:?}: {}", finished.error);
        assert!(!finished.error.contains("--tolerate"), "{words:?}: {}", finished.error);
    }
    // The games before the gap can still be used.
    let kept = run(&folder, &["split", "games.pgn.gz", "--tolerate", "1"], b"");
    assert_eq!(kept.code, 0, "{}", kept.error);
}

#[test]
fn games_are_selected_and_named_in_json() {
    let folder = Folder::new();
    let text = [&games()[..], b"[Event \"b\"]\n1. e4 {unclosed\n"].concat();
    let words = ["split", "-", "--json", "--parts", "4", "--time-control", "blitz"];
    let words = [&words[..], &["--min-rating", "2000", "--max-rating", "2050"]].concat();
    let found = run(&folder, &words, &text);
    assert_eq!(found.code, 0, "{}", found.error);
    let parse = |line: &str| serde_json::from_str::<Json>(line).expect(line);
    let lines: Vec<Json> = found.out.lines().map(parse).collect();
    assert_eq!(lines.len(), 7, "{lines:?}");
    let (error, games) = lines.split_last().expect("there are lines");
    assert_eq!(error["error"], "this comment is never closed; the game was skipped");
    assert!(error["line"].as_u64().is_some_and(|line| line > 200), "{error}");
    for game in games {
        assert!(game["pgn"].as_str().is_some_and(|pgn| pgn.starts_with("[Event \"Open\"]")));
        assert!(game["part"].as_u64().is_some_and(|part| (1..=4).contains(&part)), "{game}");
        assert_eq!(game["fingerprint"].as_str().map(str::len), Some(16));
        assert_eq!(game["line"].as_u64().map(|line| line % 10), Some(1), "{game}");
    }
    // Without JSON, an unreadable game is an error, and no file is written.
    let words = ["split", "-", "--out", "all.pgn"];
    let refused = run(&folder, &words, &text);
    assert_eq!(refused.code, 2);
    assert!(refused.error.contains("standard input:"), "{}", refused.error);
    assert!(refused.error.contains("use --tolerate 1"), "{}", refused.error);
    assert!(!folder.path().join("all.pgn").exists());
    assert_eq!(run(&folder, &[&words[..], &["--tolerate", "1"]].concat(), &text).code, 0);
    for (words, complaint) in [
        (&["--parts", "2"][..], "add --out part-{}.pgn"),
        (&["--parts", "2", "--out", "part.pgn"], "--out needs {}"),
        (&["--parts", "2000", "--out", "{}.pgn"], "at most 1000 files"),
        (&["--time-control", "fast"], "ultrabullet"),
        (&["--since", "January"], "write a date"),
        (&["--since", "2020.13.45"], "months go from 01 to 12"),
        (&["--since", "2020.02", "--until", "2020.01"], "--since 2020.02 is after --until 2020.01"),
        (
            &["--min-rating", "2000", "--max-rating", "1000"],
            "--min-rating 2000 is above --max-rating 1000",
        ),
    ] {
        let refused = run(&folder, &[&["split", "-"], words].concat(), &text);
        assert_eq!(refused.code, 2, "{words:?}");
        assert!(refused.error.contains(complaint), "{words:?}: {}", refused.error);
    }
    // A sample is always the same. If nothing is selected, the exit code says so.
    let sample = || run(&folder, &["split", "-", "--one-in", "3", "--tolerate", "1"], &text).out;
    assert!(!sample().is_empty() && sample() == sample());
    assert_eq!(run(&folder, &["split", "-", "--title", "GM", "--tolerate", "1"], &text).code, 1);
}
