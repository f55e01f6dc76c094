//! Matches and tournaments between players of any kind, internal and external.
//!
//! A [`ContestantSpec`] describes a player, and a [`Book`] contains the openings. A [`Tournament`]
//! plays a list of [`Pairing`]s on several threads, a [`Campaign`] saves finished games, and a
//! `MatchResult` counts them. An engine that crashes, stalls or makes an illegal move loses its
//! game, and the match goes on.

mod campaign;
mod contestant;
mod game_queue;
mod internal_player;
mod journal;
mod match_result;
mod odds;
mod openings;
mod play;
pub mod ratings;
mod record;
mod schedule;
mod spec;
mod time_control;
mod tournament;

pub use crate::external::guard_program;
pub use campaign::{Campaign, CampaignError, journal_path};
pub use contestant::{Contestant, PlayedMove, PlayerInfo, Request};
pub(crate) use internal_player::InternalPlayer;
pub use journal::{Journal, JournalError, JournalSettings};
pub(crate) use match_result::{MatchResult, MatchSide};
pub(crate) use odds::Odds;
pub use openings::{Book, BookError, Opening, Order};
pub(crate) use play::{Adjudication, Adjudicator};
pub use play::{DrawRule, ResignRule, Rules};
pub use record::{Effort, GameRecord, Pairing};
pub(crate) use record::{detailed_comment, rating_tags, time_control_tag};
pub(crate) use schedule::odds_pairings;
pub use schedule::{Schedule, match_pairings};
pub use spec::{ContestantError, ContestantSpec, EngineSpec, InternalSpec};
pub(crate) use time_control::PlayerClock;
pub use time_control::{MoveLimits, TimeControl, TimeControlError};
pub use tournament::{Tournament, contestant, introduce, try_opening};
