//! Rules for the source tree: layers, dependencies, licences, and builds for other programs.

#[path = "../common/mod.rs"]
mod common;
mod declarations;
mod layers;
mod licences;
mod lock;
mod openbench;
