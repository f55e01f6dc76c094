//! What the analyser found: as text, JSON, CSV and a page. A report is a list of named facts, for the terminal
//! and the page alike.

mod csv;
mod json;
mod page;
mod tournament;

use std::fmt::Write;

pub use csv::{CSV_HEAD, game_csv};
pub use json::{LineConditions, analysis_json, game_line, moves_json};
pub use page::{AnalysisPage, BOARD_SCRIPT, VIEWER_STYLE};
pub use tournament::{TournamentPlayer, TournamentTables};

use crate::analyser::{By, Figure, StudyPlan, StudyReport, expected_among};
use crate::math::exact::exp;
use crate::math::outcomes::TWO_SIDED_95;

/// What the figures are not.
pub const CAUTION: &str = "\
    None of these figures proves anything about anybody. They compare moves with a model of how \
    players choose, and the model is not the player: preparation, a simple or a forced game, a good \
    day, and games picked because they looked good all raise them. Of many honest players some must \
    lie far out, so a figure counts only beside the number of players who were looked at, and before \
    the games were chosen. Few moves tell little; intervals are wide for a reason. Ratings compare a \
    player with others whose games a scale was fitted to. At most a result is a reason to look at other \
    evidence, never to do without it.";

/// The same in short.
pub const BRIEF_CAUTION: &str = "\
    One game says little of a player, and no figure here proves anything about anybody.\n\
    --full has all figures; stopdown help analyse and stopdown help assistance say what they mean.";

/// A page of text about one player or group; with everything, where it is said among how many players
/// who were not helped a result is expected how often.
pub fn analysis_text(report: &StudyReport, plan: &StudyPlan, honest: Option<f64>) -> String {
    let mut facts = facts(report, plan);
    facts.extend(honest.into_iter().flat_map(|honest| more_facts(report, plan, honest)));
    let mut text = format!("{}\n", sentence(report, plan));
    for (name, fact) in facts {
        let _ = writeln!(text, "  {name}: {fact}");
    }
    text
}

/// Places in the order of moves that are shown.
const SHOWN: usize = 5;

type Facts = Vec<(String, String)>;

/// From so few moves a rating is what is supposed of anybody.
pub const FEW: usize = 8;

/// The report in a sentence that can be read aloud.
fn sentence(report: &StudyReport, plan: &StudyPlan) -> String {
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

/// What is likely to be true four times in five.
const GIVE_OR_TAKE: f64 = 0.8;

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

/// What a coach asks: names and what is to be said under them.
fn facts(report: &StudyReport, plan: &StudyPlan) -> Facts {
    let tally = &report.tally;
    let reasons = tally.reasons();
    let left_out = if reasons.is_empty() { "nothing" } else { &reasons };
    let mut facts = vec![
        named("games", report.games.to_string()),
        named("moves that count", format!("{}; left out: {left_out}", tally.used)),
    ];
    if let Some(known) = report.known_rating {
        facts.push(named("rating in the games", format!("{known:.0}")));
    }
    if tally.used == 0 {
        return facts;
    }
    if let Some(rating) = &report.rating {
        let (low, high) = rating.interval(GIVE_OR_TAKE);
        let text = format!("{:.0}; {low:.0} to {high:.0} with 80 % certainty", rating.elo);
        facts.push(named("rating from the moves", text));
    }
    facts.extend(plan.reservation().map(|reservation| named("take care", reservation)));
    let averages = &report.averages;
    if averages.turns > 0 {
        let text = format!("{:.0} % of the moves", 100.0 * averages.best);
        facts.push(named("found the best move, or one as good", text));
        let (loss, accuracy) = (averages.centipawn_loss / 100.0, averages.accuracy);
        let text = format!("{loss:.2} pawns a move on average; accuracy {accuracy:.0} %");
        facts.push(named("given away", text));
        let text = format!("{:.1} % of the moves", 100.0 * averages.blunders);
        facts.push(named("lost a pawn or more", text));
    }
    facts
}

/// What researchers and arbiters ask besides. Among so many players who were not helped a result is
/// expected how often?
fn more_facts(report: &StudyReport, plan: &StudyPlan, honest: f64) -> Facts {
    let mut facts = Vec::new();
    if report.tally.used == 0 {
        return facts;
    }
    if let Some(rating) = &report.rating {
        let [half, most, nearly] = [0.5, 0.8, 0.95].map(|level| {
            let (low, high) = rating.interval(level);
            format!("{:.0} % {low:.0} to {high:.0}", 100.0 * level)
        });
        let text = format!("{:.0} ({half}; {most}; {nearly})", rating.elo);
        facts.push(named("rating, with its intervals", text));
        facts.push(named("scale of that rating", plan.described_scale()));
    }
    competence(report, &mut facts);
    figures(report, &mut facts);
    assistance(report, plan, honest, &mut facts);
    facts
}

fn named(name: &str, fact: String) -> (String, String) {
    (name.to_owned(), fact)
}

fn competence(report: &StudyReport, facts: &mut Facts) {
    for (depth, apparent) in &report.apparent {
        let (low, high) = apparent.posterior.interval(0.9);
        let text = format!(
            "c = {:.2}, 90 % from {low:.2} to {high:.2} ({} informative moves)",
            apparent.posterior.mean(),
            apparent.informative
        );
        facts.push((format!("apparent competence at depth {depth}"), text));
    }
    if let Some(c) = report.under_noise {
        facts.push(named("with noise on the values", format!("c = {c:.2}")));
    }
    if let Some(fit) = &report.fit {
        let (s, c) = (exp(fit.parameters[0]), exp(fit.parameters[1]));
        let text = format!(
            "s = {s:.4} ± {:.4}, c = {c:.3} ± {:.3} (95 %)",
            TWO_SIDED_95 * s * fit.deviations[0],
            TWO_SIDED_95 * c * fit.deviations[1]
        );
        facts.push(named("sensitivity and consistency", text));
    }
    if let Some(parameters) = &report.percentiles {
        let text = format!("s = {:.4}, c = {:.3}", exp(parameters[0]), exp(parameters[1]));
        facts.push(named("the same by percentiles", text));
    }
}

fn figures(report: &StudyReport, facts: &mut Facts) {
    if let Some(projection) = &report.projection {
        let mut fact = |name: &str, figure: &Figure, factor: f64, unit: &str| {
            let text = format!(
                "{:.1}{unit}, projected {:.1}{unit} ± {:.1}",
                factor * figure.actual,
                factor * figure.projected,
                factor * figure.deviation
            );
            facts.push(named(name, text));
        };
        fact("first choices", &projection.first, 100.0, " %");
        fact("moves of the best value", &projection.equal, 100.0, " %");
        fact("average difference, scaled", &projection.scaled_loss, 1000.0, " thousandths");
        fact("average difference", &projection.loss, 100.0, " centipawns");
        let places: Vec<String> = projection.frequencies[..SHOWN]
            .iter()
            .map(|place| format!("{:.1} ({:.1})", 100.0 * place.actual, 100.0 * place.projected))
            .collect();
        let text = format!("{} %; misfit {:.1}", places.join(", "), projection.misfit());
        facts.push(named("best move, second, third... (projected)", text));
    }
    let (averages, guid) = (&report.averages, &report.guid_bratko);
    if averages.turns > 0 {
        let text = format!("{:.1} centipawns a move", averages.centipawn_loss);
        facts.push(named("centipawn loss", text));
        facts.push(named(
            "accuracy, by the formula of Lichess",
            format!("{:.1} %", averages.accuracy),
        ));
    }
    if guid.turns > 0 {
        let text =
            format!("{:.3} pawns a move, {:.1} % blunders", guid.difference, 100.0 * guid.blunders);
        facts.push(named("difference after Guid and Bratko", text));
    }
}

fn assistance(report: &StudyReport, plan: &StudyPlan, honest: f64, facts: &mut Facts) {
    let Some(suspicion) = &report.suspicion else { return };
    let projection = &suspicion.projection;
    let text = format!(
        "{:+.2} standard deviations in first choices, {:+.2} in best values, {:+.2} in average difference (z)",
        projection.first.z(),
        projection.equal.z(),
        -projection.scaled_loss.z()
    );
    let ends = [plan.scale.range.start(), plan.scale.range.end()];
    let rated = |elo: f64| match report.known_rating.or(plan.rating) {
        Some(own) if own != elo && ends.contains(&&elo) => {
            format!("players of {elo:.0}, where the scale ends")
        }
        _ => format!("players of {elo:.0}"),
    };
    let profile = plan.against.as_ref().map(|profile| profile.name.clone());
    let whom = profile.or(report.measured_against.map(rated)).unwrap_or_default();
    facts.push((format!("against {whom}"), text));
    let expected = expected_among(&projection.first, honest);
    let digits = if expected < 10.0 { 2 } else { 0 };
    let text = format!(
        "among {honest:.0} players of that rating who were not helped, {expected:.digits$} would match as often or more"
    );
    facts.push(named("first choices of the engine", text));
    let (partly, wholly) = (&suspicion.partly, &suspicion.wholly);
    let text = format!(
        "{:+.1} nats (3 is 20 to 1) if {:.0} % of the moves were an engine's, {:+.1} if all were",
        partly.evidence,
        100.0 * partly.part,
        wholly.evidence
    );
    facts.push(named("evidence for outside assistance", text));
    if let Some(window) = &suspicion.window {
        let text = format!(
            "{:+.1} nats in {} moves that count of {}, from move {} on",
            window.evidence, window.length, window.game, window.first
        );
        facts.push(named("moves with most of that evidence", text));
    }
}
