//! `endgame study`: the difficulty of an endgame.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde_json::{Value as Json, json};

use super::input::{Law, Range, games, materials};
use crate::report::endgame::{comparison_json, comparison_text, profile_json, profile_text};
use crate::report::endgame_page::{EndgamePage, comparison_chart, profile_charts, study_charts};
use crate::report::endgame_study::{study_json, study_text};
use crate::study::endgame::{self, Comparison, EndgamePlan, EndgameProfile, candidates, profile};
use stopdown::board::{Colour, Game, Position};
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
    // Everything that can be wrong with the arguments is reported before the study, which can take minutes.
    let positions = arguments.positions()?;
    let played = arguments.pgn.as_deref().map_or(Ok(Vec::new()), games)?;
    let tables = place.open();
    place.prepare(&tables, &BTreeSet::from([material]), &[*metric])?;
    let starts = positions.iter().cloned().map(Game::new);
    let others: BTreeSet<Material> =
        starts.chain(played.iter().cloned()).flat_map(|game| materials(&game)).collect();
    place.prepare(&tables, &others, &[*metric])?;
    let comparisons = arguments.compare(&tables, positions)?;
    let (games, combined) = arguments.follow(&tables, &played)?;
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
    let (study, comparisons, games, combined) = (&study, &comparisons, &games, &combined);
    let page = EndgamePage { study, comparisons, games, combined };
    let (texts, json) = (texts(&page), json(&page));
    if place.json {
        writeln!(out, "{json}")?;
    } else {
        let texts: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
        write!(out, "{}", texts.join("\n"))?;
    }
    let folder = Folder(arguments.out.as_deref());
    for (name, text) in &texts {
        folder.write(name, text)?;
    }
    folder.write("study.json", &format!("{json:#}\n"))?;
    folder.draw(["expected-depth", "headway"], &study_charts(study))?;
    for (number, (position, comparison)) in (1..).zip(comparisons) {
        folder
            .draw([&format!("preference-{number}")], &[comparison_chart(position, comparison)])?;
    }
    if !games.is_empty() {
        folder.draw(["competence", "depth"], &profile_charts(games))?;
    }
    folder.write("index.html", &html::page(&page.document(), &command_line()))?;
    Ok(CommandOutcome::Done)
}

/// All results as texts, with the names of their files.
fn texts(results: &EndgamePage) -> Vec<(String, String)> {
    let mut texts = vec![("study.txt".to_owned(), study_text(results.study))];
    for (number, (position, comparison)) in (1..).zip(results.comparisons) {
        texts.push((format!("preference-{number}.txt"), comparison_text(position, comparison)));
    }
    for (number, (name, profile)) in (1..).zip(results.games) {
        texts.push((format!("game-{number}.txt"), format!("{name}\n{}", profile_text(profile))));
    }
    if !results.games.is_empty() {
        let (mean, deviation) = (results.combined.mean(), results.combined.standard_deviation());
        let text = format!("all games: c = {mean:.3} +- {deviation:.3}\n");
        texts.push(("games.txt".to_owned(), text));
    }
    texts
}

/// All results as JSON.
fn json(results: &EndgamePage) -> Json {
    let mut json = study_json(results.study);
    let comparisons = results.comparisons.iter();
    json["comparisons"] =
        comparisons.map(|(position, comparison)| comparison_json(position, comparison)).collect();
    json["games"] = results.games.iter().map(|(_, profile)| profile_json(profile)).collect();
    if !results.games.is_empty() {
        let (mean, deviation) = (results.combined.mean(), results.combined.standard_deviation());
        json["all_games"] = json!({ "c": mean, "c_sd": deviation });
    }
    json
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
    fn positions(&self) -> anyhow::Result<Vec<Position>> {
        let position = |fen: &String| {
            Position::from_fen(fen, false).with_context(|| format!("--fen \"{fen}\""))
        };
        self.fen.iter().map(position).collect()
    }

    /// Compares moves in the given positions.
    fn compare(
        &self,
        tables: &Tables,
        positions: Vec<Position>,
    ) -> anyhow::Result<Vec<(Position, Comparison)>> {
        let compare = |position: Position| {
            let fen = position.fen();
            let report =
                tables.report(&position).with_context(|| format!("no tablebase contains {fen}"))?;
            let optimal = candidates(&report, self.law.metric, false);
            // If only one move is optimal, the others are compared too, because one of them may be better against a
            // weak opponent.
            let alone = optimal.len() < 2;
            let moves = if alone { candidates(&report, self.law.metric, true) } else { optimal };
            let comparison = Comparison::new(tables, &position, &moves, self.law.player())
                .with_context(|| format!("a tablebase is missing for a move in {fen}"))?;
            Ok((position, comparison))
        };
        positions.into_iter().map(compare).collect()
    }

    /// Follows White's competence through the given games, separately and combined.
    fn follow(
        &self,
        tables: &Tables,
        games: &[Game],
    ) -> anyhow::Result<(Vec<(String, EndgameProfile)>, Posterior)> {
        let prior = || Posterior::uniform(evenly_spaced(0.0, 100.0, 101));
        let mut profiles = Vec::new();
        let mut all = prior()?;
        for (number, game) in (1..).zip(games) {
            let player = self.law.player();
            let follow = |belief| profile(tables, game, Colour::White, &player, belief);
            let own = follow(prior()?);
            all = follow(all).belief;
            profiles.push((format!("game {number}"), own));
        }
        Ok((profiles, all))
    }
}
