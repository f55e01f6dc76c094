//! Presents a ladder as a document, and its levels as the built-in file and as a chart.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::people::people_report;
use crate::calibrate::people::PoolResults;
use crate::calibrate::{
    BETWEEN_KINDS, FamilyRatings, HUMAN_ERROR, Ladder, MeasuredLevel, PeopleScale, ReferenceEngine,
    zero,
};
use stopdown::player::{Level, Levels};
use stopdown::report::Document;
use stopdown::report::chart::{Chart, ChartCurve};
use stopdown::report::document::Table;
use stopdown::selector::{Family, human};

/// The report on a calibration, with the stages that have been run.
pub fn calibration_report(ladder: Option<&Ladder>, people: &[PoolResults]) -> Document {
    let mut report = Document::new("What a level means");
    ladder.into_iter().for_each(|ladder| introduction(ladder, &mut report));
    people.iter().for_each(|pool| report.section(people_report(pool)));
    ladder.into_iter().for_each(|ladder| tables(ladder, &mut report));
    report
}

/// The scores that correspond to differences between human ratings.
fn apart(scale: &PeopleScale) -> String {
    format!(
        "A level scores {:.0}% against one 200 points lower, and {:.0}% against one 400 points lower.",
        100.0 * scale.score(200.0),
        100.0 * scale.score(400.0)
    )
}

/// Points as a percentage.
fn score(points: f64, games: f64) -> String {
    if games == 0.0 { "-".to_owned() } else { format!("{:.1}", 100.0 * points / games) }
}

fn introduction(ladder: &Ladder, report: &mut Document) {
    report.paragraph(format!(
        "Players of every curve, from random moves to the best move, played {} games against each \
         other. All search {} plies. Each met players of similar strength, whatever their curve, and one \
         rating list was fitted to all games. Between players of one curve, 400 points mean odds of \
         ten to one. Between players of different curves, {:.0}% of a rating difference shows.",
        ladder.made.games,
        ladder.depth,
        100.0 * BETWEEN_KINDS
    ));
    report.paragraph(format!(
        "Games only show differences. The zero is chosen so that players of the curve \"{}\" have, on \
         average from {} to {}, the rating of the humans they imitate (FIDE scale). A level is the \
         rating of the human-like players against whom the player would score 50%. Within the range \
         of human ratings, the line through the strengths of these players converts strength to \
         rating. Outside it, a point of strength counts as a point of rating.",
        zero::FAMILY,
        zero::RATINGS.start,
        zero::RATINGS.end,
    ));
    let made = &ladder.made;
    report.paragraph(format!(
        "Engine: {}. Human curve: {}. Command: {}",
        made.engine, made.human, made.command
    ));
    strengths(ladder, report);
    disagreement(ladder, report);
    anchors(ladder, report);
}

/// The unit of the places on a family's path.
fn places(path: &FamilyRatings) -> &'static str {
    match path.family.parse::<Family>() {
        Ok(family) if family.pool().is_some() => "human rating",
        Ok(family) if family.is_power_law() => "x of c = 10 x / (1 - x)",
        _ => "human rating to which s and c belong",
    }
}

fn strengths(ladder: &Ladder, report: &mut Document) {
    report.heading("Playing strength along the paths");
    if let Some(scale) = ladder.people_scale() {
        report.paragraph(apart(&scale));
    }
    if let Some(chart) = strength_by_level(ladder) {
        report.chart(chart.with_caption(
            "Bars are 95% intervals. The straight line shows strengths equal to the human ratings.",
        ));
    }
    let mut groups: BTreeMap<&str, Vec<&FamilyRatings>> = BTreeMap::new();
    for path in &ladder.paths {
        groups.entry(places(path)).or_default().push(path);
    }
    for (x, paths) in groups {
        let families: Vec<&str> = paths.iter().map(|path| path.family.as_str()).collect();
        let title = format!("Playing strength by place: {}", families.join(", "));
        let chart = chart(&paths, &title, x, |level| Some((level.elo, level.error)));
        report.chart(chart.with_caption("Bars are 95% intervals, relative to the zero."));
    }
}

fn disagreement(ladder: &Ladder, report: &mut Document) {
    let is_of_people =
        |path: &&FamilyRatings| path.levels.iter().any(|level| level.disagreement.is_some());
    let paths: Vec<&FamilyRatings> = ladder.paths.iter().filter(is_of_people).collect();
    if paths.is_empty() {
        return;
    }
    report.heading("Strength in games and rating of moves");
    report.paragraph(
        "A player that chooses moves like humans of a given rating need not win as often as they do. \
         Where the curve is above 0, the player wins more often than those humans, and where it is below 0, \
         less often.",
    );
    let title = "Playing strength minus rating";
    let chart =
        chart(&paths, title, "human rating", |level| Some((level.disagreement?, level.error)));
    report.chart(
        chart.with_caption("Below 600 and above 2800 the players no longer imitate humans."),
    );
}

/// A curve for each path, with its points and intervals.
fn chart(
    paths: &[&FamilyRatings],
    title: &str,
    x: &str,
    of: fn(&MeasuredLevel) -> Option<(f64, f64)>,
) -> Chart {
    let shown = |level: &MeasuredLevel| of(level).map(|(y, error)| (level.place, y, error));
    let curve = |path: &&FamilyRatings| {
        ChartCurve::measured(&path.family, path.levels.iter().filter_map(shown))
    };
    Chart::new(title, x, "Elo", paths.iter().map(curve).collect())
}

fn anchors(ladder: &Ladder, report: &mut Document) {
    if ladder.anchors.is_empty() {
        return;
    }
    report.heading("Other engines");
    report.paragraph(
        "These engines also played, at 50 ms a move. They do not affect the zero. The ratings that they \
         declare have a different zero.",
    );
    let mut table = Table::of_numbers(["engine", "declared", "measured", "games", "score %"]);
    for anchor in &ladder.anchors {
        table.row([
            anchor.name.clone(),
            anchor.nominal.map_or("-".to_owned(), |elo| format!("{elo:.0}")),
            format!("{:.0} ± {:.0}", anchor.elo, anchor.error),
            anchor.games.to_string(),
            score(anchor.points, anchor.games as f64),
        ]);
    }
    report.table(table);
}

/// The players of every path. "level" is the rating of equally strong humans.
fn tables(ladder: &Ladder, report: &mut Document) {
    report.heading("All players");
    let levels = ladder.levels();
    for path in &ladder.paths {
        report.paragraph(&path.family);
        let headers = ["place", "level", "Elo", "measured", "games", "score %", "play - rating"];
        let mut table = Table::of_numbers(headers);
        let levels = levels.families.get(&path.family).into_iter().flatten();
        for (measured, level) in path.levels.iter().zip(levels) {
            let disagreement = measured.disagreement.map(|difference| format!("{difference:+.0}"));
            table.row([
                measured.place.to_string(),
                format!("{:.0}", level.elo),
                format!("{:.0} ± {:.0}", measured.elo, measured.error),
                format!("{:.0}", measured.measured),
                measured.games.to_string(),
                score(measured.points, measured.games as f64),
                disagreement.unwrap_or_default(),
            ]);
        }
        report.table(table);
    }
}

/// The text of the file with a table of levels.
pub fn levels_text(levels: &Levels) -> String {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let made = &levels.made;
    let mut text = format!(
        "# The rating of each player. The players of a family are ordered by place. For the human curves,\n\
         # the place is the rating of the humans that the player imitates. For the others, see\n\
         # src/player/rating_path.rs. All players search \"depth\" plies.\n\
         # From {:.0} on, the rating (\"elo\") of a player of the curve \"{}\" is its place, by construction.\n\
         # No humans are as strong as the players above {:.0}. A player of another curve has the rating of the\n\
         # human-like players against whom it would score 50%. Outside {:.0} to {:.0}, a point of strength is a\n\
         # point of rating.\n\
         # \"error\" is half the width of the 95% interval. It includes {:.0} points, since games between such\n\
         # players do not show how they would score against humans.\n\
         # The command below made this file. Run it again if the network changes.\n\n\
         depth = {}\n\n[made]\nengine = {}\nhuman = {}\ncommand = {}\n\
         games = {}\n\n[families]\n",
        human::LOWEST,
        zero::FAMILY,
        human::HIGHEST,
        human::LOWEST,
        human::HIGHEST,
        HUMAN_ERROR,
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

/// The scores between levels, converted to ratings: the chart in the README.
pub fn strength_by_level(ladder: &Ladder) -> Option<Chart> {
    let path = ladder.paths.iter().find(|path| path.family == zero::FAMILY.name())?;
    let people = |level: &MeasuredLevel| level.is_of_people().then_some((level.elo, level.error));
    let title = "Strength by level";
    let mut chart = chart(&[path], title, "level (human rating, FIDE)", people);
    "levels, in games against each other".clone_into(&mut chart.curves[0].name);
    let ends = [human::LOWEST, human::HIGHEST].map(|rating| (rating, rating));
    chart.curves.push(ChartCurve::line("400 points = 91%", ends.to_vec()));
    let stockfish = |anchor: &ReferenceEngine| Some((anchor.nominal?, anchor.elo, anchor.error));
    let stockfish = ladder.anchors.iter().filter_map(stockfish);
    let stockfish = ChartCurve::measured("Stockfish at its UCI_Elo", stockfish);
    chart.curves.extend(Some(stockfish).filter(|curve| !curve.line.is_empty()));
    Some(chart)
}
