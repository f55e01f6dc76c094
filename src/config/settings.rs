//! What a user can set, as plain values.

use once_cell::sync::Lazy;

use super::file;

/// The text of the file that is shipped; its values hold where no other file says otherwise.
pub const SHIPPED: &str = include_str!("../../engine.toml");

static BUILT_IN: Lazy<Settings> = Lazy::new(|| {
    file::parse(SHIPPED, "engine.toml")
        .expect("the shipped file is a part of the program, read by the tests")
});

/// The value of every option.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Size of the hash table in MiB.
    pub hash: i64,
    pub threads: i64,
    /// Whether the GUI lets us think on the opponent's time.
    pub ponder: bool,
    /// How many lines to show.
    pub lines: i64,
    /// Milliseconds that a move loses between us and the clock.
    pub move_overhead: i64,
    pub chess960: bool,
    /// The GUI analyses, it does not play.
    pub analyse: bool,
    pub show_wdl: bool,
    /// The opponent as the GUI announces him: title, rating, kind, name.
    pub opponent: String,
}

impl Settings {
    /// The values of the shipped `engine.toml`.
    pub fn built_in() -> Settings {
        BUILT_IN.clone()
    }
}
