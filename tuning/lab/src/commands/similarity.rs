//! `stopdown-lab similarity`: how similarly players choose their moves.

use std::collections::HashSet;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail, ensure};

use crate::report::{similarity_json, similarity_report};
use crate::study::similarity::{
    Answer, Column, DataLine, Interviewee, SimilarityStudy, Suite, generate, interview, read_data,
    scaled_time, write_data,
};
use stopdown::arena::{
    ContestantSpec, EngineSpec, Journal, JournalError, JournalSettings, PlayerInfo, TimeControl,
    guard_program,
};
use stopdown::cli::support::{
    CommandOutcome, CommandResult, PLAYER_WORDS, PlayerArguments, Progress, check_outputs,
    command_line, introduce_all, parse_rating, read_text, save, value_parsers, write_text,
};
use stopdown::config::Settings;
use stopdown::player::Roster;
use stopdown::report::html;

const HELP: &str = "
Each line of the file for --positions has moves from the starting position, and gives the position after \
the last move. If it has bars (|) between the moves, it gives the position at each bar instead. Players \
without st=, depth= or nodes= think for --time. With --rating, this time is multiplied by \
2^((highest rating - rating) / 120).

Examples:
  stopdown-lab similarity --player \"self depth=6\" \\
      --player cmd=/usr/games/toga2 --answers study.jsonl
  stopdown-lab similarity --players engines.txt --time 20 \\
      --rating Toga=2850 --rating Phalanx=2450 --answers study.jsonl \\
      --resume --html study.html --save-data similarity.data
  stopdown-lab similarity --data similarity.data \\
      --related Stockfish,SugaR,ShashChess,Eman
  stopdown-lab similarity --make-positions 2000 --seed 1 > positions.txt";

/// The number of bootstrap samples for the intervals.
const RESAMPLES: u64 = 400;

/// Measure how often players choose the same moves (Hair's study)
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{PLAYER_WORDS}{HELP}"))]
pub struct Arguments {
    #[command(flatten)]
    lineup: PlayerArguments,
    /// Settings for all players, unless a player overrides them
    #[arg(long, value_name = "WORDS", default_value = "")]
    each: String,
    /// Thinking time for each position, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 100.0)]
    time: f64,
    /// Rating of a player, such as Toga=2850; weaker players get more time
    #[arg(long = "rating", value_name = "NAME=ELO", value_parser = parse_rating)]
    ratings: Vec<(String, f64)>,
    /// Use the positions in this file [default: 2,000 built-in positions]
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Number of players to ask at once
    #[arg(long, default_value_t = 1, value_parser = value_parsers::at_least_one)]
    concurrency: usize,
    /// Save every answer to this file
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
    /// Continue with the answers in an existing --answers file
    #[arg(long, requires = "answers")]
    resume: bool,
    /// Add the engines from these data files of Don Dailey's similarity tester
    #[arg(long, value_name = "FILE", num_args = 1..)]
    data: Vec<PathBuf>,
    /// Write all answers to this file in the similarity tester's format
    #[arg(long, value_name = "FILE")]
    save_data: Option<PathBuf>,
    /// Treat players whose names start with one of these as related, and leave pairs of them out of the average
    /// similarity; Stopdown's own players are always related
    #[arg(long, value_name = "NAME,NAME...")]
    related: Vec<String>,
    /// Write the tree to this file in Newick format
    #[arg(long, value_name = "FILE")]
    newick: Option<PathBuf>,
    /// Write the results to this file as an HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
    /// Print a new list of N positions, from games that the engine plays against itself
    #[arg(long, value_name = "N")]
    make_positions: Option<usize>,
    /// Seed for --make-positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub fn run(arguments: &Arguments, config: &Settings, out: &mut dyn Write) -> CommandResult {
    if let Some(wanted) = arguments.make_positions {
        return make_positions(arguments.seed, wanted, out);
    }
    let words = arguments.lineup.words()?;
    let written = [&arguments.html, &arguments.save_data, &arguments.newick];
    let read = arguments.data.iter().chain(&arguments.answers).chain(&arguments.positions);
    let read: Vec<&PathBuf> = read.chain(arguments.lineup.file()).collect();
    check_outputs(written.into_iter().flatten(), &read)?;
    let mut columns = match words.is_empty() {
        true => {
            arguments.refuse_options_of_players()?;
            Vec::new()
        }
        false => ask(arguments, &words, &config.profiles)?,
    };
    for path in &arguments.data {
        let lines = read_data(&read_text(path)?).with_context(|| path.display().to_string())?;
        columns.extend(lines.into_iter().map(Column::of_data));
    }
    let positions = columns.first().map_or(0, |column| column.moves.len());
    ensure!(columns.len() > 1, "give at least two players with --player, or answers with --data");
    if let Some(odd) = columns.iter().find(|column| column.moves.len() != positions) {
        let (name, other) = (&odd.name, odd.moves.len());
        bail!(
            "{name} has answers to {other} positions, but other players have answers to {positions}"
        );
    }
    find_families(&mut columns, &arguments.related);
    let progress = Progress::new();
    let warnings = columns.iter().flat_map(|column| column.warnings(arguments.answers.is_some()));
    warnings.for_each(|warning| progress.tell(warning));
    if let Some(path) = &arguments.save_data {
        let line = |c: &Column| DataLine { name: c.name.clone(), moves: c.moves.clone() };
        let lines: Vec<DataLine> = columns.iter().map(line).collect();
        save(path, write_data(&lines))?;
    }
    Column::shorten_names(&mut columns);
    Column::number_names(&mut columns);
    let study = SimilarityStudy::new(&columns, RESAMPLES, 1);
    if let (Some(path), Some(tree)) = (&arguments.newick, &study.tree) {
        save(path, format!("{}\n", tree.newick(&study.names)))?;
    }
    let report = similarity_report(&study, &columns);
    if let Some(path) = &arguments.html {
        save(path, html::page(&report, &command_line()))?;
    }
    match arguments.json {
        true => writeln!(out, "{:#}", similarity_json(&study, &columns))?,
        false => write_text(&report, out)?,
    }
    Ok(if study.names.len() > 1 { CommandOutcome::Done } else { CommandOutcome::Negative })
}

impl Arguments {
    /// Refuses options that only matter if players are asked.
    fn refuse_options_of_players(&self) -> anyhow::Result<()> {
        let given = [
            ("--answers", self.answers.is_some()),
            ("--positions", self.positions.is_some()),
            ("--rating", !self.ratings.is_empty()),
            ("--each", !self.each.is_empty()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((option, _)) => bail!("{option} has no effect without --player or --players"),
        }
    }
}

fn make_positions(seed: u64, wanted: usize, out: &mut dyn Write) -> CommandResult {
    let progress = Progress::new();
    let text = generate(seed, wanted, |made| progress.show(format_args!("{made} of {wanted}")));
    progress.clear();
    writeln!(out, "# Positions with several good moves, from games of the engine against itself.")?;
    writeln!(out, "# A bar marks a position. Made by")?;
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

/// Asks the remaining questions, and saves every answer as soon as it arrives.
pub fn ask(
    arguments: &Arguments,
    words: &[String],
    profiles: &Roster,
) -> anyhow::Result<Vec<Column>> {
    let suite = match &arguments.positions {
        Some(path) => Suite::open(path)?,
        None => Suite::built_in()?,
    };
    let settings = settings(&suite);
    let (mut journal, mut answers) = match &arguments.answers {
        None => (None, Vec::new()),
        Some(path) => {
            if !arguments.resume && path.exists() {
                return Err(JournalError::Exists(path.clone()).into());
            }
            let (journal, answers) = Journal::open(path, &settings)?;
            (Some(journal), answers)
        }
    };
    let guard = guard_program();
    let mut interviewees = interviewees(arguments, words, profiles, guard.as_ref())?;
    for interviewee in &mut interviewees {
        let own = |answer: &&Answer| answer.player == interviewee.name;
        let words = interviewee.words();
        if let Some(other) = answers.iter().filter(own).find(|answer| answer.words != words) {
            let (name, other) = (&interviewee.name, &other.words);
            bail!(
                "{name} gave its saved answers with different settings ({other} instead of {words}); \
                 give it another name with name=NAME"
            );
        }
        let answered = answers.iter().filter(own).filter(|answer| answer.mv.is_some());
        let done: HashSet<usize> = answered.map(|answer| answer.position).collect();
        let all = 0..suite.positions.len();
        interviewee.questions = all.filter(|position| !done.contains(position)).collect();
    }
    let all: usize = interviewees.iter().map(|interviewee| interviewee.questions.len()).sum();
    let progress = Progress::new();
    let mut saved = Ok(());
    let mut asked = 0;
    interview(&suite, &interviewees, arguments.concurrency, guard.as_ref(), |answer| {
        if let Some(Err(error)) = journal.as_mut().map(|journal| journal.append(&answer)) {
            saved = Err(error);
            return ControlFlow::Break(());
        }
        asked += 1;
        progress.show(format_args!("{asked} of {all} questions, now {}", answer.player));
        answers.push(answer);
        ControlFlow::Continue(())
    })?;
    progress.clear();
    saved.context("the answer could not be saved")?;
    let column = |interviewee: &Interviewee| {
        let own = answers.iter().filter(|answer| answer.player == interviewee.name);
        let own: Vec<Answer> = own.cloned().collect();
        let name = sim_name(interviewee);
        let is_own = matches!(interviewee.spec.engine, EngineSpec::Internal { .. });
        let families = is_own.then(|| "Stopdown".to_owned()).into_iter().collect();
        Column { families, ..Column::of_answers(&name, suite.positions.len(), &own) }
    };
    Ok(interviewees.iter().map(column).collect())
}

/// The players, each with their thinking time.
fn interviewees(
    arguments: &Arguments,
    words: &[String],
    profiles: &Roster,
    guard: Option<&PathBuf>,
) -> anyhow::Result<Vec<Interviewee>> {
    ensure!(
        arguments.time >= 1.0 && arguments.time < 1e9,
        "--time must be from 1 to 1e9 milliseconds"
    );
    let base = Duration::from_secs_f64(arguments.time / 1000.0);
    let each = arguments.each.trim();
    let specs =
        words.iter().map(|words| ContestantSpec::parse(&format!("{each} {words}"), profiles));
    let specs: Vec<ContestantSpec> = specs.collect::<Result<_, _>>()?;
    let players_info = introduce_all(&specs, guard)?;
    let rated = |name: &str| {
        let found = arguments.ratings.iter().find(|(rated, _)| rated == name);
        found.map(|(_, rating)| *rating)
    };
    let names: Vec<&str> = players_info.iter().map(|info| info.name.as_str()).collect();
    let is_asked = |name: &String| names.contains(&name.as_str());
    if let Some((unknown, _)) = arguments.ratings.iter().find(|(name, _)| !is_asked(name)) {
        bail!("--rating {unknown}: there is no such player; the players are {}", names.join(", "));
    }
    let highest = arguments.ratings.iter().map(|(_, rating)| *rating).fold(f64::MIN, f64::max);
    let interviewee = |(mut spec, info): (ContestantSpec, PlayerInfo)| {
        let PlayerInfo { name, identity, .. } = info;
        let limits = &mut spec.limits;
        if let Some(TimeControl::Clock { .. }) = limits.time {
            bail!("{name} has a clock, but each position is independent; give st=SECONDS instead");
        }
        if limits.time.is_none() && limits.depth.is_none() && limits.nodes.is_none() {
            let time = match (rated(&name), arguments.ratings.is_empty()) {
                (Some(rating), _) => scaled_time(base, highest - rating),
                (None, true) => base,
                (None, false) => {
                    bail!("{name} has no --rating, which determines its thinking time")
                }
            };
            limits.time = Some(TimeControl::PerMove(time));
        }
        Ok(Interviewee { name, identity, spec, questions: Vec::new() })
    };
    specs.into_iter().zip(players_info).map(interviewee).collect()
}

/// The name of an engine in the similarity tester's format.
fn sim_name(interviewee: &Interviewee) -> String {
    let Interviewee { name, spec, .. } = interviewee;
    match spec.limits.time {
        Some(TimeControl::PerMove(time)) => {
            format!("{name} (time: {} ms  scale: 1.0)", time.as_millis())
        }
        _ => format!("{name} ({})", spec.limits),
    }
}

/// The settings that must match when answers are added.
fn settings(suite: &Suite) -> JournalSettings {
    JournalSettings::of([
        ("study", "similarity".to_owned()),
        ("chance", "of its own for every position".to_owned()),
        ("positions", format!("{} ({:016x})", suite.positions.len(), suite.fingerprint())),
    ])
}
