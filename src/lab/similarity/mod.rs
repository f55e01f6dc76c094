//! `stopdown-lab similarity`: how alike players choose.

mod asking;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, bail, ensure};

use self::asking::ask;
use crate::arena::similarity::{
    Column, DataLine, SimilarityStudy, generate, read_data, write_data,
};
use crate::cli::conditions::player_words;
use crate::cli::lineup::{PlayerArguments, parse_rating};
use crate::cli::page::{can_save, command_line, save};
use crate::cli::progress::Progress;
use crate::cli::{CommandOutcome, bounds};
use crate::config::Config;
use crate::report::{similarity_json, similarity_page, similarity_tables};

const HELP: &str = concat!(
    player_words!(),
    "
A list of positions has a line of moves from the starting position for each; a bar (|) among the
moves marks a position too. Engines without st=, depth= or nodes= of their own think for --time;
with --rating each gets 2^((reference - rating) / 120) times that.

Examples:
  stopdown-lab similarity --player \"self depth=6\" --player cmd=/usr/games/toga2 --answers study.jsonl
  stopdown-lab similarity --players engines.txt --time 20 --rating Toga=2850 --rating Phalanx=2450 \\
      --answers study.jsonl --resume --html study.html --save-data similarity.data
  stopdown-lab similarity --data similarity.data --related Stockfish,SugaR,ShashChess,Eman
  stopdown-lab similarity --make-positions 2000 --seed 1 > positions.txt"
);

/// Find out how alike players choose (Hair's study)
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    #[command(flatten)]
    lineup: PlayerArguments,
    /// Words that hold for all players unless they say otherwise
    #[arg(long, value_name = "WORDS", default_value = "")]
    each: String,
    /// Milliseconds that a player thinks about each position
    #[arg(long, value_name = "MS", default_value_t = 100.0)]
    time: f64,
    /// A player's rating, as Toga=2850: weaker ones are given more time
    #[arg(long = "rating", value_name = "NAME=ELO", value_parser = parse_rating)]
    ratings: Vec<(String, f64)>,
    /// The rating of who gets just --time [default: the highest --rating]
    #[arg(long, value_name = "ELO", requires = "ratings")]
    reference: Option<f64>,
    /// Positions from this file instead of the 2,000 built-in ones
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Only the first N positions
    #[arg(long, value_name = "N", value_parser = bounds::at_least_one)]
    first: Option<usize>,
    /// Ask everybody twice, to see how alike he is to himself
    #[arg(long)]
    twice: bool,
    /// How many players are asked at once
    #[arg(long, default_value_t = 1, value_parser = bounds::at_least_one)]
    concurrency: usize,
    /// Write every answer to this file
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
    /// Go on with the answers in the file, if there are some
    #[arg(long, requires = "answers")]
    resume: bool,
    /// Add the engines of such files of Don Dailey's similarity tester
    #[arg(long, value_name = "FILE", num_args = 1..)]
    data: Vec<PathBuf>,
    /// Write all answers as the similarity tester does
    #[arg(long, value_name = "FILE")]
    save_data: Option<PathBuf>,
    /// Players whose names begin so are related, and their likeness not counted to what is usual;
    /// ours are in any case
    #[arg(long, value_name = "NAME,NAME...")]
    related: Vec<String>,
    /// How often positions are drawn anew for the intervals
    #[arg(long, value_name = "N", default_value_t = 400)]
    resamples: u64,
    /// Write the tree to this file
    #[arg(long, value_name = "FILE")]
    newick: Option<PathBuf>,
    /// Write the result to this file as a page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Print a new list of so many positions, from games of the engine against itself
    #[arg(long, value_name = "N")]
    make_positions: Option<usize>,
    /// What such positions are drawn from
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub fn run(
    arguments: &Arguments,
    config: &Config,
    out: &mut dyn Write,
) -> anyhow::Result<CommandOutcome> {
    if let Some(wanted) = arguments.make_positions {
        return make_positions(arguments.seed, wanted, out);
    }
    let words = arguments.lineup.words()?;
    let written = [&arguments.html, &arguments.save_data, &arguments.newick];
    let read = arguments.data.iter().chain(&arguments.answers).chain(&arguments.positions);
    let read: Vec<&PathBuf> = read.collect();
    can_save(written.into_iter().flatten(), &read)?;
    let mut columns = match words.is_empty() {
        true => Vec::new(),
        false => ask(arguments, &words, &config.profiles)?,
    };
    for path in &arguments.data {
        let named = || path.display().to_string();
        let text = std::fs::read_to_string(path).with_context(named)?;
        columns.extend(read_data(&text).with_context(named)?.into_iter().map(Column::of_data));
    }
    let positions = columns.first().map_or(0, |column| column.moves.len());
    ensure!(columns.len() > 1, "give at least two --player, or answers with --data");
    if let Some(odd) = columns.iter().find(|column| column.moves.len() != positions) {
        let (name, other) = (&odd.name, odd.moves.len());
        bail!("{name} was asked about {other} positions and others about {positions}");
    }
    find_families(&mut columns, &arguments.related);
    let progress = Progress::new();
    columns.iter().flat_map(Column::warnings).for_each(|warning| progress.tell(warning));
    if let Some(path) = &arguments.save_data {
        let line = |c: &Column| DataLine { name: c.name.clone(), moves: c.moves.clone() };
        let lines: Vec<DataLine> = columns.iter().map(line).collect();
        save(path, write_data(&lines))?;
    }
    Column::shorten_names(&mut columns);
    let study = SimilarityStudy::new(&columns, arguments.resamples, 1);
    if let (Some(path), Some(tree)) = (&arguments.newick, &study.tree) {
        save(path, format!("{}\n", tree.newick(&study.names)))?;
    }
    if let Some(path) = &arguments.html {
        save(path, similarity_page(&study, &columns, &command_line()))?;
    }
    match arguments.json {
        true => writeln!(out, "{:#}", similarity_json(&study, &columns))?,
        false => write!(out, "{}", similarity_tables(&study))?,
    }
    Ok(if study.names.len() > 1 { CommandOutcome::Done } else { CommandOutcome::Negative })
}

fn make_positions(seed: u64, wanted: usize, out: &mut dyn Write) -> anyhow::Result<CommandOutcome> {
    let progress = Progress::new();
    let text = generate(seed, wanted, |made| progress.show(format_args!("{made} of {wanted}")));
    progress.clear();
    writeln!(out, "# Positions in which several moves are good, from games of the engine with")?;
    writeln!(out, "# itself; a bar marks one. Made by")?;
    writeln!(out, "# stopdown-lab similarity --make-positions {wanted} --seed {seed}")?;
    write!(out, "{text}")?;
    Ok(CommandOutcome::Done)
}

fn find_families(columns: &mut [Column], related: &[String]) {
    for group in related {
        let names: Vec<&str> = group.split(',').map(str::trim).filter(|n| !n.is_empty()).collect();
        for column in columns.iter_mut() {
            if names.iter().any(|name| column.name.starts_with(name)) {
                column.families.push(group.clone());
            }
        }
    }
}
