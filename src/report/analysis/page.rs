//! An analysis as a page: the players, a board for replaying the games, and a section for each
//! player or group.

use super::all_figures::all_figures;
use super::caution::{CAUTION, CAUTION_HEADING};
use super::overview::Overview;
use super::tournament::TournamentTables;
use super::viewer_data::ViewerGame;
use crate::analyser::{
    CostlyMoves, EvaluatedGame, Mistake, Mistakes, ReportedMove, StudyPlan, StudyReport,
};
use crate::report::document::{Column, Document, Table};
use crate::report::html;

/// The style and script of boards and their charts, for every page with a board.
pub const VIEWER_STYLE: &str = include_str!("viewer.css");
pub const BOARD_SCRIPT: &str = include_str!("board.js");
const SCRIPT: &str = include_str!("viewer.js");
const VIEWER: &str = include_str!("viewer.html");

/// The limit on games on the board. More would make the page too large for a phone.
pub const MOST_GAMES: usize = 200;

/// The results that a page shows besides its games.
#[derive(Clone, Copy, Debug)]
pub struct PageResults<'a> {
    pub reports: &'a [StudyReport],
    pub costly: &'a CostlyMoves,
    pub tournament: Option<&'a TournamentTables>,
    pub plan: &'a StudyPlan,
    /// The number of honest players to compare a result with.
    pub honest: f64,
    /// The command line.
    pub made_by: &'a str,
}

/// Collects the games of a page.
#[derive(Debug, Default)]
pub struct AnalysisPage {
    games: Vec<ViewerGame>,
    /// The number of games that are in the tables but not on the board.
    hidden_games: usize,
    mistakes_in_game: Vec<Mistakes>,
}

impl AnalysisPage {
    /// Whether the board has reached its limit of games.
    pub fn is_full(&self) -> bool {
        self.games.len() >= MOST_GAMES
    }

    /// Adds a game. It is not shown on the board if the board is full.
    pub fn add(&mut self, evaluated: &EvaluatedGame, entries: &[ReportedMove]) {
        if self.is_full() {
            self.hidden_games += 1;
        } else {
            self.games.push(ViewerGame::new(evaluated, entries));
        }
    }

    /// Adds a player's mistakes in a game.
    pub fn add_mistakes(&mut self, mistakes_in_game: Mistakes) {
        self.mistakes_in_game.push(mistakes_in_game);
    }

    /// Renders the whole file.
    pub fn finish(self, results: &PageResults<'_>) -> serde_json::Result<String> {
        let PageResults { reports, costly, tournament, plan, honest, made_by } = *results;
        let mut page = Document::new("Analysis of games");
        let mut overview = Overview::new(plan);
        reports.iter().for_each(|report| overview.add(report));
        page.blocks.extend(overview.document(Some(costly)).blocks);
        self.mistakes_in_game
            .into_iter()
            .for_each(|mistakes_in_game| page.section(mistakes(mistakes_in_game)));
        page.heading("Games");
        if self.hidden_games > 0 {
            page.paragraph(format!(
                "The board shows the first {MOST_GAMES} games. The tables include {} more.",
                self.hidden_games
            ));
        }
        page.embed(format!("<style>{VIEWER_STYLE}</style>\n{VIEWER}"));
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
        // Escape `<`, so that the data cannot close its own element.
        let data = serde_json::to_string(&self.games)?.replace('<', "\\u003c");
        page.embed(format!("<script type=\"application/json\" id=\"data\">{data}</script>"));
        page.embed(format!("<script>{BOARD_SCRIPT}{SCRIPT}</script>"));
        Ok(html::page(&page, made_by))
    }
}

fn mistakes(Mistakes { level, stronger, moves }: Mistakes) -> Document {
    let mut section = Document::new("What to learn from this game");
    if moves.is_empty() {
        section.paragraph(format!(
            "None of your moves lost a pawn or more in a position where players rated {stronger} make \
             fewer mistakes than players rated {level}."
        ));
        return section;
    }
    section.paragraph(format!(
        "These moves lost a pawn or more. In these positions, players rated {stronger} make fewer \
         mistakes than players rated {level}, so start with them."
    ));
    let [own, others] = [level, stronger].map(|rating| format!("mistakes at {rating}"));
    let mut table = Table::new(
        [Column::left("move"), Column::left("better"), Column::right("lost (pawns)")]
            .into_iter()
            .chain([own, others].map(Column::right)),
    );
    for Mistake { san, best, loss, errs } in moves {
        let [own, others] = errs.map(|share| format!("{:.0} %", 100.0 * share));
        table.row([san, best, format!("{loss:.1}"), own, others]);
    }
    section.table(table);
    section
}
