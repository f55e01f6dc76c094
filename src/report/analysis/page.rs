//! An analysis as a page: the players, a board for exercises and for stepping through the games,
//! and a section for each player or group.

use serde::Serialize;

use super::all_figures::all_figures;
use super::caution::{CAUTION, CAUTION_HEADING};
use super::lesson_data::LessonList;
use super::overview::Overview;
use super::tournament::TournamentTables;
use super::viewer_data::ViewerGame;
use crate::analyser::{
    EvaluatedGame, LessonFinder, Lessons, PlayerSummaries, ReportedMove, StudyPlan, StudyReport,
};
use crate::board::Colour;
use crate::player::Elo;
use crate::report::document::Document;
use crate::report::html;
use crate::report::moves_by_rating::MovesByRating;
use crate::threads::{cores, share_out};

/// The style and script of boards and their charts, for every page with a board.
pub const VIEWER_STYLE: &str = include_str!("viewer.css");
pub const BOARD_SCRIPT: &str = include_str!("board.js");
/// The style and script of the chart of moves by rating.
pub const CHART_STYLE: &str = include_str!("moves_by_rating.css");
pub const CHART_SCRIPT: &str = include_str!("moves_by_rating.js");
const LESSON_STYLE: &str = include_str!("lessons.css");
const LESSON_SCRIPT: &str = include_str!("lessons.js");
const SCRIPT: &str = include_str!("viewer.js");
const VIEWER: &str = include_str!("viewer.html");

/// The maximum number of games on the board. With more games, the page would be too large for a
/// phone.
pub const MAX_GAMES: usize = 200;

/// The level that lessons assume for a player without a known rating.
const DEFAULT_LEVEL: Elo = Elo(1500.0);
/// The coverage of the rating intervals. It does not matter here, because only the rating itself is
/// used.
const PROBABILITY: f64 = 0.8;

/// The results shown on a page in addition to its games.
#[derive(Clone, Copy, Debug)]
pub struct PageResults<'a> {
    pub reports: &'a [StudyReport],
    pub summaries: &'a PlayerSummaries,
    pub tournament: Option<&'a TournamentTables>,
    /// How many honest players to assume when estimating how many of them would match the engine as
    /// often.
    pub honest: f64,
    /// The command line that made the page.
    pub made_by: &'a str,
}

/// Collects the games for a page.
#[derive(Debug, Default)]
pub struct AnalysisPage {
    games: Vec<ViewerGame>,
    /// The number of games that are in the tables but not on the board.
    hidden_games: usize,
    lessons: LessonFinder,
    /// The game, if there is only one. In that case every position gets a chart of the likely moves.
    only_game: Option<EvaluatedGame>,
    /// The player's level. If it is not given, the level is the rating in the games, or otherwise
    /// the estimated rating.
    level: Option<Elo>,
}

impl AnalysisPage {
    /// Whether the board has reached its limit of games.
    pub fn is_full(&self) -> bool {
        self.games.len() >= MAX_GAMES
    }

    /// A page for a player of this level.
    pub fn for_level(level: Elo) -> AnalysisPage {
        AnalysisPage { level: Some(level), ..AnalysisPage::default() }
    }

    /// Adds a game, with lessons for the selected sides. It is not shown on the board if the board
    /// is full.
    pub fn add(
        &mut self,
        evaluated: &EvaluatedGame,
        entries: &[ReportedMove],
        plan: &StudyPlan,
        wanted: impl Fn(Colour) -> bool,
    ) {
        if self.is_full() {
            self.hidden_games += 1;
        } else {
            self.lessons.add(self.games.len(), evaluated, plan.depth(), wanted);
            self.only_game = self.games.is_empty().then(|| evaluated.clone());
            self.games.push(ViewerGame::new(evaluated, entries));
        }
    }

    /// Renders the whole file.
    pub fn finish(self, results: &PageResults<'_>) -> serde_json::Result<String> {
        let PageResults { reports, summaries, tournament, honest, made_by } = *results;
        let plan = &summaries.accumulator.plan;
        let mut page = Document::new("Analysis of games");
        let mut overview = Overview::new(plan);
        reports.iter().for_each(|report| overview.add(report));
        page.blocks.extend(overview.ratings().blocks);
        page.heading("Games");
        if self.hidden_games > 0 {
            page.paragraph(format!(
                "The board shows the first {MAX_GAMES} games, and the exercises come from these games. The \
                 tables include {} more.",
                self.hidden_games
            ));
        }
        let charts = self.charts(plan);
        let lessons = select_lessons(self.lessons, self.level, reports, plan);
        if let Some(remark) = no_exercises(&lessons) {
            page.paragraph(remark);
        }
        let style = [VIEWER_STYLE, CHART_STYLE, LESSON_STYLE].concat();
        page.embed(format!("<style>{style}</style>\n{VIEWER}"));
        overview
            .mistakes(&summaries.costly)
            .into_iter()
            .for_each(|mistakes| page.details(mistakes));
        page.blocks.extend(overview.accuracy().blocks);
        if let Some(tournament) = tournament {
            page.blocks.extend(tournament.document().blocks);
        }
        page.heading("All figures");
        for report in reports {
            let figures = all_figures(report, plan, honest);
            page.details(Document { title: report.name.clone(), ..figures });
        }
        page.heading(CAUTION_HEADING);
        page.paragraph(CAUTION);
        page.embed(data("data", &self.games)?);
        page.embed(data("charts", &charts)?);
        let lessons = lessons.iter().filter(|of| !of.lessons.is_empty());
        let lessons = lessons.map(|of| LessonList::new(of, plan.depth(), cores()));
        page.embed(data("lessons", &lessons.collect::<Vec<_>>())?);
        let script = [BOARD_SCRIPT, CHART_SCRIPT, SCRIPT, LESSON_SCRIPT].concat();
        page.embed(format!("<script>{script}</script>"));
        Ok(html::page(&page, made_by))
    }

    /// The chart of each position if there is only one game. `None` if a position was not evaluated.
    fn charts(&self, plan: &StudyPlan) -> Vec<Option<MovesByRating>> {
        let Some(EvaluatedGame { game, evaluations, .. }) = &self.only_game else {
            return Vec::new();
        };
        let scale = plan.scale.elo_scale();
        share_out(evaluations.len(), cores(), |ply| {
            let evaluation = evaluations[ply].as_ref().filter(|of| !of.moves.is_empty())?;
            Some(MovesByRating::new(&game.until(ply), evaluation, plan.depth(), scale, 1))
        })
    }
}

/// The lessons for each player. A player's level is the given one, otherwise the rating in the games, otherwise the
/// estimated rating.
fn select_lessons(
    finder: LessonFinder,
    given: Option<Elo>,
    reports: &[StudyReport],
    plan: &StudyPlan,
) -> Vec<Lessons> {
    let estimate = |name: &str| {
        let report = reports.iter().find(|report| report.name == name)?;
        report.rating.as_ref()?.shown(&plan.scale, PROBABILITY)
    };
    let level = |name: &str, known: Option<f64>| {
        let known = known.map(Elo).or_else(|| estimate(name).map(|rating| Elo(rating.elo)));
        given.or(known).unwrap_or(DEFAULT_LEVEL)
    };
    finder.finish(plan.depth(), plan.scale.elo_scale(), level)
}

/// Says which players have no exercises although they made mistakes. `None` if there are no such players.
fn no_exercises(lessons: &[Lessons]) -> Option<String> {
    let without = lessons.iter().filter(|of| of.has_mistakes && of.lessons.is_empty());
    let names: Vec<&str> = without.map(|of| of.player.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "There are no exercises for {}: few players make these mistakes, or stronger players make them almost as \
             often.",
            names.join("; ")
        )
    })
}

/// A script element that contains data. `<` is escaped, so that the data cannot close the element.
fn data(id: &str, data: &impl Serialize) -> serde_json::Result<String> {
    let data = serde_json::to_string(data)?.replace('<', "\\u003c");
    Ok(format!("<script type=\"application/json\" id=\"{id}\">{data}</script>"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::EloScale;

    #[test]
    fn the_page_says_who_made_mistakes_but_has_no_exercises() {
        let of = |player: &str, has_mistakes| Lessons {
            player: player.to_owned(),
            levels: [Elo(1500.0), Elo(1800.0)],
            scale: EloScale::Fide,
            has_mistakes,
            lessons: Vec::new(),
        };
        assert_eq!(no_exercises(&[of("Ann", false)]), None);
        let remark = no_exercises(&[of("Ann", false), of("Bob", true), of("Cy", true)]);
        assert!(
            remark.is_some_and(|text| text.starts_with("There are no exercises for Bob; Cy: "))
        );
    }
}
