//! Makes the ratings along a path rise, first by isotonic regression and then by a minimum step.

/// Isotonic regression: returns the rising numbers that are closest to the given ones by weighted
/// least squares. Neighbours in the wrong order are replaced by their mean until no such neighbours
/// are left (Ayer, Brunk, Ewing, Reid and Silverman 1955).
pub fn nearest_rising(numbers: &[f64], weights: &[f64]) -> Vec<f64> {
    // The mean, weight and length of each block of equal numbers.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for (&number, &weight) in numbers.iter().zip(weights) {
        let mut block = (number, weight, 1);
        while let Some((mean, before, length)) = blocks.pop_if(|last| last.0 > block.0) {
            let sum = before + block.1;
            block = ((mean * before + block.0 * block.1) / sum, sum, length + block.2);
        }
        blocks.push(block);
    }
    blocks.into_iter().flat_map(|(mean, _, length)| std::iter::repeat_n(mean, length)).collect()
}

/// Raises numbers so that each is at least one step above the previous one. The first number does
/// not change.
pub fn with_least_step(numbers: &[f64], step: f64) -> Vec<f64> {
    let mut last = f64::NEG_INFINITY;
    let raised = numbers.iter().map(|&number| {
        last = number.max(last + step);
        last
    });
    raised.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isotonic_regression_averages_blocks() {
        let found = nearest_rising(&[1.0, 5.0, 2.0, 3.0, 9.0], &[1.0, 1.0, 1.0, 2.0, 1.0]);
        assert_eq!(found, [1.0, 3.25, 3.25, 3.25, 9.0]);
        assert_eq!(with_least_step(&found, 1.0), [1.0, 3.25, 4.25, 5.25, 9.0]);
        assert_eq!(nearest_rising(&[3.0, 2.0, 1.0], &[1.0; 3]), [2.0; 3]);
        assert!(nearest_rising(&[], &[]).is_empty());
    }

    #[test]
    fn rising_numbers_do_not_change() {
        let rising = [-1.0, 0.0, 0.0, 7.5];
        assert_eq!(nearest_rising(&rising, &[1.0, 2.0, 3.0, 4.0]), rising);
    }
}
