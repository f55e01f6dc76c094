//! Reads the manual: its pages, code blocks, commands and inline code.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The root of the repository. The laboratory's tests include this file too.
pub fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = package.ancestors();
    folders.find(|folder| folder.join("src/manual").is_dir()).expect("the manual is there")
}

/// The README and the pages of the manual, by name.
pub fn pages() -> BTreeMap<String, String> {
    let mut pages = BTreeMap::new();
    for entry in fs::read_dir(root().join("src/manual")).expect("the manual is there") {
        let path = entry.expect("it can be read").path();
        let name = path.file_stem().expect("a name").to_str().expect("ASCII").to_owned();
        pages.insert(name, fs::read_to_string(&path).expect("it is text").replace("\r\n", "\n"));
    }
    let readme = fs::read_to_string(root().join("README.md")).expect("there is a README");
    pages.insert("README".to_owned(), readme.replace("\r\n", "\n"));
    pages
}

/// A code block: the info string of its fence, and its text.
pub struct Block {
    pub fence: String,
    pub text: String,
}

pub fn blocks(page: &str) -> Vec<Block> {
    let parts: Vec<&str> = page.split("```").collect();
    assert!(parts.len() % 2 == 1, "a fence is not closed");
    let inside = parts.iter().skip(1).step_by(2);
    let block = |part: &&str| {
        let (fence, text) = part.split_once('\n').expect("a fence has an info line");
        Block { fence: fence.to_owned(), text: text.to_owned() }
    };
    inside.map(block).collect()
}

/// The words of a line as a shell splits them, without comments.
pub fn shell_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            '#' if !quoted && words.last().is_none_or(String::is_empty) => break,
            ' ' if !quoted => words.push(String::new()),
            letter => words.last_mut().expect("there is one").push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Stopdown commands in the shell blocks of a page, with pipes split.
pub fn commands(page: &str) -> Vec<Vec<String>> {
    let shell = blocks(page).into_iter().filter(|block| block.fence.starts_with("sh"));
    let text: String = shell.map(|block| block.text.replace("\\\n", " ")).collect();
    let lines = text.lines().map(shell_words).collect::<Vec<_>>();
    let parts = lines.iter().flat_map(|words| words.split(|word| word == "|"));
    let ours = |words: &&[String]| {
        words.first().is_some_and(|word| {
            ["stopdown", "stopdown-lab", "target/release/stopdown"].contains(&&**word)
        })
    };
    parts.filter(ours).map(<[String]>::to_vec).collect()
}

/// Inline code outside blocks.
pub fn code_words(page: &str) -> Vec<String> {
    let outside: String = page.split("```").step_by(2).collect();
    let pieces = outside.split('`').skip(1).step_by(2);
    pieces.map(|piece| piece.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}
