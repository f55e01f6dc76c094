//! The results of an analysis as a document, a page, JSON and CSV.

mod caution;
mod charts;
mod csv;
mod json;
mod page;
mod player;
mod tournament;

pub use caution::{BRIEF_CAUTION, CAUTION};
pub use csv::{CSV_HEAD, game_csv};
pub use json::{LineConditions, analysis_json, game_line, moves_json};
pub use page::{AnalysisPage, BOARD_SCRIPT, VIEWER_STYLE};
pub use player::{FEW, analysis_text};
pub use tournament::{TournamentPlayer, TournamentTables};
