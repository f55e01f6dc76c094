//! One of the policy's networks. Its input is a board, and its output is a score for every move.
//!
//! It is a residual network of convolutions (He et al. 2015). Every block scales and shifts its result by numbers that
//! depend on the player and on the average of each channel over the board (squeeze and excitation, Hu et al. 2018). The
//! score of a move is the scalar product of two vectors, one for the square that the piece leaves and one for the
//! square that it moves to. Three numbers are added: a bias for the pair of squares, a score for an underpromotion, and
//! a score for the move's class, which depends on the player and on whether the move recaptures.

use std::f64::consts::LN_2;
use std::slice::{from_mut, from_ref};

use super::convolution::{Convolve, Dense, Plane, Workspace};
use super::file::{PLANES, PLAYER_INPUTS, PolicyWeights, Residual};
use super::{
    ATTACK_BITS, EARLIER_MOVES, GameKind, KINDS, MOVE_CLASSES, PolicyConditions, RelativeBoard,
    RelativeMove,
};
use crate::board::Role;
use crate::math::exact::{ln, ln_sum_exp, logistic};
use crate::simd::Instructions;

/// The index of the first of two inputs for the opponent: whether their rating is known, and its difference from the
/// player's.
const OPPONENT: usize = 2;
/// The index of the first input for the kind of game.
const KIND: usize = OPPONENT + 2;
/// The index of the first of the last three inputs: whether there is a clock, its time, and whether the ratings are
/// chess.com ratings.
const CLOCK: usize = KIND + GameKind::ALL.len();

/// The planes that follow the planes for the pieces: rooks with castling rights, en passant, two for each earlier move,
/// and attacks.
const CASTLING: usize = KINDS;
const EN_PASSANT: usize = CASTLING + 1;
const TRAIL: usize = EN_PASSANT + 1;
const ATTACKS: usize = TRAIL + 2 * EARLIER_MOVES;

/// The inputs, which are the same for all networks.
#[derive(Clone, Debug)]
pub struct Inputs {
    planes: Plane,
    players: Vec<[f32; PLAYER_INPUTS]>,
    /// The destination of the last move.
    destination: Option<u8>,
}

impl Inputs {
    pub fn new(view: &RelativeBoard, settings: &[PolicyConditions]) -> Inputs {
        let destination = view.trail[0].map(|(_, to)| to);
        let players = settings.iter().map(|&setting| player(setting)).collect();
        Inputs { planes: planes(view), players, destination }
    }
}

/// One network of an ensemble.
#[derive(Clone, Debug)]
pub struct Member {
    numbers: PolicyWeights,
}

impl Member {
    pub fn new(numbers: PolicyWeights) -> Member {
        Member { numbers }
    }

    /// For each player, the logarithms of the shares of such players who would choose each move.
    pub fn ln_shares(
        &self,
        inputs: &Inputs,
        steps: &[RelativeMove],
        instructions: Instructions,
    ) -> Vec<Vec<f64>> {
        let context = |player: &[f32; PLAYER_INPUTS]| relu(self.numbers.context.outputs(player));
        let contexts: Vec<_> = inputs.players.iter().map(context).collect();
        let boards = self.boards(&inputs.planes, &contexts, instructions);
        let ln_shares = |(board, context): (&Plane, &Vec<f32>)| {
            let mut scores = self.scores(board, steps);
            let classes = self.numbers.classes.outputs(context);
            for (score, step) in scores.iter_mut().zip(steps) {
                let recaptures = usize::from(inputs.destination == Some(step.to));
                *score += f64::from(classes[usize::from(step.class) + MOVE_CLASSES * recaptures]);
            }
            let sum = ln_sum_exp(&scores);
            scores.iter_mut().for_each(|score| *score -= sum);
            scores
        };
        boards.iter().zip(&contexts).map(ln_shares).collect()
    }

    /// For each player, the channels of all squares after the last block.
    fn boards(
        &self,
        planes: &Plane,
        contexts: &[Vec<f32>],
        instructions: Instructions,
    ) -> Vec<Plane> {
        let width = self.numbers.shape.width;
        let mut workspace = Workspace::default();
        let mut convolve = |layer, from: &[Plane], to: &mut [Plane]| {
            instructions.run(Convolve { layer, from, to, workspace: &mut workspace })
        };
        let mut entry = Plane::new(width);
        convolve(&self.numbers.entry, from_ref(planes), from_mut(&mut entry));
        let mut boards = vec![entry; contexts.len()];
        for (board, context) in boards.iter_mut().zip(contexts) {
            let player = self.numbers.entry_context.outputs(context);
            for square in 0..64 {
                let own = &self.numbers.squares[square * width..];
                let cells = board.at_mut(square).iter_mut().zip(own).zip(&player);
                cells.for_each(|((cell, own), player)| *cell = (*cell + (own + player)).max(0.0));
            }
        }
        let mut first = vec![Plane::new(width); contexts.len()];
        let mut second = first.clone();
        for residual in &self.numbers.residuals {
            convolve(&residual.first, &boards, &mut first);
            for plane in &mut first {
                for square in 0..64 {
                    plane.at_mut(square).iter_mut().for_each(|cell| *cell = cell.max(0.0));
                }
            }
            convolve(&residual.second, &first, &mut second);
            for ((board, second), context) in boards.iter_mut().zip(&second).zip(contexts) {
                let (scale, shift) = self.excite(residual, second, context);
                for square in 0..64 {
                    let cells = board.at_mut(square).iter_mut().zip(second.at(square));
                    for ((cell, new), (scale, shift)) in cells.zip(scale.iter().zip(&shift)) {
                        *cell = (*cell + (new * scale + shift)).max(0.0);
                    }
                }
            }
        }
        boards
    }

    /// The squeeze and excitation in a block: a factor and an offset for each channel. They depend on the whole board
    /// and on the player.
    fn excite(&self, layers: &Residual, plane: &Plane, context: &[f32]) -> (Vec<f32>, Vec<f32>) {
        let width = self.numbers.shape.width;
        let mut pooled = vec![0.0f32; width];
        for square in 0..64 {
            pooled.iter_mut().zip(plane.at(square)).for_each(|(sum, cell)| *sum += cell);
        }
        pooled.iter_mut().for_each(|sum| *sum /= 64.0);
        pooled.extend(context);
        let mut scale = layers.excite.outputs(&relu(layers.squeeze.outputs(&pooled)));
        let shift = scale.split_off(width);
        (scale.into_iter().map(|x| logistic(x.into()) as f32).collect(), shift)
    }

    fn scores(&self, board: &Plane, steps: &[RelativeMove]) -> Vec<f64> {
        let numbers = &self.numbers;
        // The vectors of the squares that a move uses.
        let squares = |layer: &Dense, used: fn(&RelativeMove) -> u8| {
            let mut vectors = vec![Vec::new(); 64];
            for square in steps.iter().map(|step| usize::from(used(step))) {
                if vectors[square].is_empty() {
                    vectors[square] = layer.outputs(board.at(square));
                }
            }
            vectors
        };
        let leave = squares(&numbers.leave, |step| step.from);
        let enter = squares(&numbers.enter, |step| step.to);
        let norm = f64::from(numbers.shape.keys as u32).sqrt();
        let score = |step: &RelativeMove| {
            let (from, to) = (usize::from(step.from), usize::from(step.to));
            let product: f32 = leave[from].iter().zip(&enter[to]).map(|(a, b)| a * b).sum();
            let habit = numbers.habit[64 * from + to];
            let minor = step
                .promotion
                .and_then(underpromotion)
                .map_or(0.0, |into| numbers.promote.outputs(board.at(to))[into]);
            f64::from(product) / norm + f64::from(habit) + f64::from(minor)
        };
        steps.iter().map(score).collect()
    }
}

/// The index of an underpromotion.
fn underpromotion(role: Role) -> Option<usize> {
    [Role::Knight, Role::Bishop, Role::Rook].iter().position(|&into| into == role)
}

fn relu(mut numbers: Vec<f32>) -> Vec<f32> {
    numbers.iter_mut().for_each(|number| *number = number.max(0.0));
    numbers
}

/// The inputs for the player, scaled to a magnitude of about 1. The opponent is assumed to have the same rating. If the
/// training games of this kind had clocks, the clock is assumed to show the usual time in the middle of a game.
fn player(setting: PolicyConditions) -> [f32; PLAYER_INPUTS] {
    let rating = ((setting.rating - 2000.0) / 500.0) as f32;
    let mut inputs = [0.0; PLAYER_INPUTS];
    inputs[..2].copy_from_slice(&[rating, rating * rating]);
    inputs[OPPONENT] = 1.0;
    inputs[KIND + setting.pool as usize] = 1.0;
    if let Some(seconds) = setting.pool.usual_clock() {
        inputs[CLOCK] = 1.0;
        inputs[CLOCK + 1] = (ln(1.0 + seconds) / (8.0 * LN_2)) as f32;
    }
    inputs
}

fn planes(view: &RelativeBoard) -> Plane {
    let mut planes = Plane::new(PLANES);
    for (square, &piece) in view.pieces.iter().enumerate() {
        let cells = planes.at_mut(square);
        if let Some(kind) = usize::from(piece).checked_sub(1) {
            cells[kind] = 1.0;
        }
        cells[CASTLING] = (view.castling >> square & 1) as f32;
    }
    if let Some(square) = view.en_passant {
        planes.at_mut(usize::from(square))[EN_PASSANT] = 1.0;
    }
    for (place, (from, to)) in view.trail.iter().enumerate().filter_map(|(i, &s)| Some((i, s?))) {
        planes.at_mut(usize::from(from))[TRAIL + 2 * place] = 1.0;
        planes.at_mut(usize::from(to))[TRAIL + 2 * place + 1] = 1.0;
    }
    for (square, bits) in view.attacks().into_iter().enumerate() {
        let cells = &mut planes.at_mut(square)[ATTACKS..];
        cells.iter_mut().enumerate().for_each(|(bit, cell)| *cell = f32::from(bits >> bit & 1));
    }
    planes
}

// The numbers of inputs here and in the file must agree.
const _: () = assert!(PLAYER_INPUTS == CLOCK + 3 && PLANES == ATTACKS + ATTACK_BITS);
