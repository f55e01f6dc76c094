//! Calibration: what a level means, by the moves of people and by games.

pub mod people;
