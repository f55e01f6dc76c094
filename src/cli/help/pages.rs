//! The pages of the manual, in the order in which they are listed.

/// A page, and the commands that it says more of.
#[derive(Debug)]
pub struct HelpPage {
    pub name: &'static str,
    /// Markdown.
    pub text: &'static str,
    commands: &'static [&'static str],
}

macro_rules! pages {
    ($($name:literal: $commands:expr,)*) => {
        &[$(HelpPage {
            name: $name,
            text: include_str!(concat!("../../manual/", $name, ".md")),
            commands: &$commands,
        }),*]
    };
}

pub const PAGES: &[HelpPage] = pages! {
    "options": [],
    "profiles": ["profile", "choose", "play"],
    "levels": ["play", "rate"],
    "people": ["choose", "rate"],
    "browser": ["web"],
    "imitator": ["play"],
    "endgames": ["endgame"],
    "analyse": ["rate", "profile"],
    "assistance": ["analyse"],
    "matches": ["match", "ladder"],
    "engines": ["proxy"],
    "formats": ["evaluate", "store"],
    "repeatability": ["evaluate", "bench", "perft"],
    "calibration": [],
    "figures": ["bench"],
    "cluster": ["analyse", "report"],
    "papers": ["endgame"],
};

pub fn page(name: &str) -> Option<&'static HelpPage> {
    PAGES.iter().find(|page| page.name.eq_ignore_ascii_case(name))
}

/// The names of the pages that say more of a command.
pub fn pages_of(command: &str) -> impl Iterator<Item = &'static str> {
    PAGES.iter().filter(move |page| page.commands.contains(&command)).map(|page| page.name)
}
