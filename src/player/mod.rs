//! Players: everything that turns an evaluation of a position into a move.
//!
//! A player at full strength plays the best move that the search finds in the available time.
//! Weaker players evaluate all moves and choose among them at random, with probabilities that
//! depend on their skill.

mod bare_king;
mod choice;
mod clock_effect;
mod decision;
mod elo_scale;
mod engine;
mod expected_score;
mod exploit;
mod exploited_opponent;
mod full_strength;
mod game_course;
mod host;
mod human_analysis;
mod human_shares;
mod hypotheses;
mod imitator_player;
mod levels;
mod likely_replies;
mod move_traits;
mod node_limit;
mod opponent_belief;
mod opponent_memory;
pub(crate) mod pace;
mod participant;
mod phases;
mod playing_style;
mod practical_chances;
mod profile;
mod profile_text;
pub mod rating_path;
mod reading;
mod repertoire;
mod roster;
mod scale_choice;
mod scaled_rating;
mod shown_rating;
mod spec;
mod stopped_down;
mod tablebase_play;
mod tablebases;
mod target_rating;

pub(crate) use bare_king::must_mate;
pub(crate) use choice::draw;
pub use choice::{Choice, choose, distribution, expectation};
pub(crate) use clock_effect::ClockEffect;
pub(crate) use decision::own_time;
pub use decision::{Decision, MoveRequest};
pub use elo_scale::{EloScale, UnknownScale};
pub(crate) use engine::MAX_HASH;
pub(crate) use engine::ln_shares_of_move;
pub use engine::{Engine, Perception, all_ratings};
pub use exploit::Exploit;
pub use exploited_opponent::ExploitedOpponent;
pub use host::EngineHost;
pub(crate) use human_analysis::HumanAnalysis;
pub use human_shares::human_shares;
pub(crate) use human_shares::percent;
pub use hypotheses::Hypotheses;
pub(crate) use hypotheses::{BETWEEN_PLAYERS, DISPERSION};
pub use imitator_player::{ImitatorConfig, ImitatorPlayer};
pub(crate) use levels::human_fingerprint;
pub use levels::{Elo, Level, Levels, LevelsError, TableOrigin};
pub use move_traits::{MoveTrait, TraitFinder, Traits};
pub(crate) use opponent_belief::situation;
pub use opponent_belief::{Aim, Imitator, LevelEstimate, Observation};
pub use opponent_memory::{Memory, MemoryError, OpponentKnowledge, SavedPrior};
pub use participant::{Participant, Player};
pub(crate) use phases::PhaseOffsets;
pub use playing_style::{PlayingStyle, StyleWeights, UnknownStyle, traits};
pub(crate) use profile::{DEEPEST, EndgameRule, Pace};
pub use profile::{Profile, Skill, USUAL_DEPTH, UnknownProfile};
pub(crate) use profile_text::{ProfileText, SkillText};
pub use rating_path::ReganLines;
pub(crate) use reading::timed_reading_curve;
pub use repertoire::{CURVE_GAMES, Repertoire, RepertoireError};
pub(crate) use roster::{NO_PROFILE, THINKING_TIMES};
pub use roster::{ProfileError, Roster, RosterError};
pub use scale_choice::ScaleChoice;
pub use scaled_rating::ScaledRating;
pub(crate) use shown_rating::{
    MIN_RATED_MOVES, RATED_RANGE, RatingBound, ShownRating, informative_moves, not_enough_moves,
};
pub use spec::{PlayerSpec, SpecError, Who};
pub use stopped_down::StoppedDown;
pub use tablebases::{Sources, TableFolder, Tablebases, is_built_automatically};
pub(crate) use target_rating::rating_range;
pub use target_rating::{MIN_HUMAN_DEPTH, RATINGS, TargetRating};
