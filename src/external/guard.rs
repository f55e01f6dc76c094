//! Engines that cannot outlive us, however we end.
//!
//! Ended in an orderly way we end our engines. Killed outright we cannot, and an engine that is deaf
//! to the end of its input would calculate for ever. Linux can send a process a signal when its
//! parent dies, but the process has to ask for that itself: so our own program is started first,
//! asks, and then becomes the engine. It keeps its process number, its pipes and the request.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// The subcommand of our program that becomes an engine.
pub const GUARD_COMMAND: &str = "become";

/// What the guard says, on the engine's output, when the program cannot be started.
pub(super) const COMPLAINT: &str = "cannot become ";

/// Our own program, where the system can do what a guard needs.
pub fn guard_program() -> Option<PathBuf> {
    if cfg!(target_os = "linux") { std::env::current_exe().ok() } else { None }
}

/// Asks to be killed with the process `parent`, and becomes another program. Returns only if that
/// fails, with the complaint to print.
#[cfg(target_os = "linux")]
pub fn become_program(parent: i32, program: &OsString, arguments: &[OsString]) -> String {
    use rustix::process::{Signal, getppid, set_parent_process_death_signal};
    use std::os::unix::process::CommandExt;

    let name = program.display();
    if let Err(error) = set_parent_process_death_signal(Some(Signal::KILL)) {
        return format!("{COMPLAINT}{name}: {error}");
    }
    // Had the parent died before we asked, no signal would ever come.
    if getppid().is_none_or(|found| found.as_raw_nonzero().get() != parent) {
        return format!("{COMPLAINT}{name}: nobody is waiting for it");
    }
    let error = Command::new(program).args(arguments).exec();
    format!("{COMPLAINT}{name}: {error}")
}

#[cfg(not(target_os = "linux"))]
pub fn become_program(_parent: i32, program: &OsString, _arguments: &[OsString]) -> String {
    format!("{COMPLAINT}{}: this system has no signal for a parent's death", program.display())
}

/// The command that starts an engine, guarded where there is a guard.
pub(super) fn command(guard: Option<&PathBuf>, program: &str, arguments: &[String]) -> Command {
    let mut command = match guard {
        None => Command::new(program),
        Some(guard) => {
            let mut command = Command::new(guard);
            command.args([GUARD_COMMAND, &std::process::id().to_string(), "--", program]);
            command
        }
    };
    command.args(arguments);
    command
}
