//! The report on one player or group.

use super::charts::charts;
use crate::analyser::{By, Figure, StudyPlan, StudyReport, expected_among};
use crate::math::exact::exp;
use crate::math::outcomes::TWO_SIDED_95;
use crate::report::document::{Document, Fact};
use crate::report::text;

/// The report on one player or group as text. With `honest`, the number of honest players to
/// compare a result with, it contains all figures.
pub fn analysis_text(report: &StudyReport, plan: &StudyPlan, honest: Option<f64>) -> String {
    text::render(&analysis(report, plan, honest), text::LARGEST_WIDTH)
}

/// The report on one player or group: a sentence and the key figures. With `honest`, it contains
/// all figures.
pub fn analysis(report: &StudyReport, plan: &StudyPlan, honest: Option<f64>) -> Document {
    let mut document = Document::default();
    document.paragraph(sentence(report, plan));
    document.facts(facts(report, plan));
    if let Some(honest) = honest.filter(|_| report.tally.used > 0) {
        let mut details = Document::new("All figures");
        details.facts(more_facts(report, plan, honest));
        charts(report).into_iter().for_each(|chart| details.chart(chart));
        document.details(details);
    }
    document
}

/// The number of ranks with frequencies.
const LISTED_RANKS: usize = 5;

/// With fewer moves a rating mostly reflects the prior.
pub const FEW: usize = 8;

/// The report in one sentence.
pub fn sentence(report: &StudyReport, plan: &StudyPlan) -> String {
    let StudyReport { name, games, tally, .. } = report;
    let games = match games {
        1 => "this game".to_owned(),
        &games => format!("these {} games", in_words(games)),
    };
    let rating = report.rating.as_ref().filter(|_| tally.used >= FEW);
    let Some(rating) = rating else {
        let used = match tally.used {
            0 => "No move".to_owned(),
            1 => "One move".to_owned(),
            used => format!("Only {} moves", in_words(used)),
        };
        return format!("{name}: {used} of {games} counted, too few to say how strong that was.");
    };
    let (low, high) = rating.interval(GIVE_OR_TAKE);
    let (about, margin) = (tens(rating.elo), tens(0.5 * (high - low)));
    let scale = plan.scale.ratings();
    match plan.by {
        By::Player => format!(
            "{name} played {games} like a player rated {about} ({scale}), give or take {margin}."
        ),
        _ => format!(
            "{name}: the moves of {games} are like those of players rated {about} ({scale}), give or \
             take {margin}."
        ),
    }
}

/// The probability of the interval in the sentence.
pub const GIVE_OR_TAKE: f64 = 0.8;

fn tens(elo: f64) -> i64 {
    10 * (elo / 10.0).round() as i64
}

fn in_words(number: usize) -> String {
    let words = [
        "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    ];
    let word = number.checked_sub(2).and_then(|place| words.get(place));
    word.map_or_else(|| number.to_string(), |word| (*word).to_owned())
}

/// The key figures, for players and coaches.
fn facts(report: &StudyReport, plan: &StudyPlan) -> Vec<Fact> {
    let tally = &report.tally;
    let reasons = tally.reasons();
    let left_out = if reasons.is_empty() { "nothing" } else { &reasons };
    let mut facts = vec![
        Fact::new("games", report.games.to_string()),
        Fact::new("moves that count", tally.used.to_string())
            .with_note(format!("left out: {left_out}")),
    ];
    if let Some(known) = report.known_rating {
        facts.push(Fact::new("rating in the games", format!("{known:.0}")));
    }
    if tally.used == 0 {
        return facts;
    }
    if let Some(rating) = &report.rating {
        let (low, high) = rating.interval(GIVE_OR_TAKE);
        facts.push(
            Fact::new("rating from the moves", format!("{:.0}", rating.elo))
                .with_note(format!("{low:.0} to {high:.0} with 80 % certainty")),
        );
    }
    facts.extend(plan.reservation().map(|reservation| Fact::new("take care", reservation)));
    let averages = &report.averages;
    if averages.turns > 0 {
        let text = format!("{:.0} % of the moves", 100.0 * averages.best);
        facts.push(Fact::new("found the best move, or one as good", text));
        let (loss, accuracy) = (averages.centipawn_loss / 100.0, averages.accuracy);
        facts.push(
            Fact::new("given away", format!("{loss:.2} pawns a move on average"))
                .with_note(format!("accuracy {accuracy:.0} %")),
        );
        let text = format!("{:.1} % of the moves", 100.0 * averages.blunders);
        facts.push(Fact::new("lost a pawn or more", text));
    }
    facts
}

/// Further figures, for researchers and arbiters.
fn more_facts(report: &StudyReport, plan: &StudyPlan, honest: f64) -> Vec<Fact> {
    let mut facts = Vec::new();
    if let Some(rating) = &report.rating {
        let [half, most, nearly] = [0.5, 0.8, 0.95].map(|level| {
            let (low, high) = rating.interval(level);
            format!("{:.0} % {low:.0} to {high:.0}", 100.0 * level)
        });
        let text = format!("{:.0} ({half}; {most}; {nearly})", rating.elo);
        facts.push(Fact::new("rating, with its intervals", text));
        facts.push(Fact::new("scale of that rating", plan.described_scale()));
    }
    facts.extend(competence(report));
    facts.extend(figures(report));
    facts.extend(assistance(report, plan, honest));
    facts
}

fn competence(report: &StudyReport) -> Vec<Fact> {
    let mut facts = Vec::new();
    for (depth, apparent) in &report.apparent {
        let (low, high) = apparent.posterior.interval(0.9);
        let text = format!(
            "c = {:.2}, 90 % from {low:.2} to {high:.2} ({} informative moves)",
            apparent.posterior.mean(),
            apparent.informative
        );
        facts.push(Fact::new(format!("apparent competence at depth {depth}"), text));
    }
    if let Some(c) = report.under_noise {
        facts.push(Fact::new("with noise on the values", format!("c = {c:.2}")));
    }
    if let Some(fit) = &report.fit {
        let (s, c) = (exp(fit.parameters[0]), exp(fit.parameters[1]));
        let text = format!(
            "s = {s:.4} ± {:.4}, c = {c:.3} ± {:.3} (95 %)",
            TWO_SIDED_95 * s * fit.deviations[0],
            TWO_SIDED_95 * c * fit.deviations[1]
        );
        facts.push(Fact::new("sensitivity and consistency", text));
    }
    if let Some(parameters) = &report.percentiles {
        let text = format!("s = {:.4}, c = {:.3}", exp(parameters[0]), exp(parameters[1]));
        facts.push(Fact::new("the same by percentiles", text));
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
        fact("first choices", &projection.first, 100.0, " %");
        fact("moves of the best value", &projection.equal, 100.0, " %");
        fact("average difference, scaled", &projection.scaled_loss, 1000.0, " thousandths");
        fact("average difference", &projection.loss, 100.0, " centipawns");
        let places: Vec<String> = projection.frequencies[..LISTED_RANKS]
            .iter()
            .map(|place| format!("{:.1} ({:.1})", 100.0 * place.actual, 100.0 * place.projected))
            .collect();
        let text = format!("{} %; misfit {:.1}", places.join(", "), projection.misfit());
        facts.push(Fact::new("best move, second, third... (projected)", text));
    }
    let (averages, guid) = (&report.averages, &report.guid_bratko);
    if averages.turns > 0 {
        let text = format!("{:.1} centipawns a move", averages.centipawn_loss);
        facts.push(Fact::new("centipawn loss", text));
        facts.push(Fact::new(
            "accuracy, by the formula of Lichess",
            format!("{:.1} %", averages.accuracy),
        ));
    }
    if guid.turns > 0 {
        let text =
            format!("{:.3} pawns a move, {:.1} % blunders", guid.difference, 100.0 * guid.blunders);
        facts.push(Fact::new("difference after Guid and Bratko", text));
    }
    facts
}

fn assistance(report: &StudyReport, plan: &StudyPlan, honest: f64) -> Vec<Fact> {
    let Some(suspicion) = &report.suspicion else { return Vec::new() };
    let mut facts = Vec::new();
    let projection = &suspicion.projection;
    let text = format!(
        "{:+.2} standard deviations in first choices, {:+.2} in best values, {:+.2} in average difference (z)",
        projection.first.z(),
        projection.equal.z(),
        -projection.scaled_loss.z()
    );
    let ends = [plan.scale.range.start(), plan.scale.range.end()];
    let opponent_of_rating = |elo: f64| match report.known_rating.or(plan.rating) {
        Some(own) if own != elo && ends.contains(&&elo) => {
            format!("players of {elo:.0}, where the scale ends")
        }
        _ => format!("players of {elo:.0}"),
    };
    let profile = plan.against.as_ref().map(|profile| profile.name.clone());
    let opponent = profile.or(report.measured_against.map(opponent_of_rating)).unwrap_or_default();
    facts.push(Fact::new(format!("against {opponent}"), text));
    let expected = expected_among(&projection.first, honest);
    let digits = if expected < 10.0 { 2 } else { 0 };
    let text = format!(
        "among {honest:.0} players of that rating who were not helped, {expected:.digits$} would match as often or more"
    );
    facts.push(Fact::new("first choices of the engine", text));
    let (partly, wholly) = (&suspicion.partly, &suspicion.wholly);
    let text = format!(
        "{:+.1} nats (3 is 20 to 1) if {:.0} % of the moves were an engine's, {:+.1} if all were",
        partly.evidence,
        100.0 * partly.part,
        wholly.evidence
    );
    facts.push(Fact::new("evidence for outside assistance", text));
    if let Some(window) = &suspicion.window {
        let text = format!(
            "{:+.1} nats in {} moves that count of {}, from move {} on",
            window.evidence, window.length, window.game, window.first
        );
        facts.push(Fact::new("moves with most of that evidence", text));
    }
    facts
}
