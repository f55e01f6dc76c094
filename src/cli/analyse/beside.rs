//! The games of a study are valued, booked and judged: what every command does that reads players from
//! games.
//!
//! With `analyse --beside` other engines value the same games, and it is told whether they agree. What is
//! found of a player should not depend on who judged the moves (Haworth 2007, section 3.1).

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::io::{self, Write as _};

use anyhow::Context as _;
use serde_json::{Value as Json, json};

use super::source::{AnalysisProgress, Source};
use super::study::StudyArguments;
use crate::analyser::{
    EvaluatedGame, EvaluationConditions, Measured, PlayerSummaries, PlayerSummary, Sides,
    StudyAccumulator, StudyPlan, evaluate_games,
};
use crate::board::Move;
use crate::cli::engine::EngineArguments;
use crate::cli::output::named_once;
use crate::cli::store::evaluator;
use crate::config::Settings;
use crate::games::{EvaluatorIdentity, Store};
use crate::player::Engine;
use crate::search::EvaluationRequest;
use crate::threads::cores;

impl StudyArguments {
    /// Values the games and hands them over in order. Those that had to be left out are told, and
    /// come back in words. Not valued are the first moves, so many, nor other sides than these. With
    /// each comes under what conditions it was valued.
    pub fn evaluate_games(
        &self,
        engine: &EngineArguments,
        config: &Settings,
        (opening, sides): (usize, Sides),
        mut take: impl FnMut(EvaluatedGame, &EvaluationConditions) -> anyhow::Result<()>,
    ) -> anyhow::Result<Vec<String>> {
        let (engines, evaluator) = self.engines(engine, config, self.threads())?;
        let request = EvaluationRequest { cap: self.cap, ..EvaluationRequest::depth(self.depth) };
        let sample = self.sample;
        let conditions = EvaluationConditions { request, evaluator, opening, sides, sample };
        let take = |evaluated| take(evaluated, &conditions);
        let mut store = self.store.as_deref().map(Store::open).transpose()?;
        let mut faults = Vec::new();
        let (mut met, mut again) = (HashSet::new(), 0);
        let mut is_empty = true;
        named_once(&self.games)?;
        let games = self.games.iter().map(|name| Source::open(name));
        let games = games.collect::<anyhow::Result<Vec<Source>>>()?;
        let mut progress = AnalysisProgress::new(&games);
        let games = games.into_iter().flatten().inspect(|_| is_empty = false);
        let games = games.filter_map(|game| match game {
            // The same game may stand in several files, as when downloads overlap.
            Ok(game) if self.wants(&game) => {
                let is_new = met.insert(game.fingerprint());
                again += usize::from(!is_new);
                is_new.then_some(game)
            }
            Ok(_) => None,
            Err(fault) => {
                faults.push(fault);
                None
            }
        });
        evaluate_games(games, engines, &conditions, store.as_mut(), &mut progress, take)?;
        progress.finish();
        if let Some(store) = &mut store {
            store.commit()?;
        }
        for fault in &faults {
            writeln!(io::stderr(), "{fault}")?;
        }
        if again > 0 {
            let games = if again == 1 { "game was" } else { "games were" };
            writeln!(io::stderr(), "stopdown: {again} {games} there before and counted once")?;
        }
        if is_empty {
            writeln!(io::stderr(), "stopdown: there are no games in {}", self.games.join(", "))?;
        }
        faults.extend(progress.left_out);
        Ok(faults)
    }

    /// How many threads value games, and look at them.
    pub fn threads(&self) -> usize {
        self.threads.map_or_else(cores, usize::from)
    }

    /// So many engines, one for each thread, and who they are to a store: the same as `evaluate` is.
    fn engines(
        &self,
        engine: &EngineArguments,
        config: &Settings,
        count: usize,
    ) -> anyhow::Result<(Vec<Engine>, EvaluatorIdentity)> {
        let network = self.network.or_configured(config);
        let engines = (0..count).map(|_| engine.engine(network, config));
        let engines = engines.collect::<anyhow::Result<Vec<Engine>>>()?;
        let first = engines.first().context("no thread to work with")?;
        let own_hash = (!engine.is_given()).then_some(usize::try_from(config.hash)?);
        let evaluator = evaluator(first, own_hash, self.cap, None);
        Ok((engines, evaluator))
    }

    /// By whom this run values games, in the words of a store.
    pub fn evaluator(&self, config: &Settings) -> anyhow::Result<String> {
        Ok(self.engines(&self.engine, config, 1)?.1.identity)
    }

    /// Values these sides of the games and books what is measured of the players that are asked for, and
    /// hands over every game on the way. Gives those that had to be left out too, in words.
    pub fn book(
        &self,
        engine: &EngineArguments,
        (plan, measured): (&StudyPlan, Measured),
        config: &Settings,
        sides: Sides,
        mut also: impl FnMut(&EvaluatedGame),
    ) -> anyhow::Result<(PlayerSummaries, Vec<String>)> {
        let mut ledger = self.ledger(plan, measured);
        let part = (self.skip, sides);
        let missing = self.evaluate_games(engine, config, part, |evaluated, _| {
            also(&evaluated);
            self.enter(&evaluated, &mut ledger);
            Ok(())
        })?;
        Ok((ledger, missing))
    }

    /// An empty one.
    pub fn ledger(&self, plan: &StudyPlan, measured: Measured) -> PlayerSummaries {
        PlayerSummaries::new(StudyAccumulator::new(plan, measured, self.threads()))
    }

    /// Books the turns of a game.
    pub fn enter(&self, evaluated: &EvaluatedGame, ledger: &mut PlayerSummaries) {
        ledger.add(evaluated, |colour| self.is_wanted(&evaluated.pgn, colour));
    }

    /// Hands over everybody who has enough turns that count, those with most turns first.
    pub fn each_judged<'s>(
        &self,
        summaries: &'s PlayerSummaries,
    ) -> impl Iterator<Item = (&'s str, &'s PlayerSummary)> {
        let least = self.min_moves.max(1);
        summaries.ranked().into_iter().filter(move |(_, summary)| summary.tally().used >= least)
    }
}

/// What an engine thinks best in each position of some games: by game and moves played, with the value
/// in pawns.
#[derive(Debug, Default)]
pub struct Opinions(HashMap<(usize, usize), (Move, f64)>);

impl Opinions {
    /// Remembers what the moves of a game are worth.
    pub fn note(&mut self, evaluated: &EvaluatedGame) {
        self.0.extend(best_moves(evaluated));
    }
}

/// The best move of every position that was valued.
fn best_moves(
    evaluated: &EvaluatedGame,
) -> impl Iterator<Item = ((usize, usize), (Move, f64))> + '_ {
    evaluated.evaluations.iter().enumerate().filter_map(|(played, evaluation)| {
        let best = evaluation.as_ref()?.best()?;
        Some(((evaluated.number, played), (best.mv, best.value().pawns())))
    })
}

/// The engine that is to value the games too.
pub fn engine(program: &str) -> EngineArguments {
    EngineArguments::of("--beside", program)
}

/// Values the games again with another engine, and tells how far it agrees and what it makes of
/// everybody. The games that have to be left out are those that were left out before.
pub fn beside(
    program: &str,
    opinions: &Opinions,
    study: &StudyArguments,
    plan: &StudyPlan,
    config: &Settings,
    json: bool,
) -> anyhow::Result<String> {
    let (mut positions, mut same, mut differences) = (0_usize, 0_usize, 0.0);
    let (ledger, _) = study.book(
        &engine(program),
        (plan, Measured::Competence),
        config,
        Sides::Both,
        |evaluated| {
            for (place, (mv, value)) in best_moves(evaluated) {
                let Some((own, own_value)) = opinions.0.get(&place) else { continue };
                positions += 1;
                same += usize::from(mv == *own);
                differences += (value - own_value).abs();
            }
        },
    )?;
    let mean = |sum: f64| sum / positions.max(1) as f64;
    let (share, difference) = (mean(same as f64), mean(differences));
    let mut players = Vec::new();
    for (name, summary) in study.each_judged(&ledger) {
        let belief = ledger.accumulator.apparent(summary).posterior;
        players.push((name.to_owned(), belief.mean(), belief.interval(0.9)));
    }
    if json {
        let player = |(name, c, (low, high)): &(String, f64, (f64, f64))| json!({"name": name, "competence": c, "interval_90": [low, high]});
        let line = json!({"agreement": {
            "engine": program,
            "positions": positions,
            "same_first_choice": share,
            "mean_difference": difference,
            "players": players.iter().map(player).collect::<Vec<Json>>(),
        }});
        return Ok(format!("{line}\n"));
    }
    let mut text = format!(
        "{program}: the same first choice in {:.1} % of {positions} positions; its values of the best move \
         differ by {difference:.2} pawns on average\n",
        100.0 * share
    );
    for (name, c, (low, high)) in &players {
        writeln!(text, "  {name}: c = {c:.2}, 90 % from {low:.2} to {high:.2}")?;
    }
    text.push('\n');
    Ok(text)
}
