//! All methods of a type are in the file that defines it. Implementations of traits may be anywhere.

use crate::layers::{Source, code_without_tests, first_name, is_name_letter, laboratory, sources};

/// Blocks of methods that are in another file than their type.
const DISTANT_METHODS: [&str; 7] = [
    "src/cli/analyse/job.rs: StudyArguments",
    "src/cli/analyse/scales.rs: StudyArguments",
    "src/config/file.rs: Settings",
    "src/config/mod.rs: Settings",
    "src/config/strength.rs: Settings",
    "src/games/pgn/server.rs: PgnGame",
    "src/review/player_profile.rs: ReviewJob",
];

/// The name of the type of a block of methods, given its first line.
fn type_with_methods(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix("impl")?;
    if rest.starts_with(is_name_letter) || rest.contains(" for ") {
        return None;
    }
    let rest = if rest.starts_with('<') { rest.split_once("> ")?.1 } else { rest };
    Some(first_name(rest.trim_start()))
}

fn defines(code: &str, name: &str) -> bool {
    let words: Vec<&str> = code.split(|letter| !is_name_letter(letter)).collect();
    words.windows(2).any(|pair| ["struct", "enum", "type"].contains(&pair[0]) && pair[1] == name)
}

/// The blocks of methods that are in another file than their type.
fn distant_methods(sources: &[Source]) -> Vec<String> {
    let mut found = Vec::new();
    for Source { path, text, .. } in sources {
        let code = code_without_tests(text);
        let names = code.lines().filter_map(type_with_methods);
        let distant = names.filter(|name| !defines(&code, name));
        found.extend(distant.map(|name| format!("{path}: {name}")));
    }
    found.sort();
    found
}

#[test]
fn the_methods_of_a_type_are_in_its_file() {
    assert_eq!(distant_methods(&sources()), DISTANT_METHODS);
    assert_eq!(distant_methods(&laboratory()), [""; 0]);
}

#[test]
fn the_reader_finds_the_types_of_methods() {
    assert_eq!(
        type_with_methods("impl<'a, T: Iterator<Item = u8>> Chair<T> {"),
        Some("Chair".to_owned())
    );
    assert_eq!(type_with_methods("    impl Table {"), Some("Table".to_owned()));
    assert_eq!(type_with_methods("impl Clone for Table {"), None);
    assert_eq!(type_with_methods("implies"), None);
}
