//! What the analyser found, as text and as JSON.

use std::fmt::Write;

use serde_json::{Value as Json, json};

use crate::analyser::{Figure, Plan, Reason, Report, expected_among};

/// A page of text about one player or group.
pub fn analysis_text(report: &Report, plan: &Plan, honest: f64) -> String {
    let mut text = format!("{}\n", report.name);
    let tally = &report.tally;
    let left_out: Vec<String> = Reason::ALL
        .iter()
        .filter(|&&reason| tally.left_out(reason) > 0)
        .map(|&reason| format!("{} {}", tally.left_out(reason), reason.words()))
        .collect();
    let left_out = if left_out.is_empty() { "nothing".to_owned() } else { left_out.join(", ") };
    let _ =
        writeln!(text, "  {} games, {} moves used; left out: {left_out}", report.games, tally.used);
    if tally.used == 0 {
        return text;
    }
    rating(report, plan, &mut text);
    for (depth, apparent) in &report.apparent {
        let (low, high) = apparent.posterior.interval(0.9);
        let _ = writeln!(
            text,
            "  apparent competence at depth {depth}: c = {:.2}, 90 % from {low:.2} to {high:.2} \
             ({} moves told something)",
            apparent.posterior.mean(),
            apparent.informative
        );
    }
    figures(report, &mut text);
    suspicion(report, honest, &mut text);
    text
}

fn rating(report: &Report, plan: &Plan, text: &mut String) {
    if let Some(known) = report.known_rating {
        let _ = writeln!(text, "  rating in the games: {known:.0}");
    }
    if let Some(rating) = &report.rating {
        let [half, most, nearly] = [0.5, 0.8, 0.95].map(|level| {
            let (low, high) = rating.interval(level);
            format!("{:.0} % {low:.0} to {high:.0}", 100.0 * level)
        });
        let _ =
            writeln!(text, "  rating from the moves: {:.0} ({half}; {most}; {nearly})", rating.elo);
        if plan.scale.is_provisional {
            let _ = writeln!(
                text,
                "    on {}, which is not fitted to this engine: good for comparing, not yet an Elo",
                plan.scale.name
            );
        }
    }
    if let Some(fit) = &report.fit {
        let (s, c) = (fit.parameters[0].exp(), fit.parameters[1].exp());
        let _ = writeln!(
            text,
            "  sensitivity s = {s:.4} +- {:.4}, consistency c = {c:.3} +- {:.3}",
            s * fit.deviation(0),
            c * fit.deviation(1)
        );
    }
}

fn figures(report: &Report, text: &mut String) {
    if let Some(projection) = &report.projection {
        let mut line = |name: &str, figure: &Figure, factor: f64, unit: &str| {
            let _ = writeln!(
                text,
                "  {name}: {:.1}{unit}, projected {:.1}{unit} +- {:.1}",
                factor * figure.actual,
                factor * figure.projected,
                factor * figure.deviation
            );
        };
        line("first choices", &projection.first, 100.0, " %");
        line("moves of the best value", &projection.equal, 100.0, " %");
        line("average difference, scaled", &projection.scaled_loss, 1000.0, " thousandths");
        line("average difference", &projection.loss, 100.0, " centipawns");
    }
    let (averages, guid) = (&report.averages, &report.guid_bratko);
    let _ = writeln!(
        text,
        "  centipawn loss {:.1}, accuracy {:.1} %; after Guid and Bratko {:.3} pawns, {:.1} % blunders",
        averages.centipawn_loss,
        averages.accuracy,
        guid.difference,
        100.0 * guid.blunders
    );
    if let Some(c) = report.under_noise {
        let _ = writeln!(text, "  with noise on the values: c = {c:.2}");
    }
}

fn suspicion(report: &Report, honest: f64, text: &mut String) {
    let Some(suspicion) = &report.suspicion else { return };
    let projection = &suspicion.projection;
    let _ = writeln!(
        text,
        "  against his rating: z {:+.2} first choices, {:+.2} best values, {:+.2} average difference",
        projection.first.z(),
        projection.equal.z(),
        -projection.scaled_loss.z()
    );
    let expected = expected_among(&projection.first, honest);
    let _ = writeln!(
        text,
        "  so many first choices are expected of {expected:.2} among {honest:.0} honest players"
    );
    let (partly, wholly) = (&suspicion.partly, &suspicion.wholly);
    let _ = writeln!(
        text,
        "  evidence for help: {:+.1} nats at most (on {:.0} % of the moves), {:+.1} on all",
        partly.evidence,
        100.0 * partly.part,
        wholly.evidence
    );
    if let Some(window) = &suspicion.window {
        let _ = writeln!(
            text,
            "  the {} moves with the most: {:+.1} nats, from the {}th counted on",
            window.length,
            window.evidence,
            window.first + 1
        );
    }
}

/// Everything about one player or group.
pub fn analysis_json(report: &Report, plan: &Plan, honest: f64) -> Json {
    let figure = |figure: &Figure| {
        json!({
            "actual": figure.actual,
            "projected": figure.projected,
            "deviation": figure.deviation,
            "z": figure.z(),
        })
    };
    let interval = |(low, high): (f64, f64)| json!([low, high]);
    let left_out: serde_json::Map<String, Json> = Reason::ALL
        .iter()
        .map(|&reason| (reason.words().replace(' ', "_"), json!(report.tally.left_out(reason))))
        .collect();
    let apparent: Vec<Json> = report
        .apparent
        .iter()
        .map(|(depth, apparent)| {
            json!({
                "depth": depth,
                "competence": apparent.posterior.mean(),
                "interval_90": interval(apparent.posterior.interval(0.9)),
                "informative": apparent.informative,
                "composite": apparent.composite(0.01),
            })
        })
        .collect();
    let projection = |projection: &crate::analyser::Projection| {
        json!({
            "turns": projection.turns,
            "first": figure(&projection.first),
            "equal": figure(&projection.equal),
            "scaled_difference": figure(&projection.scaled_loss),
            "difference": figure(&projection.loss),
            "frequencies": projection.frequencies.iter().map(figure).collect::<Vec<_>>(),
            "misfit": projection.misfit(),
            "ln_likelihood": projection.ln_likelihood,
        })
    };
    json!({
        "name": report.name,
        "games": report.games,
        "used": report.tally.used,
        "left_out": left_out,
        "known_rating": report.known_rating,
        "rating": report.rating.as_ref().map(|rating| json!({
            "elo": rating.elo,
            "scale": plan.scale.name,
            "provisional": plan.scale.is_provisional,
            "sampling_deviation": rating.sampling,
            "deviation": rating.deviation,
            "interval_50": interval(rating.interval(0.5)),
            "interval_80": interval(rating.interval(0.8)),
            "interval_95": interval(rating.interval(0.95)),
        })),
        "apparent": apparent,
        "fit": report.fit.as_ref().map(|fit| json!({
            "sensitivity": fit.parameters[0].exp(),
            "consistency": fit.parameters[1].exp(),
            "ln_deviations": [fit.deviation(0), fit.deviation(1)],
            "ln_likelihood": fit.ln_likelihood,
        })),
        "percentile_fit": report.percentiles.as_ref().map(|parameters| json!({
            "sensitivity": parameters[0].exp(),
            "consistency": parameters[1].exp(),
        })),
        "projection": report.projection.as_ref().map(projection),
        "gains": report.gains.histogram(),
        "centipawn_loss": report.averages.centipawn_loss,
        "accuracy": report.averages.accuracy,
        "guid_bratko": {
            "difference": report.guid_bratko.difference,
            "blunders": report.guid_bratko.blunders,
            "used": report.guid_bratko.tally.used,
        },
        "under_noise": report.under_noise,
        "suspicion": report.suspicion.as_ref().map(|suspicion| json!({
            "projection": projection(&suspicion.projection),
            "expected_among": honest,
            "expected": expected_among(&suspicion.projection.first, honest),
            "partly": {"part": suspicion.partly.part, "evidence": suspicion.partly.evidence},
            "wholly": {"part": suspicion.wholly.part, "evidence": suspicion.wholly.evidence},
            "weights": suspicion.weights,
            "window": suspicion.window.map(|window| json!({
                "first": window.first, "length": window.length, "evidence": window.evidence,
            })),
        })),
    })
}
