//! Sends users of the laboratory's commands to its own program, `stopdown-lab`.

/// The commands of the laboratory that were in this program before.
pub const LABORATORY: [&str; 8] = [
    "calibrate",
    "depth",
    "similarity",
    "tune",
    "endgame study",
    "endgame profile",
    "endgame compare",
    "endgame verify",
];

/// The sentence for a user who types a command of the laboratory here.
pub fn redirection(words: &[String]) -> Option<String> {
    let typed = words.join(" ");
    let is_meant = |name: &&str| typed == **name || typed.starts_with(&format!("{name} "));
    let name = LABORATORY.into_iter().find(is_meant)?;
    Some(format!("{name} is a command of the laboratory now: use stopdown-lab {name}"))
}
