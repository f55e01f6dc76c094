//! An endgame as a Markov chain over depths (Haworth 2002, section 6.5).
//!
//! The state is the depth, in moves of the winning side. White is the strong side and wins.
//! Averaged over all positions with a depth, including reflections, a fallible White moves from
//! depth i to j with probability `MW_c[i][j]`, and a fallible Black with `MB_c[i][j]`.
//!
//! The chain forgets the position: it assumes that the position at each depth is always an average
//! one. In real play, KQKR games stay longer in the harder positions, and KRK games in the easier
//! ones, so the chain is an approximation. See [`super::study`] for games that are played out and
//! [`super::walk`] for exact figures.

use stopdown::board::Colour;
use stopdown::endgame::{EndgameTable, MissingTable, Outcome, Successors, TablePosition, Tables};
use stopdown::math::exact::{exp, ln};

/// A square matrix over the depths from 0 to the greatest. Row i is the distribution after a move
/// from depth i.
pub type Matrix = Vec<Vec<f64>>;

/// The depths reachable from each decided position, collected once for all competences.
#[derive(Clone, Debug)]
pub struct Endgame {
    white: SideChoices,
    black: SideChoices,
    /// The depth of the longest win, in moves.
    pub deepest: usize,
}

/// The choices of one side, over all positions in which White wins.
#[derive(Clone, Debug, Default)]
struct SideChoices {
    positions: Vec<MoveDepths>,
    /// The depths after the moves of all positions, concatenated.
    depths: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct MoveDepths {
    depth: u8,
    /// The number of symmetric images on the full board: up to eight, or up to two if there are
    /// pawns.
    images: u8,
    /// The index at which this position's part of `depths` ends.
    end: u32,
}

impl Endgame {
    /// Collects White's winning moves from a table, and Black's moves in lost positions. Moves that
    /// reach the metric's goal lead to depth 0.
    pub fn new(table: &EndgameTable, tables: &Tables) -> Result<Endgame, MissingTable> {
        let successors = Successors::new(table, tables)?;
        let all_images = if table.material().has_pawns() { 2 } else { 8 };
        let mut found =
            Endgame { white: SideChoices::default(), black: SideChoices::default(), deepest: 0 };
        for entry in table.entries() {
            let wins = matches!(
                (entry.turn, entry.outcome),
                (Colour::White, Outcome::Win(_)) | (Colour::Black, Outcome::Loss(_))
            );
            if !wins {
                continue;
            }
            let place = table.layout.place(&entry.squares);
            let is_own_image = place.is_some_and(|place| place.symmetric);
            let images = if is_own_image { all_images / 2 } else { all_images };
            let depth = moves_of_winner(entry.outcome);
            found.deepest = found.deepest.max(usize::from(depth));
            let side =
                if entry.turn == Colour::White { &mut found.white } else { &mut found.black };
            choices(&successors, &entry, |choice| side.depths.push(choice.depth));
            let end = side.depths.len() as u32;
            side.positions.push(MoveDepths { depth, images, end });
        }
        Ok(found)
    }

    /// The number of positions at each depth on the full board, with this side to move.
    pub fn counts(&self, turn: Colour) -> Vec<u64> {
        let side = if turn == Colour::White { &self.white } else { &self.black };
        let mut counts = vec![0; self.deepest + 1];
        for choice in &side.positions {
            counts[usize::from(choice.depth)] += u64::from(choice.images);
        }
        counts
    }

    /// MW_c: White's moves, `q ∝ (κ + a)^-c`.
    pub fn white(&self, competence: f64, kappa: f64) -> Matrix {
        self.white.matrix(self.deepest, competence, kappa)
    }

    /// MB_c: Black's moves, `p ∝ (κ + a)^c`.
    pub fn black(&self, competence: f64, kappa: f64) -> Matrix {
        self.black.matrix(self.deepest, -competence, kappa)
    }

    /// The lowest competence at which White is expected to make progress at every depth: the c* of
    /// theorem 7, with the depth that determines it. Returns `None` if no competence up to `limit`
    /// is sufficient, and minus infinity if every competence from `-limit` upwards is
    /// sufficient.
    pub fn critical_competence(&self, kappa: f64, limit: f64) -> Option<(f64, usize)> {
        let stalled = |c: f64| -> Option<usize> {
            let expected = expected_depths(&self.white(c, kappa));
            (1..=self.deepest).rev().find(|&depth| expected[depth] >= depth as f64)
        };
        if stalled(limit).is_some() {
            return None;
        }
        let (mut low, mut high) = (-limit, limit);
        let Some(mut binding) = stalled(low) else { return Some((f64::NEG_INFINITY, 0)) };
        while high - low > 1e-7 {
            let middle = (low + high) / 2.0;
            match stalled(middle) {
                Some(depth) => (low, binding) = (middle, depth),
                None => high = middle,
            }
        }
        Some((high, binding))
    }
}

/// The result of a move in a decided position.
#[derive(Clone, Copy, Debug)]
pub(super) struct DecidedMove {
    /// The depth after the move, or 0 if it reaches the metric's goal.
    pub depth: u8,
    /// Whether the move reaches that goal other than by mate.
    pub reached: bool,
    /// The index of the position in the same table, or `None` after a capture or promotion.
    pub place: Option<usize>,
}

/// Passes the choices in a decided position to `found`. For White, these are the moves that keep the
/// win. For Black, they are all moves.
pub(super) fn choices(
    successors: &Successors,
    entry: &TablePosition,
    mut found: impl FnMut(DecidedMove),
) {
    successors.each(entry, |next| {
        if entry.turn == Colour::Black || matches!(next.outcome, Outcome::Loss(_)) {
            let depth = if next.reaches_goal { 0 } else { moves_of_winner(next.outcome) };
            found(DecidedMove { depth, reached: next.reaches_goal, place: next.place });
        }
    });
}

pub(super) fn moves_of_winner(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Win(plies) => plies.div_ceil(2).min(255) as u8,
        Outcome::Loss(plies) => (plies / 2).min(255) as u8,
        Outcome::Draw => 0,
    }
}

impl SideChoices {
    fn matrix(&self, deepest: usize, exponent: f64, kappa: f64) -> Matrix {
        let size = deepest + 1;
        let ratios = weight_ratios(size, exponent, kappa);
        let mut matrix = vec![vec![0.0; size]; size];
        let mut totals = vec![0.0; size];
        let mut start = 0;
        for choice in &self.positions {
            let depths = &self.depths[start..choice.end as usize];
            start = choice.end as usize;
            if depths.is_empty() {
                continue;
            }
            let (images, row) = (f64::from(choice.images), usize::from(choice.depth));
            totals[row] += images;
            let nearest = if exponent >= 0.0 { depths.iter().min() } else { depths.iter().max() };
            let ratios = &ratios[usize::from(*nearest.expect("there are some"))];
            let sum: f64 = depths.iter().map(|&a| ratios[usize::from(a)]).sum();
            for &a in depths {
                matrix[row][usize::from(a)] += images * ratios[usize::from(a)] / sum;
            }
        }
        for (row, total) in matrix.iter_mut().zip(totals) {
            row.iter_mut().filter(|_| total > 0.0).for_each(|p| *p /= total);
        }
        matrix
    }
}

/// `ratios[b][a]` is `((κ + a) / (κ + b))^-exponent`. The weights themselves can differ by hundreds
/// of powers of ten. Relative to the most likely depth, they do not overflow, and not all of them
/// become zero.
pub(super) fn weight_ratios(size: usize, exponent: f64, kappa: f64) -> Matrix {
    const MUCH: f64 = 1e6;
    let exponent = exponent.clamp(-MUCH, MUCH);
    let ln_distance = |a: usize| ln(kappa + a as f64).max(-MUCH);
    let ratio = |a, b| exp(-exponent * (ln_distance(a) - ln_distance(b)));
    (0..size).map(|b| (0..size).map(|a| ratio(a, b)).collect()).collect()
}

/// The expected depth after one move from each depth.
pub fn expected_depths(matrix: &Matrix) -> Vec<f64> {
    matrix.iter().map(|row| row.iter().enumerate().map(|(a, p)| a as f64 * p).sum()).collect()
}

/// The identity matrix: an infallible loser keeps the depth.
pub fn infallible(size: usize) -> Matrix {
    (0..size).map(|i| (0..size).map(|j| f64::from(u8::from(i == j))).collect()).collect()
}

/// One step of a distribution over depths. Depth 0 is absorbing.
pub fn step(distribution: &[f64], matrix: &Matrix) -> Vec<f64> {
    let mut next = vec![0.0; distribution.len()];
    next[0] = distribution[0];
    for (&p, row) in distribution.iter().zip(matrix).skip(1) {
        for (q, &share) in next.iter_mut().zip(row) {
            *q += p * share;
        }
    }
    next
}

/// The chain of White's move followed by Black's reply. Depth 0 is the end of the game.
pub fn product(white: &Matrix, black: &Matrix) -> Matrix {
    white.iter().map(|row| step(row, black)).collect()
}

/// The expected number of White's moves from each depth to the end, called V in the paper: the
/// solution of `V_i = 1 + Σ_j p_ij V_j`. It is infinite if it is not certain that the end is
/// reached.
pub fn expected_moves(chain: &Matrix) -> Vec<f64> {
    let size = chain.len();
    // Gauss-Jordan elimination without pivoting: the matrix I - P is diagonally dominant.
    let mut rows: Vec<Vec<f64>> = (1..size)
        .map(|i| {
            let mut row: Vec<f64> =
                (1..size).map(|j| f64::from(u8::from(i == j)) - chain[i][j]).collect();
            row.push(1.0);
            row
        })
        .collect();
    for pivot in 0..rows.len() {
        let scale = rows[pivot][pivot];
        rows[pivot].iter_mut().for_each(|x| *x /= scale);
        let pivot_row = rows[pivot].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            let factor = row[pivot];
            if index != pivot && factor != 0.0 {
                row.iter_mut().zip(&pivot_row).for_each(|(x, p)| *x -= factor * p);
            }
        }
    }
    let solved = rows.iter().map(|row| row[size - 1]);
    let moves = solved.map(|v| if v.is_finite() && v > 0.0 { v } else { f64::INFINITY });
    std::iter::once(0.0).chain(moves).collect()
}
