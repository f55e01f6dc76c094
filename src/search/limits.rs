//! What bounds a search, and how the outside reaches into one that runs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::oracle::KnownMoves;
use crate::board::Move;
use crate::value::Depth;

/// Bounds of a search for the best move. Without any it goes on until stopped.
#[derive(Clone, Debug)]
pub struct Limits {
    pub depth: Option<Depth>,
    pub nodes: Option<u64>,
    /// Stop when a mate in so many moves is found.
    pub mate: Option<u32>,
    pub clock: Clock,
    /// Only these moves; empty means all.
    pub moves: Vec<Move>,
    /// How many lines to report.
    pub lines: usize,
    /// What is known of the moves without searching, best first. Lines begin with these in this
    /// order and have these values.
    pub known: Vec<KnownMoves>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            depth: None,
            nodes: None,
            mate: None,
            clock: Clock::default(),
            moves: Vec::new(),
            lines: 1,
            known: Vec::new(),
        }
    }
}

impl Limits {
    pub fn depth(depth: Depth) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// Is there anything that ends the search by itself?
    pub fn are_bounds(&self) -> bool {
        let Limits { depth, nodes, mate, clock, .. } = self;
        let has_clock = clock.move_time.is_some() || clock.remaining.is_some();
        depth.is_some() || nodes.is_some() || mate.is_some() || has_clock
    }
}

/// Time at the mover's disposal. All `None`: unlimited.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    /// Exactly this long for the move.
    pub move_time: Option<Duration>,
    /// Left on the mover's clock.
    pub remaining: Option<Duration>,
    /// Left on the opponent's. Our own search does not care.
    pub opponents: Option<Duration>,
    pub increment: Duration,
    pub opponents_increment: Duration,
    /// Moves to the next time control; `None` means for the whole game.
    pub moves_to_go: Option<u32>,
    /// Taken off every reckoning, for what lies between us and the clock.
    pub overhead: Duration,
}

impl Clock {
    /// What is left after some of it has passed.
    #[must_use]
    pub fn after(&self, elapsed: Duration) -> Clock {
        let less = |time: Duration| time.saturating_sub(elapsed);
        Clock { move_time: self.move_time.map(less), remaining: self.remaining.map(less), ..*self }
    }
}

/// What is asked of an evaluation of all moves.
#[derive(Clone, Debug)]
pub struct EvaluationRequest {
    /// p: the deepest depth.
    pub depth: Depth,
    /// Centipawns below the best move beyond which a move need not be valued exactly.
    pub cap: Option<i32>,
    /// Only these moves; empty means all.
    pub moves: Vec<Move>,
    /// No longer than this; what is completed by then counts.
    pub time: Option<Duration>,
    /// A depth counts only if no more nodes than this have been visited when it is complete.
    pub nodes: Option<u64>,
    /// Ask the searcher's oracle, if it has one: the values then depend on that too.
    pub oracle: bool,
}

impl EvaluationRequest {
    pub fn depth(depth: Depth) -> EvaluationRequest {
        EvaluationRequest {
            depth,
            cap: None,
            moves: Vec::new(),
            time: None,
            nodes: None,
            oracle: false,
        }
    }
}

/// A handle on a search: clones reach the same one. Make a new one for every search.
#[derive(Clone, Debug, Default)]
pub struct Controls(Arc<Flags>);

#[derive(Debug, Default)]
struct Flags {
    stop: AtomicBool,
    /// The search starts on the opponent's time.
    ponders: bool,
    /// When the opponent played the expected move.
    hit: OnceLock<Instant>,
}

impl Controls {
    /// Controls of a search that starts on its own clock.
    pub fn new() -> Controls {
        Controls::default()
    }

    /// Controls of a search that starts on the opponent's time.
    pub fn pondering() -> Controls {
        Controls(Arc::new(Flags { ponders: true, ..Flags::default() }))
    }

    /// Ends the search soon.
    pub fn stop(&self) {
        self.0.stop.store(true, Ordering::Release);
    }

    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.0.stop.load(Ordering::Relaxed)
    }

    /// The opponent played the expected move: from now on the clock is ours.
    pub fn ponder_hit(&self) {
        self.ponder_hit_at(Instant::now());
    }

    /// The same of a given moment. What is heard later changes nothing.
    pub(super) fn ponder_hit_at(&self, moment: Instant) {
        self.0.hit.get_or_init(|| moment);
    }

    #[inline]
    pub fn is_pondering(&self) -> bool {
        self.0.ponders && self.0.hit.get().is_none()
    }

    /// Since when our clock runs for work that was begun at `start`. `None` while the opponent's
    /// does.
    pub fn clock_start(&self, start: Instant) -> Option<Instant> {
        if self.0.ponders { self.0.hit.get().map(|&hit| hit.max(start)) } else { Some(start) }
    }
}
