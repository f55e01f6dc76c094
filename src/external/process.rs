//! A supervised child process that reads and writes lines.
//!
//! A thread reads the child's output, notes when each line arrived, and passes it on through a
//! bounded channel, so that a wait can have a deadline. A child that writes too much is blocked by
//! its own full pipe and does not use up our memory. Dropping a [`Process`] kills the child and
//! everything that it has started.
//!
//! If our own process is killed, it cannot kill its engines, and an engine that ignores the end of its input would
//! search forever. Linux can signal a process when its parent dies, but the process must request that itself. So we
//! first start our own program. It requests the signal and then replaces itself with the engine, which inherits the
//! process ID, the pipes and the request. On Windows the child is in a job object, and the system kills every process
//! in it when we exit.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use crate::clock::Instant;

/// The maximum number of bytes of a line that are kept. Real lines are far shorter.
const LINE_LIMIT: u64 = 16 * 1024;

/// The maximum number of lines in the channel. If it is full, the child has to wait.
const WAITING_LINES: usize = 1024;

/// The Windows flag that keeps a console program from opening a window. Without it, every engine would open one if we
/// were started by a GUI.
#[cfg(windows)]
const CREATE_NO_WINDOW: u32 = 0x0800_0000;

/// The time that a child may take to exit after `quit`.
const QUIT_TIME: Duration = Duration::from_millis(500);

/// A line of output and the time of its arrival.
#[derive(Clone, Debug)]
pub(crate) struct OutputLine {
    pub text: String,
    pub at: Instant,
}

/// A child process with a thread that reads its output.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    /// The child and everything that it has started, if the system supports such groups.
    #[cfg(windows)]
    group: Option<crate::simd::ProcessGroup>,
    input: Option<ChildStdin>,
    lines: Receiver<OutputLine>,
    /// A line that arrived after the deadline of the last wait.
    late: Option<OutputLine>,
    /// Whether the child is alive. Cleared when the child has been killed and waited for.
    alive: bool,
}

impl Process {
    pub fn start(mut command: Command, directory: Option<&Path>) -> std::io::Result<Process> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        if let Some(directory) = directory {
            command.current_dir(directory);
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        #[cfg(windows)]
        std::os::windows::process::CommandExt::creation_flags(&mut command, CREATE_NO_WINDOW);
        let mut child = command.spawn()?;
        // Processes that the child starts before this point are not in its group. Engines do not start anything so
        // early.
        #[cfg(windows)]
        let group = crate::simd::ProcessGroup::of(&child).ok();
        let input = child.stdin.take();
        let output = child.stdout.take().expect("the output was piped");
        let (sender, lines) = sync_channel(WAITING_LINES);
        let process = Process {
            child,
            #[cfg(windows)]
            group,
            input,
            lines,
            late: None,
            alive: true,
        };
        thread::Builder::new()
            .name("engine reader".to_owned())
            .spawn(move || read_lines(output, &sender))?;
        Ok(process)
    }

    /// Writes one or more lines. Returns an error if the child has exited.
    pub fn send(&mut self, text: &str) -> std::io::Result<()> {
        let input = self.input.as_mut().ok_or(std::io::ErrorKind::BrokenPipe)?;
        input.write_all(format!("{text}\n").as_bytes())?;
        input.flush()
    }

    /// Returns the next line that arrives before the deadline. A later line is kept for the next
    /// call. If the output is closed, the child is treated as having exited.
    pub fn receive(&mut self, deadline: Instant) -> Result<OutputLine, RecvTimeoutError> {
        let left = deadline.saturating_duration_since(Instant::now());
        let line = match self.late.take() {
            Some(late) => late,
            None => self.lines.recv_timeout(left)?,
        };
        if line.at <= deadline {
            return Ok(line);
        }
        self.late = Some(line);
        Err(RecvTimeoutError::Timeout)
    }

    /// Kills the child and everything that it has started. Returns its exit status as text.
    pub fn end(&mut self) -> String {
        if !std::mem::take(&mut self.alive) {
            return "already ended".to_owned();
        }
        // Even if the child has exited, its process ID stays reserved until we wait for it, so this
        // process group cannot belong to another program.
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(self.child.id().cast_signed()) {
            let _gone = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        #[cfg(windows)]
        drop(self.group.take());
        let _gone = self.child.kill();
        self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.alive && self.send("quit").is_ok() {
            self.input = None;
            let deadline = Instant::now() + QUIT_TIME;
            while self.receive(deadline).is_ok() {}
        }
        self.end();
    }
}

/// Passes on lines until the child or its owner has gone.
fn read_lines(output: ChildStdout, sender: &SyncSender<OutputLine>) {
    let mut reader = BufReader::new(output);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match reader.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let at = Instant::now();
        if bytes.last() != Some(&b'\n') && bytes.len() as u64 == LINE_LIMIT {
            // If this fails, reading the next line fails too.
            let _rest = reader.skip_until(b'\n');
        }
        let text = String::from_utf8_lossy(&bytes).trim().to_owned();
        if sender.send(OutputLine { text, at }).is_err() {
            return;
        }
    }
}

/// The subcommand that turns our process into an engine.
pub const GUARD_COMMAND: &str = "become";

/// The environment variable that tells an engine that it evaluates moves for Stopdown. If that
/// engine is also Stopdown, it then does not start an external engine. Otherwise, if a
/// configuration named Stopdown as its own engine, processes would be started endlessly.
pub(super) const EVALUATES_FOR: &str = "STOPDOWN_EVALUATES_FOR";

/// Returns whether this program was started by Stopdown to evaluate moves.
pub fn evaluates_for_stopdown() -> bool {
    std::env::var_os(EVALUATES_FOR).is_some()
}

/// The start of the message that the guard prints if the engine cannot be started.
pub(super) const GUARD_ERROR: &str = "cannot become ";

/// The message about a program that does not exist. It follows the program's name.
pub(super) const NOT_FOUND: &str =
    "program not found; give its full path, or add its folder to your PATH";

/// Returns whether a program could not be started because it does not exist. Systems report a missing interpreter of a
/// script in the same way, so the file must be missing too. A name without a folder is looked up in PATH.
pub(super) fn is_missing(program: &Path, error: &std::io::Error) -> bool {
    let is_looked_up = program.components().count() == 1;
    error.kind() == std::io::ErrorKind::NotFound && (is_looked_up || !program.exists())
}

/// Our own program, on systems that can signal the death of a parent process. This path works even if the file has been
/// replaced since the program was started.
pub fn guard_program() -> Option<PathBuf> {
    let path = PathBuf::from("/proc/self/exe");
    (cfg!(target_os = "linux") && path.exists()).then_some(path)
}

/// Asks to be killed when the process `parent` dies, and becomes another program. If that fails,
/// returns the message to print.
#[cfg(target_os = "linux")]
pub fn become_program(parent: i32, program: &OsString, arguments: &[OsString]) -> String {
    use rustix::process::{Signal, getppid, set_parent_process_death_signal};
    use std::os::unix::process::CommandExt;

    let name = program.display();
    if let Err(error) = set_parent_process_death_signal(Some(Signal::KILL)) {
        return format!("{GUARD_ERROR}{name}: {error}");
    }
    // If the parent had died before this process asked, the signal would never arrive.
    if getppid().is_none_or(|found| found.as_raw_nonzero().get() != parent) {
        return format!("{GUARD_ERROR}{name}: the program that started it has ended");
    }
    let error = Command::new(program).args(arguments).exec();
    match is_missing(Path::new(program), &error) {
        true => format!("{GUARD_ERROR}{name}: {NOT_FOUND}"),
        false => format!("{GUARD_ERROR}{name}: {error}"),
    }
}

#[cfg(not(target_os = "linux"))]
pub fn become_program(_parent: i32, program: &OsString, _arguments: &[OsString]) -> String {
    format!(
        "{GUARD_ERROR}{}: this system cannot signal the end of a parent process",
        program.display()
    )
}

/// The command that starts an engine, through the guard if there is one.
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
