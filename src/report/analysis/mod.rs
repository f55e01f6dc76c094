//! The results of an analysis as a document, a page, JSON and CSV.

mod all_figures;
mod caution;
mod charts;
mod csv;
mod game_line;
mod game_moves;
mod json;
mod lesson_data;
mod overview;
mod page;
mod rating_list;
mod tournament;
mod viewer_data;

pub use all_figures::all_figures;
pub(crate) use caution::{BRIEF_CAUTION, CAUTION};
pub(crate) use csv::{CSV_HEAD, game_csv};
pub(crate) use game_line::{GameLine, LineConditions};
pub(crate) use game_moves::{GameMove, game_moves};
pub use json::PlayerJson;
pub(crate) use json::RatedJson;
pub use overview::Overview;
pub(crate) use page::{
    AnalysisPage, BOARD_SCRIPT, CHART_SCRIPT, CHART_STYLE, PageResults, VIEWER_STYLE,
};
pub(crate) use rating_list::{RatedPlayer, RatingListNotes, rating_list, rating_list_of_scale};
pub(crate) use tournament::{TournamentPlayer, TournamentTables};
