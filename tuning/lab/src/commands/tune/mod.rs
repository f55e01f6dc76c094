//! `tune`: self-play games, and training on them.

mod choices;
mod data;
mod files;
mod net;
mod search_params;
mod styles;
mod winning;

use std::io::Write;

use clap::Subcommand;

use stopdown::cli::support::CommandResult;

const EXAMPLES: &str = "\
Examples:
  stopdown-lab tune data games.bin --games 10000 --nodes 1500
  stopdown-lab tune data games.bin --count
  stopdown-lab tune net games.bin --out network.bin";

/// Train the networks, and tune the search in games that the engine plays against itself
#[derive(Subcommand, Debug)]
#[command(after_help = EXAMPLES)]
pub enum TuneStep {
    Choices(choices::Arguments),
    Data(data::Arguments),
    #[command(name = "search-params", alias = "margins")]
    SearchParams(search_params::Arguments),
    Styles(styles::StyleArguments),
    StyleCounts(styles::CountArguments),
    Traits(styles::TraitArguments),
    Values(choices::ValuesArguments),
    Net(net::Arguments),
    Winning(winning::Arguments),
}

pub fn run(step: &TuneStep, out: &mut dyn Write) -> CommandResult {
    match step {
        TuneStep::Choices(arguments) => choices::run(arguments, out),
        TuneStep::Data(arguments) => data::run(arguments, out),
        TuneStep::SearchParams(arguments) => search_params::run(arguments, out),
        TuneStep::Styles(arguments) => styles::run_styles(arguments, out),
        TuneStep::StyleCounts(arguments) => styles::run_count(arguments, out),
        TuneStep::Traits(arguments) => styles::run_traits(arguments, out),
        TuneStep::Values(arguments) => choices::run_values(arguments, out),
        TuneStep::Net(arguments) => net::run(arguments, out),
        TuneStep::Winning(arguments) => winning::run(arguments, out),
    }
}
