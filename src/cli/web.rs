//! `stopdown web`: the board in the browser.

use std::env;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

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

/// An opponent uses the engine only if the user chooses so for the game.
const ENGINE_HELP: &str = "Offer the evaluations of this UCI engine to opponents, under New game; if the command has \
    arguments, put it in quotes";

/// Play on a board in the browser
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, mut_arg("engine", |engine| engine.help(ENGINE_HELP)))]
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
    let host = Host {
        config,
        engine: arguments.engine.words(),
        made: MadeOpponents::default(),
        has_threads: true,
    };
    let place = arguments.port.map_or("a free port".to_owned(), |port| format!("port {port}"));
    let server = Server::open(host, arguments.port)
        .with_context(|| format!("cannot listen on {place} at 127.0.0.1; try another --port"))?;
    let address = server.address();
    let serving = thread::spawn(move || server.run());
    writeln!(out, "The board is at {address}\nPress Ctrl+C to stop.")?;
    out.flush()?;
    // Find out before the first game whether the engine can be started, even if this takes a while.
    arguments.engine.start()?;
    if !arguments.no_browser && open(&address).is_err() {
        writeln!(out, "No browser could be started. Open this address in your browser.")?;
        out.flush()?;
    }
    serving.join().unwrap_or(Ok(()))?;
    Ok(CommandOutcome::Done)
}

/// The time after which the file that redirects the browser to the page is deleted.
const REDIRECTION_LIFETIME: Duration = Duration::from_secs(60);

/// Opens an address in the user's browser.
///
/// The address contains the secret, and every user of the machine can see the arguments of a
/// process. So the browser opens a file that redirects it to the address and that only this user
/// can read.
fn open(address: &str) -> io::Result<()> {
    let private = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_dir());
    let mut builder = tempfile::Builder::new();
    builder.prefix("stopdown-").suffix(".html");
    let mut page = builder.tempfile_in(private.unwrap_or_else(env::temp_dir))?;
    write!(
        page,
        "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>Stopdown</title>\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"refresh\" content=\"0; url={address}\">\n\
         <p><a href=\"{address}\">Open the board</a></p>\n"
    )?;
    let page = page.into_temp_path();
    let words: &[&str] = match env::consts::OS {
        "macos" => &["open"],
        "windows" => &["rundll32", "url.dll,FileProtocolHandler"],
        _ => &["xdg-open"],
    };
    let (program, words) = words.split_first().ok_or(io::ErrorKind::NotFound)?;
    let mut command = Command::new(program);
    command.args(words).arg(&page);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    thread::spawn(move || {
        // Wait for the child process, so that the system can release it. The browser may still be
        // starting.
        let _ = child.wait();
        thread::sleep(REDIRECTION_LIFETIME);
        drop(page);
    });
    Ok(())
}
