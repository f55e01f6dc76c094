//! The modules of the laboratory are layers: a module uses only those above it.

use std::fs;
use std::path::{Path, PathBuf};

/// The order of the modules. Those in one row may not use each other.
const LAYERS: [&[&str]; 4] = [&["tune"], &["calibrate", "study"], &["report"], &["commands"]];

/// The source files: path, module, and text without comments.
fn sources() -> Vec<(PathBuf, String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let inner = path.strip_prefix(&root).expect("it is below the root");
            let module = inner.iter().next().expect("a name").to_str().expect("ASCII").to_owned();
            let text = fs::read_to_string(&path).expect("sources are text");
            let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
            sources.push((path.clone(), module, lines.collect::<Vec<_>>().join("\n")));
        }
    }
    assert!(sources.len() > 40, "the sources are found");
    sources
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|row| row.contains(&module))
}

#[test]
fn a_module_uses_only_modules_above_it() {
    for (path, module, text) in sources() {
        let Some(own) = layer(&module) else { continue };
        for other in text.split("crate::").skip(1) {
            let other: String = other.chars().take_while(|c| c.is_alphabetic()).collect();
            let place = layer(&other).unwrap_or_else(|| panic!("{}: {other}", path.display()));
            assert!(place < own || other == module, "{} must not use {other}", path.display());
        }
    }
}

#[test]
fn only_commands_write_to_the_terminal() {
    for (path, module, text) in sources() {
        let writes = ["io::stdout", "io::stderr"].iter().any(|word| text.contains(word));
        assert!(!writes || module == "commands", "{}", path.display());
    }
}
