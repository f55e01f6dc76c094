//! All methods of a type are in the file that defines it, while implementations of traits may be anywhere. A function
//! with many parameters takes a struct.

use crate::layers::{
    Source, code_without_tests, first_name, is_name_letter, laboratory, parts_of_group, sources,
};

/// The maximum number of parameters, without `self`.
const MOST_PARAMETERS: usize = 5;

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

/// The functions in the code, each with its number of parameters, without `self`.
fn functions(code: &str) -> Vec<(String, usize)> {
    // The arrow of a result would look like the end of a group.
    let code = code.replace("->", "");
    let starts = code.match_indices("fn ").map(|(at, word)| &code[at + word.len()..]);
    starts.filter_map(|rest| Some((first_name(rest), parameters(rest)?))).collect()
}

/// The number of parameters of a function, given its name and the text after it.
fn parameters(function: &str) -> Option<usize> {
    let mut depth = 0;
    let opening = function.find(|letter| {
        depth += i32::from(letter == '<') - i32::from(letter == '>');
        letter == '(' && depth == 0
    })?;
    let parts = parts_of_group(&function[opening + 1..]);
    let is_self = |part: &&&str| part.split(':').next().is_some_and(|name| name.ends_with("self"));
    Some(parts.len() - parts.iter().take(1).filter(is_self).count())
}

/// The functions with too many parameters.
fn functions_with_many_parameters(sources: &[Source]) -> Vec<String> {
    let mut found = Vec::new();
    for Source { path, text, .. } in sources {
        let functions = functions(&code_without_tests(text)).into_iter();
        let many = functions.filter(|&(_, parameters)| parameters > MOST_PARAMETERS);
        found.extend(many.map(|(name, _)| format!("{path}: {name}")));
    }
    found.sort();
    found
}

/// The sources of the program and of the laboratory.
fn all_sources() -> Vec<Source> {
    sources().into_iter().chain(laboratory()).collect()
}

#[test]
fn a_function_has_few_parameters() {
    assert_eq!(functions_with_many_parameters(&all_sources()), [""; 0]);
}

#[test]
fn the_reader_counts_parameters() {
    let code = "fn sit<T: Fn(u8) -> u8>(&mut self, at: Vec<(u8, u8)>, on: &dyn Fn(u8, u8) -> T,) {}\n\
                pub fn stand() {}\nfn lie([x, y]: [u8; 2], z: T) {}";
    let found = functions(code);
    assert_eq!(found.iter().map(|(_, parameters)| *parameters).collect::<Vec<_>>(), [2, 0, 2]);
}

#[test]
fn the_methods_of_a_type_are_in_its_file() {
    assert_eq!(distant_methods(&all_sources()), [""; 0]);
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
