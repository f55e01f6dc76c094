//! Roots of increasing functions.

/// Where an increasing function crosses zero, by halving until the neighbours meet.
pub fn root(mut low: f64, mut high: f64, of: impl Fn(f64) -> f64) -> f64 {
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return middle;
        }
        if of(middle) < 0.0 { low = middle } else { high = middle }
    }
}
