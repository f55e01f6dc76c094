//! An analysis as a page: the players, a board for replaying the games, and a section for each
//! player or group.

use serde_json::Value as Json;

use super::caution::CAUTION;
use super::json::game_json;
use super::player::{GIVE_OR_TAKE, analysis, sentence};
use super::tournament::TournamentTables;
use crate::analyser::{EvaluatedGame, Mistakes, ReportedMove, StudyPlan, StudyReport};
use crate::report::document::{Document, Table};
use crate::report::html;

/// The style and script of boards and their charts, for every page with a board.
pub const VIEWER_STYLE: &str = include_str!("viewer.css");
pub const BOARD_SCRIPT: &str = include_str!("board.js");
const SCRIPT: &str = include_str!("viewer.js");
const VIEWER: &str = include_str!("viewer.html");

/// The limit on games on the board. More would make the page too large for a phone.
pub const MOST_GAMES: usize = 200;

/// With more players, the table replaces the introductory sentences.
const MOST_SENTENCES: usize = 2;

/// Collects the games of a page.
#[derive(Debug, Default)]
pub struct AnalysisPage {
    games: Vec<Json>,
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
            self.games.push(game_json(evaluated, entries));
        }
    }

    /// Adds a player's mistakes in a game.
    pub fn teach(&mut self, mistakes_in_game: Mistakes) {
        self.mistakes_in_game.push(mistakes_in_game);
    }

    /// Renders the whole file.
    pub fn finish(
        self,
        reports: &[StudyReport],
        tournament: Option<&TournamentTables>,
        plan: &StudyPlan,
        honest: f64,
        made_by: &str,
    ) -> String {
        let mut page = Document::new("Analysis of games");
        if reports.len() <= MOST_SENTENCES {
            reports.iter().for_each(|report| page.paragraph(sentence(report, plan)));
        }
        page.table(players(reports));
        self.mistakes_in_game
            .into_iter()
            .for_each(|mistakes_in_game| page.section(mistakes(mistakes_in_game)));
        if self.hidden_games > 0 {
            page.paragraph(format!(
                "The board has the first {MOST_GAMES} games; the tables count {} more.",
                self.hidden_games
            ));
        }
        page.embed(format!("<style>{VIEWER_STYLE}</style>\n{VIEWER}"));
        if let Some(tournament) = tournament {
            page.blocks.extend(tournament.document().blocks);
        }
        for report in reports {
            page.heading(&report.name);
            page.blocks.extend(analysis(report, plan, Some(honest)).blocks);
        }
        page.heading("What may not be concluded");
        page.paragraph(CAUTION);
        // Escape `<`, so that the data cannot close its own element.
        let data = Json::Array(self.games).to_string().replace('<', "\\u003c");
        page.embed(format!("<script type=\"application/json\" id=\"data\">{data}</script>"));
        page.embed(format!("<script>{BOARD_SCRIPT}{SCRIPT}</script>"));
        html::page(&page, made_by)
    }
}

fn players(reports: &[StudyReport]) -> Table {
    let mut table = Table::of_numbers([
        "player",
        "rating from the moves",
        "80 %",
        "games",
        "moves that count",
        "best move %",
        "pawns lost a move",
        "accuracy %",
    ]);
    for report in reports {
        let rating =
            report.rating.as_ref().map(|rating| (rating.elo, rating.interval(GIVE_OR_TAKE)));
        let averages = Some(&report.averages).filter(|averages| averages.turns > 0);
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        table.row([
            report.name.clone(),
            or_dash(rating.map(|(elo, _)| format!("{elo:.0}"))),
            or_dash(rating.map(|(_, (low, high))| format!("{low:.0} to {high:.0}"))),
            report.games.to_string(),
            report.tally.used.to_string(),
            or_dash(averages.map(|averages| format!("{:.0}", 100.0 * averages.best))),
            or_dash(averages.map(|averages| format!("{:.2}", averages.centipawn_loss / 100.0))),
            or_dash(averages.map(|averages| format!("{:.0}", averages.accuracy))),
        ]);
    }
    table
}

fn mistakes(Mistakes { level, stronger, moves }: Mistakes) -> Document {
    let mut section = Document::new("What to learn from this game");
    if moves.is_empty() {
        section.paragraph(format!(
            "No move lost a pawn or more in a position where players rated {stronger} make fewer mistakes \
             than players rated {level}."
        ));
        return section;
    }
    section.paragraph(format!(
        "These moves lost a pawn or more. Your moves look like those of players rated {level}. Players rated \
         {stronger} make fewer mistakes in these positions, so they are the next thing to learn."
    ));
    let [own, others] = [level, stronger].map(|rating| format!("{rating} err"));
    let mut table = Table::of_numbers(["move", "pawns lost", "better", &own, &others]);
    for lesson in moves {
        let [own, others] = lesson.errs.map(|share| format!("{:.0} %", 100.0 * share));
        table.row([lesson.san, format!("{:.1}", lesson.loss), lesson.best, own, others]);
    }
    section.table(table);
    section
}
