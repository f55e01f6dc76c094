//! `rate`: a short analysis with one line for each player.

use std::io::{self, Write};

use clap::Args;
use serde_json::json;

use super::analyse::study::{ScaleArguments, StudyArguments};
use super::outcome::{CommandOutcome, CommandResult};
use crate::analyser::{Measured, PlayerSummary, Rating, StudyAccumulator, StudyPlan};
use crate::config::Settings;

const EXAMPLES: &str = "\
Examples:
  stopdown rate games.pgn
  stopdown rate games.pgn.zst --player Carlsen --store values.db
  stopdown rate games.pgn --min-moves 100 --json";

/// Rate the players of games by their moves
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    study: StudyArguments,

    #[command(flatten)]
    scale: ScaleArguments,

    /// Print a line of JSON for each player
    #[arg(long)]
    json: bool,
}

/// The players of a study, to be sorted by rating.
#[derive(Debug, Default)]
pub struct RateReport(Vec<RatedLine>);

/// A line of the list.
#[derive(Debug)]
struct RatedLine {
    name: String,
    /// `None` if the moves are not informative.
    rating: Option<Rating>,
    used: usize,
}

/// The probability of the interval.
const INTERVAL_PROBABILITY: f64 = 0.95;

pub fn run(arguments: &Arguments, config: &Settings, out: &mut dyn Write) -> CommandResult {
    let study = &arguments.study;
    let plan = study.plan(&arguments.scale.scale, config)?;
    study.warn(&plan)?;
    let job = study.job(&study.engine, &plan, Measured::Rating, config)?;
    let (summaries, missing) =
        study.review(|games, progress| job.summarise(games, progress, |_| Ok(())))?;
    let mut list = RateReport::default();
    for (name, summary) in summaries.with_moves(study.min_moves) {
        list.add(name, summary, &summaries.accumulator);
    }
    let is_empty = list.write(&plan, arguments.json, out)?;
    out.flush()?;
    study.nothing_missing(&missing)?;
    Ok(if is_empty { study.nothing_found(&summaries)? } else { CommandOutcome::Done })
}

impl RateReport {
    pub fn add(&mut self, name: &str, summary: &PlayerSummary, accumulator: &StudyAccumulator) {
        let (rating, used) = (accumulator.rate(summary), summary.tally().used);
        self.0.push(RatedLine { name: name.to_owned(), rating, used });
    }

    /// Prints the list, highest rating first. Returns whether it is empty.
    pub fn write(self, plan: &StudyPlan, as_json: bool, out: &mut dyn Write) -> io::Result<bool> {
        let mut lines = self.0;
        let elo =
            |line: &RatedLine| line.rating.as_ref().map_or(f64::NEG_INFINITY, |rating| rating.elo);
        lines.sort_by(|a, b| elo(b).total_cmp(&elo(a)).then(a.name.cmp(&b.name)));
        let width = lines.iter().map(|line| line.name.chars().count()).max().unwrap_or(0).max(6);
        if !as_json && !lines.is_empty() {
            writeln!(out, "{:<width$}  rating  {:>12}  moves", "player", "95 %")?;
        }
        for RatedLine { name, rating, used } in &lines {
            let interval = rating.as_ref().map(|rating| rating.interval(INTERVAL_PROBABILITY));
            if as_json {
                let line = json!({
                    "name": name,
                    "rating": rating.as_ref().map(|rating| rating.elo),
                    "interval_95": interval.map(|(low, high)| [low, high]),
                    "moves": used,
                    "scale": plan.scale.name,
                    "provisional": plan.scale.is_provisional(),
                    "differs_from_calibration": plan.departures,
                });
                writeln!(out, "{line}")?;
                continue;
            }
            let (rating, interval) = match rating.as_ref().zip(interval) {
                Some((rating, (low, high))) => {
                    (format!("{:.0}", rating.elo), format!("{low:.0} to {high:.0}"))
                }
                None => ("-".to_owned(), "-".to_owned()),
            };
            writeln!(out, "{name:<width$}  {rating:>6}  {interval:>12}  {used:>5}")?;
        }
        if !as_json && !lines.is_empty() {
            writeln!(out, "\nThe scale is {}.", plan.described_scale())?;
        }
        Ok(lines.is_empty())
    }
}
