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
    use crate::board::Colour;
    use crate::cli::value_parsers;

    #[test]
    fn options_ignore_case_and_accept_negative_numbers() {
        let colour = Arg::new("colour").long("colour").value_parser(value_parsers::colour());
        let offset = Arg::new("offset").long("offset").value_parser(clap::value_parser!(i32));
        let command = with_common_rules(Command::new("play").args([colour, offset]));
        let read = |words: &str| command.clone().try_get_matches_from(words.split(' '));
        for (name, colour) in [("White", Colour::White), ("BLACK", Colour::Black)] {
            let found = read(&format!("play --colour {name} --offset -5")).expect("known names");
            assert_eq!(found.get_one("colour"), Some(&colour));
        }
        assert!(read("play --colour red").is_err());
    }
}
