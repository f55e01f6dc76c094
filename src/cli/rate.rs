//! `rate`: a short analysis that prints one line for each player.

use std::io::{self, Write};

use clap::Args;

use super::analyse::study::StudyArguments;
use super::outcome::{CommandOutcome, CommandResult};
use super::output::{write_json, write_text};
use crate::analyser::{Measured, PlayerSummary, StudyAccumulator, StudyPlan};
use crate::config::Settings;
use crate::games::pgn::PgnGame;
use crate::player::MIN_RATED_MOVES;
use crate::report::{RatedJson, RatedPlayer, RatingListNotes, rating_list, rating_list_of_scale};

const EXAMPLES: &str = "\
Examples:
  stopdown rate games.pgn
  stopdown rate games.pgn.zst --player Carlsen --store values.db
  stopdown rate games.pgn --min-moves 100 --json";

/// Rate the players in PGN files by their moves
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    study: StudyArguments,

    /// Print a line of JSON for each player
    #[arg(long)]
    json: bool,
}

/// The players in a study, who are sorted by rating at the end.
#[derive(Debug, Default)]
pub struct RatingReport(Vec<RatedPlayer>);

pub fn run(arguments: &Arguments, config: &Settings, out: &mut dyn Write) -> CommandResult {
    let study = &arguments.study;
    let (mut nothing_found, mut is_empty, mut missing) = (None, true, Vec::new());
    let scales = study.scales()?;
    let mut notes = (scales.len() > 1).then(RatingListNotes::default);
    for (number, (scale, games_of)) in scales.iter().enumerate() {
        let plan = study.plan(scale, config)?;
        let job = study.job(&study.engine, &plan, Measured::Rating, config)?;
        if number == 0 {
            study.warn(&plan)?;
        }
        let is_wanted = |game: &Result<PgnGame, String>| match game {
            Ok(game) => games_of.is_none_or(|scale| game.rating_scale() == scale),
            // Every pass over the files finds the unreadable games again, but they are reported
            // only once.
            Err(_) => number == 0,
        };
        let (summaries, skipped) = study
            .review_some(is_wanted, |games, progress| job.summarise(games, progress, |_| Ok(())))?;
        missing.extend(skipped);
        let mut list = RatingReport::default();
        for (name, summary) in summaries.with_moves(study.min_moves) {
            list.add(name, summary, &summaries.accumulator);
        }
        if number > 0 && !arguments.json {
            writeln!(out)?;
        }
        match list.write(&plan, arguments.json, notes.as_mut(), out)? {
            true => nothing_found = Some(summaries),
            false => is_empty = false,
        }
        out.flush()?;
    }
    if let Some(notes) = notes.map(RatingListNotes::document)
        && !notes.blocks.is_empty()
        && !arguments.json
    {
        writeln!(out)?;
        write_text(&notes, out)?;
        out.flush()?;
    }
    study.check_skipped(&missing)?;
    match nothing_found.filter(|_| is_empty) {
        Some(summaries) => Ok(study.report_nothing_found(&summaries)?),
        None => Ok(CommandOutcome::Done),
    }
}

impl RatingReport {
    pub fn add(&mut self, name: &str, summary: &PlayerSummary, accumulator: &StudyAccumulator) {
        let rating = accumulator.rate(summary);
        self.0.push(RatedPlayer {
            name: name.to_owned(),
            with_results: summary.with_results(rating.as_ref()),
            rating,
            moves: summary.tally().used,
        });
    }

    /// Prints the list, highest rating first. Players with too few moves come last. If it is one of
    /// several lists, its notes are added to `notes`. Returns true if the list is empty.
    pub fn write(
        self,
        plan: &StudyPlan,
        as_json: bool,
        notes: Option<&mut RatingListNotes>,
        out: &mut dyn Write,
    ) -> io::Result<bool> {
        let mut players = self.0;
        let elo = |player: &RatedPlayer| {
            let rated = player.rating.as_ref().filter(|_| player.moves >= MIN_RATED_MOVES);
            rated.map_or(f64::NEG_INFINITY, |rating| rating.elo)
        };
        players.sort_by(|a, b| elo(b).total_cmp(&elo(a)).then(a.name.cmp(&b.name)));
        if as_json {
            for player in &players {
                write_json(&RatedJson::new(player, plan), out)?;
            }
        } else if !players.is_empty() {
            let list = match notes {
                Some(notes) => rating_list_of_scale(&players, plan, notes),
                None => rating_list(&players, plan),
            };
            write_text(&list, out)?;
        }
        Ok(players.is_empty())
    }
}
