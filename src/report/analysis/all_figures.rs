//! All figures of one player or group, for researchers and arbiters.

use super::charts::charts;
use crate::analyser::{Figure, StudyPlan, StudyReport, expected_among};
use crate::math::exact::exp;
use crate::math::outcomes::TWO_SIDED_95;
use crate::player::informative_moves;
use crate::report::document::{Document, Fact};

/// How many move ranks (best, second best and so on) are listed with their frequencies.
const LISTED_RANKS: usize = 5;

/// All figures of one player or group. They include an estimate of how many out of `honest` honest
/// players would match the engine as often as this player did.
pub fn all_figures(report: &StudyReport, plan: &StudyPlan, honest: f64) -> Document {
    let mut document = Document::new(format!("All figures: {}", report.name));
    let mut facts = tally(report);
    if report.tally.used > 0 {
        facts.extend(rating(report, plan));
        facts.extend(competence(report));
        facts.extend(figures(report));
        facts.extend(assistance(report, plan, honest));
    }
    document.facts(facts);
    if report.tally.used > 0 {
        charts(report).into_iter().for_each(|chart| document.chart(chart));
    }
    document
}

fn tally(report: &StudyReport) -> Vec<Fact> {
    let reasons = report.tally.reasons();
    let left_out = if reasons.is_empty() { "none" } else { &reasons };
    let counted = Fact::new("moves counted", report.tally.used.to_string());
    vec![counted.with_note(format!("left out: {left_out}"))]
}

fn rating(report: &StudyReport, plan: &StudyPlan) -> Vec<Fact> {
    let scale = Fact::new("rating scale", plan.described_scale());
    let shown = |probability| {
        report.rating.as_ref().and_then(|rating| rating.shown(&plan.scale, probability))
    };
    let Some(rating) = shown(0.8) else { return vec![scale] };
    let ranges = [0.5, 0.8, 0.95].into_iter().filter_map(|probability| {
        let range = shown(probability)?.interval_text();
        Some(format!("{:.0}% range {range}", 100.0 * probability))
    });
    let ranges = ranges.collect::<Vec<_>>().join(", ");
    vec![Fact::new("rating", rating.to_string()).with_note(ranges), scale]
}

fn competence(report: &StudyReport) -> Vec<Fact> {
    let mut facts = Vec::new();
    for (depth, apparent) in &report.apparent {
        let (low, high) = apparent.posterior.interval(0.9);
        let text = format!(
            "c = {:.2}, 90% range {low:.2} to {high:.2} ({})",
            apparent.posterior.mean(),
            informative_moves(apparent.informative)
        );
        facts.push(Fact::new(format!("apparent competence at depth {depth}"), text));
    }
    if let Some(c) = report.under_noise {
        facts.push(Fact::new("competence with noise in the evaluations", format!("c = {c:.2}")));
    }
    if let Some(fit) = &report.fit {
        let (s, c) = (exp(fit.parameters[0]), exp(fit.parameters[1]));
        let text = format!(
            "s = {s:.4} ± {:.4}, c = {c:.3} ± {:.3} (95%)",
            TWO_SIDED_95 * s * fit.deviations[0],
            TWO_SIDED_95 * c * fit.deviations[1]
        );
        facts.push(Fact::new("Regan's sensitivity and consistency", text));
    }
    if let Some(parameters) = &report.percentiles {
        let text = format!("s = {:.4}, c = {:.3}", exp(parameters[0]), exp(parameters[1]));
        facts.push(Fact::new("sensitivity and consistency by percentiles", text));
    }
    facts
}

fn figures(report: &StudyReport) -> Vec<Fact> {
    let mut facts = Vec::new();
    if let Some(projection) = &report.projection {
        let mut fact = |name: &str, figure: &Figure, factor: f64, unit: &str| {
            let text = format!(
                "{:.1}{unit}, projected {:.1}{unit} ± {:.1}",
                factor * figure.actual,
                factor * figure.projected,
                factor * figure.deviation
            );
            facts.push(Fact::new(name, text));
        };
        fact("first choices", &projection.first, 100.0, "%");
        fact("best moves (first choice or equal)", &projection.equal, 100.0, "%");
        fact("average loss, scaled", &projection.scaled_loss, 1000.0, " thousandths");
        fact("average loss, uncapped", &projection.loss, 100.0, " centipawns");
        let places: Vec<String> = projection.frequencies[..LISTED_RANKS]
            .iter()
            .map(|place| format!("{:.1} ({:.1})", 100.0 * place.actual, 100.0 * place.projected))
            .collect();
        let text = format!("{}%; misfit {:.1}", places.join(", "), projection.misfit());
        facts.push(Fact::new("share of best, second-best, ... moves (projected)", text));
    }
    let (averages, guid) = (&report.averages, &report.guid_bratko);
    if averages.decisions > 0 {
        let text = format!("{:.1}", averages.centipawn_loss);
        facts.push(Fact::new("average centipawn loss", text));
        let text = format!("{:.1}%", averages.accuracy);
        facts.push(Fact::new("accuracy (Lichess formula)", text));
    }
    if guid.decisions > 0 {
        let text = format!(
            "{:.3} pawns over {} moves; {:.1}% lost more than a pawn",
            guid.difference,
            guid.decisions,
            100.0 * guid.blunders
        );
        facts.push(Fact::new("average loss by the rules of Guid and Bratko", text));
    }
    facts
}

/// Evidence with its sign. Zero has a plus sign.
fn in_nats(evidence: f64) -> String {
    format!("{:+.1}", (10.0 * evidence).round() / 10.0 + 0.0)
}

fn assistance(report: &StudyReport, plan: &StudyPlan, honest: f64) -> Vec<Fact> {
    let Some(suspicion) = &report.suspicion else { return Vec::new() };
    let mut facts = Vec::new();
    let projection = &suspicion.projection;
    let text = format!(
        "first choices {:+.2}, best moves {:+.2}, average loss {:+.2} (z-scores; \
         positive is better)",
        projection.first.z(),
        projection.equal.z(),
        -projection.scaled_loss.z()
    );
    let ends = [plan.scale.range.start(), plan.scale.range.end()];
    let players_rated = |elo: f64| match report.known_rating.or(plan.rating) {
        Some(own) if own != elo && ends.contains(&&elo) => {
            format!("players rated {elo:.0}, the end of the scale")
        }
        _ => format!("players rated {elo:.0}"),
    };
    let profile = plan.against.as_ref().map(|profile| profile.name.clone());
    let opponent = profile.or(report.measured_against.map(players_rated)).unwrap_or_default();
    let part = match projection.decisions == report.tally.used {
        true => String::new(),
        false => format!(" ({} of the moves)", projection.decisions),
    };
    facts.push(Fact::new(format!("compared with {opponent}{part}"), text));
    let expected = expected_among(projection, honest);
    let digits = if expected < 10.0 { 2 } else { 0 };
    let text = format!(
        "{expected:.digits$} of {honest:.0} honest players would match the engine at least as often"
    );
    facts.push(Fact::new("expected by chance", text));
    let (partly, wholly) = (&suspicion.partly, &suspicion.wholly);
    let text = format!(
        "{} nats if {:.0}% of the moves came from an engine, {} if nearly all did (at 3 nats, the moves \
         are 20 times as likely with this assistance as without)",
        in_nats(partly.evidence),
        100.0 * partly.part,
        in_nats(wholly.evidence)
    );
    facts.push(Fact::new("evidence of outside assistance", text));
    if let Some(window) = &suspicion.window {
        let text = format!(
            "{:+.1} nats in {} counted moves from move {} of {}; at most 1 honest player in 20 would reach \
             {:.1} by chance in any such run",
            window.evidence,
            window.length,
            window.first,
            window.game,
            window.rare_evidence()
        );
        facts.push(Fact::new("strongest evidence within a game", text));
    }
    facts
}
