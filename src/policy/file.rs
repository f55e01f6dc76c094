//! The policy network as a file (see [`WeightsFile`]) with a text of 1024 bytes. Each number is the upper
//! half of a 32-bit float, in the order of [`Numbers`].

use crate::weights_file::{WeightsFile, WeightsMistake};

/// The outputs of a convolution come in blocks of so many.
pub const BLOCK: usize = 16;
/// What is seen on a square: pieces, castling rooks, en passant, the last moves.
pub const PLANES: usize = 20;
/// Numbers that say who plays: the rating and its square, the opponent's, the kind of game, the clock.
pub const WHO: usize = 11;
/// What is made of them.
pub const CONTEXT: usize = 32;
/// Kinds of pieces that a pawn may become beside a queen.
pub const MINOR: usize = 3;
/// Squares around a square, itself included.
pub const NEAR: usize = 9;

const FORM: WeightsFile =
    WeightsFile { title: "stopdown policy 3", text: 1024, fields: &["shape"] };
const WIDEST: usize = 256;
const DEEPEST: usize = 40;

/// Why a file was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    #[error(transparent)]
    File(#[from] WeightsMistake),
    #[error("some of the numbers are not finite")]
    NotFinite,
}

/// How large a network is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyShape {
    /// Numbers that a square carries; a multiple of [`BLOCK`].
    pub width: usize,
    pub blocks: usize,
    /// Numbers by which the squares left and entered are compared.
    pub keys: usize,
}

/// A layer: an output for each row of weights and a bias.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    pub weights: Vec<f32>,
    pub biases: Vec<f32>,
}

/// Two convolutions, and what the whole board and the player say to their outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Residual {
    pub first: Layer,
    pub second: Layer,
    pub squeeze: Layer,
    pub excite: Layer,
}

/// All numbers of a network. A layer has its weights first, those of one output together; the
/// weights of a convolution are by output, input, and square around from the lower left.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    pub shape: PolicyShape,
    pub context: Layer,
    pub entry: Layer,
    pub entry_context: Layer,
    /// By square, then by place.
    pub squares: Vec<f32>,
    pub residuals: Vec<Residual>,
    pub leave: Layer,
    pub enter: Layer,
    pub promote: Layer,
    /// For every pair of squares left and entered.
    pub habit: Vec<f32>,
}

impl Numbers {
    pub fn from_bytes(bytes: &[u8]) -> Result<Numbers, PolicyError> {
        let file = FORM.open(bytes)?;
        let shape = PolicyShape::read(&file.values()[0]).ok_or(WeightsMistake::Header("shape"))?;
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
        let context = layer(WHO, CONTEXT);
        let entry = layer(PLANES * NEAR, width);
        let entry_context = layer(CONTEXT, width);
        // A layer without inputs is a row of numbers.
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
    /// `64 x 6, 32 keys`
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

    /// How many numbers there are.
    fn numbers(self) -> usize {
        let PolicyShape { width, blocks, keys } = self;
        let layer = |inputs: usize, outputs: usize| (inputs + 1) * outputs;
        let residual = 2 * layer(width * NEAR, width)
            + layer(width + CONTEXT, CONTEXT)
            + layer(CONTEXT, 2 * width);
        layer(WHO, CONTEXT)
            + layer(PLANES * NEAR, width)
            + layer(CONTEXT, width)
            + 64 * width
            + blocks * residual
            + 2 * layer(width, keys)
            + layer(width, MINOR)
            + 64 * 64
    }
}
