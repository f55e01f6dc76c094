//! `analyse --beside`: the same games by other engines, and whether they agree.

use std::fmt::Write;

use serde_json::{Value as Json, json};

use super::study::StudyArguments;
use crate::analyser::{Agreement, By, Measured, Opinions, Sides, StudyPlan};
use crate::cli::engine::EngineArguments;
use crate::config::Settings;

/// The engine that is to value the games too.
pub fn engine(program: &str) -> EngineArguments {
    EngineArguments::of("--beside", program)
}

/// Values the games again with another engine, and tells how far it agrees and what it makes of
/// everybody. The games that have to be left out are those that were left out before.
pub fn beside(
    program: &str,
    opinions: &Opinions,
    (study, by): (&StudyArguments, By),
    plan: &StudyPlan,
    config: &Settings,
    json: bool,
) -> anyhow::Result<String> {
    let engine = engine(program);
    let mut agreement = Agreement::default();
    let (ledger, _) = study.book(
        &engine,
        by,
        (plan, Measured::Competence),
        config,
        Sides::Both,
        |evaluated| {
            opinions.compare(evaluated, &mut agreement);
        },
    )?;
    let mut players = Vec::new();
    study.each_judged(&ledger, |name, statistics| {
        let belief = ledger.gauge().apparent(statistics).posterior;
        players.push((name.to_owned(), belief.mean(), belief.interval(0.9)));
    });
    if json {
        let player = |(name, c, (low, high)): &(String, f64, (f64, f64))| json!({"name": name, "competence": c, "interval_90": [low, high]});
        let line = json!({"agreement": {
            "engine": program,
            "positions": agreement.positions,
            "same_first_choice": agreement.share(),
            "mean_difference": agreement.difference(),
            "players": players.iter().map(player).collect::<Vec<Json>>(),
        }});
        return Ok(format!("{line}\n"));
    }
    let mut text = String::new();
    writeln!(
        text,
        "{program}: the same first choice in {:.1} % of {} positions; its values of the best move \
         differ by {:.2} pawns on average",
        100.0 * agreement.share(),
        agreement.positions,
        agreement.difference()
    )?;
    for (name, c, (low, high)) in &players {
        writeln!(text, "  {name}: c = {c:.2}, 90 % from {low:.2} to {high:.2}")?;
    }
    text.push('\n');
    Ok(text)
}
