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
mod matches;
pub mod text;

pub use analysis::{
    AnalysisPage, BOARD_SCRIPT, BRIEF_CAUTION, CAUTION, CSV_HEAD, GameLine, GameMove,
    LineConditions, MOST_SENTENCES, Overview, PageResults, PlayerJson, RatedJson, RatedPlayer,
    TournamentPlayer, TournamentTables, VIEWER_STYLE, all_figures, game_csv, game_moves,
    rating_list,
};
pub use document::Document;
pub use evaluation::{CachedLine, EvaluationLine, cached_epd, evaluation, store_summary};
pub use html::PAGE_STYLE;
pub use ladder::{RatingsJson, ratings};
pub use matches::{MatchJson, match_summary};

/// The version of our JSON lines. It changes when a field goes away or changes its meaning. Lines of
/// the first programs have no version.
pub const JSON_VERSION: u32 = 1;
