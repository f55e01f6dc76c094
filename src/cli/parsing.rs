//! Parses the command line.

use clap::{Arg, Command, Parser};

/// Parses the words of the command line. On Windows, words with wildcards are replaced by the names of the files that
/// match.
pub fn parse<T: Parser>() -> Result<T, clap::Error> {
    let mut command = accept_negative_numbers(T::command());
    let found = command.try_get_matches_from_mut(wild::args_os());
    let found = found.and_then(|mut found| T::from_arg_matches_mut(&mut found));
    found.map_err(|error| error.format(&mut command))
}

/// Lets every option have a negative number as its value. If the number is out of range, the option's own message then
/// says so.
fn accept_negative_numbers(command: Command) -> Command {
    let has_value = |arg: &Arg| arg.get_action().takes_values() && !arg.is_positional();
    let accepting = |arg: Arg| if has_value(&arg) { arg.allow_negative_numbers(true) } else { arg };
    command.mut_args(accepting).mut_subcommands(accept_negative_numbers)
}
