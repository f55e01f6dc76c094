//! What a user can set, as plain values.

use std::path::Path;

use crate::player::{EloScale, Pace, Profile, Roster, Sources, TableFolder, USUAL_DEPTH};
use crate::selector::Family;

/// The competence of the best move: as good as it gets.
pub const BEST_COMPETENCE: i64 = 30_000;

/// What says how strongly to play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StrengthSetting {
    /// Whatever of the others is set.
    #[default]
    Auto,
    Full,
    Elo,
    Competence,
    Profile,
    Imitator,
}

/// Between which moves the opponent's likely errors decide, where tables are at hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExploitSetting {
    #[default]
    Off,
    Equal,
    Any,
}

/// The value of every option.
#[derive(Clone, Debug, PartialEq)]
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
    pub strength: StrengthSetting,
    /// Follow the opponent's competence.
    pub imitator: bool,
    /// Elo above his level.
    pub imitator_offset: i64,
    /// Percent of the points to aim at.
    pub imitator_score: Option<i64>,
    /// The file that keeps what is known of opponents; empty: none.
    pub imitator_memory: String,
    /// `elo` counts.
    pub limit_strength: bool,
    pub elo: i64,
    /// Whose ratings are meant.
    pub elo_scale: EloScale,
    /// The players that there are for `profile`.
    pub profiles: Roster,
    pub profile: Option<Profile>,
    /// Hundredths; [`BEST_COMPETENCE`] is that of the best move.
    pub competence: i64,
    /// `None`: the usual one.
    pub curve: Option<Family>,
    /// Thousandths.
    pub sensitivity: Option<i64>,
    /// Thousandths.
    pub consistency: Option<i64>,
    /// Plies.
    pub depth: i64,
    /// How long to take over a move.
    pub pace: Pace,
    /// 0: a fresh one for each game.
    pub seed: i64,
    /// Show how likely each move was.
    pub explain: bool,
    /// Directories of Syzygy files; empty: none.
    pub syzygy_path: String,
    /// Positions with more pieces are not looked up in them.
    pub syzygy_probe_limit: i64,
    /// Wins that the fifty-move rule makes draws are no wins.
    pub syzygy_fifty_moves: bool,
    /// Where our own tables are kept: "auto", "off" or a directory.
    pub endgame_tables: String,
    pub exploit: ExploitSetting,
    /// The opponent's, in hundredths.
    pub exploit_competence: Option<i64>,
    /// The program of another engine that values the moves; empty: none.
    pub engine: String,
}

impl Settings {
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
            own: TableFolder::of(&self.endgame_tables),
        }
    }
}

impl Default for Settings {
    /// What every option begins with before a file has been read.
    fn default() -> Settings {
        Settings {
            hash: 1,
            threads: 1,
            ponder: false,
            network_file: String::new(),
            lines: 1,
            move_overhead: 0,
            chess960: false,
            analyse: false,
            show_wdl: false,
            opponent: String::new(),
            strength: StrengthSetting::Auto,
            imitator: false,
            imitator_offset: 0,
            imitator_score: None,
            imitator_memory: String::new(),
            limit_strength: false,
            elo: 1600,
            elo_scale: EloScale::default(),
            profiles: Roster::default(),
            profile: None,
            competence: BEST_COMPETENCE,
            curve: None,
            sensitivity: None,
            consistency: None,
            depth: i64::from(USUAL_DEPTH),
            pace: Pace::Auto,
            seed: 0,
            explain: false,
            syzygy_path: String::new(),
            syzygy_probe_limit: 7,
            syzygy_fifty_moves: true,
            endgame_tables: String::new(),
            exploit: ExploitSetting::Off,
            exploit_competence: None,
            engine: String::new(),
        }
    }
}
