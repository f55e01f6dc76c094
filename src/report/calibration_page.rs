//! The calibration as a page: who has which rating, and how sure that is.

use std::collections::BTreeMap;

use super::calibration::score;
use super::chart::Chart;
use super::page::Page;
use super::people_page::people_sections;
use crate::calibration::people::OfPool;
use crate::calibration::{
    Anchor, BETWEEN_KINDS, Check, Ladder, PathRatings, Rung, Setting, off_on_average, zero,
};
use crate::selector::{Family, human};

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
         become ratings by the line through them, beyond them point by point. On Lichess's scale everybody \
         has {:.0} more, as people have who have ratings of both. For the chance of games alone a level of \
         the dial is off by {:.0} on average among all others.",
        zero::FAMILY,
        zero::RATINGS.start,
        zero::RATINGS.end,
        ladder.lichess,
        off_on_average(&ladder.levels())
    ));
    let made = &ladder.made;
    page.paragraph(&format!(
        "Played by the engine with {}, with people by {}: {}",
        made.engine, made.human, made.command
    ));
}

/// What the places of a family's path are.
fn places(path: &PathRatings) -> &'static str {
    match path.family.parse::<Family>() {
        Ok(family) if family.pool().is_some() => "rating of the people",
        Ok(family) if family.is_power_law() => "x of c = 10 x / (1 - x)",
        _ => "rating of the people whose s and c they are",
    }
}

fn strengths(ladder: &Ladder, page: &mut Page) {
    page.heading("Playing strength along the paths");
    if let Some(chart) = strength_by_level(ladder) {
        page.figure(&chart.svg(), "Bars are 95 % intervals. The straight line is what a list of ratings of people would make of them.");
    }
    let mut groups: BTreeMap<&str, Vec<&PathRatings>> = BTreeMap::new();
    for path in &ladder.paths {
        groups.entry(places(path)).or_default().push(path);
    }
    for (x, paths) in groups {
        let families: Vec<&str> = paths.iter().map(|path| path.family.as_str()).collect();
        let title = format!("Playing strength by place: {}", families.join(", "));
        let chart = chart(&paths, &title, x, |rung| Some((rung.elo, rung.error)));
        page.figure(&chart.svg(), "Bars are 95 % intervals, against the zero.");
    }
}

/// What levels score among each other, as a rating: the figure of the README.
pub fn strength_by_level(ladder: &Ladder) -> Option<Chart> {
    let path = ladder.paths.iter().find(|path| path.family == zero::FAMILY.name())?;
    let people = |rung: &Rung| {
        let is_level = (human::LOWEST..=human::HIGHEST).contains(&rung.place);
        is_level.then_some((rung.elo, rung.error))
    };
    let title = "Strength by level";
    let mut chart = chart(&[path], title, "level (rating of people, FIDE)", people);
    "levels in games among each other".clone_into(&mut chart.curves[0].0);
    let ends = [human::LOWEST, human::HIGHEST].map(|rating| (rating, rating));
    chart.curves.push(("if 400 points were 91 %".to_owned(), ends.to_vec()));
    let stockfish = |anchor: &Anchor| Some((anchor.nominal?, anchor.elo, anchor.error));
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

fn disagreement(ladder: &Ladder, page: &mut Page) {
    let is_of_people =
        |path: &&PathRatings| path.rungs.iter().any(|rung| rung.disagreement.is_some());
    let paths: Vec<&PathRatings> = ladder.paths.iter().filter(is_of_people).collect();
    if paths.is_empty() {
        return;
    }
    page.heading("Play against moves");
    page.paragraph(
        "A player who chooses as people of a rating do need not win as often as they. Above 0 \
         he wins more, below it less.",
    );
    let title = "Playing strength less rating";
    let chart =
        chart(&paths, title, "rating of the people", |rung| Some((rung.disagreement?, rung.error)));
    page.figure(&chart.svg(), "Below 600 and above 2800 they are no longer as people are.");
}

/// A curve for each path with its points and their intervals.
fn chart(
    paths: &[&PathRatings],
    title: &str,
    x: &str,
    of: fn(&Rung) -> Option<(f64, f64)>,
) -> Chart {
    let mut chart =
        Chart { title: title.to_owned(), x: x.to_owned(), y: "Elo".to_owned(), ..Chart::default() };
    for path in paths {
        let shown = |rung: &Rung| of(rung).map(|(y, error)| (rung.place, y, error));
        let rungs: Vec<(f64, f64, f64)> = path.rungs.iter().filter_map(shown).collect();
        let points: Vec<(f64, f64)> = rungs.iter().map(|&(x, y, _)| (x, y)).collect();
        chart.curves.push((path.family.clone(), points.clone()));
        chart.points.push(points);
        chart.bars.push(rungs.iter().map(|&(x, y, error)| (x, [y - error, y + error])).collect());
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
    let ends = |s: &Setting| [s.measured - s.error, s.measured + s.error];
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
        let row = |rung: &Rung| {
            vec![
                rung.place.to_string(),
                format!("{:.0} ± {:.0}", rung.elo, rung.error),
                format!("± {:.0}", rung.within),
                format!("{:.0}", rung.measured),
                rung.games.to_string(),
                score(rung.points, rung.games as f64),
                rung.disagreement.map_or(String::new(), |difference| format!("{difference:+.0}")),
            ]
        };
        let rows: Vec<Vec<String>> = path.rungs.iter().map(row).collect();
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
