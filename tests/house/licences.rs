//! All dependencies can be part of a program under GPL-3.0-or-later.

use std::process::Command;

use crate::common::needs::missing;

/// Licences that are compatible with version 3 of the GPL or a later version.
const COMPATIBLE: [&str; 11] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "GPL-3.0-or-later",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

#[test]
fn every_dependency_has_a_compatible_licence() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let host = Command::new("rustc").arg("-vV").output().map(|output| output.stdout);
    let host = String::from_utf8_lossy(&host.unwrap_or_default()).into_owned();
    let host = host.lines().find_map(|line| line.strip_prefix("host: "));
    let Some(host) = host else {
        missing("rustc", "install Rust from https://rustup.rs");
        return;
    };
    // Without network access, only the dependencies for this system are certain to be available.
    let words = ["metadata", "--locked", "--offline", "--format-version", "1"];
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let output = Command::new(cargo)
        .args(words)
        .args(["--filter-platform", host, "--manifest-path", manifest])
        .output();
    let Some(output) = output.ok().filter(|output| output.status.success()) else {
        missing("the source of a dependency", "cargo fetch --locked");
        return;
    };
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let packages = found["packages"].as_array().expect("a list");
    assert!(packages.len() > 50, "{} packages", packages.len());
    for package in packages {
        let (name, licence) = (&package["name"], package["license"].as_str().unwrap_or("none"));
        assert!(is_compatible(licence), "{name} has the licence {licence}");
        let source = package["source"].as_str().unwrap_or_default();
        let own = ["stopdown", "stopdown-lab", "stopdown-page", "stopdown-python"];
        let is_own = own.iter().any(|own| name == own);
        assert!(is_own || source.contains("crates.io"), "{name} comes from {source:?}");
    }
}

/// Whether this licence expression is compatible with ours.
fn is_compatible(licence: &str) -> bool {
    let text = licence.trim().replace('/', " OR ");
    match split(&text, " AND ") {
        parts if parts.len() > 1 => return parts.into_iter().all(is_compatible),
        _ => {}
    }
    match split(&text, " OR ") {
        parts if parts.len() > 1 => return parts.into_iter().any(is_compatible),
        _ => {}
    }
    match text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) => is_compatible(inner),
        None => COMPATIBLE.contains(&text.trim()),
    }
}

/// Splits at a word outside brackets.
fn split<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0);
    for (at, letter) in text.char_indices() {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        if depth == 0 && text[at..].starts_with(word) {
            parts.push(&text[start..at]);
            start = at + word.len();
        }
    }
    parts.push(&text[start..]);
    parts
}

#[test]
fn licence_expressions_are_parsed() {
    for (licence, expected) in [
        ("MIT", true),
        ("MIT/Apache-2.0", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("Apache-2.0 WITH LLVM-exception OR Proprietary", true),
        ("MIT AND Proprietary", false),
        ("(MIT AND Proprietary) OR Proprietary", false),
        ("GPL-2.0-only", false),
        ("none", false),
    ] {
        assert_eq!(is_compatible(licence), expected, "{licence}");
    }
}
