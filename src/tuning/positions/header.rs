//! The first 512 bytes of a file of positions: text that says what made it.

use std::path::Path;

use crate::tuning::TuningError;

pub const HEADER: usize = 512;

const TITLE: &str = "stopdown positions 1";

/// What the maker of positions around those of games has in it.
pub const AROUND: &str = "walks around positions of";

/// What made the positions of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionsHeader {
    /// The engine and how it played: games of different makers go to different files.
    pub maker: String,
    /// The command line that began the file.
    pub command: String,
}

impl PositionsHeader {
    /// Lines, then zeros. A command line that is too long is cut.
    pub fn to_bytes(&self) -> [u8; HEADER] {
        let text = format!("{TITLE}\nmaker: {}\ncommand: {}", self.maker, self.command);
        let mut bytes = [0; HEADER];
        let length = text.len().min(HEADER - 1);
        bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
        bytes[length] = b'\n';
        bytes
    }

    /// Refuses what is no file of positions, or one of another version.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<PositionsHeader, TuningError> {
        let text = String::from_utf8_lossy(bytes);
        let mut lines = text.lines();
        if bytes.len() < HEADER || lines.next() != Some(TITLE) {
            return Err(TuningError::NotPositions(path.to_owned()));
        }
        let mut field = |name: &str| lines.next()?.strip_prefix(name).map(str::to_owned);
        let header =
            || Some(PositionsHeader { maker: field("maker: ")?, command: field("command: ")? });
        let mut header = header;
        header().ok_or_else(|| TuningError::NotPositions(path.to_owned()))
    }

    /// Is every game of the file what lies around the game of that number in another file?
    pub fn is_of_surroundings(&self) -> bool {
        self.maker.contains(AROUND)
    }

    /// Is this all that a killed writer has left of a header?
    pub fn is_torn(bytes: &[u8]) -> bool {
        let title = &TITLE.as_bytes()[..TITLE.len().min(bytes.len())];
        bytes.len() < HEADER && bytes.starts_with(title)
    }
}
