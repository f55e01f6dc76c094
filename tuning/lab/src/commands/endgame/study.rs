//! `endgame study`: the difficulty of an endgame.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::input::{Law, Range, games};
use crate::report::endgame::{comparison_text, profile_text};
use crate::report::endgame_page::{EndgamePage, comparison_chart, profile_charts, study_charts};
use crate::report::endgame_study::{study_json, study_text};
use crate::study::endgame::{self, Comparison, EndgamePlan, EndgameProfile, candidates, profile};
use stopdown::board::{Colour, Position};
use stopdown::cli::support::{CommandOutcome, CommandResult, Progress, command_line, save};
use stopdown::endgame::{Material, Tables};
use stopdown::math::grid::{Posterior, evenly_spaced};
use stopdown::report::chart::Chart;
use stopdown::report::{drawing, html};

const EXAMPLES: &str = "\
Examples:
  stopdown-lab endgame study KQKR --competence 0:50:1
  stopdown-lab endgame study KRK --players 5,10 --games 1000 --exact
  stopdown-lab endgame study KBNK --games 0 --out kbnk";

/// Measure the difficulty of an endgame: averages by depth, critical competence, simulated games
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Endgame to study, such as KQKR
    material: Material,

    /// Competences to compute the averages for, as first:last:step
    #[arg(long, value_name = "RANGE", default_value = "0:50:1")]
    competence: Range,

    /// Competences of the players in simulated games
    #[arg(long, value_name = "C", value_delimiter = ',', default_value = "20,30")]
    players: Vec<f64>,

    /// Number of simulated games for each pair of players; 0 plays none
    #[arg(long, default_value_t = 1000)]
    games: u64,

    /// Also compute exact results for each pair of players, position by position; this takes minutes with four pieces
    #[arg(long)]
    exact: bool,

    /// Seed for the games
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Compare the optimal moves in this position, or all moves that keep the result if only one is
    /// optimal
    #[arg(long, value_name = "FEN")]
    fen: Vec<String>,

    /// Estimate White's competence from the games in this PGN file
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,

    /// Also write all results to this directory: text, JSON, charts and an HTML page
    #[arg(long, value_name = "DIRECTORY")]
    out: Option<PathBuf>,

    #[command(flatten)]
    law: Law,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    ensure!(
        arguments.players.iter().all(|c| !c.is_nan()),
        "--players must be competences, such as 20,30"
    );
    let material = arguments.material;
    let Law { metric, kappa, place } = &arguments.law;
    let tables = place.open();
    place.prepare(&tables, &BTreeSet::from([material]), &[*metric])?;
    let plan = EndgamePlan {
        material,
        metric: *metric,
        kappa: *kappa,
        competences: arguments.competence.0.clone(),
        players: arguments.players.clone(),
        games: arguments.games,
        exact: arguments.exact,
        seed: arguments.seed,
        longest_game: 5_000,
    };
    let progress = Progress::new();
    let mut show_progress = |share| progress.show(format_args!("{:.0}%", 100.0 * share));
    let study = endgame::study(plan, &tables, &mut show_progress)?;
    progress.clear();
    ensure!(study.deepest > 0, "{material} has no won positions to study");
    let (text, json) = (study_text(&study), study_json(&study));
    let folder = Folder(arguments.out.as_deref());
    folder.write("study.txt", &text)?;
    folder.write("study.json", &format!("{json:#}\n"))?;
    if place.json {
        writeln!(out, "{json}")?
    } else {
        write!(out, "{text}")?
    }
    let comparisons = arguments.compare(&tables, &folder, out)?;
    let games = arguments.follow(&tables, &folder, out)?;
    folder.draw(["expected-depth", "headway"], &study_charts(&study))?;
    if !games.is_empty() {
        folder.draw(["competence", "depth"], &profile_charts(&games))?;
    }
    let (study, comparisons, games) = (&study, &comparisons, &games);
    let page = EndgamePage { study, comparisons, games };
    folder.write("index.html", &html::page(&page.document(), &command_line()))?;
    Ok(CommandOutcome::Done)
}

/// The optional output folder.
struct Folder<'a>(Option<&'a Path>);

impl Folder<'_> {
    fn write(&self, name: &str, content: &str) -> anyhow::Result<()> {
        let Some(directory) = self.0 else { return Ok(()) };
        fs::create_dir_all(directory).with_context(|| directory.display().to_string())?;
        save(&directory.join(name), content)
    }

    fn draw<const N: usize>(&self, names: [&str; N], charts: &[Chart; N]) -> anyhow::Result<()> {
        let mut pairs = names.iter().zip(charts);
        pairs.try_for_each(|(name, chart)| self.write(&format!("{name}.svg"), &drawing::svg(chart)))
    }
}

impl Arguments {
    /// Compares moves in the given positions.
    fn compare(
        &self,
        tables: &Tables,
        to: &Folder,
        out: &mut dyn Write,
    ) -> anyhow::Result<Vec<(Position, Comparison)>> {
        let mut comparisons = Vec::new();
        for (index, fen) in self.fen.iter().enumerate() {
            let position = Position::from_fen(fen, false)?;
            let report =
                tables.report(&position).with_context(|| format!("no tablebase contains {fen}"))?;
            let optimal = candidates(&report, self.law.metric, false);
            // If only one move is optimal, the others are compared too, because one of them may be better against a
            // weak opponent.
            let alone = optimal.len() < 2;
            let moves = if alone { candidates(&report, self.law.metric, true) } else { optimal };
            let comparison = Comparison::new(tables, &position, &moves, self.law.player())
                .with_context(|| format!("a tablebase is missing for a move in {fen}"))?;
            let text = comparison_text(&position, &comparison);
            let name = format!("preference-{}", index + 1);
            to.write(&format!("{name}.txt"), &text)?;
            to.draw([&name], &[comparison_chart(&position, &comparison)])?;
            if !self.law.place.json {
                write!(out, "\n{text}")?;
            }
            comparisons.push((position, comparison));
        }
        Ok(comparisons)
    }

    /// Follows White's competence through the given games, separately and combined.
    fn follow(
        &self,
        tables: &Tables,
        to: &Folder,
        out: &mut dyn Write,
    ) -> anyhow::Result<Vec<(String, EndgameProfile)>> {
        let Some(path) = &self.pgn else { return Ok(Vec::new()) };
        let prior = || Posterior::uniform(evenly_spaced(0.0, 100.0, 101));
        let mut profiles = Vec::new();
        let mut all = prior()?;
        for (index, game) in games(path)?.iter().enumerate() {
            let player = self.law.player();
            let follow = |belief| profile(tables, game, Colour::White, &player, belief);
            let own = follow(prior()?);
            all = follow(all).belief;
            let text = profile_text(&own);
            to.write(&format!("game-{}.txt", index + 1), &text)?;
            if !self.law.place.json {
                write!(out, "\ngame {}\n{text}", index + 1)?;
            }
            profiles.push((format!("game {}", index + 1), own));
        }
        if !self.law.place.json {
            let (mean, deviation) = (all.mean(), all.standard_deviation());
            writeln!(out, "\nall games: c = {mean:.3} +- {deviation:.3}")?;
        }
        Ok(profiles)
    }
}
