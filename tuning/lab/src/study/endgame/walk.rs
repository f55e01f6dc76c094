//! An endgame as a Markov process over positions. This is exact, whereas [`super::markov`]
//! averages over each depth and [`super::study`] samples.
//!
//! At the start, one position has all the probability. White's move spreads it over the possible
//! choices, and so does Black's reply. Probability that reaches the goal counts as won. The
//! expected number of White's moves is the sum over n of the probability that the game is not won
//! after n moves. Once this probability falls geometrically, the rest of the sum is known.

use super::markov::{DecidedMove, choices, moves_of_winner, weight_ratios};
use stopdown::board::{Colour, Position};
use stopdown::endgame::{EndgameTable, Material, MissingTable, Outcome, Successors, Tables};

/// The transitions from each decided position.
#[derive(Debug)]
pub struct Walk {
    white: WalkSide,
    black: WalkSide,
    deepest: usize,
    /// The numbers of positions with White to move, by table index.
    numbers: Vec<u32>,
}

#[derive(Debug, Default)]
struct WalkSide {
    /// For each position, the end of its moves in the two lists below.
    ends: Vec<usize>,
    /// The index of the position after a move, or [`GOAL`].
    targets: Vec<u32>,
    /// The depth after the move.
    depths: Vec<u8>,
    /// The depth of each position.
    own: Vec<u8>,
}

/// The number of moves for which averages are reported.
pub const HORIZON: usize = 100;

/// The expected course of a game between two players from one position.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    pub winner: f64,
    pub loser: f64,
    /// The expected depth after n moves by each side, and the probability that the game is won by
    /// then.
    pub expected_depth: Vec<f64>,
    pub won_within: Vec<f64>,
    /// The expected number of White's moves to the end, or `None` if the sum did not converge.
    pub expected_moves: Option<f64>,
}

const GOAL: u32 = u32::MAX;

/// The maximum number of moves that are followed.
const LONGEST: usize = 3_000;
/// The decrease counts as geometric when the last change in its ratio changes the remaining sum by
/// less than this fraction.
const SETTLED: f64 = 1e-9;

impl Walk {
    /// Returns `None` if play can leave the table before the goal. This happens with pawns on both
    /// sides, because en passant captures are not in the table, and when the goal is a mate that
    /// may be given with other material. Also returns `None` for more than four pieces, which would
    /// take too much memory.
    pub fn new(table: &EndgameTable, tables: &Tables) -> Result<Option<Walk>, MissingTable> {
        let material = table.material();
        let has_pawns = |side| material.counts(side)[4] > 0;
        if material.pieces() > 4 || (has_pawns(Colour::White) && has_pawns(Colour::Black)) {
            return Ok(None);
        }
        let successors = Successors::new(table, tables)?;
        let [first, second] = [Colour::White, Colour::Black].map(|turn| numbers(table, turn));
        let white = WalkSide::new(table, &successors, Colour::White, &second);
        let black = WalkSide::new(table, &successors, Colour::Black, &first);
        let (Some(white), Some(black)) = (white, black) else { return Ok(None) };
        let deepest = white.own.iter().copied().max().map_or(0, usize::from);
        Ok(Some(Walk { white, black, deepest, numbers: first }))
    }

    /// Follows a game between two competences from a position with White to move and win.
    pub fn follow(
        &self,
        table: &EndgameTable,
        start: &Position,
        winner: f64,
        loser: f64,
        kappa: f64,
    ) -> Option<Course> {
        let (_, swapped) = Material::of(start);
        let place = table.layout.place(&table.layout.squares_of(start, swapped))?;
        let first = self.numbers.get(place.index).filter(|&&number| number != GOAL)?;
        let ratios = [winner, -loser].map(|c| weight_ratios(self.deepest + 1, c, kappa));
        let mut state = vec![0.0; self.white.own.len()];
        state[*first as usize] = 1.0;
        let mut course = Course {
            winner,
            loser,
            expected_depth: Vec::new(),
            won_within: Vec::new(),
            expected_moves: None,
        };
        let (mut moves, mut left, mut ratio) = (0.0, 1.0, 0.0);
        for number in 0..LONGEST {
            if number <= HORIZON {
                let depths = state.iter().zip(&self.white.own);
                course.expected_depth.push(depths.map(|(p, &depth)| p * f64::from(depth)).sum());
                course.won_within.push(1.0 - left);
            }
            moves += left;
            let answer = self.white.step(&state, &ratios[0], winner >= 0.0, self.black.own.len());
            state = self.black.step(&answer, &ratios[1], loser <= 0.0, self.white.own.len());
            let rest: f64 = state.iter().sum();
            let (before, now) = (ratio, rest / left);
            (left, ratio) = (rest, now);
            let settled = (now - before).abs() <= SETTLED * (1.0 - now);
            if number >= HORIZON && (left < SETTLED || settled) {
                course.expected_moves =
                    Some(moves + if left > 0.0 { left / (1.0 - now) } else { 0.0 });
                break;
            }
        }
        Some(course)
    }
}

/// Numbers the positions with this side to move that White wins, by table index.
fn numbers(table: &EndgameTable, turn: Colour) -> Vec<u32> {
    let mut next = 0;
    let number = |index| {
        let is_ongoing_win =
            table.at(turn, index).is_some_and(|outcome| is_ongoing_win(turn, outcome));
        next += u32::from(is_ongoing_win);
        if is_ongoing_win { next - 1 } else { GOAL }
    };
    (0..table.layout.size).map(number).collect()
}

/// Whether White wins and the game is not over yet.
fn is_ongoing_win(turn: Colour, outcome: Outcome) -> bool {
    match outcome {
        Outcome::Win(_) => turn == Colour::White,
        Outcome::Loss(plies) => turn == Colour::Black && plies > 0,
        Outcome::Draw => false,
    }
}

impl WalkSide {
    /// `others` contains the indices of the positions with the other side to move. Returns `None`
    /// if a move leaves the table before the goal.
    fn new(
        table: &EndgameTable,
        successors: &Successors,
        turn: Colour,
        others: &[u32],
    ) -> Option<WalkSide> {
        let mut side = WalkSide::default();
        let mut stays = true;
        for entry in table.entries().filter(|e| e.turn == turn && is_ongoing_win(turn, e.outcome)) {
            choices(successors, &entry, |DecidedMove { depth, reached, place }| {
                stays &= reached || place.is_some();
                let target = place.filter(|_| !reached).map_or(GOAL, |place| others[place]);
                side.targets.push(target);
                side.depths.push(depth);
            });
            side.ends.push(side.targets.len());
            side.own.push(moves_of_winner(entry.outcome));
        }
        stays.then_some(side)
    }

    /// Spreads the probability of these positions over the positions with the other side to move.
    fn step(&self, state: &[f64], ratios: &[Vec<f64>], near: bool, others: usize) -> Vec<f64> {
        let mut next = vec![0.0; others];
        let mut start = 0;
        for (&mass, &end) in state.iter().zip(&self.ends) {
            let range = std::mem::replace(&mut start, end)..end;
            let depths = &self.depths[range.clone()];
            let likeliest = if near { depths.iter().min() } else { depths.iter().max() };
            let (true, Some(&likeliest)) = (mass > 0.0, likeliest) else { continue };
            let weights = &ratios[usize::from(likeliest)];
            let sum: f64 = depths.iter().map(|&depth| weights[usize::from(depth)]).sum();
            for (&target, &depth) in self.targets[range].iter().zip(depths) {
                if target != GOAL {
                    next[target as usize] += mass * weights[usize::from(depth)] / sum;
                }
            }
        }
        next
    }
}
