//! The end of a command: its outcome, its exit code and its error message.
//!
//! Exit code 0 means success. 1 means that nothing was found or that a check failed. 2 means that
//! the command line or an input was wrong. It is not an error if a reader closes the pipe early.

use std::io::{self, BufWriter, StdoutLock, Write};
use std::process::ExitCode;

use crate::words::counted;

/// The outcome of a subcommand that ends without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandOutcome {
    /// The command did what it was asked to do.
    Done,
    /// Nothing was found, or a check failed.
    Negative,
}

/// The result of a subcommand.
pub type CommandResult = anyhow::Result<CommandOutcome>;

/// Prints the error in the arguments, or the help or version if they were requested.
pub fn print_usage(error: &clap::Error) -> ExitCode {
    // If the terminal has gone, the error cannot be reported anywhere.
    let _ = error.print();
    if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS }
}

/// Turns the result of a subcommand into an exit code, and prints its error.
pub fn exit_code(result: CommandResult, program: &str) -> ExitCode {
    match result {
        Ok(CommandOutcome::Done) => ExitCode::SUCCESS,
        Ok(CommandOutcome::Negative) => ExitCode::from(1),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{program}: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Wraps standard output, and names it in errors.
pub struct StandardOutput(StdoutLock<'static>);

impl StandardOutput {
    /// Locks standard output.
    pub fn lock() -> StandardOutput {
        StandardOutput(io::stdout().lock())
    }
}

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(cannot_write)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(cannot_write)
    }
}

/// Names standard output in an error. The kind remains, because a closed pipe is not reported.
fn cannot_write(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write to standard output: {error}"))
}

/// Runs a command with buffered standard output.
pub fn with_output(run: impl FnOnce(&mut dyn Write) -> CommandResult) -> CommandResult {
    let out = &mut BufWriter::new(StandardOutput::lock());
    let outcome = run(out)?;
    out.flush()?;
    Ok(outcome)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    })
}

/// The message about duplicate games.
pub fn counted_once(duplicates: usize) -> String {
    let were = if duplicates == 1 { "was" } else { "were" };
    format!("{} {were} counted once", counted(duplicates, "duplicate game"))
}

/// Returns an error if more unreadable games were skipped than the user tolerates.
pub fn accept_unreadable(count: usize, tolerate: usize) -> anyhow::Result<()> {
    let games = counted(count, "unreadable game");
    anyhow::ensure!(count <= tolerate, "skipped {games}; to accept that, use --tolerate {count}");
    Ok(())
}
