//! `boards`: writes the levels file, which lets PicoChess offer our levels on an electronic board.
//!
//! PicoChess reads the file `ENGINE.uci` beside an engine. Each section is a level, and its lines are UCI
//! options. Four properties of PicoChess determine the contents of the file:
//!
//! - It sorts the sections by name, so the names must sort from weak to strong.
//! - A queen on one of eight squares of the board chooses a level, so there are eight levels.
//! - A change of level sets only the options of the new section. Each section therefore sets every option
//!   that affects the strength.
//! - A chess clock shows eleven characters of a name; older clocks show eight or six. For `Elo@1500`,
//!   PicoChess shows `Elo 1500` or `el1500`, and saves games with that rating.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;

use super::outcome::{CommandOutcome, CommandResult};
use super::output::save;
use crate::player::RATINGS;

/// The name of the program, which is in the same folder as the levels file.
const ENGINE: &str = "stopdown";

/// The ratings of the levels, in equal steps. They span the ratings of the players whose games the levels
/// were fitted to.
const LEVELS: [u32; 6] = [600, 1040, 1480, 1920, 2360, 2800];

const EXAMPLES: &str = "\
DIR is the folder in which PicoChess keeps its engines. Copy the program there first, and name it \
stopdown.

Examples:
  stopdown boards /opt/picochess/engines/aarch64
  stopdown boards /opt/picochess/engines/x86_64 \\
      >> /opt/picochess/engines/x86_64/engines.ini";

/// Write the levels file for an electronic board that uses PicoChess, and print the entry for engines.ini
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// PicoChess's engines folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    let folder = &arguments.folder;
    anyhow::ensure!(
        folder.is_dir(),
        "{} is not a folder; give the PicoChess folder that contains engines.ini",
        folder.display()
    );
    save(&folder.join(format!("{ENGINE}.uci")), levels())?;
    let engines = folder.join("engines.ini");
    if has_entry(&engines)? {
        // PicoChess does not start if two entries have the same name.
        writeln!(io::stderr(), "{} already has an entry for Stopdown", engines.display())?;
    } else {
        out.write_all(entry().as_bytes())?;
    }
    Ok(CommandOutcome::Done)
}

/// Returns whether PicoChess's list of engines has an entry for ours. The list may not exist yet.
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

/// The contents of the levels file. PicoChess starts with the last level.
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
    // PicoChess saves a game with this rating if no level was chosen.
    let elo = RATINGS.end();
    format!(
        "\n[{ENGINE}]\nname = Stopdown\nsmall = stopdn\nmedium = Stopdown\nlarge = Stopdown\n\
         elo = {elo}\n"
    )
}
