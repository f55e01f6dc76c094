//! Resources outside the project that some tests need: other programs, data sets, and time.
//!
//! A plain `cargo test` needs none of them, and starts no other program even if it is installed.
//! These variables enable more tests:
//!
//! - `STOPDOWN_CLIENTS=1` runs the tests that use GUIs, engines, a browser, shells and other
//!   programs.
//! - `STOPDOWN_DATA=FOLDER` runs the tests that use large data.
//! - `STOPDOWN_SPARK_PYTHON=PYTHON` runs the cluster test with this Python, which needs `pyspark`
//!   and Java.
//! - `STOPDOWN_PAGE=FOLDER` runs the test of the page that `.ci/page` has built in this folder.
//! - `STOPDOWN_CAMPAIGNS=1` runs the tests that take minutes.
//!
//! A test that is not enabled prints one line and passes. With `STOPDOWN_REQUIRE_ALL=1`, it fails
//! instead if anything is missing. Even then, the value `none` disables the tests with clients,
//! data, Spark or the page.

use std::env;
use std::path::{Path, PathBuf};

const CLIENTS: &str = "STOPDOWN_CLIENTS";
const DATA: &str = "STOPDOWN_DATA";
const SPARK: &str = "STOPDOWN_SPARK_PYTHON";
const PAGE: &str = "STOPDOWN_PAGE";
const CAMPAIGNS: &str = "STOPDOWN_CAMPAIGNS";
const REQUIRE_ALL: &str = "STOPDOWN_REQUIRE_ALL";

/// Debian installs games in a folder that may not be on the path.
const GAMES: &str = "/usr/games";

/// The value of a variable, or `None` if it is unset or empty.
fn value(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn is_everything_required() -> bool {
    value(REQUIRE_ALL).is_some_and(|value| value != "0")
}

/// Prints that a test does not run, and how to enable it.
#[expect(clippy::print_stderr, reason = "a test that is not run prints why")]
fn report_not_run(reason: &str) {
    eprintln!("not run: {reason}");
}

/// Reports a missing requirement. If everything is required, this is a failure.
pub fn missing(what: &str, remedy: &str) {
    assert!(!is_everything_required(), "{what} is missing and {REQUIRE_ALL} is set: {remedy}");
    report_not_run(&format!("{what} is missing: {remedy}"));
}

/// The value of a variable that enables tests, or `None` if they are disabled.
fn enabled(name: &str, remedy: &str) -> Option<String> {
    match value(name).as_deref() {
        Some("none" | "0") => report_not_run(&format!("{name} disables it")),
        Some(value) => return Some(value.to_owned()),
        None if is_everything_required() => missing(name, remedy),
        None => report_not_run(remedy),
    }
    None
}

/// Whether the tests that use other programs are enabled.
pub fn clients_are_enabled() -> bool {
    enabled(CLIENTS, "set STOPDOWN_CLIENTS=1 to run it, or STOPDOWN_CLIENTS=none to go without")
        .is_some()
}

/// Returns the path of another program, which comes from this Debian package. Returns `None` if
/// tests with such programs are disabled, or if the program is not installed.
pub fn client(program: &str, package: &str) -> Option<PathBuf> {
    one_of(&[program], package)
}

/// Returns the first of several equivalent programs.
pub fn one_of(programs: &[&str], package: &str) -> Option<PathBuf> {
    if !clients_are_enabled() {
        return None;
    }
    let found = programs.iter().find_map(|program| installed(program));
    if found.is_none() {
        missing(programs[0], &format!("apt-get install {package}"));
    }
    found
}

/// Returns the paths of several programs, each given with its package, or `None` if any of them is
/// missing.
pub fn clients(programs: &[(&str, &str)]) -> Option<Vec<PathBuf>> {
    programs.iter().map(|(program, package)| client(program, package)).collect()
}

/// The browser that tests drive.
pub fn browser() -> Option<PathBuf> {
    one_of(&["chromium", "google-chrome", "chromium-browser"], "chromium")
}

/// Looks for a program on the path and in Debian's folder for games.
fn installed(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain([GAMES.into()]);
    folders.map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// The search path for other programs. It includes Debian's folder for games.
pub fn path_with_games() -> String {
    format!("{}:{GAMES}", env::var("PATH").unwrap_or_default())
}

/// Returns a file or folder in the data set. Returns `None` if tests with data are disabled, or if
/// it is missing.
pub fn data(name: &str) -> Option<PathBuf> {
    let remedy = "set STOPDOWN_DATA to the folder of the data set, or to none to go without";
    let path = Path::new(&enabled(DATA, remedy)?).join(name);
    if path.exists() {
        return Some(path);
    }
    missing(&path.display().to_string(), "copy it there, or set STOPDOWN_DATA=none to go without");
    None
}

/// Returns the Python that runs Spark. Returns `None` if the cluster test is disabled, or if this
/// Python cannot run Spark.
pub fn spark_python(can_run: impl Fn(&str) -> bool) -> Option<String> {
    let remedy = "set STOPDOWN_SPARK_PYTHON to a Python that has pyspark, or to none to go without";
    let python = enabled(SPARK, remedy)?;
    if can_run(&python) {
        return Some(python);
    }
    missing(
        "pyspark or Java",
        &format!("{python} -m pip install pyspark; apt-get install default-jre-headless"),
    );
    None
}

/// Returns the folder with the page that needs no server. Returns `None` if its test is disabled.
pub fn page_folder() -> Option<PathBuf> {
    let remedy = "set STOPDOWN_PAGE to a folder built by .ci/page, or to none to go without";
    enabled(PAGE, remedy).map(PathBuf::from)
}

/// Whether tests that take minutes are enabled.
pub fn campaigns_are_enabled() -> bool {
    let is_asked = value(CAMPAIGNS).is_some_and(|value| value != "0");
    if !is_asked {
        report_not_run("it takes minutes; set STOPDOWN_CAMPAIGNS=1 to run it");
    }
    is_asked
}
