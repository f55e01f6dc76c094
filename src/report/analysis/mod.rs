//! The results of an analysis as a document, a page, JSON and CSV.

mod all_figures;
mod caution;
mod charts;
mod csv;
mod game_line;
mod game_moves;
mod json;
mod overview;
mod page;
mod rating_list;
mod tournament;
mod viewer_data;

pub use all_figures::all_figures;
pub use caution::{BRIEF_CAUTION, CAUTION};
pub use csv::{CSV_HEAD, game_csv};
pub use game_line::{GameLine, LineConditions};
pub use game_moves::{GameMove, game_moves};
pub use json::{PlayerJson, RatedJson};
pub use overview::{MOST_SENTENCES, Overview};
pub use page::{AnalysisPage, BOARD_SCRIPT, PageResults, VIEWER_STYLE};
pub use rating_list::{RatedPlayer, rating_list};
pub use tournament::{TournamentPlayer, TournamentTables};
