//! What a user can set, as plain values.

use std::path::Path;

use once_cell::sync::Lazy;

use super::file;
use crate::player::{Place, Sources};

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
    /// The file of the network that judges positions; empty: the built-in one.
    pub network_file: String,
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
    /// Follow the opponent's competence.
    pub imitator: bool,
    /// Elo above his level.
    pub imitator_offset: i64,
    /// Percent of the points to aim at; 0: not set.
    pub imitator_score: i64,
    /// The file that keeps what is known of opponents; empty: none.
    pub imitator_memory: String,
    /// `elo` counts.
    pub limit_strength: bool,
    pub elo: i64,
    /// Whose ratings are meant, "FIDE" or "Lichess".
    pub elo_scale: String,
    /// The names that there are for `profile`.
    pub profiles: Vec<String>,
    /// The name of a profile; empty: none.
    pub profile: String,
    /// Hundredths; the least value: not set.
    pub competence: i64,
    pub curve: String,
    /// Thousandths; 0: not set.
    pub sensitivity: i64,
    /// Thousandths; 0: not set.
    pub consistency: i64,
    /// Plies; 0: not set.
    pub depth: i64,
    /// How long to take over a move; "Auto": as the profile does.
    pub pace: String,
    /// 0: a fresh one for each game.
    pub seed: i64,
    /// Show how likely each move was.
    pub explain: bool,
    /// Directories of Syzygy files; empty: none.
    pub syzygy_path: String,
    /// Positions with more men are not looked up in them.
    pub syzygy_probe_limit: i64,
    /// Wins that the fifty-move rule makes draws are no wins.
    pub syzygy_fifty_moves: bool,
    /// Where our own tables are kept: "auto", "off" or a directory.
    pub endgame_tables: String,
    /// "Off", "Equal" or "Any".
    pub exploit: String,
    /// Hundredths; the least value: not set.
    pub exploit_competence: i64,
}

impl Settings {
    /// The values of the shipped `engine.toml`.
    pub fn built_in() -> Settings {
        BUILT_IN.clone()
    }

    /// The file of the network that judges positions, where it is not the built-in one.
    pub fn network(&self) -> Option<&Path> {
        (!self.network_file.is_empty()).then(|| Path::new(&self.network_file))
    }

    /// Where the tables of endings come from.
    pub fn table_sources(&self) -> Sources {
        Sources {
            syzygy: self.syzygy_path.clone(),
            probe_limit: self.syzygy_probe_limit.unsigned_abs() as usize,
            fifty_moves: self.syzygy_fifty_moves,
            own: self.endgame_tables.parse::<Place>().unwrap_or_default(),
        }
    }
}
