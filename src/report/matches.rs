//! The result of a match as JSON, and as the text block that match runners traditionally print.
//!
//! Other programs parse the block line by line, so it does not use the document model.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::arena::{MatchResult, MatchSide};
use crate::math::outcomes::{Estimate, Outcomes};
use crate::math::sprt::{Sprt, Verdict};

/// The text block. Each line ends with a newline.
pub fn match_summary(result: &MatchResult) -> String {
    let [losses, draws, wins] = result.games.0;
    let games = result.games.total();
    let pairs = &result.pairs;
    let points = wins as f64 + draws as f64 / 2.0;
    let measured = result.has_enough_games().then_some(pairs);
    let elo = measured.map_or(NO_NUMBER.to_owned(), |pairs| estimate(pairs.elo()));
    let normalised =
        measured.map_or(NO_NUMBER.to_owned(), |pairs| estimate(pairs.normalised_elo()));
    let superiority = measured.map_or(f64::NAN, |pairs| pairs.superiority());
    let mut lines = vec![
        header(result),
        format!("Elo: {elo}, nElo: {normalised}"),
        format!(
            "LOS: {}, DrawRatio: {}, PairsRatio: {}",
            percent(superiority),
            percent(pairs.0[2] as f64 / pairs.total() as f64),
            decimals((pairs.0[3] + pairs.0[4]) as f64 / (pairs.0[0] + pairs.0[1]) as f64),
        ),
        format!(
            "Games: {games}, Wins: {wins}, Losses: {losses}, Draws: {draws}, Points: {points:.1} ({})",
            percent(points / games as f64)
        ),
        format!(
            "Ptnml(0-2): {:?}, WL/DD Ratio: {}",
            pairs.0,
            decimals(result.win_and_loss as f64 / (pairs.0[2] - result.win_and_loss) as f64)
        ),
    ];
    if measured.is_none() {
        lines.push("Not enough games for Elo: all pairs of games had the same result.".to_owned());
    }
    if let Some(sprt) = &result.sprt {
        lines.extend(sprt_lines(sprt, sprt.ratio(pairs)));
    }
    lines.join("\n") + "\n"
}

fn header(result: &MatchResult) -> String {
    let [first, second] = &result.players;
    let both = |of: &dyn Fn(&MatchSide) -> String| {
        let (a, b) = (of(first), of(second));
        if a == b { a } else { format!("{a} - {b}") }
    };
    let or_null = |value: &Option<String>, unit: &str| {
        value.as_ref().map_or("NULL".to_owned(), |value| format!("{value}{unit}"))
    };
    format!(
        "Results of {} vs {} ({}, {}, {}, {}):",
        first.info.name,
        second.info.name,
        both(&|side| side.limits.to_string()),
        both(&|side| or_null(&side.info.threads, "t")),
        both(&|side| or_null(&side.info.hash, "MB")),
        result.book
    )
}

fn sprt_lines(sprt: &Sprt, ratio: f64) -> Vec<String> {
    let (lower, upper) = sprt.bounds();
    let reached = 100.0 * ratio / if ratio < 0.0 { lower } else { upper };
    let elos = format!("[{:.2}, {:.2}]", sprt.elo0, sprt.elo1);
    let mut lines =
        vec![format!("LLR: {ratio:.2} ({reached:.1}%) ({lower:.2}, {upper:.2}) {elos}")];
    let accepted = accepted(sprt, ratio);
    lines.extend(accepted.map(|which| format!("SPRT ({elos}) completed - {which} was accepted")));
    lines
}

/// The accepted hypothesis, if there is one.
fn accepted(sprt: &Sprt, ratio: f64) -> Option<&'static str> {
    match sprt.verdict(ratio) {
        Verdict::Undecided => None,
        Verdict::H0 => Some("H0"),
        Verdict::H1 => Some("H1"),
    }
}

fn estimate(estimate: Estimate) -> String {
    format!("{} +/- {}", decimals(estimate.value), decimals(estimate.error))
}

/// The text for an undefined number.
const NO_NUMBER: &str = "-";

/// Formats a number with two decimal places.
fn decimals(number: f64) -> String {
    let text = if !number.is_finite() { NO_NUMBER.to_owned() } else { format!("{number:.2}") };
    if text == "-0.00" { "0.00".to_owned() } else { text }
}

/// Formats a share in percent.
fn percent(share: f64) -> String {
    let unit = if share.is_nan() { "" } else { " %" };
    format!("{}{unit}", decimals(100.0 * share))
}

/// The JSON of a match. Undefined numbers are null.
#[derive(Debug, Serialize)]
pub struct MatchJson<'a> {
    players: [SideJson<'a>; 2],
    openings: &'a str,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    score: f64,
    score_as_white: f64,
    elo: Option<Estimate>,
    normalised_elo: Option<Estimate>,
    likelihood_of_superiority: Option<f64>,
    pentanomial: [u64; 5],
    /// The number of game pairs with a win and a loss. The other pairs that score one point consist
    /// of two draws.
    win_and_loss_pairs: u64,
    sprt: Option<SprtJson>,
    reasons: &'a BTreeMap<String, u64>,
}

#[derive(Debug, Serialize)]
struct SideJson<'a> {
    name: &'a str,
    limits: String,
    threads: Option<&'a str>,
    hash: Option<&'a str>,
    faults: u64,
    moves: u64,
    seconds_per_move: f64,
    mean_depth: f64,
    nodes_per_move: f64,
}

#[derive(Debug, Serialize)]
struct SprtJson {
    #[serde(flatten)]
    test: Sprt,
    ratio: f64,
    lower: f64,
    upper: f64,
    accepted: Option<&'static str>,
}

impl MatchJson<'_> {
    pub fn new(result: &MatchResult) -> MatchJson<'_> {
        let [losses, draws, wins] = result.games.0;
        let pairs = result.has_enough_games().then_some(&result.pairs);
        MatchJson {
            players: result.players.each_ref().map(SideJson::new),
            openings: &result.book,
            games: result.games.total(),
            wins,
            draws,
            losses,
            score: result.games.score(),
            score_as_white: result.as_white.score(),
            elo: pairs.map(Outcomes::elo),
            normalised_elo: pairs.map(Outcomes::normalised_elo),
            likelihood_of_superiority: pairs.map(Outcomes::superiority),
            pentanomial: result.pairs.0,
            win_and_loss_pairs: result.win_and_loss,
            sprt: result.sprt.map(|sprt| SprtJson::new(sprt, sprt.ratio(&result.pairs))),
            reasons: &result.reasons,
        }
    }
}

impl SideJson<'_> {
    fn new(side: &MatchSide) -> SideJson<'_> {
        let moves = side.effort.moves as f64;
        SideJson {
            name: &side.info.name,
            limits: side.limits.to_string(),
            threads: side.info.threads.as_deref(),
            hash: side.info.hash.as_deref(),
            faults: side.faults,
            moves: side.effort.moves,
            seconds_per_move: side.effort.seconds / moves,
            mean_depth: side.effort.depth as f64 / moves,
            nodes_per_move: side.effort.nodes as f64 / moves,
        }
    }
}

impl SprtJson {
    fn new(test: Sprt, ratio: f64) -> SprtJson {
        let (lower, upper) = test.bounds();
        SprtJson { test, ratio, lower, upper, accepted: accepted(&test, ratio) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::{MoveLimits, PlayerInfo};

    fn side(name: &str) -> (PlayerInfo, MoveLimits) {
        let info = PlayerInfo {
            name: name.to_owned(),
            threads: Some("1".to_owned()),
            hash: Some("32".to_owned()),
            ..PlayerInfo::default()
        };
        let time = Some("40+0.4".parse().expect("sound"));
        (info, MoveLimits { time, ..MoveLimits::default() })
    }

    #[test]
    fn a_published_block_is_reproduced_exactly() {
        let sprt = Sprt::new(0.0, 5.0, 0.05, 0.05).expect("sound");
        let mut result = MatchResult::new([side("A"), side("B")], "book.epd", Some(sprt));
        result.games = Outcomes([92, 303, 231]);
        result.pairs = Outcomes([0, 31, 132, 130, 20]);
        result.win_and_loss = 61;
        let expected = "\
Results of A vs B (40+0.4, 1t, 32MB, book.epd):
Elo: 78.45 +/- 15.33, nElo: 144.16 +/- 27.22
LOS: 100.00 %, DrawRatio: 42.17 %, PairsRatio: 4.84
Games: 626, Wins: 231, Losses: 92, Draws: 303, Points: 382.5 (61.10 %)
Ptnml(0-2): [0, 31, 132, 130, 20], WL/DD Ratio: 0.86
LLR: 2.95 (100.1%) (-2.94, 2.94) [0.00, 5.00]
SPRT ([0.00, 5.00]) completed - H1 was accepted
";
        assert_eq!(match_summary(&result), expected);
    }

    #[test]
    fn one_pair_or_a_clean_sweep_has_no_elo() {
        let mut result = MatchResult::new([side("A"), side("B")], "book.epd", None);
        for (games, pairs) in
            [([0, 0, 1], [0; 5]), ([1, 0, 1], [0, 0, 1, 0, 0]), ([0, 0, 8], [0, 0, 0, 0, 4])]
        {
            (result.games, result.pairs) = (Outcomes(games), Outcomes(pairs));
            let text = match_summary(&result);
            assert!(text.contains("\nElo: -, nElo: -\n"), "{text}");
            assert!(!text.contains("nan") && !text.contains("inf"), "{text}");
            let json = serde_json::to_value(MatchJson::new(&result)).expect("it is JSON");
            assert!(json["elo"].is_null() && json["games"].is_u64(), "{json}");
        }
    }

    #[test]
    fn a_match_without_games_has_no_score() {
        let result = MatchResult::new([side("A"), side("B")], "book.epd", None);
        let text = match_summary(&result);
        assert!(
            text.contains("\nElo: -, nElo: -\nLOS: -, DrawRatio: -, PairsRatio: -\n"),
            "{text}"
        );
        assert!(text.contains("\nNot enough games") && !text.contains("nan"), "{text}");
        let json = serde_json::to_value(MatchJson::new(&result)).expect("it is JSON");
        assert!(json["score"].is_null(), "{json}");
    }
}
