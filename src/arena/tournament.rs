//! Plays many games at the same time.
//!
//! Each worker thread has its own players, takes the next game from a common queue, and sends
//! finished games to the calling thread. A game can depend only on earlier games of the same two
//! players, and only if one of them remembers its opponent. With depth or node limits, the games of
//! a pair are therefore always the same, whatever else is being played.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::SystemTime;

use super::contestant::{Contestant, External, PlayerInfo};
use super::game_queue::{GameQueue, NextGame};
use super::internal_player::InternalPlayer;
use super::openings::Opening;
use super::play::{GamePlan, PlayerSlot, Rules};
use super::record::{GameHeader, GameRecord, Pairing, record};
use super::spec::{ContestantSpec, EngineSpec};
use crate::board::Game;
use crate::endgame::Syzygy;
use crate::external::Fault;
use crate::threads;

/// The maximum number of players that a worker keeps. Each may have a process and a hash table.
const MAX_KEPT: usize = 8;

/// The players and the conditions of the games.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// The name of the event for the PGN tag.
    pub event: String,
    /// The specifications of the players, in the order of their indices.
    pub players: Vec<ContestantSpec>,
    /// The names of the players in the records.
    pub names: Vec<String>,
    /// Pair n starts with opening n. After the last opening, the first one is used again.
    pub openings: Vec<Opening>,
    /// The rules for ending games early.
    pub rules: Rules,
    /// Whether comments in the PGN include nodes and random choices.
    pub is_detailed: bool,
    /// The tablebases that adjudicate games.
    pub tables: Option<Arc<Syzygy>>,
    /// The number of games that are played at the same time.
    pub concurrency: usize,
    /// Our own program, which starts engines; see [`crate::external::guard_program`].
    pub guard: Option<PathBuf>,
}

/// Starts a player to find out its name and whether it can be started.
pub fn introduce(spec: &ContestantSpec, guard: Option<&PathBuf>) -> Result<PlayerInfo, Fault> {
    let mut contestant = contestant(spec, 0, guard);
    contestant.start_game(&Game::default(), 1)?;
    Ok(contestant.info())
}

/// Returns an error if a player cannot start from this opening.
pub fn try_opening(
    spec: &ContestantSpec,
    guard: Option<&PathBuf>,
    opening: &Game,
) -> Result<(), Fault> {
    contestant(spec, 0, guard).start_game(opening, 1)
}

impl Tournament {
    /// Plays the games, starting them in this order, with up to `concurrency` at the same time.
    /// `finished` receives each finished game. If it breaks, running games are abandoned.
    pub fn run(
        &self,
        pairings: &[Pairing],
        finished: impl FnMut(GameRecord) -> ControlFlow<()>,
    ) -> std::io::Result<()> {
        self.play(GameQueue::new(&self.players, &[], pairings), finished)
    }

    /// Plays the games in the queue.
    pub(super) fn play(
        &self,
        queue: GameQueue,
        finished: impl FnMut(GameRecord) -> ControlFlow<()>,
    ) -> std::io::Result<()> {
        let workers = self.concurrency.min(queue.len());
        let queue = Mutex::new(queue);
        let work = |stop: &AtomicBool, sender: &mpsc::Sender<GameRecord>| {
            let mut players = Participants { tournament: self, open: Vec::new() };
            while !stop.load(Ordering::Relaxed) {
                let Some(game) = locked(&queue).take() else { return };
                let Some(record) = self.play_one(&game, &mut players, stop) else { return };
                // No other worker can report a later game of the pair before this one.
                let mut queue = locked(&queue);
                queue.finish(&record);
                if sender.send(record).is_err() {
                    return;
                }
            }
        };
        threads::run_workers(workers, work, finished)
    }

    fn play_one(
        &self,
        next: &NextGame,
        participants: &mut Participants<'_>,
        stop: &AtomicBool,
    ) -> Option<GameRecord> {
        let pairing = next.pairing;
        let opening = &self.openings[(pairing.opening - 1) % self.openings.len()];
        let sides = [pairing.white, pairing.black];
        let [white, black] = participants.pair(sides);
        let slots = [(white, sides[0]), (black, sides[1])].map(|(contestant, side)| {
            let ContestantSpec { limits, margin, .. } = self.players[side];
            PlayerSlot { contestant: &mut **contestant, limits, margin }
        });
        let start = SystemTime::now();
        let plan = GamePlan {
            number: pairing.game as u64,
            opening: &opening.game,
            rules: &self.rules,
            tables: self.tables.as_deref(),
            known: next.known.each_ref().map(Option::as_ref),
        };
        let played = plan.play(slots, stop)?;
        let header = GameHeader {
            event: &self.event,
            pairing,
            names: sides.map(|side| self.names[side].as_str()),
            limits: sides.map(|side| self.players[side].limits),
            handicaps: participants.pair(sides).map(|contestant| contestant.handicap()),
            ratings: sides.map(|side| self.players[side].rating()),
            is_detailed: self.is_detailed,
            opening: &opening.name,
            start,
            end: SystemTime::now(),
        };
        Some(record(&header, &played))
    }
}

fn locked(queue: &Mutex<GameQueue>) -> MutexGuard<'_, GameQueue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The players that a worker keeps. A player is created when it is first needed, and dropped after
/// [`MAX_KEPT`] others have been needed.
struct Participants<'a> {
    tournament: &'a Tournament,
    /// The players with their indices, least recently needed first.
    open: Vec<(usize, Box<dyn Contestant>)>,
}

impl Participants<'_> {
    fn pair(&mut self, sides: [usize; 2]) -> [&mut Box<dyn Contestant>; 2] {
        for side in sides {
            let here = self.open.iter().position(|(index, _)| *index == side);
            let player = match here {
                Some(index) => self.open.remove(index),
                None => {
                    let Tournament { players, guard, .. } = self.tournament;
                    (side, contestant(&players[side], side, guard.as_ref()))
                }
            };
            self.open.push(player);
        }
        let too_many = self.open.len().saturating_sub(MAX_KEPT);
        self.open.drain(..too_many);
        let [.., (_, first), (_, second)] = &mut self.open[..] else {
            unreachable!("no player is paired with itself")
        };
        [first, second]
    }
}

/// Creates the player at this index in the list.
pub fn contestant(
    spec: &ContestantSpec,
    index: usize,
    guard: Option<&PathBuf>,
) -> Box<dyn Contestant> {
    match &spec.engine {
        EngineSpec::Internal(own) => {
            Box::new(InternalPlayer::new(spec, own, index, guard.cloned()))
        }
        EngineSpec::External(external) => Box::new(External::new(spec, external, guard.cloned())),
    }
}
