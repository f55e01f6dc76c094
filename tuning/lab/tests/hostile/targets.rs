//! The part of a reader's description that the mutator in `tests/trust` uses.

#[derive(Debug)]
pub struct Target {
    pub words: &'static [&'static [u8]],
    /// Repairs checksums, so that a change reaches the code behind them.
    pub repair: Option<fn(&mut [u8])>,
}
