//! The README and the manual are accurate: commands and options exist, examples run, the named
//! files exist, and the terms are standard.

mod formats;
mod reading;

use std::collections::{BTreeMap, BTreeSet};
use std::{env, fs};

use crate::common::{Engine, Folder, program, run, run_with_input};
use reading::{blocks, code_words, commands, pages, root};

/// Private terms for things that have standard names.
const PRIVATE_TERMS: [&str; 22] = [
    "eye",
    "eyes",
    "glance",
    "glances",
    "telling moves",
    "officer",
    "officers",
    "by his moves",
    "by its moves",
    "lesser men",
    "most men",
    "standing",
    "standings",
    "people of",
    "choosing as people",
    "who chooses as",
    "deposit",
    "deposits",
    "assessor",
    "scatter",
    "bet on",
    "walks around",
];

/// Extensions of files that commands read or write.
const EXTENSIONS: [&str; 12] = [
    ".pgn", ".epd", ".txt", ".db", ".toml", ".html", ".csv", ".jsonl", ".bin", ".json", ".sh",
    ".data",
];

/// Options that name a file which the command creates or continues.
const OUTPUT_OPTIONS: [&str; 13] = [
    ">",
    "-o",
    "--out",
    "--store",
    "--html",
    "--csv",
    "--answers",
    "--save-data",
    "--save-matrix",
    "--statistics",
    "--moves",
    "--sum",
    "--save",
];

/// Capitalised words that are not options: environment variables, files, and options of other
/// engines.
const NOT_OPTIONS: [&str; 27] = [
    "WhiteElo",
    "BlackElo",
    // These options exist, but are not announced.
    "EvalFile",
    "Sensitivity",
    "Consistency",
    "Regan-Fitted",
    "Regan-Published",
    "COLUMNS",
    "PAGER",
    "STOPDOWN_DATA",
    "STOPDOWN_SPARK_PYTHON",
    "FILE.manifest.json",
    "FIGURES_SECONDS",
    "FIGURES_DEPTH",
    "LICENSE",
    "MultiPV",
    "Equal",
    "Any",
    "Human",
    "Haworth",
    "Levelled",
    // PGN tags.
    "Event",
    "Link",
    "Site",
    "TimeClass",
    "RatingScale",
    "TimeControl",
];

fn topics() -> Vec<String> {
    let others = ["README", "overview"];
    pages().into_keys().filter(|name| !others.contains(&name.as_str())).collect()
}

fn help(words: &[&str]) -> String {
    let finished = run(&[&["help"], words].concat());
    assert_eq!(finished.code, 0, "{words:?}: {}", finished.error);
    finished.out
}

/// The `stopdown` commands on a page. The laboratory's tests check the others.
fn own_commands(page: &str) -> Vec<Vec<String>> {
    commands(page).into_iter().filter(|words| words[0] != "stopdown-lab").collect()
}

fn help_of(path: &[String]) -> String {
    help(&path.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn the_readme_can_be_read_in_one_go() {
    assert!(pages()["README"].lines().count() <= 150);
}

#[test]
fn help_without_a_word_is_one_screen_and_lists_all() {
    let overview = help(&[]);
    assert!(overview.lines().count() <= 40, "{overview}");
    assert!(overview.lines().all(|line| line.chars().count() <= 102));
    assert_eq!(run(&["--help"]).out, overview);
    let words: BTreeSet<&str> =
        overview.split(|c: char| !c.is_alphanumeric() && c != '-').collect();
    for topic in topics() {
        assert!(words.contains(topic.as_str()), "{topic} is not listed");
    }
    let folder = Folder::new();
    assert_eq!(run_with_input(&folder, &["man", "pages"], b"").code, 0);
    for page in fs::read_dir(folder.path().join("pages")).expect("there are man pages") {
        let page = page.expect("it can be read").file_name().into_string().expect("text");
        let Some(command) = page.trim_end_matches(".1").strip_prefix("stopdown-") else { continue };
        // The name of a subcommand's page ends with another dash and the name of the subcommand.
        let first = command.split('-').next().unwrap_or(command);
        let is_listed = words.contains(command) || words.contains(first);
        assert!(command == "help" || is_listed, "{command} is not listed");
    }
}

#[test]
fn a_misspelt_topic_gets_a_suggestion() {
    for (word, expected) in [
        ("plya", "unknown command or topic \"plya\"; did you mean \"play\"?"),
        ("measurement", "did you mean \"measurements\"?"),
        ("zzz", "`stopdown help` lists all commands and topics"),
    ] {
        let finished = run(&["help", word]);
        assert_eq!(finished.code, 2);
        assert!(finished.error.contains(expected), "{}", finished.error);
    }
}

#[test]
fn every_page_is_reachable_and_opens_with_its_purpose() {
    for topic in topics() {
        let page = &pages()[&topic];
        let shown = help(&[&topic]);
        let title = page.lines().next().and_then(|line| line.strip_prefix("# ")).expect("a title");
        assert!(shown.contains(&format!("{}\n", title.to_uppercase())), "{topic}: {shown}");
        let first = page.lines().skip(2).take_while(|line| !line.is_empty()).collect::<Vec<_>>();
        let first = first.join(" ");
        assert!(first.ends_with('.') && !first.contains(". "), "{topic}: {first}");
        assert!(!blocks(page).is_empty(), "{topic} has no example");
        let marks = shown.lines().filter(|line| !line.starts_with("    "));
        for line in marks {
            assert!(!line.contains('`') && !line.contains("**"), "{topic}: {line}");
        }
    }
    // If a word is both a command and a topic, the page is followed by all options.
    let both = help(&["analyse"]);
    assert!(both.starts_with("READ AN ANALYSIS REPORT\n"), "{both}");
    let (page, options) = both.split_once("\nAll options\n-----------\n\n").expect(&both);
    assert!(!page.contains("Usage:") && options.contains("\nUsage: stopdown analyse "), "{both}");
    assert!(help(&["endgame", "probe"]).contains("--fen"));
}

#[test]
fn pages_have_aliases() {
    for (name, title) in [
        ("lichess", "PLAY IN A CHESS PROGRAM"),
        ("assistance", "SCREEN GAMES FOR OUTSIDE ASSISTANCE"),
        ("people", "HOW IT WORKS"),
        ("figures", "MEASUREMENTS"),
        ("matches", "RUN A MATCH"),
    ] {
        assert!(help(&[name]).starts_with(title), "{name}");
    }
}

#[test]
fn pages_are_as_wide_as_the_terminal() {
    for (columns, most) in [("60", 60), ("80", 80), ("1000", 100), ("nonsense", 80)] {
        let folder = Folder::new();
        let mut command = program(&folder, &["help", "levels"]);
        let output = command.env("COLUMNS", columns).output().expect("the program ends");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let prose = text.lines().filter(|line| !line.starts_with("    "));
        let widest = prose.map(|line| line.chars().count()).max().expect("there are lines");
        assert!(widest <= most && widest > most - 12, "{columns}: {widest}");
    }
}

#[test]
fn help_works_with_a_broken_configuration() {
    let folder = Folder::new();
    folder.write("engine.toml", "not a setting");
    let output = program(&folder, &["help"]).output().expect("the program ends");
    assert!(output.status.success());
}

#[test]
fn terms_are_standard() {
    for (name, page) in pages() {
        let prose: String = page.split("```").step_by(2).collect();
        let prose: Vec<&str> = prose.split('`').step_by(2).collect();
        let words: Vec<String> = prose
            .join(" code ")
            .split(|c: char| !c.is_alphanumeric() && c != '\'')
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        let text = format!(" {} ", words.join(" "));
        for word in PRIVATE_TERMS {
            assert!(!text.contains(&format!(" {word} ")), "{name} says \"{word}\"");
        }
    }
}

#[test]
fn every_command_and_option_exists() {
    let mut helps: BTreeMap<Vec<String>, String> = BTreeMap::new();
    let mut seen = 0;
    for (name, page) in pages() {
        for words in own_commands(&page) {
            let mut rest = words[1..].iter().filter(|word| !word.starts_with('<')).peekable();
            if rest.next_if(|word| *word == "--config").is_some() {
                rest.next();
            }
            let Some(command) = rest.next() else { continue };
            let mut path = vec![command.clone()];
            if command == "endgame" {
                path.push(rest.next().expect("a subcommand").clone());
            }
            if command == "help" || command == "--version" {
                continue;
            }
            let help = helps.entry(path.clone()).or_insert_with(|| help_of(&path));
            let known: BTreeSet<&str> =
                help.split(|c: char| !c.is_alphanumeric() && c != '-').collect();
            for word in rest.filter(|word| word.len() > 1 && word.starts_with('-')) {
                assert!(known.contains(word.as_str()), "{name}: {words:?}: no {word}");
                seen += 1;
            }
        }
    }
    assert!(seen > 60, "only {seen} options were checked");
    // Commands in the running text.
    for (name, page) in pages() {
        for code in code_words(&page) {
            let Some((program, rest)) = code.split_once(' ') else { continue };
            let words: Vec<String> = rest.split(' ').map(str::to_owned).collect();
            if program != "stopdown" || words[0].starts_with('-') {
                continue;
            }
            let words = if words[0] == "help" { &words[1..] } else { &words[..1] };
            assert!(!help_of(words).is_empty(), "{name}: {code}");
        }
    }
}

/// Writes the files that the examples on the pages read.
fn fixtures(folder: &Folder) -> BTreeSet<String> {
    const MOVES: &str = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6 6. O-O O-O 7. Re1 a6 \
        8. Bb3 Ba7 9. h3 h6 10. Nbd2 Re8 11. Nf1 Be6 12. Bxe6 Rxe6 13. Ng3 d5 14. exd5 Qxd5 15. d4 \
        exd4 16. Rxe6 fxe6 17. Nxd4 Nxd4 18. cxd4 Bxd4 19. Be3 Bxe3 20. Qxd5 Bxf2+ 21. Kxf2 Nxd5 1-0";
    let game = |date: &str| {
        format!(
            "[Event \"Club\"]\n[Date \"{date}\"]\n[White \"Ann\"]\n[Black \"Bob\"]\n\
             [WhiteElo \"1600\"]\n[BlackElo \"1500\"]\n[Result \"1-0\"]\n\n{MOVES}\n\n"
        )
    };
    let position = "r3k2r/pppq1ppp/2n5/8/8/2N5/PPPQ1PPP/R3K2R w KQkq - 0 1\n";
    let mut names = BTreeSet::new();
    let mut write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
        names.insert(name.to_owned());
    };
    write("games.pgn", &(game("2024.01.01") + &game("2024.01.02")));
    write("earlier.pgn", &(game("2023.01.01") + &game("2023.01.02")));
    write("later.pgn", &game("2024.02.01"));
    write("positions.epd", position);
    write("fens.txt", position);
    // These files are needed only by examples that are not run.
    for name in ["endings.pgn", "similarity.data"] {
        write(name, "");
    }
    for name in ["tests/data/ferreira2013_table3.csv", "tuning/studies/kqkr/browne-belle.pgn"] {
        write(name, &fs::read_to_string(root().join(name)).expect("it is in the repository"));
    }
    for block in pages().values().flat_map(|page| blocks(page)) {
        if let Some((_, name)) = block.fence.split_once("file=") {
            write(name, &block.text);
        }
    }
    names
}

#[test]
fn named_files_exist_or_are_created_earlier() {
    let folder = Folder::new();
    let fixtures = fixtures(&folder);
    let is_file = |word: &str| EXTENSIONS.iter().any(|ending| word.ends_with(ending));
    for (name, page) in pages() {
        let mut known = fixtures.clone();
        for words in commands(&page) {
            let is_training = words.get(1).is_some_and(|word| word == "tune");
            for (place, word) in words.iter().enumerate().filter(|(_, word)| is_file(word)) {
                let before = words[place - 1].as_str();
                let plays =
                    words.iter().any(|word| ["--resume", "--player", "--a"].contains(&&**word));
                // `tune` creates the file that is named first, and a match creates its PGN file.
                let makes = OUTPUT_OPTIONS.contains(&before)
                    || (before == "--pgn" && plays)
                    || (is_training && place == 3)
                    || (is_training && words[2] == "values" && place == 4);
                let file = word.rsplit('=').next().unwrap_or(word);
                if makes {
                    // `{}` stands for the number of a part.
                    known.extend((1..=4).map(|part| file.replace("{}", &part.to_string())));
                    known.insert(file.to_owned());
                }
                assert!(known.contains(file), "{name}: {words:?}: {file} does not exist");
            }
        }
        for word in code_words(&page) {
            let ours =
                ["src/", "tests/", "tuning/", ".ci/"].iter().any(|top| word.starts_with(top));
            let file = word.strip_prefix("sh ").unwrap_or(&word);
            if ours || file != word {
                assert!(root().join(file).exists(), "{name}: {file} does not exist");
            }
        }
    }
}

#[test]
fn links_in_the_readme_resolve() {
    let readme = &pages()["README"];
    let targets = readme.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    for target in targets.filter(|target| !target.starts_with("http")) {
        assert!(root().join(target).exists(), "{target}");
    }
}

#[test]
fn documented_options_are_the_engines_and_complete() {
    let mut engine = Engine::start();
    engine.send("uci");
    let mut options = BTreeSet::new();
    let mut values = BTreeSet::new();
    loop {
        let line = engine.line();
        if line == "uciok" {
            break;
        }
        let Some(rest) = line.strip_prefix("option name ") else { continue };
        let (name, kind) = rest.split_once(" type ").expect("an option has a type");
        options.insert(name.to_owned());
        let choices = kind.split(" var ").skip(1);
        values.extend(choices.map(|choice| choice.trim().to_owned()));
    }
    let pages = pages();
    for (name, page) in &pages {
        // Material signatures such as KQKR are written in capitals.
        let material = |word: &str| word.chars().all(|c| "KQRBNP".contains(c));
        for code in code_words(page) {
            let named = code.chars().next().is_some_and(|letter| letter.is_ascii_uppercase());
            let known = options.contains(&code)
                || values.contains(&code)
                || NOT_OPTIONS.contains(&code.as_str())
                || material(&code);
            // Moves, formulas and paths are not names.
            let is_name = code.len() > 3
                && code.chars().all(|c| c.is_ascii_alphanumeric() || " _-".contains(c));
            assert!(!named || !is_name || known, "{name}: the option {code} does not exist");
        }
    }
    let explained = code_words(&pages["options"]);
    for option in &options {
        assert!(explained.contains(option), "{option} is not explained");
    }
}

/// The output that a page shows directly below a block, if any.
#[cfg(unix)]
fn shown_output<'a>(page: &'a str, block: &reading::Block) -> Option<&'a str> {
    let (_, below) = page.split_once(&format!("{}```\n\n```text\n", block.text))?;
    below.split("```").next()
}

/// Examples marked `sh run` run unchanged in a shell, and print the output shown directly below them.
#[cfg(unix)]
#[test]
fn examples_run_and_print_what_is_shown() {
    let (mut count, mut compared) = (0, 0);
    let mut differences = Vec::new();
    for (name, page) in pages() {
        let folder = Folder::new();
        fixtures(&folder);
        let programs = folder.path().join("programs");
        fs::create_dir(&programs).expect("it can be made");
        let own = programs.join("stopdown");
        std::os::unix::fs::symlink(crate::common::PROGRAM, own).expect("a link can be made");
        let path = env::var("PATH").unwrap_or_default();
        for block in blocks(&page).iter().filter(|block| block.fence == "sh run") {
            // The laboratory tests its own examples.
            let lines = block.text.lines().filter(|line| !line.starts_with("stopdown-lab"));
            let text = lines.collect::<Vec<_>>().join("\n");
            if text.is_empty() {
                continue;
            }
            // The environment variables point to folders without the user's files.
            let command = program(&folder, &[]);
            let mut shell = std::process::Command::new("sh");
            let variables = command.get_envs().filter_map(|(key, value)| Some((key, value?)));
            shell.envs(variables).current_dir(folder.path());
            shell.env("PATH", format!("{}:{path}", programs.display()));
            let output = shell.args(["-e", "-c", &text]).output().expect("a shell runs");
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{name}: {text}\n{error}");
            assert!(!output.stdout.is_empty(), "{name}: {text} prints nothing");
            count += 1;
            let Some(shown) = shown_output(&page, block) else { continue };
            let printed = String::from_utf8_lossy(&output.stdout);
            let mut shown = shown.lines().filter(|line| *line != "...");
            if let Some(line) = shown.find(|line| !printed.contains(line)) {
                differences.push(format!("{name}: {} has no {line:?}: {printed}", block.text));
            }
            compared += 1;
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(count >= 16 && compared >= 3, "{count} examples run, {compared} outputs compared");
}
