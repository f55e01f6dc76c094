//! The file format of the policy networks: a [`WeightsFile`] with a header of 1024 bytes. The networks are stored one
//! after another. Each weight is the upper half of a 32-bit float (bfloat16), in the order of [`PolicyWeights`]. The
//! lower bytes of all weights come before the upper bytes. The upper bytes hold signs and exponents, which gzip
//! compresses well on their own, so that the program and the browser page are smaller to download.

use super::convolution::{BLOCK, Convolution, Dense, Layer, NEAR};
use super::{ATTACK_BITS, EARLIER_MOVES, KINDS, MOVE_CLASSES};
use crate::weights_file::{WeightsFile, WeightsFileError};

/// The number of input planes: pieces, castling rooks, en passant, the last moves, and attacks.
pub const PLANES: usize = KINDS + 2 + 2 * EARLIER_MOVES + ATTACK_BITS;
/// The number of inputs for the player: the rating and its square, the opponent's rating, the kind of game, the clock,
/// and whether the ratings are chess.com ratings.
pub const PLAYER_INPUTS: usize = 12;
/// The number of neurons in the layer after these inputs.
pub const CONTEXT: usize = 32;
/// The number of underpromotions.
pub const UNDERPROMOTIONS: usize = 3;

const FORMAT: WeightsFile =
    WeightsFile { title: "stopdown policy 5", text: 1024, fields: &["shapes"] };
const WIDEST: usize = 256;
const DEEPEST: usize = 40;

/// Why a file was rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// This is not a valid weights file.
    #[error(transparent)]
    File(#[from] WeightsFileError),
    /// A weight is not a finite number.
    #[error("some of the weights are not finite")]
    NotFinite,
}

/// The size of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyShape {
    /// The number of channels, a multiple of [`BLOCK`].
    pub width: usize,
    pub blocks: usize,
    /// The length of the vectors for the from and to squares of a move.
    pub keys: usize,
}

/// A residual block: two convolutions, with squeeze and excitation.
#[derive(Clone, Debug, PartialEq)]
pub struct Residual {
    pub first: Convolution,
    pub second: Convolution,
    pub squeeze: Dense,
    pub excite: Dense,
}

/// All weights of a network. The weights of a layer come before its biases, and are grouped by output. The weights of a
/// convolution are ordered by output, input, and neighbouring square from the lower left.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyWeights {
    pub shape: PolicyShape,
    pub context: Dense,
    pub entry: Convolution,
    pub entry_context: Dense,
    /// The biases, ordered by square and then by channel.
    pub squares: Vec<f32>,
    pub residuals: Vec<Residual>,
    pub leave: Dense,
    pub enter: Dense,
    pub promote: Dense,
    /// Scores for each class of move. A second set applies to moves that recapture on the square to which the opponent
    /// has just moved. Both sets depend on the player.
    pub classes: Dense,
    /// A bias for every pair of from and to squares.
    pub habit: Vec<f32>,
}

/// Reads the networks from a file.
pub fn read(bytes: &[u8]) -> Result<Vec<PolicyWeights>, PolicyError> {
    let file = FORMAT.open(bytes)?;
    let shapes: Option<Vec<PolicyShape>> =
        file.values()[0].split("; ").map(PolicyShape::read).collect();
    let shapes = shapes.ok_or(WeightsFileError::Header("shapes"))?;
    let count = shapes.iter().map(|shape| shape.numbers()).sum::<usize>();
    let (low, high) = file.numbers(2 * count)?.split_at(count);
    let all = low.iter().zip(high);
    let mut all = all.map(|(&low, &high)| f32::from_bits(u32::from_le_bytes([0, 0, low, high])));
    if !all.clone().all(f32::is_finite) {
        return Err(PolicyError::NotFinite);
    }
    Ok(shapes.into_iter().map(|shape| PolicyWeights::take(shape, all.by_ref())).collect())
}

impl PolicyWeights {
    /// Takes the weights of one network from the weights in a file.
    fn take<I: Iterator<Item = f32>>(shape: PolicyShape, all: &mut I) -> PolicyWeights {
        let PolicyShape { width, blocks, keys } = shape;
        let layer = |all: &mut I, inputs: usize, outputs: usize| Layer {
            weights: all.by_ref().take(inputs * outputs).collect(),
            biases: all.by_ref().take(outputs).collect(),
        };
        let convolution = |all: &mut I, inputs: usize| {
            Convolution::new(&layer(all, inputs * NEAR, width), inputs)
        };
        let dense = |all: &mut I, inputs, outputs| Dense::new(&layer(all, inputs, outputs));
        let context = dense(all, PLAYER_INPUTS, CONTEXT);
        let entry = convolution(all, PLANES);
        let entry_context = dense(all, CONTEXT, width);
        // A layer without inputs has only biases.
        let squares = layer(all, 0, 64 * width).biases;
        let residual = |all: &mut I| Residual {
            first: convolution(all, width),
            second: convolution(all, width),
            squeeze: dense(all, width + CONTEXT, CONTEXT),
            excite: dense(all, CONTEXT, 2 * width),
        };
        let residuals = (0..blocks).map(|_| residual(all)).collect();
        let (leave, enter) = (dense(all, width, keys), dense(all, width, keys));
        let promote = dense(all, width, UNDERPROMOTIONS);
        let classes = dense(all, CONTEXT, 2 * MOVE_CLASSES);
        let habit = layer(all, 0, 64 * 64).biases;
        PolicyWeights {
            shape,
            context,
            entry,
            entry_context,
            squares,
            residuals,
            leave,
            enter,
            promote,
            classes,
            habit,
        }
    }
}

impl PolicyShape {
    /// Reads a shape such as `64 x 6, 32 keys`.
    fn read(text: &str) -> Option<PolicyShape> {
        let (size, keys) = text.strip_suffix(" keys")?.split_once(", ")?;
        let (width, blocks) = size.split_once(" x ")?;
        let [width, blocks, keys] = [width, blocks, keys].map(|number| number.parse().ok());
        let shape = PolicyShape { width: width?, blocks: blocks?, keys: keys? };
        let fits = shape.width.is_multiple_of(BLOCK)
            && (BLOCK..=WIDEST).contains(&shape.width)
            && (1..=DEEPEST).contains(&shape.blocks)
            && (1..=WIDEST).contains(&shape.keys);
        fits.then_some(shape)
    }

    /// The number of weights.
    fn numbers(self) -> usize {
        let PolicyShape { width, blocks, keys } = self;
        let layer = |inputs: usize, outputs: usize| (inputs + 1) * outputs;
        let residual = 2 * layer(width * NEAR, width)
            + layer(width + CONTEXT, CONTEXT)
            + layer(CONTEXT, 2 * width);
        layer(PLAYER_INPUTS, CONTEXT)
            + layer(PLANES * NEAR, width)
            + layer(CONTEXT, width)
            + 64 * width
            + blocks * residual
            + 2 * layer(width, keys)
            + layer(width, UNDERPROMOTIONS)
            + layer(CONTEXT, 2 * MOVE_CLASSES)
            + 64 * 64
    }
}
