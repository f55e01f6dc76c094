//! Results as text, JSON and HTML pages.
//!
//! A result becomes a [`Document`], which is rendered by [`text`] for a terminal or by [`html`] for
//! a page. JSON is the serialised result, or a view of it where the published names differ.

mod analysis;
mod axis;
pub mod chart;
pub mod document;
pub mod endgame;
mod evaluation;
pub mod html;
mod ladder;
mod likely_moves;
mod matches;
mod player_profile;
pub mod text;

pub use analysis::{
    AnalysisPage, BOARD_SCRIPT, BRIEF_CAUTION, CAUTION, CSV_HEAD, FEW, LineConditions,
    TournamentPlayer, TournamentTables, VIEWER_STYLE, analysis_json, analysis_text, game_csv,
    game_line, moves_json,
};
pub use document::{Align, Column, Document, Table};
pub use evaluation::{EvaluationLine, deposit_epd, deposit_json, evaluation, store_summary};
pub use html::PAGE_STYLE;
pub use ladder::{RatingsJson, ratings};
pub use likely_moves::LikelyMoves;
pub use matches::{MatchJson, match_summary};
pub use player_profile::player_findings;
