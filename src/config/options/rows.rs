//! The options, each declared once.
//!
//! A new option is a row here, its field in [`Settings`] and its default in `engine.toml`.

use once_cell::sync::Lazy;

use super::{Action, EngineOption, Kind};
use crate::config::settings::Settings;
use crate::player::{Dial, EloScale};

/// The competence that stands for none: below the least that can be set.
pub const NO_COMPETENCE: i64 = -2001;

const ABOUT: &str = concat!(
    "Stopdown ",
    env!("CARGO_PKG_VERSION"),
    ": every legal move valued, strength from random to its best. ",
    "Free software under GPL-3.0-or-later"
);

/// "Auto" leaves the choice of the curve to the other options.
const CURVES: [&str; 12] = [
    "Auto",
    "Haworth",
    "Levelled",
    "Regan",
    "Ipa",
    "Ipb",
    "Secha",
    "Sechb",
    "Human",
    "Human-Rapid",
    "Human-Blitz",
    "Human-Bullet",
];

/// Whose ratings `UCI_Elo` and those of opponents are.
const ELO_SCALES: [&str; 2] = [EloScale::Fide.name(), EloScale::Lichess.name()];

/// "Auto" leaves it to the profile.
const PACES: [&str; 3] = ["Auto", "Instant", "Human"];

/// Between which moves the opponent's likely errors decide, where tables are at hand.
const EXPLOITS: [&str; 3] = ["Off", "Equal", "Any"];

/// All options in the order in which they are shown.
pub static OPTIONS: Lazy<[EngineOption; 34]> = Lazy::new(all);

fn all() -> [EngineOption; 34] {
    let (lowest_elo, highest_elo) = Dial::hundreds().into_inner();
    [
        spin("Hash", 1, 1 << 20, |s| &mut s.hash),
        button("Clear Hash", Action::ClearHash),
        spin("Threads", 1, 512, |s| &mut s.threads),
        text("EvalFile", |s| &mut s.network_file),
        check("Ponder", |s| &mut s.ponder),
        spin("MultiPV", 1, 256, |s| &mut s.lines),
        spin("Move Overhead", 0, 10_000, |s| &mut s.move_overhead),
        check("UCI_Chess960", |s| &mut s.chess960),
        check("UCI_AnalyseMode", |s| &mut s.analyse),
        check("UCI_ShowWDL", |s| &mut s.show_wdl),
        text("UCI_Opponent", |s| &mut s.opponent),
        check("Imitator", |s| &mut s.imitator),
        spin("Imitator Offset", -2000, 2000, |s| &mut s.imitator_offset),
        spin("Imitator Score", 0, 99, |s| &mut s.imitator_score),
        text("Imitator Memory", |s| &mut s.imitator_memory),
        check("UCI_LimitStrength", |s| &mut s.limit_strength),
        spin("UCI_Elo", lowest_elo, highest_elo, |s| &mut s.elo),
        choice("Elo Scale", &ELO_SCALES, |s| &mut s.elo_scale),
        EngineOption { name: "Profile", kind: Kind::Profile(|s| &mut s.profile) },
        spin("Competence", NO_COMPETENCE, 30_000, |s| &mut s.competence),
        choice("Curve", &CURVES, |s| &mut s.curve),
        spin("Sensitivity", 0, 100_000, |s| &mut s.sensitivity),
        spin("Consistency", 0, 100_000, |s| &mut s.consistency),
        spin("Depth", 0, 60, |s| &mut s.depth),
        choice("Pace", &PACES, |s| &mut s.pace),
        spin("Seed", 0, 2_147_483_647, |s| &mut s.seed),
        check("Explain", |s| &mut s.explain),
        text("SyzygyPath", |s| &mut s.syzygy_path),
        spin("SyzygyProbeLimit", 0, 7, |s| &mut s.syzygy_probe_limit),
        check("Syzygy50MoveRule", |s| &mut s.syzygy_fifty_moves),
        text("Endgame Tables", |s| &mut s.endgame_tables),
        choice("Exploit", &EXPLOITS, |s| &mut s.exploit),
        spin("Exploit Competence", NO_COMPETENCE, 30_000, |s| &mut s.exploit_competence),
        EngineOption { name: "UCI_EngineAbout", kind: Kind::Notice(ABOUT) },
    ]
}

const fn check(name: &'static str, field: fn(&mut Settings) -> &mut bool) -> EngineOption {
    EngineOption { name, kind: Kind::Check(field) }
}

const fn spin(
    name: &'static str,
    min: i64,
    max: i64,
    field: fn(&mut Settings) -> &mut i64,
) -> EngineOption {
    EngineOption { name, kind: Kind::Spin { min, max, field } }
}

const fn choice(
    name: &'static str,
    words: &'static [&'static str],
    field: fn(&mut Settings) -> &mut String,
) -> EngineOption {
    EngineOption { name, kind: Kind::Choice { words, field } }
}

const fn text(name: &'static str, field: fn(&mut Settings) -> &mut String) -> EngineOption {
    EngineOption { name, kind: Kind::Text(field) }
}

const fn button(name: &'static str, action: Action) -> EngineOption {
    EngineOption { name, kind: Kind::Button(action) }
}
