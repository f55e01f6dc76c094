//! The window around an expected value, widened where the value turns out to be outside.

use crate::value::Value;

/// Wider than this a side is opened completely.
const LAST_WIDTH: i32 = 700;

/// Bounds between which a value is searched for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub alpha: Value,
    pub beta: Value,
    width: i32,
}

impl Window {
    /// So many centipawns around a guess, or open. Proven values make bad guesses.
    pub fn around(guess: Option<Value>, width: i32) -> Window {
        match guess.filter(|guess| !guess.is_decisive()) {
            Some(guess) => Window {
                alpha: guess - Value::centipawns(width),
                beta: guess + Value::centipawns(width),
                width,
            },
            None => Window { alpha: -Value::INFINITE, beta: Value::INFINITE, width },
        }
    }

    /// The value is at most `value`.
    pub fn widen_below(&mut self, value: Value) {
        self.beta = Value::centipawns((self.alpha.raw() + self.beta.raw()) / 2)
            .max(value + Value::centipawns(1));
        let step = self.step();
        self.alpha = if step > LAST_WIDTH || value.is_decisive() {
            -Value::INFINITE
        } else {
            (value - Value::centipawns(step)).max(-Value::INFINITE)
        };
    }

    /// The value is at least `value`.
    pub fn widen_above(&mut self, value: Value) {
        let step = self.step();
        self.beta = if step > LAST_WIDTH || value.is_decisive() {
            Value::INFINITE
        } else {
            (value + Value::centipawns(step)).min(Value::INFINITE)
        };
    }

    /// Nothing below `floor` is of interest.
    pub fn raise_to(&mut self, floor: Value) {
        self.alpha = self.alpha.max(floor);
        self.beta = self.beta.max(floor + Value::centipawns(1));
    }

    fn step(&mut self) -> i32 {
        self.width = self.width * 5 / 2;
        self.width
    }
}
