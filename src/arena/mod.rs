//! The arena: games between players of any kind, ours and other people's.
//!
//! A [`ContestantSpec`] says who plays, a [`Book`] where games begin, a [`Tournament`] plays a list of
//! [`Pairing`]s on several threads, a [`Campaign`] keeps what is finished, and a [`MatchResult`]
//! counts it. Engines that crash, stall or cheat lose their game, never the match.

mod contestant;
mod internal_player;
mod journal;
mod openings;
mod play;
pub mod ratings;
mod record;
mod spec;
mod time_control;
mod tournament;

pub use crate::external::guard_program;
pub use contestant::{Contestant, PlayedMove, PlayerCard, RandomChoice, Request};
pub use internal_player::InternalPlayer;
pub use journal::{Campaign, CampaignError, Journal, JournalError, JournalSettings, journal_path};
pub use openings::{Book, BookError, Opening, Order};
pub use play::{Adjudication, Adjudicator, DrawRule, ResignRule, Rules};
pub use record::{Effort, GameRecord, MatchResult, MatchSide, Pairing, move_comment};
pub use spec::{ContestantError, ContestantSpec, EngineSpec, InternalSpec};
pub use time_control::{MoveLimits, PlayerClock, TimeControl, TimeControlError};
pub use tournament::{Schedule, Tournament, contestant, introduce, match_pairings};
