//! Redirects commands for training, calibration and studies to the separate program `stopdown-lab`, the laboratory.

/// The laboratory's commands that used to be part of this program.
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

/// The message for users who type a command of the laboratory here.
pub fn redirection(words: &[String]) -> Option<String> {
    let typed = words.join(" ");
    let matches_words = |name: &&str| typed == **name || typed.starts_with(&format!("{name} "));
    let name = LAB_COMMANDS.into_iter().find(matches_words)?;
    Some(format!("{name} has moved to a separate program; use stopdown-lab {name}"))
}
