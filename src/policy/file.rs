//! The file of the policy network (see [`WeightsFile`]), with a header of 1024 bytes. Each weight is the upper half of a
//! 32-bit float (bfloat16), in the order of [`Numbers`].

use crate::weights_file::{WeightsFile, WeightsFileError};

/// The number of outputs of a convolution is a multiple of this.
pub const BLOCK: usize = 16;
/// The number of input planes: pieces, castling rooks, en passant, and the last moves.
pub const PLANES: usize = 20;
/// The number of inputs for the player: rating and its square, the opponent's rating, kind of game, and clock.
pub const PLAYER_INPUTS: usize = 11;
/// The number of neurons that these inputs feed.
pub const CONTEXT: usize = 32;
/// The number of underpromotions.
pub const MINOR: usize = 3;
/// The number of squares that a convolution sees: the square and its neighbours.
pub const NEAR: usize = 9;

const FORM: WeightsFile =
    WeightsFile { title: "stopdown policy 3", text: 1024, fields: &["shape"] };
const WIDEST: usize = 256;
const DEEPEST: usize = 40;

/// Why a file was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// The file is not a file of weights.
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
    /// The length of the vectors for the squares that a move leaves and enters.
    pub keys: usize,
}

/// A layer, with a row of weights and a bias for each output.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    pub weights: Vec<f32>,
    pub biases: Vec<f32>,
}

/// A residual block: two convolutions, with squeeze and excitation.
#[derive(Clone, Debug, PartialEq)]
pub struct Residual {
    pub first: Layer,
    pub second: Layer,
    pub squeeze: Layer,
    pub excite: Layer,
}

/// All weights of a network. The weights of a layer come before its biases, those of one output together. The weights of a
/// convolution are by output, input, and neighbouring square from the lower left.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    pub shape: PolicyShape,
    pub context: Layer,
    pub entry: Layer,
    pub entry_context: Layer,
    /// Biases by square, then by channel.
    pub squares: Vec<f32>,
    pub residuals: Vec<Residual>,
    pub leave: Layer,
    pub enter: Layer,
    pub promote: Layer,
    /// A bias for every pair of squares that a move leaves and enters.
    pub habit: Vec<f32>,
}

impl Numbers {
    pub fn from_bytes(bytes: &[u8]) -> Result<Numbers, PolicyError> {
        let file = FORM.open(bytes)?;
        let shape =
            PolicyShape::read(&file.values()[0]).ok_or(WeightsFileError::Header("shape"))?;
        let numbers = file.numbers(2 * shape.numbers())?;
        let all = numbers.as_chunks().0.iter();
        let all = all.map(|&half| f32::from_bits(u32::from(u16::from_le_bytes(half)) << 16));
        if !all.clone().all(f32::is_finite) {
            return Err(PolicyError::NotFinite);
        }
        Ok(Numbers::take(shape, all))
    }

    fn take(shape: PolicyShape, mut all: impl Iterator<Item = f32>) -> Numbers {
        let PolicyShape { width, blocks, keys } = shape;
        let mut layer = |inputs: usize, outputs: usize| Layer {
            weights: all.by_ref().take(inputs * outputs).collect(),
            biases: all.by_ref().take(outputs).collect(),
        };
        let context = layer(PLAYER_INPUTS, CONTEXT);
        let entry = layer(PLANES * NEAR, width);
        let entry_context = layer(CONTEXT, width);
        // A layer without inputs has only biases.
        let squares = layer(0, 64 * width).biases;
        let residual = |_| Residual {
            first: layer(width * NEAR, width),
            second: layer(width * NEAR, width),
            squeeze: layer(width + CONTEXT, CONTEXT),
            excite: layer(CONTEXT, 2 * width),
        };
        let residuals = (0..blocks).map(residual).collect();
        let (leave, enter) = (layer(width, keys), layer(width, keys));
        let promote = layer(width, MINOR);
        let habit = layer(0, 64 * 64).biases;
        Numbers {
            shape,
            context,
            entry,
            entry_context,
            squares,
            residuals,
            leave,
            enter,
            promote,
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
            + layer(width, MINOR)
            + 64 * 64
    }
}
