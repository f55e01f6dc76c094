//! The table of levels as the file that is built in, and their strength as a figure.

use std::fmt::Write;

use super::calibration::chart;
use super::chart::Chart;
use crate::calibration::{Ladder, MeasuredLevel, ReferenceEngine, UNKNOWN, zero};
use crate::player::{Level, Levels};
use crate::selector::human;

/// The file of a table of levels.
pub fn levels_text(levels: &Levels) -> String {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let made = &levels.made;
    let mut text = format!(
        "# Which rating each player has. The players of a family stand in a row, by place: for the\n\
         # curves of people it is the rating of the people whose moves they play, for the others see\n\
         # src/player/path.rs. All look \"depth\" plies ahead.\n\
         # From {:.0} to {:.0} the rating (\"elo\") of a player of the curve \"{}\" is that of these\n\
         # people, by construction. Who plays by another curve has the rating of those people whom he would\n\
         # score even with, by games; beyond them a point of playing strength is a point of rating.\n\
         # \"error\" is half of the 95 % interval, with {:.0} for what no game between such players tells: how\n\
         # they would fare against people.\n\
         # Written by the command below; for another network it has to be made again.\n\n\
         depth = {}\n\n[made]\nengine = {}\nhuman = {}\ncommand = {}\n\
         games = {}\n\n[families]\n",
        human::LOWEST,
        human::HIGHEST,
        zero::FAMILY,
        UNKNOWN,
        levels.depth,
        quoted(&made.engine),
        quoted(&made.human),
        quoted(&made.command),
        made.games
    );
    for (family, levels) in &levels.families {
        let _ = writeln!(text, "{family} = [");
        for level in levels {
            let Level { place, elo, error } = level;
            let _ =
                writeln!(text, "  {{ place = {place:?}, elo = {elo:.1}, error = {error:.1} }},");
        }
        text += "]\n";
    }
    text
}

/// What levels score among each other, as a rating: the figure of the README.
pub fn strength_by_level(ladder: &Ladder) -> Option<Chart> {
    let path = ladder.paths.iter().find(|path| path.family == zero::FAMILY.name())?;
    let people = |level: &MeasuredLevel| level.is_of_people().then_some((level.elo, level.error));
    let title = "Strength by level";
    let mut chart = chart(&[path], title, "level (rating of people, FIDE)", people);
    "levels in games among each other".clone_into(&mut chart.curves[0].0);
    let ends = [human::LOWEST, human::HIGHEST].map(|rating| (rating, rating));
    chart.curves.push(("if 400 points were 91 %".to_owned(), ends.to_vec()));
    let stockfish = |anchor: &ReferenceEngine| Some((anchor.nominal?, anchor.elo, anchor.error));
    let stockfish: Vec<(f64, f64, f64)> = ladder.anchors.iter().filter_map(stockfish).collect();
    if !stockfish.is_empty() {
        let points: Vec<(f64, f64)> = stockfish.iter().map(|&(x, y, _)| (x, y)).collect();
        chart.curves.push(("Stockfish at its UCI_Elo".to_owned(), points.clone()));
        let bar = |&(x, y, error): &(f64, f64, f64)| (x, [y - error, y + error]);
        chart.points.extend([Vec::new(), points]);
        chart.bars.extend([Vec::new(), stockfish.iter().map(bar).collect()]);
    }
    Some(chart)
}
