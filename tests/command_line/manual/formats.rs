//! The page on formats describes the JSON that commands print: every field, and no other fields.

use std::collections::BTreeSet;

use serde_json::Value;

use super::reading::{code_words, pages};
use crate::common::{Folder, run_with_input};

/// The input of `evaluate`: a mate in one, a mated king, and an error.
const POSITIONS: &str = "\
6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1
R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1
nonsense
";

const MATED: &str = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1";
const QUEEN: &str = "8/8/8/8/Q7/5k2/8/K7 w - - 0 1";

/// Two of these games have more than the 20 moves that a rating needs.
const GAME: &str = "\
[Event \"Club\"]
[Date \"2024.01.01\"]
[White \"Ann\"]
[Black \"Bob\"]
[WhiteElo \"1600\"]
[BlackElo \"1500\"]
[Result \"1-0\"]

1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6 6. O-O O-O 7. Re1 a6 8. Bb3 Ba7 9. h3 h6 10. Nbd2 Re8
11. Nf1 Be6 12. Bxe6 Rxe6 13. Ng3 d5 14. exd5 Qxd5 15. d4 exd4 16. Rxe6 fxe6 17. Nxd4 Nxd4 18. cxd4 Bxd4
19. Be3 Bxe3 20. Qxd5 Bxf2+ 21. Kxf2 Nxd5 1-0
";

/// A section of the page, and commands that together print its fields. The scale makes the analysis fast.
type Section = (&'static str, &'static [&'static [&'static str]]);

const SECTIONS: [Section; 9] = [
    (
        "Evaluations",
        &[
            &["evaluate", "-", "--depth", "2", "--cap", "1", "--json", "--store", "values.db"],
            &["store", "values.db", "--export", "json"],
        ],
    ),
    (
        "Analysis",
        &[&[
            "analyse",
            "two.pgn",
            "--depth",
            "2",
            "--scale",
            "Regan-Fitted",
            "--noise",
            "0.1",
            "--window",
            "5",
            "--tournament",
            "--json",
        ]],
    ),
    ("Ratings", &[&["rate", "two.pgn", "--depth", "1", "--scale", "Regan-Fitted", "--json"]]),
    (
        "Evaluated games",
        &[&[
            "analyse",
            "one.pgn",
            "--depth",
            "2",
            "--scale",
            "Regan-Fitted",
            "--cap",
            "0.5",
            "--per-game",
        ]],
    ),
    (
        "Choices",
        &[
            &["choose", "--fen", QUEEN, "--depth", "1", "--elo", "1500", "--seed", "1", "--json"],
            &["choose", "--fen", QUEEN, "--depth", "1", "--profile", "club", "--json"],
            &["choose", "--fen", QUEEN, "--depth", "2", "--depth-weights", "0.5,0.5", "--json"],
            &["choose", "--fen", MATED, "--depth", "1", "--json"],
            &["choose", "--values", "0.5,0.2", "--curve", "regan", "--json"],
            &["choose", "--fen", QUEEN, "--depth", "1", "--ratings", "1000,2000", "--json"],
        ],
    ),
    (
        "Matches",
        &[&[
            "match",
            "--a",
            "self depth=1",
            "--b",
            "self depth=2",
            "--games",
            "2",
            "--sprt",
            "0:5",
            "--json",
        ]],
    ),
    (
        "Ladders",
        &[&[
            "ladder",
            "--player",
            "self depth=1",
            "--player",
            "self depth=2",
            "--games",
            "2",
            "--json",
        ]],
    ),
    (
        "Endgame tables",
        &[
            &["endgame", "build", "KQK", "--dir", "tables", "--json"],
            &["endgame", "probe", "--fen", QUEEN, "--dir", "tables", "--json"],
        ],
    ),
    ("Selected games", &[&["split", "two.pgn", "broken.pgn", "--json"]]),
];

/// Fields whose value has its own section, or has names and sentences as keys.
const NOT_FOLLOWED: [&str; 3] = ["reasons", "reports", "scores"];

/// Fields that the commands above do not print: they need tablebases, another engine, or a fit that has a maximum.
const NOT_PRINTED: [&str; 4] =
    ["syzygy", "same_first_choice", "mean_difference", "ln_standard_errors"];

/// Adds the names of all fields in a value.
fn add_fields(value: &Value, fields: &mut BTreeSet<String>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| add_fields(value, fields)),
        Value::Object(object) => {
            for (name, value) in object {
                fields.insert(name.clone());
                if !NOT_FOLLOWED.contains(&name.as_str()) {
                    add_fields(value, fields);
                }
            }
        }
        _ => {}
    }
}

/// The names of all fields that a command prints.
fn printed_fields(folder: &Folder, arguments: &[&str]) -> BTreeSet<String> {
    let finished = run_with_input(folder, arguments, POSITIONS.as_bytes());
    assert!(!finished.out.is_empty(), "{arguments:?}: {}", finished.error);
    let mut fields = BTreeSet::new();
    for line in finished.out.lines() {
        let json: Value = serde_json::from_str(line).expect(line);
        add_fields(&json, &mut fields);
    }
    fields
}

fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let (_, below) = page.split_once(&format!("\n## {heading}\n")).expect(heading);
    below.split("\n## ").next().unwrap_or(below)
}

/// The words in the inline code of a text, such as `cp` and `n` in `{"cp":n}`.
fn words(text: &str) -> BTreeSet<String> {
    let code = code_words(text).join(" ");
    let words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The fields that a section promises: the first column of its tables, and every word with an underscore.
fn promised_fields(section: &str) -> BTreeSet<String> {
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let first_column = rows.flat_map(words);
    let with_underscores = words(section).into_iter().filter(|word| word.contains('_'));
    first_column.chain(with_underscores).collect()
}

#[test]
fn the_page_on_formats_lists_the_fields_of_all_json_output() {
    let page = &pages()["formats"];
    let folder = Folder::new();
    folder.write("one.pgn", GAME);
    folder.write("two.pgn", &format!("{GAME}\n{}", GAME.replace("01.01", "01.02")));
    folder.write("broken.pgn", "1. e4 {");
    let general = words(section(page, "JSON output"));
    for (heading, commands) in SECTIONS {
        let text = section(page, heading);
        let listed = words(text);
        let mut printed = BTreeSet::new();
        for arguments in commands {
            let fields = printed_fields(&folder, arguments);
            for field in fields.iter().filter(|&field| !general.contains(field)) {
                assert!(listed.contains(field), "{heading}: {arguments:?} prints {field}");
            }
            printed.extend(fields);
        }
        for field in promised_fields(text) {
            let is_printed = printed.contains(&field) || NOT_PRINTED.contains(&field.as_str());
            assert!(is_printed, "{heading}: no command prints {field}");
        }
    }
}
