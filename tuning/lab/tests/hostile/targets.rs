//! What the mutator of `tests/trust` knows about a reader.

#[derive(Debug)]
pub struct Target {
    pub words: &'static [&'static [u8]],
    /// Makes checksums fit again, so that a change reaches what is behind them.
    pub mend: Option<fn(&mut [u8])>,
}
