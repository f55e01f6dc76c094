//! The header of a file of positions: who made them, and how.

use std::path::Path;

use crate::tune::TuningError;

pub const HEADER: usize = 512;

const TITLE: &str = "stopdown positions 1";

/// The text in the `maker` field of a file of walks around the positions of another file.
pub const AROUND: &str = "walks around positions of";

/// The origin of the positions in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionsHeader {
    /// The engine and its settings. Positions made with different engines or settings go into different files.
    pub maker: String,
    /// The command line that created the file.
    pub command: String,
}

impl PositionsHeader {
    /// Lines of text, padded with zeros. A command line that is too long is truncated.
    pub fn to_bytes(&self) -> [u8; HEADER] {
        let text = format!("{TITLE}\nmaker: {}\ncommand: {}", self.maker, self.command);
        let mut bytes = [0; HEADER];
        let length = text.len().min(HEADER - 1);
        bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
        bytes[length] = b'\n';
        bytes
    }

    /// Whether the header has room for the whole description of the maker.
    pub fn has_room(&self) -> bool {
        let read = PositionsHeader::from_bytes(&self.to_bytes(), Path::new(""));
        read.is_ok_and(|read| read.maker == self.maker)
    }

    /// Parses a header. Rejects files of another kind or version.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<PositionsHeader, TuningError> {
        let text = String::from_utf8_lossy(bytes);
        let mut lines = text.lines();
        if bytes.len() < HEADER || lines.next() != Some(TITLE) {
            return Err(TuningError::NotPositions(path.to_owned()));
        }
        let mut field = |name: &str| lines.next()?.strip_prefix(name).map(str::to_owned);
        let mut header =
            || Some(PositionsHeader { maker: field("maker: ")?, command: field("command: ")? });
        header().ok_or_else(|| TuningError::NotPositions(path.to_owned()))
    }

    /// Whether this file was derived from another: each game contains positions a few moves away from those of the
    /// game with the same number there.
    pub fn is_of_surroundings(&self) -> bool {
        self.maker.contains(AROUND)
    }

    /// Whether the bytes are an incomplete header, left by a writer that was killed.
    pub fn is_torn(bytes: &[u8]) -> bool {
        let title = &TITLE.as_bytes()[..TITLE.len().min(bytes.len())];
        bytes.len() < HEADER && bytes.starts_with(title)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_command_is_cut_and_a_long_maker_does_not_fit() {
        let has_room = |maker: usize, command: usize| {
            PositionsHeader { maker: "m".repeat(maker), command: "c".repeat(command) }.has_room()
        };
        assert!(has_room(400, 0) && has_room(400, 1000));
        assert!(!has_room(490, 0) && !has_room(1000, 0));
    }
}
