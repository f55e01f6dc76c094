//! The parts of a package other than the programs: man pages and shell completions. Also checks the
//! help on a terminal.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::Folder;
use crate::common::needs::{client, clients};

const PROGRAM: &str = env!("CARGO_BIN_EXE_stopdown");

/// A stand-in for the parts of `stopdown-lab` that the release script calls.
const STAND_IN: &str = "#!/bin/sh
case $1 in
    man) mkdir -p \"$2\" && echo page > \"$2/stopdown-lab.1\" ;;
    completions) echo script ;;
esac
";

/// Runs a program and returns its standard output, or `None` if the program does not exist.
fn output(program: &str, words: &[&str]) -> Option<(bool, String)> {
    let output = Command::new(program).args(words).stdin(Stdio::null()).output().ok()?;
    let printed = [output.stdout, output.stderr].concat();
    Some((output.status.success(), String::from_utf8_lossy(&printed).into_owned()))
}

/// Checks one of our files with another program, if tests with such programs are enabled.
fn checked(checker: &str, package: &str, words: &[&str]) -> Option<(bool, String)> {
    client(checker, package)?;
    output(checker, words)
}

#[test]
fn completion_scripts_are_valid() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let (written, script) = output(PROGRAM, &["completions", shell]).expect("it runs");
        assert!(written && script.contains("config"), "{shell}");
        let path = folder.write(&format!("stopdown.{shell}"), &script);
        let checked = checked(shell, shell, &["-n", &path]);
        assert!(checked.is_none_or(|(sound, printed)| sound && printed.is_empty()), "{shell}");
    }
    let (written, script) = output(PROGRAM, &["completions", "bash"]).expect("it runs");
    assert!(written && script.contains("analyse") && script.contains("--scale"), "{script}");
}

#[test]
fn every_command_has_a_man_page_that_man_can_show() {
    let folder = Folder::new();
    let pages = folder.path().join("man");
    let (written, printed) =
        output(PROGRAM, &["man", &pages.display().to_string()]).expect("it runs");
    assert!(written && printed.is_empty(), "{printed}");
    let is_there = |page: &&str| pages.join(page).is_file();
    for page in ["stopdown.1", "stopdown-play.1", "stopdown-endgame-probe.1"] {
        assert!(is_there(&page), "{page}");
    }
    // Hidden commands have no page.
    assert!(!["stopdown-become.1", "stopdown-man.1"].iter().any(is_there));
    let mut count = 0;
    for entry in fs::read_dir(&pages).expect("it was made") {
        let path = entry.expect("it can be read").path();
        let page = path.display().to_string();
        let text = fs::read_to_string(&path).expect("it is text");
        assert!(text.contains(".SH NAME") && text.contains(".SH SYNOPSIS"), "{page}");
        if let Some((sound, printed)) =
            checked("mandoc", "mandoc", &["-T", "lint", "-W", "error", &page])
        {
            assert!(sound, "{page}: {printed}");
        }
        count += 1;
    }
    assert!(count > 15, "only {count} pages");
    let page = pages.join("stopdown-play.1").display().to_string();
    if let Some((sound, printed)) = checked("man", "man-db", &["-l", &page]) {
        assert!(sound && printed.contains("--elo"), "{printed}");
    }
    // An error is reported if the folder cannot be created.
    let file = folder.write("file", "");
    let (written, printed) = output(PROGRAM, &["man", &file]).expect("it runs");
    assert!(!written && printed.contains("cannot write man pages to"), "{printed}");
}

#[test]
#[cfg(target_os = "linux")]
fn an_archive_is_complete_and_the_same_every_time() {
    let programs =
        [("bash", "bash"), ("tar", "tar"), ("sha256sum", "coreutils"), ("python3", "python3")];
    if clients(&programs).is_none() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = Folder::new();
    let built = folder.path().join("built");
    fs::create_dir(&built).expect("the folder is writable");
    fs::copy(PROGRAM, built.join("stopdown")).expect("it can be written");
    let laboratory = folder.write("built/stopdown-lab", STAND_IN);
    fs::set_permissions(&laboratory, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    let name = format!("stopdown-{}-{target}", env!("CARGO_PKG_VERSION"));
    let archive = format!("{name}.tar.gz");
    let again = Folder::new();
    let [one, other] = [&folder, &again].map(|folder| {
        let mut release = Command::new(root.join(".ci/release"));
        release.arg(folder.path()).env("BUILT", &built).env("TARGET", &target);
        // A commit made between the two runs would have a different time.
        release.env("SOURCE_DATE_EPOCH", "1700000000");
        let made = release.output().expect("bash");
        assert!(made.status.success(), "{made:?}");
        fs::read(folder.path().join(&archive)).expect("the archive is there")
    });
    assert!(one == other, "two archives of the same programs differ");
    let inside = |words: &[&str]| {
        let output = Command::new(words[0]).args(&words[1..]).current_dir(folder.path()).output();
        let output = output.expect("it runs");
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    inside(&["sha256sum", "--check", &format!("{archive}.sha256")]);
    let list = inside(&["tar", "-xzvf", &archive]);
    for file in [
        "stopdown",
        "stopdown-lab",
        "README.md",
        "LICENSE",
        "engine.toml",
        "stopdown.cdx.json",
        "man/stopdown-play.1",
        "completions/stopdown.bash",
        "completions/_stopdown-lab",
    ] {
        assert!(list.lines().any(|line| line == format!("{name}/{file}")), "{file}: {list}");
    }
    let readme = fs::read_to_string(folder.path().join(&name).join("README.md")).expect("text");
    let links = readme.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    let links: Vec<&str> = links.filter(|link| !link.contains(':')).collect();
    assert!(links.len() > 10, "{links:?}");
    for link in links {
        assert!(folder.path().join(&name).join(link).exists(), "{link}: {list}");
    }
    assert!(inside(&[&format!("{name}/stopdown"), "--version"]).starts_with("stopdown "));
    // A tag with a different version does not produce an archive.
    let refused = Command::new(root.join(".ci/release"))
        .arg(folder.path())
        .env("GITHUB_REF", "refs/tags/v999.0.0")
        .output()
        .expect("bash");
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
}

/// The output on a terminal with `columns` columns. `before` sets environment variables for the
/// program.
fn on_terminal(columns: u32, before: &str, words: &str, input: &Path) -> Option<String> {
    let script = format!("stty cols {columns} rows 24; {before} '{}' {words}", PROGRAM);
    let mut terminal = Command::new(client("script", "bsdutils")?);
    terminal.args(["-qec", &script, "/dev/null"]).env_remove("COLUMNS").env_remove("PAGER");
    terminal.env_remove("LESS").stdin(fs::File::open(input).expect("it exists"));
    let output = terminal.output().expect("a terminal opens");
    Some(String::from_utf8_lossy(&output.stdout).replace('\r', ""))
}

#[test]
#[cfg(target_os = "linux")]
fn help_is_as_wide_as_the_terminal_and_goes_through_a_pager() {
    let folder = Folder::new();
    let nothing = folder.write("nothing", "");
    let pager = folder.write("pager", "#!/bin/sh\necho PAGED\nsed 's/^/|/'\n");
    let show =
        |columns, before: &str, words| on_terminal(columns, before, words, Path::new(&nothing));
    for columns in [60, 90] {
        let Some(text) = show(columns, "PAGER=", "help levels") else { return };
        let prose = text.lines().filter(|line| !line.starts_with("    "));
        let widest = prose.map(|line| line.chars().count()).max().expect("there are lines");
        assert!(
            widest <= columns as usize && widest > columns as usize - 12,
            "{columns}: {widest}"
        );
        // The complete help of a command is also wrapped.
        let text = show(columns, "PAGER=", "help play").expect("there was a terminal");
        let options = text.split("Options:").nth(1).and_then(|rest| rest.split("Examples").next());
        let mut lines = options.expect("options are listed").lines();
        assert!(lines.all(|line| line.chars().count() <= columns as usize), "{text}");
    }
    let paged =
        show(80, &format!("PAGER='sh {pager}'"), "help levels").expect("there was a terminal");
    assert!(paged.starts_with("PAGED\n|"), "{paged}");
    let broken = show(80, "PAGER=/no/such/program", "help levels").expect("there was a terminal");
    assert!(
        broken.lines().count() > 20,
        "without a working pager, the text is not shown: {broken}"
    );
    // If no pager is chosen, `less` is used. It must stay open for a long page.
    let less = folder.write("less", "#!/bin/sh\necho LESS \"$@\"\n");
    fs::set_permissions(&less, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let path = format!("PATH='{}':$PATH", folder.path().display());
    let usual = show(80, &path, "help levels").expect("there was a terminal");
    assert_eq!(usual, "LESS -FRX\n");
    // Output through a pipe is not paged.
    let mut piped = Command::new(PROGRAM);
    let piped = piped.args(["help", "levels"]).env("PAGER", format!("sh {pager}")).output();
    assert!(!String::from_utf8_lossy(&piped.expect("it runs").stdout).contains("PAGED"));
}

#[test]
#[cfg(target_os = "linux")]
fn starting_on_a_terminal_explains_how_to_play() {
    let folder = Folder::new();
    let input = folder.write("input", "quit\n");
    let Some(text) = on_terminal(100, "", "", Path::new(&input)) else { return };
    for words in ["stopdown play", "stopdown web", "stopdown help"] {
        assert!(text.contains(words), "{words}: {text}");
    }
}
