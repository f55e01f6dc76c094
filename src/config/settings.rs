//! The values of all options, as plain data.

use std::path::Path;

use crate::player::{
    EloScale, Pace, PlayingStyle, Profile, Roster, Sources, TableFolder, USUAL_DEPTH,
};
use crate::selector::Family;

/// The competence that always chooses the best move.
pub const BEST_COMPETENCE: i64 = 30_000;

/// The setting that determines the playing strength.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum StrengthSetting {
    /// The strength setting that the user's other options imply.
    #[default]
    Auto,
    /// Full strength, without a handicap.
    Full,
    /// The rating in [`Settings::elo`].
    Elo,
    /// The competence and the other parameters of the curve.
    Competence,
    /// The player in [`Settings::profile`].
    Profile,
    /// The opponent's level, which the engine estimates during the game.
    Imitator,
}

/// The moves that the engine may choose from in order to exploit the opponent's likely errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ExploitSetting {
    /// Only the best move; the opponent's likely errors do not matter.
    #[default]
    Off,
    /// Moves that are nearly as good as the best move.
    Equal,
    /// Also worse moves, if the position is bad anyway or the result is certain.
    Any,
}

/// The value of every option.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The size of the hash table, in MiB.
    pub hash: i64,
    /// The number of search threads.
    pub threads: i64,
    /// Whether the GUI lets us think on the opponent's time.
    pub ponder: bool,
    /// The file of the evaluation network, or empty for the built-in one.
    pub network_file: String,
    /// The number of lines (PVs) to show.
    pub lines: i64,
    /// The delay between the engine and the clock for each move, in ms.
    pub move_overhead: i64,
    /// Whether the game is Chess960, so that castling moves are sent as the king taking its rook.
    pub chess960: bool,
    /// Whether the GUI is analysing rather than playing.
    pub analyse: bool,
    /// The rating of the players whose likely moves an analysis shows, or `None` for the best
    /// moves.
    pub analyse_as: Option<i64>,
    /// A second rating. An analysis compares the likely moves at both ratings.
    pub compare_with: Option<i64>,
    /// Whether to send the probabilities of a win, draw and loss with each score.
    pub show_wdl: bool,
    /// The opponent as announced by the GUI: title, rating, kind and name.
    pub opponent: String,
    /// The setting that determines the playing strength.
    pub(crate) strength: StrengthSetting,
    /// Whether to play at the opponent's level.
    pub imitator: bool,
    /// The number of Elo points by which an imitator is stronger than its opponent.
    pub imitator_offset: i64,
    /// The score that an imitator aims for, in percent. It replaces `imitator_offset`.
    pub imitator_score: Option<i64>,
    /// The file that remembers opponents, or empty for none.
    pub imitator_memory: String,
    /// Whether to play at the rating `elo`.
    pub limit_strength: bool,
    /// The rating to play at, on the scale `elo_scale`.
    pub elo: i64,
    /// The scale of all ratings.
    pub elo_scale: EloScale,
    /// The available profiles.
    pub profiles: Roster,
    /// The chosen profile, or `None` if no profile is used.
    pub profile: Option<Profile>,
    /// The competence in hundredths. `BEST_COMPETENCE` always chooses the best move.
    pub competence: i64,
    /// The curve, or `None` for the default one.
    pub curve: Option<Family>,
    /// The sensitivity in thousandths.
    pub sensitivity: Option<i64>,
    /// The consistency in thousandths.
    pub consistency: Option<i64>,
    /// The style of players with a human curve.
    pub style: Option<PlayingStyle>,
    /// Whether players with a human curve play worse when they are short of time.
    pub clock_effect: bool,
    /// The search depth in plies.
    pub depth: i64,
    /// Whether to play at human speed or instantly.
    pub(crate) pace: Pace,
    /// The seed. 0 means a new random seed in each game.
    pub seed: i64,
    /// Whether to report the probability of each move.
    pub explain: bool,
    /// The folders with Syzygy files, or empty for none.
    pub syzygy_path: String,
    /// Positions with more pieces than this are not looked up in Syzygy files.
    pub syzygy_probe_limit: i64,
    /// Whether a Syzygy win counts as a draw if the fifty-move rule prevents it.
    pub syzygy_fifty_moves: bool,
    /// The place where our own tablebases are stored: "auto", "off" or a folder.
    pub endgame_tables: String,
    /// The moves that the engine may choose from in order to exploit the opponent's likely errors.
    pub(crate) exploit: ExploitSetting,
    /// The opponent's rating. If it is `None`, the rating comes from the GUI or from the opponent's
    /// moves.
    pub exploit_elo: Option<i64>,
    /// The opponent's competence, in hundredths.
    pub exploit_competence: Option<i64>,
    /// The external engine that evaluates the moves, as a command line. Empty for our own engine.
    pub engine: String,
}

impl Settings {
    /// The file of the evaluation network. `None` if the built-in one is used.
    pub(crate) fn network(&self) -> Option<&Path> {
        (!self.network_file.is_empty()).then(|| Path::new(&self.network_file))
    }

    /// The sources of tablebases.
    pub(crate) fn table_sources(&self) -> Sources {
        Sources {
            syzygy: self.syzygy_path.clone(),
            probe_limit: self.syzygy_probe_limit.unsigned_abs() as usize,
            fifty_moves: self.syzygy_fifty_moves,
            own: TableFolder::of(&self.endgame_tables),
        }
    }
}

impl Default for Settings {
    /// The values before a file is read.
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
            analyse_as: None,
            compare_with: None,
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
            style: None,
            clock_effect: false,
            depth: i64::from(USUAL_DEPTH),
            pace: Pace::Auto,
            seed: 0,
            explain: false,
            syzygy_path: String::new(),
            syzygy_probe_limit: 7,
            syzygy_fifty_moves: true,
            endgame_tables: String::new(),
            exploit: ExploitSetting::Off,
            exploit_elo: None,
            exploit_competence: None,
            engine: String::new(),
        }
    }
}
