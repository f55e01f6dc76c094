//! The file format of networks: a text header, followed by the numbers.
//!
//! The header starts with a title that names the format. It is followed by lines of the form "name:
//! value", and by a hash of these lines and the numbers, so that any change to them is detected.
//! The rest of the header contains notes for readers. It is padded with zeros to a fixed length.

use crate::math::fingerprint;

/// A format of weights files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WeightsFile {
    /// The first line of the file.
    pub title: &'static str,
    /// The size of the header in bytes.
    pub text: usize,
    /// The names of the lines between the title and the hash.
    pub fields: &'static [&'static str],
}

/// Why a file was rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsFileError {
    /// The title of the file is not the expected one.
    #[error("not a network for this version of the program (the file does not start with \"{0}\")")]
    Title(&'static str),
    /// A line in the header is missing or wrong.
    #[error("the line \"{0}\" in the header is missing or invalid")]
    Header(&'static str),
    /// The file is too short or too long.
    #[error(
        "found {found} bytes of numeric data, expected {wanted}: the file is truncated or has extra bytes"
    )]
    Length {
        /// The length of the numbers, in bytes.
        found: usize,
        /// The length in bytes that the header requires.
        wanted: usize,
    },
    /// The contents do not match the hash.
    #[error("the hash does not match the contents: the file is corrupt")]
    Hash,
}

/// A file whose header has been read. Its numbers have not been checked yet.
#[derive(Debug)]
pub(crate) struct WeightsHeader<'f> {
    values: Vec<String>,
    hash: u64,
    hashed: String,
    numbers: &'f [u8],
}

impl WeightsFile {
    /// Returns the bytes of a file. Notes that are too long are truncated.
    pub fn write(&self, values: &[String], notes: &str, numbers: &[u8]) -> Vec<u8> {
        let hashed = self.hashed(values);
        let hash = hash_of(&hashed, numbers);
        let mut bytes = format!("{hashed}hash: {hash:016x}\n{notes}").into_bytes();
        bytes.truncate(self.text - 1);
        bytes.push(b'\n');
        bytes.resize(self.text, 0);
        bytes.extend(numbers);
        bytes
    }

    /// Reads and checks the header of a file.
    pub fn open<'f>(&self, bytes: &'f [u8]) -> Result<WeightsHeader<'f>, WeightsFileError> {
        let title = WeightsFileError::Title(self.title);
        let (text, numbers) = bytes.split_at_checked(self.text).ok_or(title.clone())?;
        let text = String::from_utf8_lossy(text);
        let mut lines = text.lines();
        if lines.next() != Some(self.title) {
            return Err(title);
        }
        let mut field = |name: &'static str| {
            let line = lines.next().and_then(|line| line.strip_prefix(name)?.strip_prefix(": "));
            line.map(str::to_owned).ok_or(WeightsFileError::Header(name))
        };
        let values = self.fields.iter().map(|name| field(name)).collect::<Result<Vec<_>, _>>()?;
        let hash = u64::from_str_radix(&field("hash")?, 16);
        let hash = hash.map_err(|_| WeightsFileError::Header("hash"))?;
        Ok(WeightsHeader { hashed: self.hashed(&values), values, hash, numbers })
    }

    /// The notes in a file.
    pub fn notes(&self, bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(bytes.get(..self.text).unwrap_or_default());
        let notes = text.trim_end_matches('\0').lines().skip(self.fields.len() + 2);
        notes.collect::<Vec<_>>().join("\n")
    }

    /// The part of the header that the hash covers.
    fn hashed(&self, values: &[String]) -> String {
        let fields = self.fields.iter().zip(values);
        let lines: String = fields.map(|(name, value)| format!("{name}: {value}\n")).collect();
        format!("{}\n{lines}", self.title)
    }
}

impl<'f> WeightsHeader<'f> {
    /// The values of the fields, in their order.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// The numbers, if they take `wanted` bytes and the hash matches.
    pub fn numbers(&self, wanted: usize) -> Result<&'f [u8], WeightsFileError> {
        let found = self.numbers.len();
        if found != wanted {
            return Err(WeightsFileError::Length { found, wanted });
        }
        let is_whole = hash_of(&self.hashed, self.numbers) == self.hash;
        if is_whole { Ok(self.numbers) } else { Err(WeightsFileError::Hash) }
    }
}

fn hash_of(hashed: &str, numbers: &[u8]) -> u64 {
    fingerprint(hashed.as_bytes().iter().chain(numbers))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: WeightsFile =
        WeightsFile { title: "numbers 1", text: 80, fields: &["size", "unit"] };

    fn read(bytes: &[u8]) -> Result<(Vec<String>, Vec<u8>), WeightsFileError> {
        let opened = FORMAT.open(bytes)?;
        Ok((opened.values().to_vec(), opened.numbers(3)?.to_vec()))
    }

    #[test]
    fn a_file_is_read_back_and_any_change_is_noticed() {
        let values = ["3", "7"].map(str::to_owned).to_vec();
        let bytes =
            FORMAT.write(&values, "by hand\nand long enough to be cut off somewhere", &[1, 2, 3]);
        assert_eq!(read(&bytes), Ok((values, vec![1, 2, 3])));
        assert!(FORMAT.notes(&bytes).starts_with("by hand\nand long"));
        let notes = bytes.windows(7).position(|part| part == b"by hand").expect("the notes");
        for place in (0..notes - 1).chain(FORMAT.text..bytes.len()) {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[place] ^= 1 << bit;
                // A hash in upper case is still the same hash.
                let same = changed.eq_ignore_ascii_case(&bytes);
                assert!(same || read(&changed).is_err(), "byte {place}, bit {bit}");
            }
        }
        let wrong = WeightsFileError::Length { found: 2, wanted: 3 };
        assert_eq!(read(&bytes[..bytes.len() - 1]), Err(wrong));
        assert_eq!(read(&bytes[..70]), Err(WeightsFileError::Title("numbers 1")));
    }
}
