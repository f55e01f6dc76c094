//! Human choices are extracted and evaluated: records are complete, each game is used once, and no
//! work is repeated.

#[path = "../../../tests/common/mod.rs"]
mod common;

use common::{Folder, run_with_input};
use stopdown_lab::tune::choices::{HumanChoice, RECORD};

const GAMES: &str = "[White \"A\"]\n[Black \"B\"]\n[WhiteElo \"1400\"]\n[BlackElo \"1510\"]\n[Site \"https://lichess.org/x\"]\n\
    [TimeControl \"180+2\"]\n[CollectorSide \"b\"]\n\n\
    1. e4 {[%clk 0:03:00]} e5 {[%clk 0:02:59]} 2. Nf3 {[%clk 0:00:29]} Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O f6 6. d4 *\n\n\
    [White \"A\"]\n[WhiteElo \"2000\"]\n\n\
    1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O f6 6. d4 *\n\n\
    [White \"C\"]\n[WhiteElo \"2610\"]\n[BlackElo \"?\"]\n\n\
    1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 6. Nf3 *\n\n\
    [White \"D\"]\n[WhiteElo \"2610\"]\n\n1. e4 e5 1-0\n";

fn choices(folder: &Folder, file: &str) -> Vec<HumanChoice> {
    let bytes = std::fs::read(folder.path().join(file)).expect("it was written");
    assert!(bytes.len().is_multiple_of(RECORD));
    let read = |record: &[u8; RECORD]| HumanChoice::from_bytes(record).expect("a complete record");
    bytes.as_chunks::<RECORD>().0.iter().map(read).collect()
}

fn gathered() -> Folder {
    let folder = Folder::new();
    let games = folder.write("games.pgn", GAMES);
    let made = run_with_input(&folder, &["tune", "choices", "choices.bin", &games], b"");
    assert_eq!(made.code, 0, "{}", made.error);
    assert!(
        made.out.contains("from 2 games in choices.bin; 1 duplicate and 1 unusable game skipped"),
        "{}",
        made.out
    );
    folder
}

#[test]
fn every_choice_of_a_side_with_a_rating_is_kept_once() {
    let folder = gathered();
    let choices = choices(&folder, "choices.bin");
    // Both sides in the first game, and only White in the third.
    assert_eq!(choices.len(), 11 + 6);
    let third = &choices[2];
    assert_eq!((third.setting.rating, third.opponent, third.ply), (1400.0, 1510, 2));
    assert_eq!((third.clock, choices[4].clock, choices[0].clock), (Some(180), Some(29), None));
    assert!(!third.is_collector && choices[3].is_collector);
    assert_eq!(format!("{:?}", third.setting.pool), "Blitz");
    assert_eq!(format!("{:?}", choices[11].setting.pool), "Board");
    assert_ne!(third.game, choices[11].game);
    let played = third.steps[usize::from(third.chosen)];
    assert_eq!((played.from, played.to), (6, 21));
    assert!(choices.iter().all(|choice| choice.view.position().is_some()));
}

#[test]
fn compact_games_give_the_same_choices() {
    let folder = gathered();
    for words in [
        ["tune", "choices", "games.bin", "games.pgn", "--compact"],
        ["tune", "choices", "again.bin", "games.bin", "games.pgn"],
    ] {
        let made = run_with_input(&folder, &words, b"");
        assert_eq!(made.code, 0, "{}", made.error);
    }
    assert_eq!(choices(&folder, "again.bin"), choices(&folder, "choices.bin"));
    let games = std::fs::read(folder.path().join("games.bin")).expect("it was written");
    std::fs::write(folder.path().join("torn.bin"), &games[..games.len() - 1]).expect("writable");
    let torn = run_with_input(&folder, &["tune", "choices", "new.bin", "torn.bin"], b"");
    assert!(torn.code == 2 && torn.error.contains("torn.bin"), "{}", torn.error);
}

#[test]
fn ratings_of_new_players_and_programs_are_ignored() {
    let folder = Folder::new();
    let game = |tags: &str, third: &str| {
        format!(
            "[Site \"https://lichess.org/x\"]\n[TimeControl \"180+2\"]\n[WhiteElo \"1400\"]\n{tags}\n\n\
             1. e4 e5 2. Nf3 Nc6 3. {third} a6 4. a4 d6 5. h3 f6 6. d4 *\n\n"
        )
    };
    let games = [
        game("[BlackElo \"1500\"]", "Bb5"),
        game("[BlackElo \"1700\"]\n[BlackRatingDiff \"+150\"]", "Bc4"),
        game("[BlackElo \"1700\"]\n[BlackProvisional \"1\"]", "Be2"),
        game("[BlackElo \"1700\"]\n[BlackTitle \"BOT\"]", "c3"),
        game("[BlackElo \"1500\"]\n[BlackRatingDiff \"-6\"]", "d3"),
    ];
    let games = folder.write("games.pgn", &games.concat());
    let made = run_with_input(&folder, &["tune", "choices", "choices.bin", &games], b"");
    assert_eq!(made.code, 0, "{}", made.error);
    let choices = choices(&folder, "choices.bin");
    // White's six moves in each of five games, and Black's five moves in the last game.
    assert_eq!(choices.len(), 5 * 6 + 5);
    assert_eq!(choices.iter().filter(|choice| choice.setting.rating == 1500.0).count(), 5);
}

#[test]
fn an_interrupted_evaluation_resumes() {
    let folder = gathered();
    let value = |to: &str| {
        let words = ["tune", "values", "choices.bin", to, "--depth", "2"];
        let made = run_with_input(&folder, &words, b"");
        assert_eq!(made.code, 0, "{}", made.error);
        assert!(made.out.starts_with("17 choices have evaluations"), "{}", made.out);
        std::fs::read(folder.path().join(to)).expect("it was written")
    };
    let whole = value("values.bin");
    let count = usize::from(whole[0]);
    assert_eq!((count, whole[1]), (20, 2));
    assert_eq!(value("values.bin"), whole);
    // The file is truncated within a record, which may be the first.
    let made = |name: &str| folder.path().join(format!("{name}.bin.made"));
    for length in [1, 2, 3, 2 + 4 * 20 * 2 - 1, whole.len() / 2] {
        std::fs::write(folder.path().join("torn.bin"), &whole[..length]).expect("writable");
        std::fs::copy(made("values"), made("torn")).expect("the .made file exists");
        assert_eq!(value("torn.bin"), whole, "{length} bytes were left");
    }
}

#[test]
fn inputs_and_foreign_files_are_never_overwritten() {
    let folder = gathered();
    let compact = ["tune", "choices", "games.bin", "games.pgn", "--compact"];
    assert_eq!(run_with_input(&folder, &compact, b"").code, 0);
    let games = std::fs::read(folder.path().join("games.pgn")).expect("it exists");
    folder.write("more.pgn", GAMES);
    let packed = folder.path().join("games.pgn.zst");
    std::fs::write(&packed, [0x28, 0xb5, 0x2f, 0xfd, 0, 1, 2, 3]).expect("writable");
    for (words, why) in [
        (&["choices", "games.pgn", "more.pgn"][..], "did not make it"),
        (&["choices", "games.pgn.zst", "more.pgn"], "did not make it"),
        (&["traits", "games.pgn", "more.pgn"], "did not make it"),
        (&["choices", "games.pgn", "games.pgn"], "is also an input"),
        (
            &["values", "choices.bin", "games.pgn", "--depth", "1"],
            "does not have evaluations of these choices",
        ),
        (
            &["values", "choices.bin", "choices.bin", "--depth", "1"],
            "does not have evaluations of these choices",
        ),
        (&["values", "games.pgn", "new.bin", "--depth", "1"], "does not have choices"),
        (&["values", "games.bin", "new.bin", "--depth", "1"], "does not have choices"),
        (&["net", "choices.bin", "--out", "choices.bin"], "is also an input"),
        (&["net", "choices.bin", "--out", "learning.svg"], "a different extension"),
        (&["net", "choices.bin", "--out", "new.bin", "--epochs", "0"], "--epochs"),
        (&["winning", "choices.bin", "--out", "choices.bin"], "is also an input"),
    ] {
        let before = std::fs::read(folder.path().join("choices.bin")).expect("it exists");
        let finished = run_with_input(&folder, &[&["tune"], words].concat(), b"");
        assert!(finished.code == 2 && finished.error.contains(why), "{words:?} {}", finished.error);
        assert_eq!(std::fs::read(folder.path().join("games.pgn")).expect("kept"), games);
        assert_eq!(std::fs::read(folder.path().join("choices.bin")).expect("kept"), before);
        assert_eq!(std::fs::read(&packed).expect("kept").len(), 8);
        assert!(!folder.path().join("new.bin").exists(), "{words:?}");
    }
    // The command's own files are replaced.
    for name in ["choices.bin", "games.bin"] {
        let again = run_with_input(&folder, &["tune", "choices", name, "games.pgn"], b"");
        assert_eq!(again.code, 0, "{}", again.error);
    }
    // The file is shorter than the header of a positions file, but it is not left over from a
    // killed run.
    folder.write("notes.txt", "a few words");
    let finished = run_with_input(
        &folder,
        &["tune", "data", "notes.txt", "--games", "1", "--nodes", "1"],
        b"",
    );
    assert!(finished.error.contains("no positions from this version"), "{}", finished.error);
    let notes = std::fs::read_to_string(folder.path().join("notes.txt")).expect("kept");
    assert_eq!(notes, "a few words");
    // Values for a different depth are not mixed in.
    let value = |depth: &str| {
        run_with_input(&folder, &["tune", "values", "choices.bin", "v.bin", "--depth", depth], b"")
    };
    assert_eq!(value("1").code, 0);
    assert!(value("2").error.contains("at depths up to 2"));
    // Values from a different network are not mixed in either.
    folder.write("v.bin.made", "weights 0, bench 1, 16 MiB");
    let other = value("1");
    assert!(other.code == 2 && other.error.contains("by weights 0"), "{}", other.error);
}

#[test]
fn evaluations_that_another_run_is_writing_are_left_alone() {
    let folder = gathered();
    let path = folder.path().join("values.bin");
    let file = std::fs::File::create(&path).expect("writable");
    file.try_lock().expect("it is free");
    let words = ["tune", "values", "choices.bin", "values.bin", "--depth", "1"];
    let refused = run_with_input(&folder, &words, b"");
    assert!(refused.code == 2 && refused.error.contains("by another run"), "{}", refused.error);
    assert_eq!(std::fs::metadata(&path).expect("it exists").len(), 0);
}

#[test]
fn illegal_choices_are_counted() {
    let folder = gathered();
    let path = folder.path().join("choices.bin");
    let mut bytes = std::fs::read(&path).expect("it was written");
    // The second position has no pieces.
    bytes[RECORD..RECORD + 32].fill(0);
    std::fs::write(&path, bytes).expect("writable");
    let words = ["tune", "values", "choices.bin", "values.bin", "--depth", "1"];
    // The second run evaluates nothing, and prints the same.
    for _ in 0..2 {
        let finished = run_with_input(&folder, &words, b"");
        let expected =
            "16 choices have evaluations in values.bin; 1 illegal choice cannot be evaluated\n";
        assert_eq!(finished.out, expected, "{}", finished.error);
    }
}

/// A gzip file with one uncompressed block, without its checksum: a file that was not downloaded completely.
fn truncated_gzip(text: &str) -> Vec<u8> {
    let length = (text.len() as u16).to_le_bytes();
    let head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1];
    [&head[..], &length, &length.map(|byte| !byte), text.as_bytes()].concat()
}

#[test]
fn a_file_that_ends_early_is_an_error() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("half.pgn.gz"), truncated_gzip(GAMES)).expect("writable");
    for words in [
        &["choices", "out.bin", "half.pgn.gz"][..],
        &["traits", "out.bin", "half.pgn.gz"],
        &["style-counts", "half.pgn.gz", "--depth", "1"],
    ] {
        let finished = run_with_input(&folder, &[&["tune"], words].concat(), b"");
        assert_eq!(finished.code, 2, "{words:?}: {}", finished.out);
        assert!(
            finished.error.contains("half.pgn.gz:")
                && finished.error.contains("get the file again"),
            "{words:?}: {}",
            finished.error
        );
        assert!(!folder.path().join("out.bin").exists());
    }
}

#[test]
fn games_that_are_skipped_are_named() {
    let folder = Folder::new();
    folder.write("games.pgn", "[White \"A\"]\n\n1. e4 e5 2. Ke3 *\n");
    for words in
        [&["traits", "out.bin", "games.pgn"][..], &["style-counts", "games.pgn", "--depth", "1"]]
    {
        let finished = run_with_input(&folder, &[&["tune"], words].concat(), b"");
        assert!(finished.error.contains("games.pgn:"), "{words:?}: {}", finished.error);
    }
}

#[cfg(unix)]
#[test]
fn games_can_come_through_a_pipe() {
    let folder = Folder::new();
    let words = ["tune", "choices", "out.bin", "/dev/stdin"];
    let finished = run_with_input(&folder, &words, GAMES.as_bytes());
    assert!(finished.out.starts_with("17 choices from 2 games"), "{finished:?}");
}

#[test]
fn games_without_a_compact_form_are_counted_as_unusable() {
    let folder = Folder::new();
    let games = "[WhiteElo \"1400\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n\
                 1. O-O Ke7 2. Rf2 Ke6 3. Rf3 Ke5 4. Rf4 Ke6 5. Rf3 Ke5 6. Rf4 *\n";
    folder.write("games.pgn", games);
    for (words, expected) in [
        (&["games.pgn", "--compact"][..], "0 games in out.bin; 0 duplicates and 1 unusable game "),
        (&["games.pgn"], "6 choices from 1 game in out.bin; 0 duplicates and 0 unusable games "),
    ] {
        let words = [&["tune", "choices", "out.bin"], words].concat();
        let finished = run_with_input(&folder, &words, b"");
        assert!(finished.out.starts_with(expected), "{finished:?}");
    }
}

#[test]
fn missing_files_are_named() {
    let folder = Folder::new();
    for words in [["choices", "out.bin", "nothing.pgn"], ["values", "nothing.bin", "out.bin"]] {
        let finished = run_with_input(&folder, &[&["tune"], &words[..]].concat(), b"");
        assert!(finished.code == 2 && finished.error.contains("nothing."), "{}", finished.error);
        assert!(!folder.path().join("out.bin").exists());
    }
}

#[test]
fn a_servers_kind_of_game_is_read_from_the_event_or_marked_unknown() {
    let moves = "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3";
    let game = |event: &str, last: &str| {
        format!(
            "[Event \"{event}\"]\n[WhiteElo \"900\"]\n[BlackElo \"950\"]\n\n{moves} {last} *\n\n"
        )
    };
    let games = [
        game("Rated Blitz game", "O-O"),
        game("Rated UltraBullet tournament https://lichess.org/tournament/x", "h6"),
        game("Rated game", "c6"),
        game("Club championship, rated", "a6"),
        // The kind is known, but there is no pool for it.
        game("Rated Correspondence game", "a5"),
    ];
    let folder = Folder::new();
    let file = folder.write("games.pgn", &games.concat());
    let made = run_with_input(&folder, &["tune", "choices", "choices.bin", &file], b"");
    assert!(
        made.out.contains("from 4 games in choices.bin; 0 duplicates and 1 unusable game skipped"),
        "{}",
        made.out
    );
    let choices = choices(&folder, "choices.bin");
    let kind = |game: usize| {
        let HumanChoice { setting, is_kind_stated, .. } = &choices[10 * game];
        (setting.pool.name(), *is_kind_stated)
    };
    let kinds = [("blitz", true), ("bullet", true), ("blitz", false), ("board", true)];
    assert_eq!([0, 1, 2, 3].map(kind), kinds);
}

#[test]
fn games_with_the_same_first_forty_plies_share_a_hash() {
    let shuffle = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(5) + "1. Nc3 Nc6 2. Nb1 Nb8 ".repeat(5).as_str();
    let game =
        |end: &str| format!("[WhiteElo \"900\"]\n[BlackElo \"950\"]\n\n{shuffle}{end} *\n\n");
    let folder = Folder::new();
    let games = [game("e4 e5"), game("e4 e6"), game("").replacen("Nf3", "Nh3", 1)].concat();
    let file = folder.write("games.pgn", &games);
    let made = run_with_input(&folder, &["tune", "choices", "choices.bin", &file], b"");
    assert_eq!(made.code, 0, "{}", made.error);
    let choices = choices(&folder, "choices.bin");
    let [first, second, third] = [0, 42, 84].map(|at| (choices[at].game, choices[at].opening));
    assert!(first.0 != second.0 && first.1 == second.1, "{first:?} {second:?}");
    assert_ne!(first.1, third.1);
}
