//! The values of all options, and the player that they describe.
//!
//! The option `Strength` names the setting that determines the strength. If it is `Auto`, the choice
//! depends on the other options. Options that only this engine has take priority over
//! `UCI_LimitStrength`, because some GUIs set that option in every game. Otherwise these GUIs would
//! override a profile that the user has chosen.

use std::path::Path;

use crate::player::{
    Aim, Elo, EloScale, HumanAnalysis, Pace, PlayerSpec, PlayingStyle, Profile, Roster,
    ScaleChoice, Sources, TableFolder, TargetRating, USUAL_DEPTH, Who,
};
use crate::selector::{Competence, Family};
use crate::value::Depth;

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
    /// The rating to play at.
    pub elo: i64,
    /// The scale of all ratings, or a server whose scale depends on the time control.
    pub elo_scale: ScaleChoice,
    /// The available profiles.
    pub profiles: Roster,
    /// The names of the profiles that are in the file of the settings.
    pub(crate) own_profiles: Vec<String>,
    /// Whether the file was given by `--config`. Its profiles take precedence over opponents
    /// modelled on players' games.
    pub(crate) is_given: bool,
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

    /// All profiles, with these opponents modelled on players' games.
    pub(crate) fn profiles_with(&self, players: &Roster) -> Roster {
        let mut profiles = self.profiles.clone();
        let precedence: &[String] = if self.is_given { &self.own_profiles } else { &[] };
        profiles.extend(players.without(precedence));
        profiles
    }

    /// The scale of all ratings, for a game whose time control is not known.
    pub(crate) fn scale(&self) -> EloScale {
        self.elo_scale.scale(None)
    }

    /// The setting that determines the strength. It is never `Auto`.
    pub(crate) fn effective_strength(&self) -> StrengthSetting {
        match self.strength {
            StrengthSetting::Auto if self.imitator => StrengthSetting::Imitator,
            StrengthSetting::Auto if self.profile.is_some() => StrengthSetting::Profile,
            StrengthSetting::Auto if self.sets_competence() => StrengthSetting::Competence,
            StrengthSetting::Auto if self.limit_strength => StrengthSetting::Elo,
            StrengthSetting::Auto if self.depth != i64::from(USUAL_DEPTH) => {
                StrengthSetting::Competence
            }
            StrengthSetting::Auto => StrengthSetting::Full,
            set => set,
        }
    }

    /// Returns why a rating is not used even though `UCI_LimitStrength` is on, if that is so.
    pub(crate) fn why_elo_is_unused(&self) -> Option<String> {
        let effective = self.effective_strength();
        if !self.limit_strength || effective == StrengthSetting::Elo {
            return None;
        }
        if self.strength != StrengthSetting::Auto {
            return Some(format!("Strength is {:?}", self.strength));
        }
        let option = match effective {
            StrengthSetting::Competence if self.competence == BEST_COMPETENCE => {
                if self.sensitivity.is_some() { "Sensitivity" } else { "Consistency" }
            }
            StrengthSetting::Competence => "Competence",
            StrengthSetting::Imitator => "Imitator",
            _ => "Profile",
        };
        Some(format!("{option} is set"))
    }

    /// Whether `Depth` is the only option that weakens the engine.
    pub(crate) fn is_weakened_by_depth(&self) -> bool {
        self.strength == StrengthSetting::Auto
            && self.effective_strength() == StrengthSetting::Competence
            && !self.sets_competence()
    }

    /// Returns the style of the profile that is played, if the option `Style` replaces it.
    pub(crate) fn replaced_style(&self) -> Option<PlayingStyle> {
        let is_profile = self.effective_strength() == StrengthSetting::Profile;
        let own = self.profile.as_ref().filter(|_| is_profile)?.style();
        own.filter(|&own| self.style.is_some_and(|set| set != own))
    }

    /// Returns a competence that is set but not used, because the curve has other parameters.
    pub(crate) fn unused_competence(&self) -> Option<f64> {
        let player = self.player_without_style();
        let is_unused = self.effective_strength() == StrengthSetting::Competence
            && self.competence != BEST_COMPETENCE
            && player.competence.is_none();
        is_unused.then(|| self.competence as f64 / 100.0)
    }

    /// The player that these settings describe. The style is left out if the player does not have a
    /// human curve.
    pub(crate) fn player(&self) -> PlayerSpec {
        let clock_effect = (!self.clock_effect).then_some(false);
        let plain = PlayerSpec { clock_effect, ..self.player_without_style() };
        let styled = PlayerSpec { style: self.style, ..plain.clone() };
        if styled.player().is_ok() { styled } else { plain }
    }

    fn player_without_style(&self) -> PlayerSpec {
        let shared = PlayerSpec {
            scale: self.scale(),
            curve: self.curve,
            depth: self.set_depth(),
            ..PlayerSpec::default()
        };
        match self.effective_strength() {
            StrengthSetting::Auto | StrengthSetting::Full => PlayerSpec::default(),
            StrengthSetting::Imitator => PlayerSpec { imitator: Some(self.aim()), ..shared },
            StrengthSetting::Profile => {
                let depth = self.profile_depth_limit().unwrap_or(Depth::MAX);
                let profile = self.profile.clone().map(|profile| profile.limited_to(depth));
                PlayerSpec { profile, ..PlayerSpec::default() }
            }
            StrengthSetting::Elo => {
                let target = TargetRating::new(Elo(self.elo as f64), self.curve, self.scale());
                PlayerSpec { elo: Some(target.nearest()), ..shared }
            }
            StrengthSetting::Competence => self.with_competence(shared),
        }
    }

    /// The limit that the option `Depth` sets on the search of a profile, if it is below the profile's own depth.
    pub(crate) fn profile_depth_limit(&self) -> Option<Depth> {
        let is_profile = self.effective_strength() == StrengthSetting::Profile;
        let profile = self.profile.as_ref().filter(|_| is_profile)?;
        self.set_depth().filter(|&depth| depth < profile.depth())
    }

    /// The value of the option `Depth`, unless it is the default, with which a player searches to its usual depth.
    fn set_depth(&self) -> Option<Depth> {
        Depth::try_from(self.depth).ok().filter(|&depth| depth != USUAL_DEPTH)
    }

    /// Returns whether these settings weaken the engine.
    pub(crate) fn plays_below_full_strength(&self) -> bool {
        self.player().player().is_ok_and(|who| who != Who::FullStrength)
    }

    /// Returns the analysis of likely human moves that the settings ask for, if any.
    pub(crate) fn human_analysis(&self) -> Option<HumanAnalysis> {
        let curve = self.curve.filter(|family| family.pool().is_some());
        let target = |elo: i64| TargetRating::new(Elo(elo as f64), curve, self.scale());
        let (rating, compared) = (target(self.analyse_as?), self.compare_with.map(target));
        Some(HumanAnalysis { rating, compared })
    }

    /// Returns the second rating of an analysis if it has no effect, because the first one is not set.
    pub(crate) fn unused_comparison(&self) -> Option<i64> {
        self.compare_with.filter(|_| self.analyse_as.is_none())
    }

    /// Returns whether a competence other than the best or a parameter of Regan's curve is set.
    fn sets_competence(&self) -> bool {
        self.competence != BEST_COMPETENCE || self.sensitivity.or(self.consistency).is_some()
    }

    fn with_competence(&self, shared: PlayerSpec) -> PlayerSpec {
        let is_regan = |family: Family| family.pool().is_none() && !family.is_power_law();
        let has_regan_parameters = self.sensitivity.or(self.consistency).is_some();
        let default = match self.competence == BEST_COMPETENCE && has_regan_parameters {
            true => Family::REGAN,
            false => Family::LEVELLED,
        };
        let family = shared.curve.unwrap_or(default);
        let curve = Some(family);
        if is_regan(family) {
            let thousandths = |n: i64| n as f64 / 1000.0;
            let consistency =
                self.consistency.map(thousandths).and_then(|c| Competence::new(c).ok());
            let sensitivity = self.sensitivity.map(thousandths);
            return PlayerSpec { curve, sensitivity, consistency, ..shared };
        }
        let competence = match self.competence {
            BEST_COMPETENCE.. => Some(Competence::BEST),
            c => Competence::new(c as f64 / 100.0).ok(),
        };
        PlayerSpec { curve, competence, ..shared }
    }

    /// The level that an imitator aims for, relative to the opponent's level.
    fn aim(&self) -> Aim {
        let offset = Aim::above(self.imitator_offset as f64);
        self.imitator_score.map_or(offset, |score| Aim::Score(score as f64 / 100.0))
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
            elo_scale: ScaleChoice::default(),
            profiles: Roster::default(),
            own_profiles: Vec::new(),
            is_given: false,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{built_in_settings, find};

    /// Returns the setting that determines the strength once these options have been set.
    fn effective_strength(set: &[(&str, &str)]) -> StrengthSetting {
        after(set).effective_strength()
    }

    fn after(set: &[(&str, &str)]) -> Settings {
        let mut settings = built_in_settings();
        for (name, value) in set {
            let option = find(name).expect("there is such an option");
            option.apply(&mut settings, value).expect("it can be set");
        }
        settings
    }

    #[test]
    fn options_of_this_engine_override_common_uci_options() {
        let slider = ("UCI_LimitStrength", "true");
        for (set, expected) in [
            (&[][..], StrengthSetting::Full),
            (&[("UCI_Elo", "1800")], StrengthSetting::Full),
            (&[slider], StrengthSetting::Elo),
            (&[("Profile", "club"), slider], StrengthSetting::Profile),
            (&[("Competence", "700"), slider], StrengthSetting::Competence),
            (&[("Sensitivity", "100")], StrengthSetting::Competence),
            (&[("Depth", "3")], StrengthSetting::Competence),
            (&[("Depth", "3"), slider], StrengthSetting::Elo),
            (&[("Imitator", "true"), ("Profile", "club")], StrengthSetting::Imitator),
            (&[("Strength", "Elo"), ("Profile", "club")], StrengthSetting::Elo),
            (&[("Strength", "Full"), ("Profile", "club"), slider], StrengthSetting::Full),
            (&[("Strength", "Imitator")], StrengthSetting::Imitator),
        ] {
            assert_eq!(effective_strength(set), expected, "{set:?}");
        }
    }

    #[test]
    fn every_strength_setting_gives_a_player() {
        for strength in ["Full", "Elo", "Competence", "Profile", "Imitator"] {
            for curve in ["Auto", "Haworth", "Regan", "Human", "Human-Blitz"] {
                for scale in ScaleChoice::all().map(ScaleChoice::name) {
                    for elo in ["400", "3000"] {
                        let set = [
                            ("Strength", strength),
                            ("Curve", curve),
                            ("Elo Scale", scale),
                            ("UCI_Elo", elo),
                        ];
                        let who = after(&set).player().player();
                        assert!(who.is_ok(), "{set:?}: {who:?}");
                    }
                }
            }
        }
        let deep = after(&[("Depth", "3")]).player().player().expect("a player");
        let Who::Profile(deep) = deep else { panic!("below full strength") };
        let curve = deep.parts()[0].1.selector.curve;
        assert_eq!((curve.competence(), deep.depth()), (Competence::BEST, 3));
    }
}
