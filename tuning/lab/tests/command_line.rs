//! The output and the files of `stopdown-lab`, including completions and man pages, and the
//! manual's statements about its commands.

#[path = "../../../tests/common/mod.rs"]
mod common;
#[path = "../../../tests/command_line/manual/reading.rs"]
mod reading;

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

use common::needs::client;
use common::{Folder, run, run_with_input};
use reading::{blocks, code_words, commands, pages, root};
use stopdown::eval::SearchParams;

/// The laboratory's commands on a page of the manual.
fn own_commands(page: &str) -> Vec<Vec<String>> {
    commands(page).into_iter().filter(|words| words[0] == "stopdown-lab").collect()
}

fn help_of(path: &[&str]) -> String {
    let finished = run(&[path, &["--help"]].concat());
    assert_eq!(finished.code, 0, "{path:?}: {}", finished.error);
    finished.out
}

#[test]
fn the_manual_uses_only_commands_and_options_that_exist() {
    let mut seen = 0;
    for (name, page) in pages() {
        for words in own_commands(&page) {
            let words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
            let nested = ["endgame", "tune"].contains(&words[0]);
            let (path, rest) = words.split_at(if nested { 2 } else { 1 });
            let help = help_of(path);
            let known: BTreeSet<&str> =
                help.split(|c: char| !c.is_alphanumeric() && c != '-').collect();
            for word in rest.iter().filter(|word| word.len() > 1 && word.starts_with('-')) {
                assert!(known.contains(word), "{name}: {words:?}: no {word}");
                seen += 1;
            }
        }
        for code in code_words(&page) {
            if let Some(words) = code.strip_prefix("stopdown-lab ") {
                let first = words.split(' ').next().unwrap_or_default();
                assert!(!help_of(&[first]).is_empty(), "{name}: {code}");
            }
        }
    }
    assert!(seen > 30, "only {seen} options were checked");
}

#[test]
fn the_examples_of_the_manual_run() {
    let folder = Folder::new();
    for name in ["tests/data/ferreira2013_table3.csv", "tuning/studies/kqkr/browne-belle.pgn"] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is writable");
        fs::copy(root().join(name), path).expect("it is in the repository");
    }
    let mut count = 0;
    for (name, page) in pages() {
        for block in blocks(&page).iter().filter(|block| block.fence == "sh run") {
            for line in block.text.lines().filter(|line| line.starts_with("stopdown-lab ")) {
                let words = reading::shell_words(line);
                let words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
                let finished = run_with_input(&folder, &words, b"");
                assert_eq!(finished.code, 0, "{name}: {line}\n{}", finished.error);
                assert!(!finished.out.is_empty(), "{name}: {line} prints nothing");
                count += 1;
            }
        }
    }
    assert!(count >= 3, "only {count} examples were run");
}

/// Returns whether another program accepts a file, and the program's output. If the program is not
/// enabled or not installed, the file counts as accepted.
fn accepts(program: &str, words: &[&str]) -> (bool, String) {
    if client(program, program).is_none() {
        return (true, String::new());
    }
    let output = Command::new(program).args(words).stdin(Stdio::null()).output();
    let output = output.expect("it is installed");
    let printed = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&printed).into_owned())
}

#[test]
fn shells_can_read_the_completions() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let finished = run(&["completions", shell]);
        assert!(finished.code == 0 && finished.out.contains("config"), "{shell}");
        let path = folder.write(&format!("stopdown-lab.{shell}"), &finished.out);
        let (accepted, printed) = accepts(shell, &["-n", &path]);
        assert!(accepted && printed.is_empty(), "{shell}: {printed}");
    }
}

#[test]
fn man_can_show_a_page_for_every_command() {
    let folder = Folder::new();
    let finished = run_with_input(&folder, &["man", "man"], b"");
    assert!(finished.code == 0 && finished.error.is_empty(), "{}", finished.error);
    let is_there = |page: &str| folder.path().join("man").join(page).is_file();
    for page in ["stopdown-lab.1", "stopdown-lab-depth.1", "stopdown-lab-endgame-study.1"] {
        assert!(is_there(page), "{page}");
    }
    assert!(!is_there("stopdown-lab-become.1") && !is_there("stopdown-lab-man.1"));
    for entry in fs::read_dir(folder.path().join("man")).expect("it was made") {
        let page = entry.expect("it can be read").path().display().to_string();
        let text = fs::read_to_string(&page).expect("it is text");
        assert!(text.contains(".SH NAME") && text.contains(".SH SYNOPSIS"), "{page}");
        let (accepted, printed) = accepts("mandoc", &["-T", "lint", "-W", "error", &page]);
        assert!(accepted, "{page}: {printed}");
    }
}

#[test]
fn self_play_resumes_and_too_few_games_are_refused() {
    let folder = Folder::new();
    // The second run continues where the first stopped.
    for games in ["2", "24"] {
        let play = ["tune", "data", "games.bin", "--nodes", "200", "--games", games];
        let finished = run_with_input(&folder, &play, b"");
        assert_eq!(finished.code, 0, "{}", finished.error);
        let counted = run_with_input(&folder, &["tune", "data", "games.bin", "--count"], b"");
        assert!(counted.out.contains(&format!("from {games} games,")), "{}", counted.out);
    }
    let few = ["tune", "data", "few.bin", "--nodes", "200", "--games", "1"];
    assert_eq!(run_with_input(&folder, &few, b"").code, 0);
    let finished = run_with_input(&folder, &["tune", "net", "few.bin", "--out", "x"], b"");
    assert!(finished.error.contains("too few games (1): one in 20"), "{}", finished.error);
    let finished = run_with_input(&folder, &["tune", "net", "none", "--out", "x"], b"");
    assert_eq!(finished.code, 2);
    assert!(finished.error.contains("none"), "{}", finished.error);
}

#[test]
fn search_params_are_found_and_compared() {
    let folder = Folder::new();
    let words = ["tune", "margins", "new.toml", "--pairs", "20", "--nodes", "40"];
    let found = run_with_input(&folder, &words, b"");
    assert_eq!(found.code, 0, "{}", found.error);
    // The first run starts from the built-in parameters, and the second from those that were found.
    let row = |out: &str| {
        let row = out.lines().find_map(|line| line.strip_prefix("late_moves_by_depth "));
        let numbers = row.expect("a row for every parameter").split("->");
        numbers.map(|number| number.trim().to_owned()).collect::<Vec<String>>()
    };
    let built_in = SearchParams::for_best_move().late_moves_by_depth;
    assert_eq!(row(&found.out)[0], built_in.to_string());
    let more = ["tune", "margins", "more.toml", "--start", "new.toml"];
    let further = run_with_input(&folder, &[&more[..], &words[3..]].concat(), b"");
    assert_eq!(row(&further.out)[0], row(&found.out)[1], "{further:?}");
    assert!(
        folder.path().join("new.svg").is_file() && folder.path().join("new.toml.way").is_file()
    );
    let compared = run_with_input(&folder, &[&words[..], &["--compare"]].concat(), b"");
    assert!(compared.out.contains(" Elo for new.toml"), "{compared:?}");
    folder.write("new.toml", "deeper = 1");
    let refused = run_with_input(&folder, &[&words[..], &["--compare"]].concat(), b"");
    assert!(refused.code == 2 && refused.error.contains("razoring"), "{refused:?}");
}

#[test]
fn results_that_cannot_be_written_are_refused_before_the_work() {
    let folder = Folder::new();
    let player = ["--player", "self depth=1", "--player", "self depth=2"];
    let similarity = ["similarity", "--answers", "s.jsonl", "--html", "no/x.html"];
    for words in [
        [&similarity[..], &player].concat(),
        vec!["depth", "--from", "1", "--to", "2", "--games", "2", "--html", "no/x.html"],
    ] {
        let finished = run_with_input(&folder, &words, b"");
        assert_eq!(finished.code, 2, "{words:?}");
        assert!(finished.error.contains("no/x"), "{words:?}: {}", finished.error);
        let left = fs::read_dir(folder.path()).expect("it exists").count();
        assert_eq!(left, 0, "{words:?}: a file was written");
    }
}

#[test]
fn an_input_is_not_overwritten() {
    let folder = Folder::new();
    folder.write("games.pgn", "1. e4 e5 *\n");
    for words in [
        ["depth", "--matrix", "games.pgn", "--html", "games.pgn"],
        ["similarity", "--data", "games.pgn", "--newick", "games.pgn"],
    ] {
        let finished = run_with_input(&folder, &words, b"");
        assert_eq!(finished.code, 2, "{words:?}");
        assert!(finished.error.contains("is also an input"), "{words:?}: {}", finished.error);
        let left = fs::read_to_string(folder.path().join("games.pgn")).expect("it exists");
        assert_eq!(left, "1. e4 e5 *\n", "{words:?}");
    }
}

#[test]
fn puzzles_are_solved_again_from_the_cache_with_the_same_result() {
    let folder = Folder::new();
    folder.write(
        "puzzles.tsv",
        "id\tfen\tmoves\trating\nmate\t6k1/5ppp/8/8/8/8/5PPP/R3R1K1 w - - 0 1\ta1a8\t700\n",
    );
    let words = ["puzzles", "puzzles.tsv", "--depth", "4", "--store", "puzzles.db", "--json"];
    let first = run_with_input(&folder, &[&words[..], &["--svg", "solved.svg"]].concat(), b"");
    assert_eq!(first.code, 0, "{}", first.error);
    assert!(folder.path().join("solved.svg").is_file());
    let again = run_with_input(&folder, &words, b"");
    assert_eq!(again.out, first.out);
    assert!(again.error.contains("evaluations: 1 from the cache, 0 new"), "{again:?}");
    let refused = run_with_input(&folder, &["puzzles", "puzzles.db"], b"");
    assert_eq!(refused.code, 2, "{refused:?}");
}
