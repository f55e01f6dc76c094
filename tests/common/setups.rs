//! Readers of the settings that Stopdown writes for other programs: the parts of INI and YAML that they use.

use serde_json::{Map, Value as Json};

/// A section of an INI file and its lines.
pub type Section = (String, Vec<(String, String)>);

/// Reads an INI file like Python's `configparser`.
pub fn sections(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with([';', '#'])) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            sections.push((name.to_owned(), Vec::new()));
            continue;
        }
        let (key, value) = line.split_once(" = ").expect(line);
        // `configparser` would interpolate a percent sign.
        assert!(!value.contains('%'), "{line}");
        let (_, lines) = sections.last_mut().expect("a section has begun");
        lines.push((key.to_owned(), value.to_owned()));
    }
    sections
}

/// Reads the part of YAML that the configuration uses: nested maps, lists of words, and comments.
pub fn yaml(text: &str) -> Json {
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line.split_once(" #").map_or(line, |(before, _)| before).trim_end())
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let (tree, rest) = block(&lines, 0);
    assert!(rest.is_empty(), "{rest:?}");
    tree
}

/// Reads the lines that are indented by at least `indent` spaces. Also returns the lines after
/// them.
fn block<'a, 'b>(mut lines: &'b [&'a str], indent: usize) -> (Json, &'b [&'a str]) {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let (mut map, mut list) = (Map::new(), Vec::new());
    while let Some((line, rest)) = lines.split_first().filter(|(line, _)| depth(line) >= indent) {
        assert_eq!(depth(line), indent, "{line}");
        lines = rest;
        if let Some(item) = line.trim_start().strip_prefix("- ") {
            list.push(scalar(item));
            continue;
        }
        let (key, value) = line.trim_start().split_once(':').expect(line);
        let value = match (value.trim(), rest.first()) {
            ("", Some(next)) => {
                let (inner, below) = block(rest, depth(next));
                lines = below;
                inner
            }
            (value, _) => scalar(value),
        };
        assert!(map.insert(key.to_owned(), value).is_none(), "{key} appears twice");
    }
    (if list.is_empty() { Json::Object(map) } else { Json::Array(list) }, lines)
}

fn scalar(text: &str) -> Json {
    match text {
        "true" => true.into(),
        "false" => false.into(),
        _ => match text.parse::<i64>() {
            Ok(number) => number.into(),
            Err(_) => text.trim_matches('"').into(),
        },
    }
}
