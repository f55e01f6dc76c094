//! The arena: games between players of any kind, ours and other people's.

mod adjudication;
mod contestant;
mod external;
mod openings;
mod own;
mod play;
mod process;
mod spec;
mod time_control;

pub use adjudication::{DrawRule, ResignRule, Rules};
pub use openings::{Book, BookError, Opening, Order};
pub use spec::{EngineSpec, ExternalSpec, PlayerSpec, SpecError};
pub use time_control::{MoveLimits, TimeControl, TimeControlError};
