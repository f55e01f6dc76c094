//! Everything about one player or group as JSON.

use serde_json::{Value as Json, json};

use crate::analyser::{Figure, Omission, Projection, StudyPlan, StudyReport, expected_among};

/// Everything about one player or group.
pub fn analysis_json(report: &StudyReport, plan: &StudyPlan, honest: f64) -> Json {
    let figure = |figure: &Figure| {
        json!({
            "actual": figure.actual,
            "projected": figure.projected,
            "deviation": figure.deviation,
            "z": figure.z(),
        })
    };
    let interval = |(low, high): (f64, f64)| json!([low, high]);
    let left_out: serde_json::Map<String, Json> = Omission::ALL
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
    let projection = |projection: &Projection| {
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
            "provisional": plan.scale.is_provisional(),
            "differs_from_calibration": plan.departures,
            "sampling_deviation": rating.sampling,
            "sampling_deviation_by_games": rating.by_games,
            "deviation": rating.deviation,
            "interval_50": interval(rating.interval(0.5)),
            "interval_80": interval(rating.interval(0.8)),
            "interval_95": interval(rating.interval(0.95)),
        })),
        "apparent": apparent,
        "fit": report.fit.as_ref().map(|fit| json!({
            "sensitivity": fit.parameters[0].exp(),
            "consistency": fit.parameters[1].exp(),
            "ln_deviations": fit.deviations,
            "ln_likelihood": fit.ln_likelihood,
        })),
        "percentile_fit": report.percentiles.as_ref().map(|parameters| json!({
            "sensitivity": parameters[0].exp(),
            "consistency": parameters[1].exp(),
        })),
        "projection": report.projection.as_ref().map(projection),
        "gains": report.gains.histogram(),
        "best_moves": report.averages.best,
        "centipawn_loss": report.averages.centipawn_loss,
        "accuracy": report.averages.accuracy,
        "guid_bratko": {
            "difference": report.guid_bratko.difference,
            "blunders": report.guid_bratko.blunders,
            "used": report.guid_bratko.turns,
        },
        "under_noise": report.under_noise,
        "suspicion": report.suspicion.as_ref().map(|suspicion| json!({
            "against": plan.against.as_ref().map(|profile| &profile.name),
            "against_rating": report.measured_against,
            "projection": projection(&suspicion.projection),
            "expected_among": honest,
            "expected": expected_among(&suspicion.projection.first, honest),
            "partly": {"part": suspicion.partly.part, "evidence": suspicion.partly.evidence},
            "wholly": {"part": suspicion.wholly.part, "evidence": suspicion.wholly.evidence},
            "window": suspicion.window.as_ref().map(|window| json!({
                "game": window.game,
                "first_move": window.first,
                "length": window.length,
                "evidence": window.evidence,
            })),
        })),
    })
}
