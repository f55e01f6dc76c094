//! Results as text, JSON and HTML pages.
//!
//! A result becomes a [`Document`], which is rendered by [`text`] for a terminal or by [`html`] for
//! a page. JSON is the serialised result, or a view of it where the published names differ.

mod analysis;
mod axis;
pub mod chart;
pub mod document;
pub(crate) mod endgame;
mod evaluation;
pub mod html;
mod ladder;
mod matches;
pub mod text;

pub(crate) use analysis::{
    AnalysisPage, BOARD_SCRIPT, BRIEF_CAUTION, CAUTION, CSV_HEAD, FEW, LineConditions,
    TournamentPlayer, TournamentTables, VIEWER_STYLE, game_csv, game_line, moves_json,
};
pub use analysis::{analysis_json, analysis_text};
pub use document::{Align, Column, Document, Table};
pub(crate) use evaluation::{EvaluationLine, evaluation};
pub use evaluation::{deposit_epd, deposit_json, store_summary};
pub(crate) use html::PAGE_STYLE;
pub(crate) use ladder::{RatingsJson, ratings};
pub(crate) use matches::{MatchJson, match_summary};
