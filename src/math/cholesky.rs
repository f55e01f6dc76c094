//! Cholesky decomposition, for symmetric systems of linear equations.
//!
//! A positive definite matrix A is the product L Lᵀ of a lower triangular matrix and its transpose.
//! The elements of L follow from those of A one after another. To solve A x = b, solve L y = b from
//! the first row down, and then Lᵀ x = y from the last row up. Each row has only one new unknown.

/// A positive definite matrix as the product of a triangular matrix and its transpose.
#[derive(Clone, Debug)]
pub struct Cholesky {
    size: usize,
    /// The lower triangle with its diagonal, row by row.
    lower: Vec<f64>,
}

impl Cholesky {
    /// Decomposes a symmetric matrix, which is given row by row. `None` if the matrix is not
    /// positive definite.
    pub fn new(matrix: &[f64], size: usize) -> Option<Cholesky> {
        /// The fraction of a diagonal element that may remain because of rounding if the exact
        /// result is 0.
        const ROUNDING: f64 = 1e-12;
        let mut lower = vec![0.0; size * size];
        for row in 0..size {
            for column in 0..=row {
                let (left, right) = (row * size, column * size);
                let known: f64 = (0..column).map(|k| lower[left + k] * lower[right + k]).sum();
                let rest = matrix[left + column] - known;
                lower[left + column] = if row > column {
                    rest / lower[right + column]
                } else if rest > ROUNDING * matrix[left + column] {
                    rest.sqrt()
                } else {
                    return None;
                };
            }
        }
        Some(Cholesky { size, lower })
    }

    /// The element of the triangular matrix in this row and column. The column must not be beyond
    /// the diagonal.
    pub fn lower(&self, row: usize, column: usize) -> f64 {
        self.lower[row * self.size + column]
    }

    /// Solves `matrix · x = right`.
    pub fn solve(&self, right: &[f64]) -> Vec<f64> {
        let (size, lower) = (self.size, &self.lower);
        let mut x = right.to_vec();
        for row in 0..size {
            let known: f64 = (0..row).map(|k| lower[row * size + k] * x[k]).sum();
            x[row] = (x[row] - known) / lower[row * size + row];
        }
        for row in (0..size).rev() {
            let known: f64 = (row + 1..size).map(|k| lower[k * size + row] * x[k]).sum();
            x[row] = (x[row] - known) / lower[row * size + row];
        }
        x
    }

    /// The inverse matrix, row by row.
    pub fn inverse(&self) -> Vec<f64> {
        let column = |one: usize| {
            let mut unit = vec![0.0; self.size];
            unit[one] = 1.0;
            self.solve(&unit)
        };
        (0..self.size).flat_map(column).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_solution_and_the_inverse_are_right() {
        let matrix = [4.0, 2.0, 2.0, 3.0];
        let decomposed = Cholesky::new(&matrix, 2).expect("positive definite");
        let close = |found: &[f64], expected: &[f64]| {
            found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15)
        };
        assert!(close(&decomposed.solve(&[10.0, 9.0]), &[1.5, 2.0]));
        assert!(close(&decomposed.inverse(), &[0.375, -0.25, -0.25, 0.5]));
    }

    #[test]
    fn equations_without_a_unique_solution_are_refused() {
        assert!(Cholesky::new(&[1.0, -1.0, -1.0, 1.0], 2).is_none());
        assert!(Cholesky::new(&[0.0], 1).is_none());
        assert!(Cholesky::new(&[f64::NAN], 1).is_none());
        assert!(Cholesky::new(&[], 0).is_some());
    }
}
