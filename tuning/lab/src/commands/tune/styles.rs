//! `tune traits`, `tune styles` and `tune style-counts`: the traits of players' moves, and the
//! styles learnt from them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::PathBuf;

use anyhow::Context as _;

use super::files::{read_games, refuse_foreign};
use crate::tune::styles::{GameRecords, StyleDecisions, candidates, events, learn, write};
use stopdown::board::Colour;
use stopdown::cli::support::{
    CommandOutcome, CommandResult, Progress, check_outputs, command_line, save, save_by,
};
use stopdown::player::{Engine, MoveTrait, PlayingStyle, StyleWeights, Traits};
use stopdown::value::Depth;

/// Collect decisions of players with many games, and the traits of all moves
#[derive(clap::Args, Debug)]
pub struct TraitArguments {
    /// File to write the decisions to; tuning/lab/src/tune/styles/decisions.rs describes its format
    file: PathBuf,
    /// Game files: PGN, also .gz and .zst; duplicate games are skipped
    #[arg(required = true)]
    games: Vec<String>,
    /// Skip players with fewer games than this
    #[arg(long, default_value_t = 60)]
    least: usize,
    /// Number of players to select for each style
    #[arg(long, default_value_t = 40)]
    each: usize,
    /// Select at least this many players at regular intervals, for comparison
    #[arg(long, default_value_t = 60)]
    others: usize,
    /// Plies to search before quiescence
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=12))]
    depth: Depth,
}

pub fn run_traits(arguments: &TraitArguments, out: &mut dyn Write) -> CommandResult {
    let TraitArguments { file, games, least, each, others, depth } = arguments;
    check_outputs([file], games)?;
    refuse_foreign(file, |start, _| StyleDecisions::are_in(start))?;
    let progress = Progress::new();
    let mut records = GameRecords::default();
    for name in games {
        progress.show(format_args!("reading {name}"));
        read_games(name, &progress, |pgn| {
            let Some(pgn) = pgn else { return Ok(()) };
            match pgn.replay(None) {
                Ok(game) => records.add(&pgn, &game),
                Err(error) => progress.tell(error.in_file(name)),
            }
            Ok(())
        })?;
    }
    let players = records.players(*least);
    let chosen = candidates(&players, *each, *others);
    let mut show = |done: usize, all: usize| progress.show(format_args!("{done} of {all} players"));
    save_by(file, |mut draft| Ok(write(&records, &chosen, *depth, &mut draft, &mut show)?))?;
    progress.clear();
    writeln!(
        out,
        "decisions of {} of {} players in {}",
        chosen.len(),
        players.len(),
        file.display()
    )?;
    Ok(CommandOutcome::Done)
}

/// Learn playing styles from the decisions of players who have them
#[derive(clap::Args, Debug)]
pub struct StyleArguments {
    /// File made by `tune traits`
    decisions: PathBuf,
    /// File to write the weights to; tuning/styles.toml is built in
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Number of players for each style; half of them are used to fit the style, and half to test
    /// it
    #[arg(long, default_value_t = 30)]
    each: usize,
}

pub fn run_styles(arguments: &StyleArguments, out: &mut dyn Write) -> CommandResult {
    let StyleArguments { decisions, out: to, each } = arguments;
    check_outputs([to], &[decisions])?;
    let named = || decisions.display().to_string();
    let mut file = BufReader::new(File::open(decisions).with_context(named)?);
    let all = StyleDecisions::read(&mut file).with_context(named)?;
    let mut text = format!(
        "# Playing styles: what each trait of a move adds to the logarithm of its probability.\n\
         # Traits are explained in src/player/move_traits.rs. Made by\n#   {}\n\
         # from {} decisions of {} players.\n",
        command_line(),
        all.decisions.len(),
        all.players.len()
    );
    for style in PlayingStyle::ALL {
        let learnt = learn(&all, style, *each).with_context(named)?;
        let [as_learnt, gain, others] =
            learnt.gains.map(|(mean, reach)| format!("{mean:+.4} ± {reach:.4}"));
        let [shown, other] = learnt.raises;
        text += &format!(
            "\n# Fitted to {} players. {shown:.2} times the signature of the trait that shows the style makes it {:.2} times as\n\
             # frequent; any other traits of the signature were added {other:.2} times. Nats gained per move: {gain} by {}\n\
             # other players with the style ({as_learnt} without the signature), {others} by all players without it.\n",
            learnt.fitted_players.len(),
            learnt.visibility,
            learnt.test_players.len()
        );
        let names = [learnt.fitted_players.join("; "), learnt.test_players.join("; ")];
        writeln!(out, "{style}: fitted to {}; tested on {}", names[0], names[1])?;
        let weights = MoveTrait::ALL.map(|of| (of, learnt.weights[of as usize]));
        let section = StyleWeights([(style, BTreeMap::from(weights))].into());
        text += &toml::to_string(&section)?;
    }
    save(to, &text)?;
    write!(out, "{text}")?;
    Ok(CommandOutcome::Done)
}

/// Count how often each player's moves have each trait
#[derive(clap::Args, Debug)]
pub struct CountArguments {
    /// Game files: PGN, also .gz and .zst
    #[arg(required = true)]
    games: Vec<String>,
    /// Plies to search before quiescence
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u8).range(1..=12))]
    depth: Depth,
}

pub fn run_count(arguments: &CountArguments, out: &mut dyn Write) -> CommandResult {
    let mut engine = Engine::built_in(16);
    let mut players: BTreeMap<String, (Traits, usize, usize)> = BTreeMap::new();
    let progress = Progress::new();
    for name in &arguments.games {
        let mut count = 0;
        read_games(name, &progress, |pgn| {
            let Some(pgn) = pgn else { return Ok(()) };
            let game = match pgn.replay(None) {
                Ok(game) => game,
                Err(error) => {
                    progress.tell(error.in_file(name));
                    return Ok(());
                }
            };
            let found = events(&mut engine, &game, arguments.depth);
            for (colour, (traits, moves)) in [Colour::White, Colour::Black].into_iter().zip(found) {
                let player = pgn.name(colour).unwrap_or("?").to_owned();
                let (sums, games, all_moves) = players.entry(player).or_default();
                sums.iter_mut().zip(traits).for_each(|(sum, found)| *sum += found);
                (*games, *all_moves) = (*games + 1, *all_moves + moves);
            }
            count += 1;
            progress.show(format_args!("{count} games of {name}"));
            Ok(())
        })?;
    }
    progress.clear();
    writeln!(out, "Per game, with standard errors:")?;
    for (name, (sums, games, moves)) in &players {
        let rate = |sum: f64| sum / *games as f64;
        writeln!(out, "{name}: {games} games of {:.1} moves", rate(*moves as f64))?;
        for of in MoveTrait::ALL {
            let error = sums[of as usize].max(0.0).sqrt() / *games as f64;
            writeln!(out, "  {of:?} {:.3} ± {error:.3}", rate(sums[of as usize]))?;
        }
    }
    Ok(CommandOutcome::Done)
}
