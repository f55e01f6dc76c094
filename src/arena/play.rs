//! One game between two contestants.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::adjudication::{Adjudication, Adjudicator, Rules, by_tables};
use super::contestant::{Contestant, PlayedMove, Request};
use super::time_control::{MoveLimits, PlayerClock};
use crate::board::{Colour, Ending, Game};
use crate::endgame::Syzygy;
use crate::external::Fault;
use crate::games::GameResult;

/// A contestant at the board, with what he is allowed.
pub struct Seat<'a> {
    pub contestant: &'a mut dyn Contestant,
    pub limits: MoveLimits,
    pub margin: Duration,
}

/// A finished game.
#[derive(Clone, Debug)]
pub struct FinishedGame {
    pub game: Game,
    /// Moves of the opening, which nobody chose.
    pub book_plies: usize,
    /// The moves after the opening.
    pub choices: Vec<PlayedMove>,
    pub result: GameResult,
    pub reason: EndReason,
}

/// Why a game is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndReason {
    Rules(Ending),
    Adjudicated(Adjudication),
    Fault(Fault),
}

impl FinishedGame {
    /// The reason as match runners write it: `White mates`, `Black loses on time`.
    pub fn words(&self) -> String {
        let (winner, loser) = match self.result {
            GameResult::BlackWins => ("Black", "White"),
            _ => ("White", "Black"),
        };
        match &self.reason {
            EndReason::Rules(Ending::Checkmate) => format!("{winner} mates"),
            EndReason::Rules(Ending::Stalemate) => "Draw by stalemate".to_owned(),
            EndReason::Rules(Ending::InsufficientMaterial) => {
                "Draw by insufficient mating material".to_owned()
            }
            EndReason::Rules(Ending::FiftyMoves) => "Draw by fifty moves rule".to_owned(),
            EndReason::Rules(Ending::Threefold) => "Draw by 3-fold repetition".to_owned(),
            EndReason::Adjudicated(Adjudication::Loss(_)) => {
                format!("{winner} wins by adjudication")
            }
            EndReason::Adjudicated(Adjudication::Draw) => "Draw by adjudication".to_owned(),
            EndReason::Adjudicated(Adjudication::Table(None)) => {
                "Draw by adjudication: SyzygyTB".to_owned()
            }
            EndReason::Adjudicated(Adjudication::Table(Some(_))) => {
                format!("{winner} wins by adjudication: SyzygyTB")
            }
            EndReason::Adjudicated(Adjudication::TooLong) => {
                "Draw by adjudication: too many moves".to_owned()
            }
            EndReason::Fault(fault) => format!("{loser} {fault}"),
        }
    }

    /// The value of the PGN tag `Termination`.
    pub fn termination(&self) -> &'static str {
        match &self.reason {
            EndReason::Rules(_) => "normal",
            EndReason::Adjudicated(_) => "adjudication",
            EndReason::Fault(Fault::Overtime) => "time forfeit",
            EndReason::Fault(Fault::Illegal(_)) => "illegal move",
            EndReason::Fault(Fault::Stalled(_)) => "stalled connection",
            EndReason::Fault(Fault::Crashed(_) | Fault::Unusable(_)) => "abandoned",
        }
    }
}

/// Plays the game of this number from an opening to its end; `None` when told to stop before that.
pub fn play(
    number: u64,
    opening: &Game,
    mut seats: [Seat<'_>; 2],
    rules: &Rules,
    tables: Option<&Syzygy>,
    stop: &AtomicBool,
) -> Option<FinishedGame> {
    let mut table = GameUnderWay {
        game: opening.clone(),
        clocks: [0, 1].map(|side: usize| PlayerClock::new(seats[side].limits.time)),
        adjudicator: Adjudicator::new(*rules),
        choices: Vec::new(),
    };
    let begun = [Colour::White, Colour::Black].map(|colour| {
        let contestant = &mut seats[index(colour)].contestant;
        contestant.begin(opening, number).err().map(|fault| (colour, fault))
    });
    let mut over = begun.into_iter().flatten().next().map(lost_by_fault);
    while over.is_none() {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        over = table.turn(&mut seats, tables);
    }
    let (result, reason) = over.expect("the loop ends when the game is over");
    Some(FinishedGame {
        game: table.game,
        book_plies: opening.ply(),
        choices: table.choices,
        result,
        reason,
    })
}

/// A game under way.
struct GameUnderWay {
    game: Game,
    clocks: [PlayerClock; 2],
    adjudicator: Adjudicator,
    choices: Vec<PlayedMove>,
}

impl GameUnderWay {
    /// The next move; the result when the game is over with it or before it.
    fn turn(
        &mut self,
        seats: &mut [Seat<'_>; 2],
        tables: Option<&Syzygy>,
    ) -> Option<(GameResult, EndReason)> {
        let mover = self.game.position().turn();
        if let Some(ending) = self.game.ending() {
            let result = match ending {
                Ending::Checkmate => GameResult::won_by(!mover),
                _ => GameResult::Draw,
            };
            return Some((result, EndReason::Rules(ending)));
        }
        let seat = &mut seats[index(mover)];
        let request = Request {
            game: &self.game,
            limits: seat.limits,
            white: self.clocks[0],
            black: self.clocks[1],
            margin: seat.margin,
        };
        let choice = match seat.contestant.choose(&request) {
            Ok(choice) => choice,
            Err(fault) => return Some(lost_by_fault((mover, fault))),
        };
        if !self.clocks[index(mover)].spend(choice.elapsed, seat.margin) {
            return Some(lost_by_fault((mover, Fault::Overtime)));
        }
        let fullmove = self.game.position().fullmoves();
        self.game.play(choice.mv);
        self.choices.push(choice);
        if self.game.ending().is_some() {
            return None; // the rules come first; the next turn says so
        }
        let known = tables.and_then(|tables| by_tables(tables, self.game.position()));
        let found = match known {
            Some(found) => found,
            None => self.adjudicator.follow(mover, fullmove, choice.value)?,
        };
        let result = match found {
            Adjudication::Loss(loser) => GameResult::won_by(!loser),
            Adjudication::Table(Some(winner)) => GameResult::won_by(winner),
            Adjudication::Draw | Adjudication::TooLong | Adjudication::Table(None) => {
                GameResult::Draw
            }
        };
        Some((result, EndReason::Adjudicated(found)))
    }
}

fn lost_by_fault((loser, fault): (Colour, Fault)) -> (GameResult, EndReason) {
    (GameResult::won_by(!loser), EndReason::Fault(fault))
}

fn index(colour: Colour) -> usize {
    match colour {
        Colour::White => 0,
        Colour::Black => 1,
    }
}
