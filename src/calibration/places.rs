//! The places of the paths that are played for.

use crate::policy::Pool;
use crate::selector::Family;

/// Places of a path, each with a rating by which its first opponents are found: roughly
/// what an earlier, smaller ladder gave.
pub type Places = &'static [(f64, f64)];

/// Of the ladder. They stand closest where ratings change most. Blitz has none: its curve is that of the board
/// with other numbers, and its levels are the ratings of people in the same way.
pub const PLACES: [(Family, Places); 4] = [
    (
        Family::human(Pool::Board),
        &[
            (0.0, -200.0),
            (150.0, 400.0),
            (300.0, 800.0),
            (450.0, 1100.0),
            (600.0, 1300.0),
            (1000.0, 1550.0),
            (1400.0, 1700.0),
            (1800.0, 1900.0),
            (2200.0, 2080.0),
            (2600.0, 2300.0),
            (2800.0, 2400.0),
            (3000.0, 2600.0),
            (3200.0, 2900.0),
        ],
    ),
    (
        Family::LEVELLED,
        &[
            (0.0, -200.0),
            (0.2, 900.0),
            (0.35, 1600.0),
            (0.5, 2100.0),
            (0.65, 2500.0),
            (0.8, 2800.0),
            (1.0, 3000.0),
        ],
    ),
    (
        Family::HAWORTH,
        &[(0.0, -200.0), (0.2, 700.0), (0.4, 1500.0), (0.6, 2300.0), (0.8, 2800.0), (1.0, 3000.0)],
    ),
    (
        Family::REGAN,
        &[
            (-4000.0, 500.0),
            (-2000.0, 800.0),
            (0.0, 1300.0),
            (2000.0, 2000.0),
            (4000.0, 2500.0),
            (6000.0, 2800.0),
        ],
    ),
];

/// Enough to see whether all works.
pub const FEW_PLACES: [(Family, Places); 3] = [
    (
        Family::human(Pool::Board),
        &[(0.0, 0.0), (800.0, 1700.0), (2800.0, 2000.0), (3200.0, 2500.0)],
    ),
    (Family::LEVELLED, &[(0.0, 0.0), (0.5, 2000.0), (1.0, 2400.0)]),
    (Family::REGAN, &[(-4000.0, 500.0), (1000.0, 1500.0), (6000.0, 2450.0)]),
];
