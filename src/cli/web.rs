//! `stopdown web`: the board in the browser.

use std::io::Write;
use std::process::{Command, Stdio};

use anyhow::Context as _;

use super::engine::EngineArguments;
use super::outcome::{CommandOutcome, CommandResult};
use super::value_parsers;
use crate::config::Settings;
use crate::web::{Host, MadeOpponents, Server};

const EXAMPLES: &str = "\
Examples:
  stopdown web
  stopdown web --port 8080 --no-browser
  stopdown web --engine stockfish --engine-option Hash=64";

/// Play on a board in the browser
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Port on 127.0.0.1 [default: any free port]
    #[arg(long, value_parser = value_parsers::whole(1..=u16::MAX))]
    port: Option<u16>,
    /// Print the address without opening a browser
    #[arg(long)]
    no_browser: bool,
    #[command(flatten)]
    engine: EngineArguments,
}

pub fn run(arguments: &Arguments, config: Settings, out: &mut dyn Write) -> CommandResult {
    // Find out before the first game whether the engine can be started.
    arguments.engine.start()?;
    let host = Host { config, engine: arguments.engine.words(), made: MadeOpponents::default() };
    let place = arguments.port.map_or("a free port".to_owned(), |port| format!("port {port}"));
    let server = Server::open(host, arguments.port)
        .with_context(|| format!("cannot listen on {place} of 127.0.0.1; try another --port"))?;
    let address = server.address();
    writeln!(out, "The board is at {address}\nPress Ctrl+C to stop.")?;
    if !arguments.no_browser && !open(&address) {
        writeln!(out, "No browser could be started. Open this address in your browser.")?;
    }
    out.flush()?;
    server.run();
    Ok(CommandOutcome::Done)
}

/// Opens an address in the user's browser. Returns false if that is not possible.
fn open(address: &str) -> bool {
    let words: &[&str] = match std::env::consts::OS {
        "macos" => &["open"],
        "windows" => &["rundll32", "url.dll,FileProtocolHandler"],
        _ => &["xdg-open"],
    };
    let Some((program, words)) = words.split_first() else { return false };
    let mut command = Command::new(program);
    command.args(words).arg(address);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    // Wait for the child, so that the system can release it.
    std::thread::spawn(move || child.wait());
    true
}
