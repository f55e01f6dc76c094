//! The part of `calibrate` that reads human games.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};

use super::arguments::{Arguments, PeopleArguments};
use crate::calibrate::people::{
    Coverage, CurveModel, FittedModel, GameSelector, ImitatorResults, PoolResults, RatedDecision,
    SelectedGames, fit_levels, fit_model, is_wanted, known, sides, sort_by_game, test_model,
};
use crate::report::{people_report, regan_text};
use crate::tune::choices::fingerprint_of;
use stopdown::analyser::{EvaluationConditions, RatingScale, Sides, StudyRules};
use stopdown::cli::support::{
    AnalysisProgress, Progress, Source, command_line, evaluator, save, write_text,
};
use stopdown::player::{Engine, ReganLines};
use stopdown::policy::GameKind;
use stopdown::review::{GamesEvaluator, KnownEvaluations, evaluate_games};
use stopdown::search::EvaluationRequest;
use stopdown::threads::cores;
use stopdown::value::Depth;

/// The file from which the page is made.
pub const PEOPLE: &str = "people.json";

/// The hash size of each thread in MiB. Cached evaluations depend on it.
const HASH: usize = 16;

/// Analyses every kind of game with enough decisions.
pub fn run(
    arguments: &PeopleArguments,
    all: &Arguments,
    out: &mut dyn Write,
) -> anyhow::Result<Vec<PoolResults>> {
    let least = arguments.least;
    ensure!(
        arguments.values.is_none_or(|values| values >= all.depth),
        "--values must be at least --depth ({} plies)",
        all.depth
    );
    let rules = StudyRules { rated_openings: false, ..StudyRules::default() };
    let (chosen, sample) = sample(arguments, all, &rules)?;
    let mut results = Vec::new();
    let command = command_line();
    let progress = Progress::new();
    for pool in GameKind::ALL {
        let all_of_pool: Vec<&RatedDecision> =
            sample.iter().filter(|known| known.pool == pool).collect();
        let is_of_level = |known: &&&RatedDecision| chosen.of_levels.contains(&known.game);
        let of_pool: Vec<&RatedDecision> =
            all_of_pool.iter().filter(is_of_level).copied().collect();
        if of_pool.len() < least {
            continue;
        }
        let mut fitted = Vec::new();
        for model in CurveModel::all(pool) {
            let tell =
                |of: &str| progress.tell(format_args!("{} {}: {of}", pool.name(), model.name()));
            match fit_model(model, &of_pool, all.depth, tell) {
                Ok(found) => fitted.push(found),
                Err(error) => progress.tell(format_args!(
                    "the curve \"{}\" was not fitted to {} games: {error}",
                    model.name(),
                    pool.name()
                )),
            }
        }
        let lines =
            fitted.iter().find(|fit| pool == GameKind::Board && fit.model == CurveModel::Regan);
        if let Some(fit) = lines {
            let text = regan_text(&fit.whole.parameters, all.depth, &command);
            save(&all.out.join("people.toml"), &text)?;
        }
        // Games that the curves were trained on would make the ratings look too good.
        let singles = if arguments.unseen { &of_pool } else { &all_of_pool };
        let result = PoolResults {
            games: pool.name().to_owned(),
            levels: fit_levels(&of_pool, least / 10),
            models: fitted.iter().map(|fit| test_model(fit, &of_pool)).collect(),
            coverage: coverage(pool, lines, [singles, &all_of_pool], &chosen),
            imitator: ImitatorResults::of(pool, &all_of_pool, &chosen.series(pool)),
        };
        if !all.json {
            write_text(&people_report(&result), out)?;
            out.flush()?;
        }
        results.push(result);
    }
    ensure!(
        !results.is_empty(),
        "no kind of game has {least} moves by rated players; give more games, or a smaller --least"
    );
    save(&all.out.join(PEOPLE), &(serde_json::to_string(&results)? + "\n"))?;
    Ok(results)
}

/// Measures the coverage of the rating intervals for one kind of game. `samples` has the decisions for ratings from
/// single games, and those for ratings from series of games.
fn coverage(
    pool: GameKind,
    lines: Option<&FittedModel>,
    samples: [&[&RatedDecision]; 2],
    chosen: &SelectedGames,
) -> Vec<Coverage> {
    let series = chosen.series(pool);
    let [singles, all] = samples;
    let of = |scale: &RatingScale| Coverage::of(scale, singles, all, &series);
    let mut coverage = Vec::from_iter(of(&RatingScale::of_people(pool)));
    if let Some([s, by_s, c, by_c]) = lines.map(|fit| &fit.whole.parameters[..]) {
        let people = ReganLines { sensitivity: [*s, *by_s], consistency: [*c, *by_c] };
        coverage.extend(of(&RatingScale::of_lines(people)));
    }
    coverage
}

/// The evaluated decisions in the games.
fn sample(
    arguments: &PeopleArguments,
    all: &Arguments,
    rules: &StudyRules,
) -> anyhow::Result<(SelectedGames, Vec<RatedDecision>)> {
    let progress = Progress::new();
    let is_file = |name: &&String| Path::new(name).is_file();
    if let Some(name) = arguments.people.iter().find(|name| !is_file(name)) {
        std::fs::metadata(name).with_context(|| name.clone())?;
        bail!("{name} is not a regular file; the games are read twice, so a pipe does not work");
    }
    let mut selector = GameSelector::default();
    selector.is_unseen = arguments.unseen;
    for (number, name) in arguments.people.iter().enumerate() {
        progress.show(format_args!("reading {} of {} files", number + 1, arguments.people.len()));
        for game in Source::open(name)? {
            match game {
                Ok(game) => selector.consider(&game, rules.opening),
                Err(error) => progress.tell(error),
            }
        }
    }
    progress.clear();
    let chosen = selector.choose(arguments.turns, arguments.players);
    let sources: Vec<Source> =
        arguments.people.iter().map(|name| Source::open(name)).collect::<Result<_, _>>()?;
    let mut progress = AnalysisProgress::new(&sources);
    // Unreadable games were reported in the first pass. Illegal moves are reported during
    // evaluation.
    let mut met = HashSet::new();
    let games = sources.into_iter().flatten().flatten().filter(|pgn| {
        let (sides, game) = (sides(pgn), pgn.replay(None));
        let Ok(number) = game.map(|game| fingerprint_of(&game)) else { return !sides.is_empty() };
        // Another copy of a game may give the rating of the other side.
        let is_new = sides.iter().all(|side| !met.contains(&(number, side.colour)));
        let counts = chosen.contains(number) && !sides.is_empty() && is_new;
        if counts {
            met.extend(sides.iter().map(|side| (number, side.colour)));
        }
        counts
    });
    let values = arguments.values.unwrap_or(all.depth);
    let (engines, conditions) = engines(values, rules)?;
    let file = all.work.join("values.db");
    let mut cache = KnownEvaluations::open(Some(&file), conditions.evaluator.clone())?;
    let (mut sample, threads) = (Vec::new(), engines.len());
    let evaluator = GamesEvaluator { engines, conditions: &conditions, known: &mut cache };
    evaluate_games(games, evaluator, &mut progress, |evaluated| {
        sample.extend(known(&evaluated, all.depth, rules, threads));
        Ok::<(), anyhow::Error>(())
    })?;
    progress.finish();
    cache.commit()?;
    sort_by_game(&mut sample);
    Ok((chosen, sample))
}

fn engines(
    depth: Depth,
    rules: &StudyRules,
) -> anyhow::Result<(Vec<Engine>, EvaluationConditions)> {
    let engines: Vec<Engine> = (0..cores()).map(|_| Engine::built_in(HASH)).collect();
    let first = engines.first().context("no processor core is available")?;
    let evaluator = evaluator(first, Some(HASH), None, None);
    let all = EvaluationConditions::of_all(EvaluationRequest::depth(depth), evaluator);
    let (opening, sides) = (rules.opening, Sides::Picked(is_wanted));
    Ok((engines, EvaluationConditions { opening, sides, ..all }))
}
