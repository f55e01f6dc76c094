//! Results as text, JSON and pages.

mod analysis;
mod calibration;
mod calibration_page;
pub mod chart;
mod deposits;
mod depth;
mod depth_page;
pub mod endgame;
pub mod endgame_charts;
mod endgame_page;
pub mod endgame_study;
mod evaluation;
mod interval;
mod ladder;
mod ladder_page;
mod matches;
mod page;
mod people;
mod people_page;
mod similarity;
mod similarity_page;

pub use analysis::{
    AnalysisPage, BOARD_SCRIPT, BRIEF_CAUTION, CSV_HEAD, Entrant, LineConditions, Tournament,
    VIEWER_STYLE, analysis_json, analysis_text, caution_text, game_csv, game_line, moves_json,
};
pub use calibration::{check_text, ladder_text, levels_text};
pub use calibration_page::{CalibrationPage, strength_by_level};
pub use deposits::{deposit_epd, deposit_json, holdings_table};
pub use depth::{depth_json, depth_tables};
pub use depth_page::depth_page;
pub use endgame_page::EndgamePage;
pub use evaluation::{EvaluationLine, evaluation_table};
pub use ladder::{rating_json, rating_table};
pub use ladder_page::rating_page;
pub use matches::{match_json, match_summary};
pub use page::PAGE_STYLE;
pub use people::{human_text, people_table, regan_text};
pub use similarity::{similarity_json, similarity_tables};
pub use similarity_page::similarity_page;
