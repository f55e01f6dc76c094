//! `boards`: writes the levels that PicoChess offers on an electronic board.
//!
//! PicoChess reads the file `ENGINE.uci` in the engine's folder. Each section is a level, and its lines are UCI
//! options. Four facts of PicoChess shape the file:
//!
//! - It sorts the sections by name, so the names must sort from weak to strong.
//! - The user chooses a level by putting a queen on one of eight squares, so there are eight levels.
//! - A new level sets only its own options, so each section sets every option that affects the strength.
//! - A clock shows eleven characters of a name. Older clocks show eight or six. For `Elo@1500`, clocks show `Elo 1500`
//!   or `el1500`, and games are saved with that rating.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;

use super::outcome::{CommandOutcome, CommandResult};
use super::output::save;
use crate::player::RATINGS;

/// The file name of the engine, without an extension.
const ENGINE: &str = "stopdown";

/// The range of the human games that levels were fitted to, in equal steps.
const LEVELS: [u32; 6] = [600, 1040, 1480, 1920, 2360, 2800];

const EXAMPLES: &str = "\
DIR is the folder that PicoChess keeps its engines in. The program must be there too, under the
name stopdown.

Examples:
  stopdown boards /opt/picochess/engines/aarch64
  stopdown boards /opt/picochess/engines/x86_64 >> /opt/picochess/engines/x86_64/engines.ini";

/// Write the levels for an electronic board with PicoChess, and print the entry for engines.ini
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Folder with the engines of PicoChess
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    let folder = &arguments.folder;
    anyhow::ensure!(
        folder.is_dir(),
        "{} is not a folder; name the folder with engines.ini of PicoChess",
        folder.display()
    );
    save(&folder.join(format!("{ENGINE}.uci")), levels())?;
    let engines = folder.join("engines.ini");
    if has_entry(&engines)? {
        // PicoChess does not start with two entries of the same name.
        writeln!(io::stderr(), "{} has an entry for Stopdown already", engines.display())?;
    } else {
        out.write_all(entry().as_bytes())?;
    }
    Ok(CommandOutcome::Done)
}

/// Returns whether the list of engines names ours. PicoChess may have no list yet.
fn has_entry(engines: &Path) -> anyhow::Result<bool> {
    match fs::read(engines) {
        Ok(bytes) => {
            let header = format!("[{ENGINE}]");
            Ok(String::from_utf8_lossy(&bytes).lines().any(|line| line.trim_end() == header))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error).with_context(|| engines.display().to_string()),
    }
}

/// The file of levels. PicoChess starts with the last one.
fn levels() -> String {
    let mut text = "; Levels of Stopdown for PicoChess, weakest first.\n".to_owned();
    for elo in LEVELS {
        let _ =
            write!(text, "\n[Elo@{elo:04}]\nStrength = Elo\nUCI_Elo = {elo}\nElo Scale = FIDE\n");
    }
    text += "\n[Imitator]\nStrength = Imitator\nElo Scale = FIDE\n\n[Max]\nStrength = Full\n";
    text
}

/// The entry in `engines.ini`. It begins with an empty line, so that it can be appended to the file.
fn entry() -> String {
    // PicoChess saves games without a level with this rating.
    let elo = RATINGS.end();
    format!(
        "\n[{ENGINE}]\nname = Stopdown\nsmall = stopdn\nmedium = Stopdown\nlarge = Stopdown\n\
         elo = {elo}\n"
    )
}
