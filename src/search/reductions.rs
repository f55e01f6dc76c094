//! The base of late move reductions: a table of reductions in hundredths of a ply, by depth and move number.
//!
//! The later a move comes in the move ordering, the less likely it is to be the best. The deeper the search, the more
//! time a reduction saves. So the reduction grows with the logarithms of both. [`late_move_reduction`] adjusts the base
//! to the node and the move.
//!
//! [`late_move_reduction`]: super::pruning::late_move_reduction

use crate::eval::SearchParams;
use crate::math::exact::ln;

/// Hundredths of a ply by which quiet moves are reduced: `constant + ln(depth) · ln(number) / divisor`.
#[derive(Clone, Debug)]
pub(super) struct Reductions([[i16; 64]; 64]);

impl Reductions {
    pub fn new(params: &SearchParams) -> Reductions {
        let [constant, divisor] = [params.reduction, params.reduction_divisor]
            .map(|hundredths| f64::from(hundredths) / 100.0);
        let mut table = [[0; 64]; 64];
        for (depth, row) in table.iter_mut().enumerate().skip(1) {
            for (number, hundredths) in row.iter_mut().enumerate().skip(1) {
                let product = ln(depth as f64) * ln(number as f64);
                *hundredths = (100.0 * (constant + product / divisor)) as i16;
            }
        }
        Reductions(table)
    }

    #[inline]
    pub fn hundredths(&self, depth: i32, number: usize) -> i32 {
        i32::from(self.0[depth.clamp(0, 63) as usize][number.min(63)])
    }
}
