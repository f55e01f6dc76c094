//! The report on a player's games, shown before a game against the player's profile.

use super::document::{Document, Fact, Table};
use crate::analyser::{PlayedHabits, QUEENS_BY};
use crate::board::Colour;
use crate::player::PhaseOffsets;
use crate::review::PlayerFindings;
use crate::words::counted;

/// The coverage of the rating interval.
const INTERVAL_PROBABILITY: f64 = 0.95;

/// The findings about a player: rating, openings, pace and style.
pub fn player_findings(findings: &PlayerFindings) -> Document {
    let PlayerFindings { player, moves, rating, scale, habits, .. } = findings;
    let games = habits.games;
    let mut document = Document::new("");
    document.paragraph(format!("{player}: {moves} counted moves from {}.", counted(games, "game")));
    let shown = match rating.shown(scale, INTERVAL_PROBABILITY) {
        Some(shown) => format!("{shown} {} (95% range: {})", scale.name, shown.interval_text()),
        None => "unknown".to_owned(),
    };
    let mut facts =
        vec![Fact::new("rating", shown), Fact::new("by phase", describe_phases(findings.phases))];
    facts.extend(pace(habits));
    facts.extend(style(habits));
    document.facts(facts);
    let counts = findings.openings.frequencies();
    if !counts.is_empty() {
        let mut table = Table::of_numbers(["opening", "games", "share"]);
        for count in counts {
            let side = if count.colour == Colour::White { "White" } else { "Black" };
            let (games, all) = (count.games, count.all);
            table.row([
                format!("{side}: {}", count.line),
                format!("{games} of {all}"),
                format!("{:.0}%", 100.0 * games as f64 / all as f64),
            ]);
        }
        document.table(table);
    }
    document
}

/// Describes the differences between the phases of the game.
fn describe_phases(phases: PhaseOffsets) -> String {
    let differences = phases.nonzero().enumerate().map(|(number, (phase, elo))| {
        let side = if elo > 0.0 { "above" } else { "below" };
        let rating = if number == 0 { "the overall rating" } else { "it" };
        format!("{phase} {:.0} points {side} {rating}", elo.abs())
    });
    let differences: Vec<String> = differences.collect();
    match differences.is_empty() {
        true => "no measurable difference between opening, middlegame and endgame".to_owned(),
        false => differences.join(", "),
    }
}

fn pace(habits: &PlayedHabits) -> Option<Fact> {
    let factor = habits.thinking_time()?;
    let (seconds, moves) = (habits.mean_seconds(), habits.timed_moves);
    let compared = format!("{factor:.1} times as long as most people take, based on {moves} moves");
    Some(Fact::new("pace", format!("{seconds:.1} s per move")).with_note(compared))
}

fn style(habits: &PlayedHabits) -> Vec<Fact> {
    let PlayedHabits { results, could_castle, castled, queens, moves, captures, checks, .. } =
        habits;
    let percent = |part: usize, all: usize| format!("{:.0}%", 100.0 * part as f64 / all as f64);
    let mut facts = Vec::new();
    if results.iter().sum::<usize>() > 0 {
        let [won, drawn, lost] = results;
        facts.push(Fact::new("results", format!("{won} won, {drawn} drawn, {lost} lost")));
    }
    if *could_castle > 0 {
        let [short, long] = castled.map(|castled| percent(castled, *could_castle));
        let text = format!("kingside in {short} of the games, queenside in {long}");
        facts.push(Fact::new("castling", text));
    }
    if *moves > 0 {
        let (captures, checks) = (percent(*captures, *moves), percent(*checks, *moves));
        facts.push(Fact::new("style", format!("{captures} captures, {checks} checks")));
    }
    let [lasted, without] = *queens;
    if lasted > 0 {
        let text = format!("exchanged by move {QUEENS_BY} in {without} of {lasted} games");
        facts.push(Fact::new("queens", text));
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phase_differences_are_described() {
        let phases = PhaseOffsets { opening: 20.0, middlegame: 0.0, endgame: -35.0 };
        let differences = "opening 20 points above the overall rating, endgame 35 points below it";
        assert_eq!(describe_phases(phases), differences);
    }
}
