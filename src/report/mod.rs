//! Results as text, JSON and HTML pages.
//!
//! A result becomes a [`Document`], which is rendered by [`text`] for a terminal or by [`html`] for
//! a page. JSON is the serialised result, or a view of the result if the published names differ.

mod agreement;
mod analysis;
#[cfg(feature = "program")]
mod axis;
pub mod chart;
mod choice;
pub mod document;
#[cfg(feature = "program")]
pub mod drawing;
pub(crate) mod endgame;
mod evaluation;
pub mod html;
mod ladder;
mod likely_moves;
mod matches;
mod moves_by_rating;
mod player_profile;
pub mod text;

pub(crate) use agreement::{Agreement, AgreementLine, PlayerCompetence};
pub(crate) use analysis::{
    AnalysisPage, BOARD_SCRIPT, BRIEF_CAUTION, CAUTION, CHART_SCRIPT, CHART_STYLE, CSV_HEAD,
    GameLine, GameMove, LineConditions, PageResults, RatedJson, RatedPlayer, RatingListNotes,
    TournamentPlayer, TournamentTables, VIEWER_STYLE, game_csv, game_moves, rating_list,
    rating_list_of_scale,
};
pub use analysis::{Overview, PlayerJson, all_figures};
pub(crate) use choice::{ChoiceMove, ChoiceReport};
pub(crate) use document::Align;
pub use document::{Column, Document, Table};
pub use evaluation::{CachedLine, cached_epd, store_summary};
pub(crate) use evaluation::{EvaluationLine, ending, evaluation};
pub(crate) use html::PAGE_STYLE;
pub(crate) use ladder::{RatingsJson, ratings};
pub(crate) use likely_moves::LikelyMoves;
pub(crate) use matches::{MatchJson, match_summary};
pub(crate) use moves_by_rating::MovesByRating;
pub(crate) use player_profile::player_findings;

/// The version of our JSON lines. It increases when a field is removed or its meaning changes. The
/// first versions of the program did not write it.
pub(crate) const JSON_VERSION: u32 = 1;
