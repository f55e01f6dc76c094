//! The modules are layers: a file uses only what stands above it.

use std::fs;
use std::path::{Path, PathBuf};

/// The order of the layers. What stands in one row may not use each other.
const LAYERS: [&[&str]; 13] = [
    // Below all: files, memory, threads and single instructions, without chess.
    &["files", "machine", "memory", "threads"],
    &["math"],
    &["board", "weights_file"],
    &["value"],
    &["evaluation"],
    &["eval", "policy"],
    &["search", "endgame"],
    &["selector", "external"],
    &["player"],
    &["games", "config"],
    &["analyser", "arena"],
    &["session"],
    &["report"],
];

/// The front doors use everything; the command line also opens the other doors.
const DOORS: [&str; 3] = ["uci", "web", "cli"];

/// No file is longer than this without a reason.
const LONGEST_FILE: usize = 600;

/// The only home of `unsafe`.
const UNSAFE_FILE: &str = "src/machine.rs";

/// A source file: its path from the root, its top module and its text.
struct Source {
    path: String,
    module: String,
    text: String,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    collect(&root.join("src"), &mut files);
    let sources: Vec<Source> = files
        .into_iter()
        .map(|file| {
            let path = file.strip_prefix(root).expect("it is below the root");
            let path = path.to_str().expect("our names are ASCII").replace('\\', "/");
            let inner = path.trim_start_matches("src/");
            let module = inner.split('/').next().unwrap_or(inner).trim_end_matches(".rs");
            let module = module.to_owned();
            let text = fs::read_to_string(&file).expect("sources are text");
            Source { path, module, text }
        })
        .collect();
    assert!(sources.len() > 20, "the sources are found");
    sources
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The text without comments.
fn code(text: &str) -> String {
    let lines = text.lines().map(|line| match line.find("//") {
        Some(at) => &line[..at],
        None => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The top modules that a file names after "crate::".
fn used(text: &str) -> Vec<String> {
    let code = code(text);
    let mut used = Vec::new();
    for rest in code.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            None => used.push(first_name(rest)),
            // A group: names at its own level, not those of groups within.
            Some(group) => {
                let mut depth = 0;
                let mut start = true;
                for (at, letter) in group.char_indices() {
                    match letter {
                        '}' if depth == 0 => break,
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        ',' if depth == 0 => start = true,
                        _ if start && letter.is_alphanumeric() => {
                            used.push(first_name(&group[at..]));
                            start = false;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    used
}

fn first_name(text: &str) -> String {
    text.chars().take_while(|&letter| letter.is_alphanumeric() || letter == '_').collect()
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|row| row.contains(&module))
}

#[test]
fn a_file_uses_only_what_stands_above_it() {
    let roots = ["lib", "main"];
    for Source { path, module, text } in &sources() {
        let is_door = DOORS.contains(&module.as_str());
        if is_door || roots.contains(&module.as_str()) {
            continue;
        }
        let own = layer(module)
            .unwrap_or_else(|| panic!("{path}: give {module} its place in LAYERS of this test"));
        for other in used(text).iter().filter(|&other| other != module) {
            let theirs = layer(other)
                .unwrap_or_else(|| panic!("{path} uses {other}, which has no place below it"));
            assert!(theirs < own, "{path} ({module}) must not use {other}");
        }
    }
}

#[test]
fn no_other_door_uses_the_command_line() {
    for Source { path, module, text } in &sources() {
        if ["uci", "web"].contains(&module.as_str()) {
            assert!(!used(text).iter().any(|other| other == "cli"), "{path}");
        }
    }
}

#[test]
fn the_engine_does_not_use_the_laboratory() {
    for Source { path, text, .. } in &sources() {
        assert!(!text.contains("stopdown_lab"), "{path}");
    }
    let manifest = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    let manifest = manifest.expect("the manifest is part of the repository");
    assert!(!manifest.lines().any(|line| line.starts_with("stopdown-lab")), "{manifest}");
}

#[test]
fn the_rules_library_has_one_home() {
    for Source { path, module, text } in &sources() {
        if module != "board" {
            assert!(!code(text).contains("shakmaty"), "{path} must ask board/ instead");
        }
    }
}

#[test]
fn only_the_front_doors_print() {
    let words = ["println!", "print!", "eprintln!", "eprint!", "io::stdout", "io::stderr", "dbg!"];
    for Source { path, module, text } in &sources() {
        if !DOORS.contains(&module.as_str()) {
            for word in words {
                assert!(!code(text).contains(word), "{path} must not use {word}");
            }
        }
    }
}

#[test]
fn files_are_short() {
    for Source { path, text, .. } in &sources() {
        let lines = text.lines().count();
        assert!(lines <= LONGEST_FILE, "{path} has {lines} lines");
    }
}

#[test]
fn what_is_unsafe_stands_in_one_file() {
    for Source { path, text, .. } in &sources() {
        // In chess a square can be unsafe too.
        let code = code(text);
        let marks = ["unsafe {", "unsafe fn", "unsafe impl", "unsafe trait", "unsafe extern"];
        let found = marks.iter().any(|mark| code.contains(mark));
        assert!(path == UNSAFE_FILE || !found, "{path}");
    }
}

#[test]
fn the_reading_of_paths_finds_what_is_used() {
    let text = "use crate::board::{Move, Game};\nuse crate::{eval, search::{self, table}, uci};\n\
                // crate::comment\nlet x = crate::value::Value::DRAW;";
    assert_eq!(used(text), ["board", "eval", "search", "uci", "value"]);
}

#[test]
fn the_memory_of_the_system_has_one_reader() {
    for Source { path, text, .. } in &sources() {
        assert!(path == "src/memory.rs" || !text.contains("/meminfo"), "{path}");
    }
}
