//! The ladder and its check as text and as a page.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::chart::Chart;
use super::levels::strength_by_level;
use super::page::Page;
use super::people::people_sections;
use crate::calibration::people::OfPool;
use crate::calibration::{
    BETWEEN_KINDS, Check, CheckedRating, FamilyRatings, Ladder, MeasuredLevel, off_on_average, zero,
};
use crate::selector::Family;

/// The ladder as tables, each line ended.
pub fn ladder_text(ladder: &Ladder) -> String {
    let levels = ladder.levels();
    let mut text = format!(
        "Playing strengths of players who look {} plies ahead, from {} games, with 95 % intervals; zero is where\n\
         those who choose as people from {} to {} do have on average their rating. \"level\" is the rating of the\n\
         people who play as well. For chance alone a level of the dial is off by {:.0} on average among all.\n",
        ladder.depth,
        ladder.made.games,
        zero::RATINGS.start,
        zero::RATINGS.end,
        off_on_average(&levels)
    );
    for path in &ladder.paths {
        let _ = writeln!(
            text,
            "\n{}\n   place   level     Elo  error  measured  games  score %",
            path.family
        );
        let is_of_people = path.levels.iter().any(|measured| measured.disagreement.is_some());
        if is_of_people {
            text.pop();
            text += "  play - rating\n";
        }
        let levels = levels.families.get(&path.family).into_iter().flatten();
        for (measured, level) in path.levels.iter().zip(levels) {
            let _ = write!(
                text,
                "{:>8} {:>7.0} {:>7.0} {:>6.0} {:>9.0} {:>6} {:>8}",
                measured.place,
                level.elo,
                measured.elo,
                measured.error,
                measured.measured,
                measured.games,
                score(measured.points, measured.games as f64)
            );
            let _ = match measured.disagreement {
                Some(difference) => writeln!(text, " {difference:>14.0}"),
                None => writeln!(text),
            };
        }
    }
    if !ladder.anchors.is_empty() {
        text += "\nengines of others, which did not bear on the zero\n";
        text += "                   says     Elo  error  games  score %\n";
    }
    for anchor in &ladder.anchors {
        let nominal = anchor.nominal.map_or("-".to_owned(), |elo| format!("{elo:.0}"));
        let _ = writeln!(
            text,
            "{:<16} {nominal:>6} {:>7.0} {:>6.0} {:>6} {:>8}",
            anchor.name,
            anchor.elo,
            anchor.error,
            anchor.games,
            score(anchor.points, anchor.games as f64)
        );
    }
    text
}

/// The check as a table, each line ended.
pub fn check_text(check: &Check) -> String {
    let mut text = String::from("   set  measured  error  games\n");
    for setting in &check.settings {
        let (set, measured, error) = (setting.set, setting.measured, setting.error);
        let _ = writeln!(text, "{set:>6} {measured:>9.0} {error:>6.0} {:>6}", setting.games);
    }
    let apart = &check.apart;
    let _ = writeln!(
        text,
        "Off by {:.0} on average (chance alone: {:.0}; without the chance of these games: {:.0}) and by {:.0} at most;\n\
         measured ratings {}. 200 apart score {:.1} % by \
         their ratings and {} % of {} games (76.0 % are right).",
        check.mean_error,
        check.by_chance,
        check.of_the_table,
        check.largest,
        if check.rises { "rise" } else { "do not always rise" },
        100.0 * apart.expected,
        score(apart.points, apart.games),
        apart.games
    );
    text
}

/// Points in per cent.
pub(super) fn score(points: f64, games: f64) -> String {
    if games == 0.0 { "-".to_owned() } else { format!("{:.1}", 100.0 * points / games) }
}

/// What there is to be shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct CalibrationPage<'a> {
    pub ladder: Option<&'a Ladder>,
    pub check: Option<&'a Check>,
    pub people: &'a [OfPool],
}

impl CalibrationPage<'_> {
    pub fn html(&self, made_by: &str) -> String {
        let mut page = Page::new("What a level means");
        if let Some(ladder) = self.ladder {
            introduction(ladder, &mut page);
            strengths(ladder, &mut page);
            disagreement(ladder, &mut page);
            anchors(ladder, &mut page);
        }
        if let Some(check) = self.check {
            dial(check, self.ladder, &mut page);
        }
        people_sections(self.people, &mut page);
        if let Some(ladder) = self.ladder {
            tables(ladder, &mut page);
        }
        page.finish(made_by)
    }
}

fn introduction(ladder: &Ladder, page: &mut Page) {
    page.paragraph(&format!(
        "Players of every curve, from those who move at random to the best, have met each other in \
         {} games. All look {} plies ahead. Each met those of nearly his own strength, whatever \
         their curve, and one list of ratings was fitted to all games: 400 points are odds of ten \
         to one between players of one curve. Between others {:.0} % of a difference shows.",
        ladder.made.games,
        ladder.depth,
        100.0 * BETWEEN_KINDS
    ));
    page.paragraph(&format!(
        "Games tell differences only. The zero is chosen so that players by the curve \"{}\" have on \
         average, from {} to {}, the rating of the people whose moves they play (FIDE's scale). A level \
         is the rating of the people who would score even: playing strengths between those of people \
         become ratings by the line through them, beyond them point by point. For the chance of games alone a level of \
         the dial is off by {:.0} on average among all others.",
        zero::FAMILY,
        zero::RATINGS.start,
        zero::RATINGS.end,
        off_on_average(&ladder.levels())
    ));
    let made = &ladder.made;
    page.paragraph(&format!(
        "Played by the engine with {}, with people by {}: {}",
        made.engine, made.human, made.command
    ));
}

/// What the places of a family's path are.
fn places(path: &FamilyRatings) -> &'static str {
    match path.family.parse::<Family>() {
        Ok(family) if family.pool().is_some() => "rating of the people",
        Ok(family) if family.is_power_law() => "x of c = 10 x / (1 - x)",
        _ => "rating of the people whose s and c they are",
    }
}

fn strengths(ladder: &Ladder, page: &mut Page) {
    page.heading("Playing strength along the paths");
    if let Some(chart) = strength_by_level(ladder) {
        page.figure(
            &chart.svg(),
            "Bars are 95 % intervals. The straight line is what a list of ratings of people would make of them.",
        );
    }
    let mut groups: BTreeMap<&str, Vec<&FamilyRatings>> = BTreeMap::new();
    for path in &ladder.paths {
        groups.entry(places(path)).or_default().push(path);
    }
    for (x, paths) in groups {
        let families: Vec<&str> = paths.iter().map(|path| path.family.as_str()).collect();
        let title = format!("Playing strength by place: {}", families.join(", "));
        let chart = chart(&paths, &title, x, |level| Some((level.elo, level.error)));
        page.figure(&chart.svg(), "Bars are 95 % intervals, against the zero.");
    }
}

fn disagreement(ladder: &Ladder, page: &mut Page) {
    let is_of_people =
        |path: &&FamilyRatings| path.levels.iter().any(|level| level.disagreement.is_some());
    let paths: Vec<&FamilyRatings> = ladder.paths.iter().filter(is_of_people).collect();
    if paths.is_empty() {
        return;
    }
    page.heading("Play against moves");
    page.paragraph(
        "A player who chooses as people of a rating do need not win as often as they. Above 0 \
         he wins more, below it less.",
    );
    let title = "Playing strength less rating";
    let chart = chart(&paths, title, "rating of the people", |level| {
        Some((level.disagreement?, level.error))
    });
    page.figure(&chart.svg(), "Below 600 and above 2800 they are no longer as people are.");
}

/// A curve for each path with its points and their intervals.
pub(super) fn chart(
    paths: &[&FamilyRatings],
    title: &str,
    x: &str,
    of: fn(&MeasuredLevel) -> Option<(f64, f64)>,
) -> Chart {
    let mut chart =
        Chart { title: title.to_owned(), x: x.to_owned(), y: "Elo".to_owned(), ..Chart::default() };
    for path in paths {
        let shown = |level: &MeasuredLevel| of(level).map(|(y, error)| (level.place, y, error));
        let levels: Vec<(f64, f64, f64)> = path.levels.iter().filter_map(shown).collect();
        let points: Vec<(f64, f64)> = levels.iter().map(|&(x, y, _)| (x, y)).collect();
        chart.curves.push((path.family.clone(), points.clone()));
        chart.points.push(points);
        chart.bars.push(levels.iter().map(|&(x, y, error)| (x, [y - error, y + error])).collect());
    }
    chart
}

fn anchors(ladder: &Ladder, page: &mut Page) {
    if ladder.anchors.is_empty() {
        return;
    }
    page.heading("Engines of others");
    page.paragraph(
        "They played as well, at 50 ms a move, and did not bear on the zero. What they say of \
         themselves counts by a zero of their own.",
    );
    let rows = ladder.anchors.iter().map(|anchor| {
        vec![
            anchor.name.clone(),
            anchor.nominal.map_or("–".to_owned(), |elo| format!("{elo:.0}")),
            format!("{:.0} ± {:.0}", anchor.elo, anchor.error),
            anchor.games.to_string(),
            score(anchor.points, anchor.games as f64),
        ]
    });
    page.table(&["engine", "says", "measured", "games", "score %"], &rows.collect::<Vec<_>>());
}

fn dial(check: &Check, ladder: Option<&Ladder>, page: &mut Page) {
    page.heading("The dial");
    match ladder {
        Some(ladder) if ladder.checked.contains(&check.identity()) => page.paragraph(&format!(
            "The table of the first {} games was checked; the games of the check have joined the \
             ladder since.",
            check.table.games
        )),
        Some(ladder) if ladder.made != check.table => page.paragraph(
            "The dial was checked with another table than this: it has to be checked again.",
        ),
        _ => (),
    }
    let apart = &check.apart;
    page.paragraph(&format!(
        "Players who were set to ratings then met each other in {} new games. Off by {:.0} on average, \
         where chance alone would make it {:.0} (without the chance of these games: {:.0}), and by {:.0} at most; measured ratings {}. Those set 200 above others score {:.1} % by their \
         ratings, and {} % of the {} games that they played; 76 % are right.",
        check.made.games,
        check.mean_error,
        check.by_chance,
        check.of_the_table,
        check.largest,
        if check.rises { "rise all along" } else { "do not always rise" },
        100.0 * apart.expected,
        score(apart.points, apart.games),
        apart.games
    ));
    let settings = &check.settings;
    let points: Vec<(f64, f64)> = settings.iter().map(|s| (s.set, s.measured)).collect();
    let ends = |s: &CheckedRating| [s.measured - s.error, s.measured + s.error];
    let chart = Chart {
        title: "Ratings measured by ratings set".to_owned(),
        x: "set".to_owned(),
        y: "measured".to_owned(),
        curves: vec![
            ("measured".to_owned(), points.clone()),
            ("as set".to_owned(), settings.iter().map(|s| (s.set, s.set)).collect()),
        ],
        points: vec![points],
        bars: vec![settings.iter().map(|s| (s.set, ends(s))).collect()],
    };
    page.figure(&chart.svg(), "Bars are 95 % intervals, against the mean of all.");
}

fn tables(ladder: &Ladder, page: &mut Page) {
    page.heading("All players");
    for path in &ladder.paths {
        page.paragraph(&path.family);
        let row = |level: &MeasuredLevel| {
            vec![
                level.place.to_string(),
                format!("{:.0} ± {:.0}", level.elo, level.error),
                format!("± {:.0}", level.within),
                format!("{:.0}", level.measured),
                level.games.to_string(),
                score(level.points, level.games as f64),
                level.disagreement.map_or(String::new(), |difference| format!("{difference:+.0}")),
            ]
        };
        let rows: Vec<Vec<String>> = path.levels.iter().map(row).collect();
        let heads = [
            "place",
            "Elo",
            "among its path",
            "before made to rise",
            "games",
            "score %",
            "play - moves",
        ];
        page.table(&heads, &rows);
    }
}
