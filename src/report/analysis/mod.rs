//! The results of an analysis as a document, a page, JSON and CSV.

mod caution;
mod charts;
mod csv;
mod json;
mod page;
mod player;
mod tournament;

pub(crate) use caution::{BRIEF_CAUTION, CAUTION};
pub(crate) use csv::{CSV_HEAD, game_csv};
pub use json::analysis_json;
pub(crate) use json::{LineConditions, game_line, moves_json};
pub(crate) use page::{AnalysisPage, BOARD_SCRIPT, VIEWER_STYLE};
pub(crate) use player::FEW;
pub use player::analysis_text;
pub(crate) use tournament::{TournamentPlayer, TournamentTables};
