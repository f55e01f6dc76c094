//! Parses the command line.

use clap::{Arg, Command, Parser};

/// Parses the words of the command line. On Windows, words with wildcards are replaced by the names of the files that
/// match.
pub fn parse<T: Parser>() -> Result<T, clap::Error> {
    let mut command = with_common_rules(T::command());
    let found = command.try_get_matches_from_mut(wild::args_os());
    let found = found.and_then(|mut found| T::from_arg_matches_mut(&mut found));
    found.map_err(|error| error.format(&mut command))
}

/// Ignores case in the names that an option accepts. Lets every option have a negative number as its value; if the
/// number is out of range, the option's own message then says so.
fn with_common_rules(command: Command) -> Command {
    let ruled = |arg: Arg| match arg.get_action().takes_values() && !arg.is_positional() {
        true => arg.ignore_case(true).allow_negative_numbers(true),
        false => arg,
    };
    command.mut_args(ruled).mut_subcommands(with_common_rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_ignore_case_and_accept_negative_numbers() {
        let colour = Arg::new("colour").long("colour").value_parser(["white", "black"]);
        let offset = Arg::new("offset").long("offset").value_parser(clap::value_parser!(i32));
        let sub = Command::new("play").args([colour, offset]);
        let command = with_common_rules(Command::new("stopdown").subcommand(sub));
        let read = |words: &str| command.clone().try_get_matches_from(words.split(' '));
        assert!(read("stopdown play --colour Black --offset -5").is_ok());
        assert!(read("stopdown play --colour red").is_err());
    }
}
