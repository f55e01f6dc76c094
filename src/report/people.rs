//! What games of people say of the models: in words, and as the files that are built in.

use std::fmt::Write as _;

use crate::analyser::Figure;
use crate::calibration::people::{Coverage, Judged, Misses, OfPool, ProjectionVerdict};
use crate::policy::Pool;
use crate::selector::human::{Human, MIDDLE, NUMBERS, UNIT};
use crate::value::Depth;

/// A table for each model: groups of turns, with what was projected and what happened.
pub fn people_table(OfPool { games, models, coverage, .. }: &OfPool) -> String {
    let mut text = String::new();
    for judged in models {
        let _ = writeln!(text, "{games} games, {}", judged.model);
        let _ = writeln!(
            text,
            "{:<18} {:>6}  {:>15}  first best, said/was  difference, said/was  off by",
            "", "turns", "nats a move"
        );
        for ProjectionVerdict { group, projection, nats, error, .. } in &judged.verdicts {
            let percent = |figure: &Figure| {
                let [said, was] = [figure.projected, figure.actual].map(|part| 100.0 * part);
                format!("{said:.1} {was:.1} +- {:.1}", 100.0 * figure.deviation)
            };
            let loss = &projection.scaled_loss;
            let _ = writeln!(
                text,
                "{group:<18} {:>6}  {nats:.3} +- {error:.3}  {:>20}  {:.4} {:.4} {:+.1} %",
                projection.turns,
                percent(&projection.first),
                loss.projected,
                loss.actual,
                100.0 * (loss.projected / loss.actual - 1.0),
            );
        }
        let _ = writeln!(text, "{}", misses(judged));
        let _ = writeln!(text, "given a chance of         moves    expected  played");
        for bin in &judged.bins {
            let _ = writeln!(
                text,
                "{:>5.1} to {:>5.1} %  {:>9}  {:>10.1}  {:>6}",
                100.0 * bin.low,
                100.0 * bin.high.min(1.0),
                bin.moves,
                bin.projected,
                bin.played
            );
        }
        text.push('\n');
    }
    for Coverage { scale, used, fitted, rows } in coverage {
        let _ = writeln!(
            text,
            "{scale}: dispersion factor {:.2}, between-player deviation {:.0}; these players say {:.2} and {:.0}",
            used.0, used.1, fitted.0, fitted.1
        );
        for row in rows {
            let [half, most, nearly_all] = row.held.map(|part| 100.0 * part);
            let _ = writeln!(
                text,
                "{:>3} games: {:>5} players (like {:.0} who count alike), off by {:+.0} ({:.0} root mean \
                 square); intervals of 50, 80, 95 % hold {half:.0}, {most:.0}, {nearly_all:.0} %",
                row.games, row.players, row.counting, row.off, row.root_mean_square
            );
        }
    }
    text
}

/// How far levels are off, beside what chance would do.
pub fn misses(judged: &Judged) -> String {
    let Some(Misses { levels, first, difference }) = judged.misses() else { return String::new() };
    format!(
        "Over {levels} levels the first choice is off by {:.1} points on average (chance alone: {:.1}), \
         the average difference by {:.1} % ({:.1} %).",
        100.0 * first.0,
        100.0 * first.1,
        100.0 * difference.0,
        100.0 * difference.1
    )
}

/// The file of the numbers of the curve `human`.
pub fn human_text(human: &Human, command: &str) -> String {
    let mut text = format!(
        "# The curve `human`: src/selector/human.rs says what the numbers mean. Each is\n\
         # [level, slope, bend] of its logarithm over (rating - {MIDDLE}) / {UNIT}.\n\
         # Made by: {command}\n\n# The plies t.\nopening = {:.2}\n\n\
         # What a level is played with: the exponent on all probabilities (tuning/policy/README.md).\n\
         played = {:?}\n",
        human.opening, human.played
    );
    const NAMES: [&str; NUMBERS] =
        ["policy", "shallow", "shallow_scale", "mid", "mid_scale", "deep", "deep_scale"];
    for pool in Pool::ALL {
        for fit in human.fits(pool) {
            let _ = writeln!(text, "\n[[{}]]\ndepth = {}", pool.name(), fit.depth);
            for (name, [level, slope, bend]) in NAMES.iter().zip(fit.coefficients()) {
                let _ = writeln!(text, "{name} = [{level:.4}, {slope:.4}, {bend:.4}]");
            }
        }
    }
    text
}

/// The file of Regan's two numbers by rating.
pub fn regan_text(parameters: &[f64], depth: Depth, command: &str) -> String {
    let line = |index: usize| format!("[{:.5}, {:.5}]", parameters[index], parameters[index + 1]);
    format!(
        "# Regan's curve as fitted to people over the board, at p = {depth}: each is [level, slope] over\n\
         # (rating - 2000) / 500, of the logarithm of s and of c itself.\n\
         # Made by: {command}\n\nsensitivity = {}\nconsistency = {}\n",
        line(0),
        line(2)
    )
}
