//! The results of the laboratory as text, JSON and pages.

mod calibration;
mod depth;
pub mod endgame;
pub mod endgame_page;
pub mod endgame_study;
mod people;
mod similarity;

pub use calibration::{CalibrationPage, ladder_text, levels_text, strength_by_level};
pub use depth::{depth_json, depth_page, depth_tables};
pub use people::{people_table, regan_text};
pub use similarity::{similarity_json, similarity_page, similarity_tables};
