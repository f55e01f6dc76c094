//! Runs measurements by name, and reads their settings.

use std::env;
use std::str::FromStr;

/// Runs the measurements that the command line names. `command` is the command that runs them.
pub fn run_named(command: &str, figures: &[(&str, fn())]) {
    // Cargo adds the option --bench.
    let names: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let find = |name: &String| figures.iter().find(|(known, _)| known == name);
    if names.is_empty() || !names.iter().all(|name| find(name).is_some()) {
        let known: Vec<&str> = figures.iter().map(|(name, _)| *name).collect();
        println!("Name the figures to measure: {command} -- NAME...\n{}", known.join("\n"));
        return;
    }
    names.iter().filter_map(find).for_each(|(_, measure)| measure());
}

/// Reads a number from the environment.
pub fn setting<T: FromStr>(name: &str, default: T) -> T {
    let Ok(text) = env::var(name) else { return default };
    text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number"))
}
