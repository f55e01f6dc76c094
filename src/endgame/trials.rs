//! Games between fallible players, played out (Haworth 2002, section 6.4).

use crate::board::{Move, Position};
use crate::math::exact::exp;
use crate::math::streams::{Occasion, Purpose, Stream};

use super::outcome::{Metric, TableResult};
use super::probe::is_goal;
use super::rfep::Rfep;
use super::rules::Past;
use super::tables::Tables;

/// The players of a trial, by who is winning, and how games end.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    pub winner: Rfep,
    pub loser: Rfep,
    /// A game is over when this goal is reached.
    pub goal: Metric,
    pub games: u64,
    pub seed: u64,
    /// A game that takes the winner more moves than this is given up as not won.
    pub longest: u32,
}

/// What came of the games of a trial.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrialGames {
    /// Moves of the winner in each game that reached the goal, in order of play.
    pub moves: Vec<u32>,
    /// Games in which the win was let go, or that went on too long.
    pub unfinished: u64,
}

/// A mean with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanEstimate {
    pub value: f64,
    pub error: f64,
    pub count: usize,
}

impl Trial {
    /// Plays from a decided position. `None` where a table is missing or the position is drawn.
    pub fn play(&self, tables: &Tables, start: &Position) -> Option<TrialGames> {
        let result = tables.result(start).filter(|&result| result != TableResult::Draw)?;
        let winner_begins = result == TableResult::Win;
        let mut played = TrialGames::default();
        for game in 0..self.games {
            match self.game(tables, start, winner_begins, game)? {
                Some(moves) => played.moves.push(moves),
                None => played.unfinished += 1,
            }
        }
        Some(played)
    }

    /// One game: the winner's moves to the goal, or `None` inside where it was not reached.
    fn game(
        &self,
        tables: &Tables,
        start: &Position,
        winner_begins: bool,
        game: u64,
    ) -> Option<Option<u32>> {
        let mut position = start.clone();
        let mut keys = Vec::new();
        let mut moves = 0;
        let mut winners_turn = winner_begins;
        for ply in 0.. {
            let player = if winners_turn { &self.winner } else { &self.loser };
            let occasion = Occasion { seed: self.seed, game, ply };
            let mut stream = Stream::new(occasion, Purpose::Simulation);
            let Some(mv) = choose(tables, &position, player, &keys, &mut stream)? else {
                let mated = position.in_check() && !winners_turn;
                return Some(mated.then_some(moves));
            };
            moves += u32::from(winners_turn);
            keys.push(position.key());
            position.play(mv);
            if is_goal(mv, Metric::Dtz) {
                keys.clear();
            }
            winners_turn = !winners_turn;
            let wanted = if winners_turn { TableResult::Win } else { TableResult::Loss };
            if tables.result(&position)? != wanted {
                return Some(None);
            }
            if is_goal(mv, self.goal) {
                return Some(Some(moves));
            }
            if moves > self.longest {
                return Some(None);
            }
        }
        None
    }
}

/// A player's move by chance; `None` inside if there is none to choose from. `keys` are those of the
/// earlier positions, as far back as the fifty-move counter goes.
pub fn choose(
    tables: &Tables,
    position: &Position,
    player: &Rfep,
    keys: &[u64],
    stream: &mut Stream,
) -> Option<Option<Move>> {
    let report = tables.report(position)?;
    let past = Past::new(position, keys);
    let ln = player.ln_probabilities(&report, position.halfmoves(), Some(&past));
    let weights: Vec<f64> = ln.into_iter().map(exp).collect();
    Some(stream.index(&weights).map(|index| report.moves[index].mv))
}

impl TrialGames {
    pub fn mean_moves(&self) -> MeanEstimate {
        let numbers: Vec<f64> = self.moves.iter().map(|&moves| f64::from(moves)).collect();
        MeanEstimate::mean(&numbers)
    }

    /// The share of all games that reached the goal within so many moves of the winner.
    pub fn share_within(&self, moves: u32) -> MeanEstimate {
        let mut hits: Vec<f64> =
            self.moves.iter().map(|&m| f64::from(u8::from(m <= moves))).collect();
        hits.resize(self.moves.len() + self.unfinished as usize, 0.0);
        MeanEstimate::mean(&hits)
    }
}

impl MeanEstimate {
    fn mean(numbers: &[f64]) -> MeanEstimate {
        let count = numbers.len();
        let n = count as f64;
        let value = numbers.iter().sum::<f64>() / n;
        let squares: f64 = numbers.iter().map(|x| (x - value) * (x - value)).sum();
        MeanEstimate { value, error: (squares / (n - 1.0) / n).sqrt(), count }
    }
}
