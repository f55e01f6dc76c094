//! The modules of the engine and of the laboratory form layers. A file uses only modules in the
//! layers above its own. There are no cyclic dependencies between the files of a module.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The layers, top first. Modules in the same row may not use each other.
const LAYERS: [&[&str]; 15] = [
    // CPU features and operating-system calls.
    &["simd"],
    &["clock"],
    // Files, memory, threads and names: nothing specific to chess.
    &["files", "free_memory", "fresh", "suggest", "threads", "words"],
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
    &["session", "review"],
    &["api", "report"],
];

/// The layers of the laboratory, in the same order.
const LABORATORY_LAYERS: [&[&str]; 4] =
    [&["tune"], &["calibrate", "study"], &["report"], &["commands"]];

/// The front ends may use everything. The command line also starts the other front ends.
const FRONT_ENDS: [&str; 3] = ["uci", "web", "cli"];

/// The number of lines above which a file needs a reason in [`LONG_FILES`].
const USUAL_LENGTH: usize = 600;

/// Files that are longer than usual, each with the reason.
const LONG_FILES: [(&str, &str); 0] = [];

/// The only file that may contain `unsafe`.
const UNSAFE_FILE: &str = "src/simd.rs";

/// A source file: its path relative to the root of its package, its top-level module and its text.
pub struct Source {
    pub path: String,
    module: String,
    pub text: String,
}

/// The sources of the engine.
pub fn sources() -> Vec<Source> {
    sources_of(Path::new(env!("CARGO_MANIFEST_DIR")))
}

/// The sources of the laboratory.
pub fn laboratory() -> Vec<Source> {
    sources_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tuning/lab"))
}

/// The sources of a package.
fn sources_of(root: &Path) -> Vec<Source> {
    let mut files = Vec::new();
    collect(&root.join("src"), &mut files);
    let sources: Vec<Source> = files
        .into_iter()
        .map(|file| {
            let path = file.strip_prefix(root).expect("collected below the root");
            let path = path.to_str().expect("source paths are ASCII").replace('\\', "/");
            let inner = path.trim_start_matches("src/");
            let module = inner.split('/').next().unwrap_or(inner).trim_end_matches(".rs");
            let module = module.to_owned();
            let text = fs::read_to_string(&file).expect("sources are text");
            Source { path, module, text }
        })
        .collect();
    assert!(sources.len() > 20, "only {} source files found", sources.len());
    sources
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
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

/// The text without comments and unit tests. Tests may use whatever they like.
pub fn code_without_tests(text: &str) -> String {
    let code = code(text);
    match code.find("#[cfg(test)]\nmod tests {") {
        Some(at) => code[..at].to_owned(),
        None => code,
    }
}

/// The paths at the start of a string. Groups in braces are expanded. `*` and `self` stand for the
/// module that they are in. Text after the last path is ignored.
fn expanded(text: &str) -> Vec<Vec<String>> {
    let mut prefix = Vec::new();
    let mut rest = text;
    loop {
        if let Some(group) = rest.strip_prefix('{') {
            let mut paths = Vec::new();
            for part in parts_of_group(group) {
                for inner in expanded(part) {
                    paths.push(prefix.iter().cloned().chain(inner).collect());
                }
            }
            return paths;
        }
        let name = first_name(rest);
        if name.is_empty() {
            return vec![prefix];
        }
        rest = &rest[name.len()..];
        if name != "self" || prefix.is_empty() {
            prefix.push(name);
        }
        match rest.strip_prefix("::") {
            Some(next) => rest = next,
            None => return vec![prefix],
        }
    }
}

/// The parts of a group in brackets, split at its commas. The opening bracket has already been read.
pub fn parts_of_group(group: &str) -> Vec<&str> {
    let (mut depth, mut start) = (0, 0);
    let mut parts = Vec::new();
    for (at, letter) in group.char_indices() {
        match letter {
            '{' | '(' | '[' | '<' => depth += 1,
            '}' | ')' | ']' | '>' if depth == 0 => {
                parts.push(group[start..at].trim());
                break;
            }
            '}' | ')' | ']' | '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(group[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

pub fn first_name(text: &str) -> String {
    text.chars().take_while(|&letter| is_name_letter(letter)).collect()
}

pub fn is_name_letter(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// All paths in the code that begin with one of these names and `::`.
fn paths_from(code: &str, beginnings: &[&str]) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for beginning in beginnings {
        let beginning = format!("{beginning}::");
        for (at, _) in code.match_indices(&beginning) {
            let before = code[..at].chars().next_back();
            if !before.is_some_and(|letter| is_name_letter(letter) || letter == ':') {
                paths.extend(expanded(&code[at..]));
            }
        }
    }
    paths
}

/// The top-level modules that a file names after `crate::`.
fn used(text: &str) -> Vec<String> {
    let paths = paths_from(&code(text), &["crate"]);
    paths.into_iter().filter_map(|path| path.into_iter().nth(1)).collect()
}

/// The paths that the code re-exports, and the rest of the code.
fn exports(code: &str) -> (Vec<Vec<String>>, String) {
    let (mut paths, mut rest) = (Vec::new(), code.to_owned());
    for visibility in ["pub use ", "pub(super) use ", "pub(crate) use "] {
        while let Some(start) = rest.find(visibility) {
            let end = rest[start..].find(';').map_or(rest.len(), |length| start + length);
            paths.extend(expanded(&rest[start + visibility.len()..end]));
            rest.replace_range(start..end, "");
        }
    }
    (paths, rest)
}

/// Whether the code contains a name without a path or a receiver before it.
fn has_bare_name(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + name.len()..].chars().next();
        !before.is_some_and(|letter| is_name_letter(letter) || ":.".contains(letter))
            && !after.is_some_and(is_name_letter)
    })
}

/// Files that use each other inside one top-level module.
struct Files {
    /// The code of every file without its tests, by module path.
    code: BTreeMap<Vec<String>, String>,
}

impl Files {
    fn of(module: &str, sources: &[Source]) -> Files {
        let own = sources.iter().filter(|source| source.module == module);
        let code = own.map(|source| (module_path(&source.path), code_without_tests(&source.text)));
        Files { code: code.collect() }
    }

    /// The files that a file uses. A file uses the names that it re-exports only if its code contains them.
    fn used_by(&self, file: &[String]) -> BTreeSet<Vec<String>> {
        let (exported, code) = exports(&self.code[file]);
        let children = self.code.keys().filter_map(|path| child(file, path));
        let beginnings: Vec<&str> =
            ["crate", "super", "self"].into_iter().chain(children).collect();
        let bare = exported.into_iter().filter(|path| has_bare_name(&code, &path[path.len() - 1]));
        let paths = paths_from(&code, &beginnings).into_iter().chain(bare);
        paths
            .filter_map(|path| self.resolve(&absolute(file, &path), 0))
            .filter(|target| target != file)
            .collect()
    }

    /// The file that defines the item at an absolute path.
    fn resolve(&self, path: &[String], followed: usize) -> Option<Vec<String>> {
        let depth = (1..=path.len()).rev().find(|&n| self.code.contains_key(&path[..n]))?;
        let file = path[..depth].to_vec();
        let Some(item) = path.get(depth) else { return Some(file) };
        let exported = exports(&self.code[&file]).0.into_iter().find(|e| e.last() == Some(item));
        match exported {
            // The search ends here if the name is re-exported from another crate, or refers back to itself under
            // another name.
            Some(export) if followed < 5 => {
                self.resolve(&absolute(&file, &export), followed + 1).or(Some(file))
            }
            _ => Some(file),
        }
    }

    /// The groups of files in which every file uses every other file, directly or indirectly.
    fn cycles(&self) -> Vec<Vec<Vec<String>>> {
        let reach: BTreeMap<&Vec<String>, BTreeSet<Vec<String>>> =
            self.code.keys().map(|file| (file, self.reached_from(file))).collect();
        let mut cycles = Vec::new();
        for (file, reached) in &reach {
            let cycle: Vec<Vec<String>> =
                reached.iter().filter(|other| reach[other].contains(*file)).cloned().collect();
            if cycle.len() > 1 && cycle[0] == **file {
                cycles.push(cycle);
            }
        }
        cycles
    }

    fn reached_from(&self, file: &[String]) -> BTreeSet<Vec<String>> {
        let mut reached = BTreeSet::new();
        let mut waiting = vec![file.to_vec()];
        while let Some(next) = waiting.pop() {
            for used in self.used_by(&next) {
                if reached.insert(used.clone()) {
                    waiting.push(used);
                }
            }
        }
        reached
    }

    /// The uses between the files in a cycle, one per line.
    fn uses_within(&self, cycle: &[Vec<String>]) -> String {
        let mut lines = String::new();
        for file in cycle {
            let used = self.used_by(file).into_iter().filter(|other| cycle.contains(other));
            let names: Vec<String> = used.map(|other| other.join("::")).collect();
            lines += &format!("  {} uses {}\n", file.join("::"), names.join(", "));
        }
        lines
    }
}

/// `src/a/b.rs` and `src/a/b/mod.rs` are both the module `a::b`.
fn module_path(path: &str) -> Vec<String> {
    let path = path.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').map(str::to_owned).collect()
}

/// The name of the module at `path`, if it is directly inside `outer`.
fn child<'p>(outer: &[String], path: &'p [String]) -> Option<&'p str> {
    let (name, parent) = path.split_last()?;
    (parent == outer).then_some(name.as_str())
}

/// A path as seen from the root of the crate.
fn absolute(file: &[String], path: &[String]) -> Vec<String> {
    let (mut start, mut rest) = (file.to_vec(), path);
    while let Some((first, others)) = rest.split_first() {
        match first.as_str() {
            "crate" => start.clear(),
            "super" => drop(start.pop()),
            "self" => {}
            _ => break,
        }
        rest = others;
    }
    start.extend(rest.iter().cloned());
    start
}

fn layer(layers: &[&[&str]], module: &str) -> Option<usize> {
    layers.iter().position(|row| row.contains(&module))
}

/// Asserts that every file uses only the layers above its own. Files in the modules listed in `free` may use any layer.
fn check_layers(sources: &[Source], layers: &[&[&str]], free: &[&str]) {
    for Source { path, module, text } in sources {
        if free.contains(&module.as_str()) {
            continue;
        }
        let own = layer(layers, module)
            .unwrap_or_else(|| panic!("{path}: add {module} to the layers in this test"));
        for other in used(text).iter().filter(|&other| other != module) {
            let theirs = layer(layers, other)
                .unwrap_or_else(|| panic!("{path} uses {other}, which is not in any layer"));
            assert!(theirs < own, "{path} ({module}) must not use {other}");
        }
    }
}

#[test]
fn a_file_uses_only_the_layers_above_it() {
    let free = [&FRONT_ENDS[..], &["lib", "main"]].concat();
    check_layers(&sources(), &LAYERS, &free);
    check_layers(&laboratory(), &LABORATORY_LAYERS, &["lib", "main"]);
}

#[test]
fn files_inside_a_module_form_no_cycle() {
    let report = cycles_report(&sources()) + &cycles_report(&laboratory());
    assert!(report.is_empty(), "\n{report}");
}

/// The dependency cycles inside the modules of a package, with the uses of one file by another that make them up.
fn cycles_report(sources: &[Source]) -> String {
    let modules: BTreeSet<&str> = sources.iter().map(|source| source.module.as_str()).collect();
    let mut report = String::new();
    for module in modules {
        let files = Files::of(module, sources);
        for cycle in files.cycles() {
            let names: Vec<String> = cycle.iter().map(|file| file.join("::")).collect();
            report += &format!("{names:?} form a cycle:\n{}", files.uses_within(&cycle));
        }
    }
    report
}

#[test]
fn only_the_command_line_uses_the_command_line() {
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
fn only_board_uses_shakmaty() {
    for Source { path, module, text } in &sources() {
        if module != "board" {
            assert!(!code(text).contains("shakmaty"), "{path} must use board/ instead");
        }
    }
}

#[test]
fn only_front_ends_print() {
    let words = ["println!", "print!", "eprintln!", "eprint!", "io::stdout", "io::stderr", "dbg!"];
    let printers = [&FRONT_ENDS[..], &["commands"]].concat();
    for Source { path, module, text } in sources().iter().chain(&laboratory()) {
        if !printers.contains(&module.as_str()) {
            for word in words {
                assert!(!code(text).contains(word), "{path} must not use {word}");
            }
        }
    }
}

#[test]
fn a_long_file_has_a_reason() {
    for Source { path, text, .. } in sources().iter().chain(&laboratory()) {
        let lines = text.lines().count();
        let is_listed = LONG_FILES.iter().any(|(long, _)| long == path);
        assert!(
            (lines > USUAL_LENGTH) == is_listed,
            "{path} has {lines} lines; LONG_FILES must list the files over {USUAL_LENGTH}, and no others"
        );
    }
}

#[test]
fn only_one_file_is_unsafe() {
    for Source { path, text, .. } in &sources() {
        // The word alone is not enough: squares can be unsafe in chess.
        let code = code(text);
        let marks = ["unsafe {", "unsafe fn", "unsafe impl", "unsafe trait", "unsafe extern"];
        let found = marks.iter().any(|mark| code.contains(mark));
        assert!(path == UNSAFE_FILE || !found, "{path}");
    }
}

#[test]
fn only_one_file_asks_for_free_memory() {
    for Source { path, text, .. } in &sources() {
        assert!(path == "src/free_memory.rs" || !text.contains("/meminfo"), "{path}");
    }
}

#[test]
fn the_reader_finds_the_modules_that_a_file_uses() {
    let text = "use crate::board::{Move, Game};\nuse crate::{eval, search::{self, table}, uci};\n\
                // crate::comment\nlet x = crate::value::Value::DRAW;";
    assert_eq!(used(text), ["board", "board", "eval", "search", "search", "uci", "value"]);
}

#[test]
fn the_reader_finds_cycles_through_re_exports() {
    let source = |path: &str, text: &str| Source {
        path: path.to_owned(),
        module: "room".to_owned(),
        text: text.to_owned(),
    };
    let mut sources = vec![
        source("src/room/mod.rs", "mod table;\nmod chair;\npub use chair::{Chair, Cushion};"),
        source("src/room/table.rs", "use super::Chair;\nuse crate::board::Move;"),
        source("src/room/chair.rs", "//! super::table\n#[cfg(test)]\nmod tests {super::table::x}"),
    ];
    assert!(Files::of("room", &sources).cycles().is_empty());
    sources[2].text = "fn sit() { let place = super::table::place(); }".to_owned();
    let cycles = Files::of("room", &sources).cycles();
    assert_eq!(cycles, [[["room", "chair"], ["room", "table"]]]);
    // It is also a cycle if a module uses an inner module that in turn uses names from the outer one.
    let sources = [
        source("src/room/mod.rs", "mod table;\nuse table::Table;\npub struct Floor;"),
        source("src/room/table.rs", "use super::Floor;"),
    ];
    assert_eq!(Files::of("room", &sources).cycles().len(), 1);
    // Re-exporting the name makes no difference.
    let sources = [
        source("src/room/mod.rs", "mod table;\npub use table::Table;\npub struct Floor(Table);"),
        source("src/room/table.rs", "use super::Floor;"),
    ];
    assert_eq!(Files::of("room", &sources).cycles().len(), 1);
}
