//! The table of all options, in the order in which option dialogs show them.
//!
//! A new option needs a row here, a field in [`Settings`] and a default in `engine.toml`. Options
//! for research are not announced to the GUI, but can be set by name.

use once_cell::sync::Lazy;

use super::option::{EngineOption, Kind};
use crate::config::settings::{BEST_COMPETENCE, ExploitSetting, Settings, StrengthSetting};
use crate::player::{MAX_HASH, NO_PROFILE, Pace, PlayingStyle, RATINGS, ScaleChoice};
use crate::policy::GameKind;
use crate::selector::Family;

const ABOUT: &str = concat!(
    "Stopdown ",
    env!("CARGO_PKG_VERSION"),
    ": plays at any human level and estimates ratings from moves. ",
    "Free software under GPL-3.0-or-later"
);

const STRENGTHS: [(&str, StrengthSetting); 6] = [
    ("Auto", StrengthSetting::Auto),
    ("Full", StrengthSetting::Full),
    ("Elo", StrengthSetting::Elo),
    ("Competence", StrengthSetting::Competence),
    ("Profile", StrengthSetting::Profile),
    ("Imitator", StrengthSetting::Imitator),
];

/// The curves that are announced to the GUI. Others are accepted too. With "Auto", the other
/// options determine the curve.
const CURVES: [(&str, Option<Family>); 8] = [
    ("Auto", None),
    ("Haworth", Some(Family::HAWORTH)),
    ("Levelled", Some(Family::LEVELLED)),
    ("Regan", Some(Family::REGAN)),
    ("Human", Some(Family::human(GameKind::Board))),
    ("Human-Rapid", Some(Family::human(GameKind::Rapid))),
    ("Human-Blitz", Some(Family::human(GameKind::Blitz))),
    ("Human-Bullet", Some(Family::human(GameKind::Bullet))),
];

const STYLES: [(&str, Option<PlayingStyle>); 5] = [
    ("None", None),
    ("Attacker", Some(PlayingStyle::Attacker)),
    ("Solid", Some(PlayingStyle::Solid)),
    ("Trader", Some(PlayingStyle::Trader)),
    ("Gambiteer", Some(PlayingStyle::Gambiteer)),
];

const PACES: [(&str, Pace); 3] =
    [("Auto", Pace::Auto), ("Instant", Pace::Instant), ("Human", Pace::Human)];

const EXPLOITS: [(&str, ExploitSetting); 3] =
    [("Off", ExploitSetting::Off), ("Equal", ExploitSetting::Equal), ("Any", ExploitSetting::Any)];

/// The old and the current name of each renamed option.
pub(super) const OLD_NAMES: [(&str, &str); 1] = [("Endgame Exploit", "Exploit")];

/// A row for an option that accepts one of the words in a table.
macro_rules! choice {
    ($name:literal, $table:ident, $field:ident) => {
        EngineOption::shown(
            $name,
            Kind::Choice {
                words: |_| $table.iter().map(|(word, _)| (*word).to_owned()).collect(),
                get: |s| word_of(&$table, &s.$field).unwrap_or_default().to_owned(),
                set: |s, text| take_word(&$table, text, &mut s.$field),
            },
        )
    };
}

/// All options, in display order.
pub static OPTIONS: Lazy<Vec<EngineOption>> = Lazy::new(all);

fn all() -> Vec<EngineOption> {
    let (lowest_elo, highest_elo) = RATINGS.into_inner();
    let mut options = vec![
        choice!("Strength", STRENGTHS, strength),
        check("UCI_LimitStrength", |s| &mut s.limit_strength),
        spin("UCI_Elo", lowest_elo, highest_elo, |s| &mut s.elo),
        EngineOption::shown("Elo Scale", ELO_SCALE),
        EngineOption::shown("Profile", PROFILE),
        choice!("Style", STYLES, style),
        check("Clock Effect", |s| &mut s.clock_effect),
        spin("Competence", -2000, BEST_COMPETENCE, |s| &mut s.competence),
        EngineOption::shown("Curve", CURVE),
        spin("Depth", 1, 60, |s| &mut s.depth),
        spin("Imitator Offset", -2000, 2000, |s| &mut s.imitator_offset),
        text("Imitator Memory", |s| &mut s.imitator_memory),
        choice!("Pace", PACES, pace),
        spin("Seed", 0, 2_147_483_647, |s| &mut s.seed),
        check("Explain", |s| &mut s.explain),
        text("Engine", |s| &mut s.engine),
        spin("Hash", 1, MAX_HASH as i64, |s| &mut s.hash),
        EngineOption::shown("Clear Hash", Kind::Button),
        spin("Threads", 1, 512, |s| &mut s.threads),
        check("Ponder", |s| &mut s.ponder),
        spin("MultiPV", 1, 256, |s| &mut s.lines),
        optional("Analyse As", lowest_elo, highest_elo, |s| &mut s.analyse_as),
        optional("Compare With", lowest_elo, highest_elo, |s| &mut s.compare_with),
        spin("Move Overhead", 0, 10_000, |s| &mut s.move_overhead),
        text("SyzygyPath", |s| &mut s.syzygy_path),
        check("Syzygy50MoveRule", |s| &mut s.syzygy_fifty_moves),
        text("Endgame Tables", |s| &mut s.endgame_tables),
        choice!("Exploit", EXPLOITS, exploit),
        optional("Exploit Elo", lowest_elo, highest_elo, |s| &mut s.exploit_elo),
        check("UCI_Chess960", |s| &mut s.chess960),
        check("UCI_AnalyseMode", |s| &mut s.analyse),
        check("UCI_ShowWDL", |s| &mut s.show_wdl),
        text("UCI_Opponent", |s| &mut s.opponent),
        EngineOption::shown("UCI_EngineAbout", Kind::Notice(ABOUT)),
    ];
    options.extend(
        [
            text("EvalFile", |s| &mut s.network_file),
            check("Imitator", |s| &mut s.imitator),
            optional("Imitator Score", 1, 99, |s| &mut s.imitator_score),
            optional("Sensitivity", 1, 100_000, |s| &mut s.sensitivity),
            optional("Consistency", 1, 100_000, |s| &mut s.consistency),
            spin("SyzygyProbeLimit", 0, 7, |s| &mut s.syzygy_probe_limit),
            optional("Exploit Competence", -2000, 30_000, |s| &mut s.exploit_competence),
        ]
        .map(|option| EngineOption { is_shown: false, ..option }),
    );
    options
}

/// The scale of `UCI_Elo` and of the opponents' ratings.
const ELO_SCALE: Kind = Kind::Choice {
    words: |_| ScaleChoice::all().map(|choice| choice.name().to_owned()).collect(),
    get: |s| s.elo_scale.name().to_owned(),
    set: |s, text| text.parse().map(|choice| s.elo_scale = choice).is_ok(),
};

const PROFILE: Kind = Kind::Choice {
    words: |s| {
        let names = s.profiles.iter().map(|profile| profile.name.clone());
        std::iter::once(NO_PROFILE.to_owned()).chain(names).collect()
    },
    get: |s| s.profile.as_ref().map_or(NO_PROFILE, |profile| &*profile.name).to_owned(),
    set: |s, text| {
        let found = s.profiles.get(text).cloned();
        let is_none = text.is_empty() || text.eq_ignore_ascii_case(NO_PROFILE);
        let is_known = is_none || found.is_ok();
        if is_known {
            s.profile = found.ok().filter(|_| !is_none);
        }
        is_known
    },
};

const CURVE: Kind = Kind::Choice {
    words: |_| CURVES.iter().map(|(word, _)| (*word).to_owned()).collect(),
    get: |s| {
        let name = || s.curve.map_or("Auto", Family::name);
        word_of(&CURVES, &s.curve).unwrap_or_else(name).to_owned()
    },
    set: |s, text| {
        let other = text.parse().map(|family| s.curve = Some(family));
        take_word(&CURVES, text, &mut s.curve) || other.is_ok()
    },
};

fn word_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> Option<&'static str> {
    table.iter().find(|(_, known)| known == value).map(|(word, _)| *word)
}

/// Sets the field to the value that belongs to a word, ignoring case. Returns false if the word is
/// not in the table.
fn take_word<T: Copy>(table: &[(&str, T)], text: &str, field: &mut T) -> bool {
    let found = table.iter().find(|(word, _)| word.eq_ignore_ascii_case(text));
    found.map(|(_, value)| *field = *value).is_some()
}

const fn check(name: &'static str, field: fn(&mut Settings) -> &mut bool) -> EngineOption {
    EngineOption::shown(name, Kind::Check(field))
}

const fn spin(
    name: &'static str,
    min: i64,
    max: i64,
    field: fn(&mut Settings) -> &mut i64,
) -> EngineOption {
    EngineOption::shown(name, Kind::Spin { min, max, field })
}

const fn optional(
    name: &'static str,
    min: i64,
    max: i64,
    field: fn(&mut Settings) -> &mut Option<i64>,
) -> EngineOption {
    EngineOption::shown(name, Kind::Optional { min, max, field })
}

const fn text(name: &'static str, field: fn(&mut Settings) -> &mut String) -> EngineOption {
    EngineOption::shown(name, Kind::Text(field))
}
