//! The commands `help`, `completions` and `man`.
//!
//! `help` lists all commands and topics, explains a command, or shows a page of the manual. The
//! manual is Markdown in `src/manual`, so that it can also be read on the web. `help` renders it as
//! plain text with the width of the terminal, and shows it in a pager.
//!
//! `completions` and `man` write files for packages. They are hidden, because only packagers need them.
//! `stopdown-lab` has them too.

mod plain;

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::{Command as Process, Stdio};

use anyhow::Context as _;
use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use super::laboratory;
use super::outcome::{CommandOutcome, CommandResult, StandardOutput};
use super::output::text_width;
use crate::suggest;

/// The text of `stopdown help` and `stopdown --help`.
pub const OVERVIEW: &str = include_str!("../../manual/overview.txt");

/// The width of the text in columns if the width of the terminal is unknown.
const DEFAULT_WIDTH: usize = 80;

/// The pager if PAGER is not set. With these options, `less` quits at once if the text fits on one
/// screen, and leaves it visible.
const DEFAULT_PAGER: &str = "less -FRX";

/// The heading of a command's options below the page on that command.
const ALL_OPTIONS: &str = "All options";

/// List all commands and topics, explain a command, or show a page of the manual
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  stopdown help                  list all commands and topics
  stopdown help play             explain a command
  stopdown help endgame probe    explain a subcommand
  stopdown help levels           show a page of the manual

Text is wrapped to the width of the terminal or to COLUMNS. On a terminal it is shown in the pager named \
in PAGER, or in `less`. To turn the pager off, set PAGER to an empty string.")]
pub struct Arguments {
    /// A command, a command and its subcommand, or a topic
    #[arg(value_name = "COMMAND|TOPIC")]
    words: Vec<String>,
}

/// Shows the help on a command or topic. `root` contains all commands.
pub fn run(arguments: &Arguments, root: Command) -> CommandResult {
    let mut root = root.term_width(text_width(DEFAULT_WIDTH));
    root.build();
    show(&text(&arguments.words, &mut root)?)?;
    Ok(CommandOutcome::Done)
}

/// The help on a command or topic. If the word names both, the page comes first, because it explains
/// the most useful options.
fn text(words: &[String], root: &mut Command) -> anyhow::Result<String> {
    let Some(first) = words.first() else { return Ok(OVERVIEW.to_owned()) };
    let topic = PAGES.iter().find(|page| page.is_called(first));
    let topic = topic.filter(|_| words.len() == 1);
    // Each word names a subcommand of the previous one.
    let named =
        words.iter().try_fold(&mut *root, |command, word| command.find_subcommand_mut(word));
    let command = named.map(|command| command.render_long_help().to_string());
    let page = topic.map(|page| plain::render(page.text, text_width(DEFAULT_WIDTH)));
    let mut text = match (page, command) {
        (Some(page), Some(command)) => {
            let rule = "-".repeat(ALL_OPTIONS.len());
            format!("{page}\n{ALL_OPTIONS}\n{rule}\n\n{command}")
        }
        (Some(page), None) => return Ok(page),
        (None, Some(command)) => command,
        (None, None) => return Err(unknown(words, root)),
    };
    let others = PAGES.iter().filter(|page| page.commands.contains(&first.as_str()));
    let others: Vec<&str> = others.map(|page| page.name).filter(|name| name != first).collect();
    if !others.is_empty() {
        let _ = writeln!(text, "\nIn the manual: stopdown help {}", others.join(", "));
    }
    Ok(text)
}

fn unknown(words: &[String], root: &Command) -> anyhow::Error {
    if let Some(sentence) = laboratory::redirection(words) {
        return anyhow::Error::msg(sentence);
    }
    let commands = root.get_subcommands().filter(|command| !command.is_hide_set());
    let commands: Vec<&str> = commands.map(Command::get_name).collect();
    let topics: Vec<&str> = PAGES.iter().map(|page| page.name).collect();
    let typed = words.join(" ");
    match suggest::similar(&typed, commands.into_iter().chain(topics)) {
        Some(name) => {
            anyhow::anyhow!("unknown command or topic \"{typed}\"; did you mean \"{name}\"?")
        }
        None => anyhow::anyhow!(
            "unknown command or topic \"{typed}\"; `stopdown help` lists all commands and topics"
        ),
    }
}

/// Shows text in a pager if standard output is a terminal. Otherwise prints it.
fn show(text: &str) -> io::Result<()> {
    let pager = std::env::var("PAGER").unwrap_or_else(|_| DEFAULT_PAGER.to_owned());
    let mut words = pager.split_whitespace();
    if let Some(program) = words.next()
        && io::stdout().is_terminal()
    {
        let pager = Process::new(program).args(words).stdin(Stdio::piped()).spawn();
        // If the pager cannot be started, the text is printed.
        if let Ok(mut child) = pager {
            if let Some(mut input) = child.stdin.take() {
                // Writing fails if the user quits the pager early.
                let _ = input.write_all(text.as_bytes());
            }
            return child.wait().map(drop);
        }
    }
    let mut stdout = StandardOutput::lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// A page of the manual.
struct HelpPage {
    name: &'static str,
    /// Other words that select the page, such as its earlier name.
    aliases: &'static [&'static str],
    /// The text in Markdown.
    text: &'static str,
    /// Commands whose help refers to the page.
    commands: &'static [&'static str],
}

impl HelpPage {
    fn is_called(&self, topic: &str) -> bool {
        std::iter::once(&self.name).chain(self.aliases).any(|name| name.eq_ignore_ascii_case(topic))
    }
}

macro_rules! pages {
    ($($name:literal $(or $alias:literal)*: $commands:expr,)*) => {
        &[$(HelpPage {
            name: $name,
            aliases: &[$($alias),*],
            text: include_str!(concat!("../../manual/", $name, ".md")),
            commands: &$commands,
        }),*]
    };
}

/// Guides come first, then the reference pages, then the background.
const PAGES: &[HelpPage] = pages! {
    "install" or "platforms": [],
    "gui" or "lichess": [],
    "browser": ["web"],
    "terminal": ["play"],
    "rate": ["analyse"],
    "mistakes": ["analyse"],
    "screening" or "assistance": ["analyse"],
    "opponent": ["profile"],
    "human-analysis": ["choose"],
    "match" or "matches": ["ladder"],
    "ladder": ["match"],
    "odds" or "exploit": ["match"],
    "engines": ["proxy"],
    "cluster": ["analyse", "report", "split"],
    "options": [],
    "commands": [],
    "compatibility": [],
    "analyse": ["rate"],
    "profiles": ["profile", "choose", "play"],
    "formats": ["evaluate", "store"],
    "endgames": ["endgame"],
    "how-it-works" or "people": ["choose", "rate"],
    "levels": ["play", "rate"],
    "imitator": ["play"],
    "repeatability": ["evaluate", "bench", "perft"],
    "calibration": [],
    "measurements" or "figures": ["bench"],
    "papers": ["endgame"],
    "changes" or "changelog" or "news": [],
};

/// Write completions for a shell
#[derive(Debug, Args)]
pub struct Completions {
    shell: Shell,
}

/// Write man pages for the program and each command
#[derive(Debug, Args)]
pub struct ManPages {
    /// Folder for the pages
    folder: PathBuf,
}

impl Completions {
    /// Writes the completion script of the chosen shell to `out`.
    pub fn run(&self, mut program: Command, out: &mut dyn Write) -> CommandResult {
        let name = program.get_name().to_owned();
        // The generator panics on write errors, so it writes to memory first.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program, name, &mut script);
        out.write_all(&script)?;
        Ok(CommandOutcome::Done)
    }
}

impl ManPages {
    /// Writes the man pages to the folder and creates the folder if it is missing.
    pub fn run(&self, mut program: Command) -> CommandResult {
        program.build();
        let folder = self.folder.display();
        std::fs::create_dir_all(&self.folder)
            .and_then(|()| self.write_pages(&program))
            .with_context(|| format!("cannot write man pages to {folder}"))?;
        Ok(CommandOutcome::Done)
    }

    /// Writes the pages of a command and its subcommands. All of them name the program's version.
    fn write_pages(&self, command: &Command) -> std::io::Result<()> {
        let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
        shown.into_iter().try_for_each(|command| self.write_pages(command))?;
        let source = concat!("Stopdown ", env!("CARGO_PKG_VERSION"));
        Man::new(command.clone()).source(source).generate_to(&self.folder).map(drop)
    }
}
