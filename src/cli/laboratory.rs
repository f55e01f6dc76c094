//! Directs users to `stopdown-lab`, the separate program for training, calibration and studies.

/// Commands of `stopdown-lab` that were once part of this program.
pub const LAB_COMMANDS: [&str; 8] = [
    "calibrate",
    "depth",
    "similarity",
    "tune",
    "endgame study",
    "endgame profile",
    "endgame compare",
    "endgame verify",
];

/// The message for users who enter one of these commands here.
pub fn redirection(words: &[String]) -> Option<String> {
    let typed = words.join(" ");
    let matches_words = |name: &&str| typed == **name || typed.starts_with(&format!("{name} "));
    let name = LAB_COMMANDS.into_iter().find(matches_words)?;
    Some(format!("{name} has moved to a separate program; use stopdown-lab {name}"))
}
