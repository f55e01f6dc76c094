//! The application layer for games: what plays them, whatever front end they are played through.
//!
//! A [`worker`](start) has the engine for good and does one job after the other on a thread of its own:
//! no front end ever waits for a job. The front ends translate: UCI lines, HTTP requests or typed words to
//! jobs, and events to their own output.

mod count;
mod engine_state;
mod external_engine;
mod introduction;
mod opponents;
mod player_source;
mod worker;

pub use external_engine::{ExternalIdentity, is_idle, option_in_common};
pub use worker::{Event, FinishedSearch, Job, SearchJob, start};
