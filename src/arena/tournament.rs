//! Many games at once: who meets whom, and how they are played.
//!
//! Workers take the next game off a common list, each with players of its own that live as long as
//! it does, and hand finished games to the thread that called. Nothing that a game depends on is
//! shared between workers: with players that count depth or nodes, the same pairing gives the same
//! game whatever else is being played.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::SystemTime;

use super::contestant::External;
use super::contestant::{Contestant, PlayerCard};
use super::internal_player::InternalPlayer;
use super::openings::Opening;
use super::play::Rules;
use super::play::{PlayerSlot, play};
use super::record::{GameHeader, GameRecord, Pairing, record};
use super::spec::{ContestantSpec, EngineSpec};
use crate::board::Game;
use crate::endgame::Syzygy;
use crate::external::Fault;
use crate::threads;

/// How many players a worker keeps ready. Each may hold a process and a table.
const COMPANY: usize = 8;

/// Players and conditions.
#[derive(Clone, Debug)]
pub struct Tournament {
    pub event: String,
    pub players: Vec<ContestantSpec>,
    /// As they stand in the records, one for each player.
    pub names: Vec<String>,
    /// Pair n begins with opening n; after the last comes the first again.
    pub openings: Vec<Opening>,
    pub rules: Rules,
    /// Positions that these know are not played on.
    pub tables: Option<Arc<Syzygy>>,
    pub concurrency: usize,
    /// Our own program, to start engines with; see [`crate::external::guard_program`].
    pub guard: Option<PathBuf>,
}

/// Starts a player once to learn who he is, and whether he can be started at all.
pub fn introduce(spec: &ContestantSpec, guard: Option<&PathBuf>) -> Result<PlayerCard, Fault> {
    let mut contestant = contestant(spec, 0, guard);
    contestant.begin(&Game::default(), 1)?;
    Ok(contestant.card())
}

/// The games of a match between players 0 and 1.
pub fn match_pairings(games: usize) -> Vec<Pairing> {
    (1..).flat_map(|pair| Pairing::both(pair, 0, 1)).take(games).collect()
}

impl Tournament {
    /// Plays the games in this order, as many at once as allowed. Every finished game is handed to
    /// `finished`, in the order of their ends; when that says break, no more are begun and those
    /// under way are abandoned.
    pub fn run(
        &self,
        pairings: &[Pairing],
        finished: impl FnMut(GameRecord) -> ControlFlow<()>,
    ) -> std::io::Result<()> {
        let next = AtomicUsize::new(0);
        let work = |stop: &AtomicBool, sender: &mpsc::Sender<GameRecord>| {
            let mut company = Company { tournament: self, present: Vec::new() };
            while !stop.load(Ordering::Relaxed) {
                let Some(&pairing) = pairings.get(next.fetch_add(1, Ordering::Relaxed)) else {
                    return;
                };
                let Some(record) = self.play_one(pairing, &mut company, stop) else { return };
                if sender.send(record).is_err() {
                    return;
                }
            }
        };
        threads::crew(self.concurrency.min(pairings.len()), work, finished)
    }

    fn play_one(
        &self,
        pairing: Pairing,
        company: &mut Company<'_>,
        stop: &AtomicBool,
    ) -> Option<GameRecord> {
        let opening = &self.openings[(pairing.pair - 1) % self.openings.len()];
        let sides = [pairing.white, pairing.black];
        let mut players = sides.map(|side| &self.players[side]).into_iter();
        let slots = company.pair(sides).map(|contestant| {
            let player = players.next().expect("two players for two slots");
            PlayerSlot {
                contestant: &mut **contestant,
                limits: player.limits,
                margin: player.margin,
            }
        });
        let start = SystemTime::now();
        let (rules, tables) = (&self.rules, self.tables.as_deref());
        let number = pairing.game as u64;
        let played = play(number, &opening.game, slots, rules, tables, stop)?;
        let header = GameHeader {
            event: &self.event,
            pairing,
            names: sides.map(|side| self.names[side].as_str()),
            limits: sides.map(|side| self.players[side].limits),
            handicaps: company.pair(sides).map(|contestant| contestant.handicap()),
            opening: &opening.name,
            start,
            end: SystemTime::now(),
        };
        Some(record(&header, &played))
    }
}

/// The players of one worker: each comes when he is first needed, and goes when many others have
/// been needed since.
struct Company<'a> {
    tournament: &'a Tournament,
    /// By place in the list of players, the latest needed last.
    present: Vec<(usize, Box<dyn Contestant>)>,
}

impl Company<'_> {
    fn pair(&mut self, sides: [usize; 2]) -> [&mut Box<dyn Contestant>; 2] {
        for side in sides {
            let here = self.present.iter().position(|(place, _)| *place == side);
            let player = match here {
                Some(index) => self.present.remove(index),
                None => {
                    let Tournament { players, guard, .. } = self.tournament;
                    (side, contestant(&players[side], side, guard.as_ref()))
                }
            };
            self.present.push(player);
        }
        let too_many = self.present.len().saturating_sub(COMPANY);
        self.present.drain(..too_many);
        let [.., (_, first), (_, second)] = &mut self.present[..] else {
            unreachable!("nobody is paired with himself")
        };
        [first, second]
    }
}

/// The player at this place of the list, counted from 0.
pub fn contestant(
    spec: &ContestantSpec,
    place: usize,
    guard: Option<&PathBuf>,
) -> Box<dyn Contestant> {
    match &spec.engine {
        EngineSpec::Internal(own) => {
            Box::new(InternalPlayer::new(spec, own, place, guard.cloned()))
        }
        EngineSpec::External(external) => Box::new(External::new(spec, external, guard.cloned())),
    }
}

/// A list of meetings that is gone through again and again, a pair of games with colours reversed
/// at each.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Places in the list of players.
    meetings: Vec<(usize, usize)>,
}

impl Schedule {
    /// Everybody meets everybody.
    pub fn round_robin(players: usize) -> Schedule {
        let meetings = (0..players).flat_map(|one| (0..one).map(move |other| (one, other)));
        Schedule { meetings: meetings.collect() }
    }

    /// Each of the first so many players meets each of the others.
    pub fn gauntlet(challengers: usize, players: usize) -> Schedule {
        let others = challengers..players;
        let meetings = others.flat_map(|other| (0..challengers).map(move |one| (one, other)));
        Schedule { meetings: meetings.collect() }
    }

    /// So many games at every meeting, round by round: after each, every two players have played
    /// one more pair of games, so that what is broken off is balanced and what is extended keeps
    /// its numbering.
    pub fn pairings(&self, games: usize) -> Vec<Pairing> {
        let pairs = (1..).zip((0..games / 2).flat_map(|_| &self.meetings));
        pairs.flat_map(|(pair, &(one, other))| Pairing::both(pair, one, other)).collect()
    }

    /// All meetings of a round begin with the same opening.
    pub fn openings(&self, of_rounds: &[Opening]) -> Vec<Opening> {
        let meetings = self.meetings.len();
        of_rounds
            .iter()
            .flat_map(|opening| std::iter::repeat_n(opening.clone(), meetings))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn everybody_meets_everybody_with_both_colours_and_longer_ones_begin_alike() {
        let schedule = Schedule::round_robin(4);
        let pairings = schedule.pairings(4);
        assert_eq!(pairings.len(), 6 * 4);
        let sides: HashSet<(usize, usize)> = pairings.iter().map(|p| (p.white, p.black)).collect();
        assert_eq!(sides.len(), 12);
        assert_eq!(pairings, schedule.pairings(10)[..24]);
        assert!(pairings.iter().enumerate().all(|(index, pairing)| pairing.game == index + 1));
    }

    #[test]
    fn challengers_do_not_meet_each_other() {
        let pairings = Schedule::gauntlet(2, 5).pairings(2);
        let sides: HashSet<(usize, usize)> = pairings.iter().map(|p| (p.white, p.black)).collect();
        assert_eq!((pairings.len(), sides.len()), (12, 12));
        assert!(sides.iter().all(|&(white, black)| (white < 2) != (black < 2)));
    }
}
