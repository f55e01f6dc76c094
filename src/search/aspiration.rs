//! Aspiration windows.
//!
//! The value of a move seldom changes much from one depth to the next. So the next depth is searched with a narrow
//! window around the last value, which cuts off more branches. If the value turns out to be outside the window, the
//! search is repeated with a wider one.

use super::node::Window;
use crate::value::Value;

/// The maximum distance between the value and either end of the window, in centipawns. Beyond this distance, the window
/// is left open at that end.
const LAST_WIDTH: i32 = 700;

/// A window around a guess. It is widened until it contains the value.
#[derive(Clone, Copy, Debug)]
pub(super) struct AspirationWindow {
    bounds: Window,
    width: i32,
}

impl AspirationWindow {
    /// A window of `width` centipawns on both sides of a guess. Without a guess, the window is open. It is also open
    /// around a mate or tablebase result, because such a result is a poor guess for the next depth.
    pub fn around(guess: Option<Value>, width: i32) -> AspirationWindow {
        let bounds = match guess.filter(|guess| !guess.is_decisive()) {
            Some(guess) => Window {
                alpha: guess - Value::centipawns(width),
                beta: guess + Value::centipawns(width),
            },
            None => Window::OPEN,
        };
        AspirationWindow { bounds, width }
    }

    pub fn bounds(&self) -> Window {
        self.bounds
    }

    /// Widens the window after a search that failed low: the value is at most `value`. The upper end moves down, since
    /// the value is most likely just below the window.
    pub fn widen_below(&mut self, value: Value) {
        let Window { alpha, beta } = self.bounds;
        let middle = Value::centipawns((alpha.raw() + beta.raw()) / 2);
        self.bounds.beta = middle.max(value + Value::centipawns(1));
        let step = self.step();
        self.bounds.alpha = if step > LAST_WIDTH || value.is_decisive() {
            -Value::INFINITE
        } else {
            (value - Value::centipawns(step)).max(-Value::INFINITE)
        };
    }

    /// Widens the window after a search that failed high: the value is at least `value`.
    pub fn widen_above(&mut self, value: Value) {
        let step = self.step();
        self.bounds.beta = if step > LAST_WIDTH || value.is_decisive() {
            Value::INFINITE
        } else {
            (value + Value::centipawns(step)).min(Value::INFINITE)
        };
    }

    /// Excludes values below `floor` from the window.
    pub fn raise_to(&mut self, floor: Value) {
        self.bounds.alpha = self.bounds.alpha.max(floor);
        self.bounds.beta = self.bounds.beta.max(floor + Value::centipawns(1));
    }

    fn step(&mut self) -> i32 {
        self.width = self.width * 5 / 2;
        self.width
    }
}
