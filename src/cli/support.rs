//! The parts of the command line shared by `stopdown` and `stopdown-lab`: exit codes, output files,
//! progress, and common arguments.

pub use super::analyse::source::{AnalysisProgress, Source};
pub use super::endgame::TableArguments;
pub use super::engine::{BecomeArguments, NetworkArguments, run_become};
pub use super::help::{Completions, ManPages};
pub use super::laboratory::LAB_COMMANDS;
pub use super::load_with_warnings;
pub use super::outcome::{CommandOutcome, CommandResult, exit_code, print_usage, with_output};
pub use super::output::{
    Progress, check_outputs, command_line, in_words, read_text, save, save_by, write_text,
};
pub use super::parsing::parse;
pub use super::store::{close_cache, evaluator};
pub use super::tournament::{
    PLAYER_WORDS, PlayerArguments, introduce_all, introduced, numbers, open_campaign, parse_rating,
    play_campaign,
};
pub use super::value_parsers;
