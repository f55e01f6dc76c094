//! The analyser estimates competence, ratings and likelihoods from the moves of games.
//!
//! A decision is a position whose legal moves have been evaluated, together with the move that was
//! played. The analyser compares decisions with the choices that modelled players would make. It
//! does not search, read files or print.

mod clocks;
mod costly_moves;
mod curve;
mod decision;
mod evaluated_game;
mod figures;
mod gains;
mod habits;
mod lessons;
mod move_report;
mod openings;
mod parts;
mod plan;
mod profile;
mod rating;
mod results;
mod scale;
mod shard;
mod study;
mod study_accumulator;
mod summaries;
mod summary;
mod suspicion;
mod winning_chances;

pub(crate) use costly_moves::CostlyMove;
pub use costly_moves::CostlyMoves;
pub use decision::{Omission, StudiedMove, StudyRules, Tally};
pub use evaluated_game::DecisionSettings;
pub use evaluated_game::{EvaluatedGame, EvaluationConditions, Sides};
pub(crate) use figures::GuidBratko;
pub use figures::{Averages, Figure, Projection, project, project_each};
pub use gains::{Gain, Gains, TournamentStrength, strengths};
pub(crate) use habits::{PlayedHabits, QUEENS_BY};
pub(crate) use lessons::{Lesson, LessonFinder, Lessons};
pub(crate) use move_report::{ReportedMove, each_move};
pub use openings::PlayedOpenings;
pub use parts::PartError;
pub(crate) use parts::{StudyPart, StudyParts};
pub use plan::{ApparentCompetence, By, StudyPlan};
pub(crate) use profile::PlayerProfiles;
pub use results::{RatedResult, RatingWithResults};
pub(crate) use scale::{FITTED, PUBLISHED};
pub use scale::{Rating, RatingScale, regan_by_logarithms};
pub(crate) use shard::ShardWriter;
pub use shard::{ShardError, ShardReader, StudySettings, merge};
pub use study::{StudyReport, apparent_competence, rate};
pub(crate) use study_accumulator::GameContext;
pub use study_accumulator::{Measured, StudyAccumulator};
pub(crate) use summaries::PlayerSummaries;
pub use summary::PlayerSummary;
pub(crate) use suspicion::HONEST_PLAYERS;
pub use suspicion::{Suspicion, SuspicionWindow, expected_among, suspect};
pub(crate) use winning_chances::{MoveMark, lost_chances};
