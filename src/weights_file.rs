//! The file format of networks: a text header, followed by the numbers.
//!
//! The header starts with a title, which names the format. Lines of "name: value" follow, and then a hash of these lines and
//! the numbers, so that no change goes unnoticed. The rest of the header is notes for readers, padded with zeros to a fixed
//! length.

use crate::math::fingerprint;

/// A format of such files.
#[derive(Clone, Copy, Debug)]
pub struct WeightsFile {
    pub title: &'static str,
    /// The size of the header in bytes.
    pub text: usize,
    /// The names of the lines between the title and the hash.
    pub fields: &'static [&'static str],
}

/// Why a file was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsMistake {
    #[error("not a network for this version of the program (the file does not start with \"{0}\")")]
    Title(&'static str),
    #[error("the line \"{0}\" of the header is missing or invalid")]
    Header(&'static str),
    #[error(
        "{found} bytes of numbers instead of {wanted}: the file is truncated or has extra bytes"
    )]
    Length { found: usize, wanted: usize },
    #[error("the hash does not match the contents: the file is damaged")]
    Hash,
}

/// A file whose header has been read. Its numbers have not been checked yet.
#[derive(Debug)]
pub struct Opened<'f> {
    values: Vec<String>,
    hash: u64,
    hashed: String,
    numbers: &'f [u8],
}

impl WeightsFile {
    /// Returns the bytes of a file. Notes that are too long are cut.
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

    pub fn open<'f>(&self, bytes: &'f [u8]) -> Result<Opened<'f>, WeightsMistake> {
        let title = WeightsMistake::Title(self.title);
        let (text, numbers) = bytes.split_at_checked(self.text).ok_or(title.clone())?;
        let text = String::from_utf8_lossy(text);
        let mut lines = text.lines();
        if lines.next() != Some(self.title) {
            return Err(title);
        }
        let mut field = |name: &'static str| {
            let line = lines.next().and_then(|line| line.strip_prefix(name)?.strip_prefix(": "));
            line.map(str::to_owned).ok_or(WeightsMistake::Header(name))
        };
        let values = self.fields.iter().map(|name| field(name)).collect::<Result<Vec<_>, _>>()?;
        let hash = u64::from_str_radix(&field("hash")?, 16);
        let hash = hash.map_err(|_| WeightsMistake::Header("hash"))?;
        Ok(Opened { hashed: self.hashed(&values), values, hash, numbers })
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

impl<'f> Opened<'f> {
    /// The values of the fields, in their order.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// The numbers, if there are this many bytes and the hash matches.
    pub fn numbers(&self, wanted: usize) -> Result<&'f [u8], WeightsMistake> {
        let found = self.numbers.len();
        if found != wanted {
            return Err(WeightsMistake::Length { found, wanted });
        }
        let is_whole = hash_of(&self.hashed, self.numbers) == self.hash;
        if is_whole { Ok(self.numbers) } else { Err(WeightsMistake::Hash) }
    }
}

fn hash_of(hashed: &str, numbers: &[u8]) -> u64 {
    fingerprint(hashed.as_bytes().iter().chain(numbers))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: WeightsFile =
        WeightsFile { title: "numbers 1", text: 80, fields: &["size", "unit"] };

    fn read(bytes: &[u8]) -> Result<(Vec<String>, Vec<u8>), WeightsMistake> {
        let opened = FORM.open(bytes)?;
        Ok((opened.values().to_vec(), opened.numbers(3)?.to_vec()))
    }

    #[test]
    fn a_file_is_read_back_and_any_change_is_noticed() {
        let values = ["3", "7"].map(str::to_owned).to_vec();
        let bytes =
            FORM.write(&values, "by hand\nand long enough to be cut off somewhere", &[1, 2, 3]);
        assert_eq!(read(&bytes), Ok((values, vec![1, 2, 3])));
        assert!(FORM.notes(&bytes).starts_with("by hand\nand long"));
        let notes = bytes.windows(7).position(|part| part == b"by hand").expect("the notes");
        for place in (0..notes - 1).chain(FORM.text..bytes.len()) {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[place] ^= 1 << bit;
                // A hash in upper case is the same hash.
                let same = changed.eq_ignore_ascii_case(&bytes);
                assert!(same || read(&changed).is_err(), "byte {place}, bit {bit}");
            }
        }
        let wrong = WeightsMistake::Length { found: 2, wanted: 3 };
        assert_eq!(read(&bytes[..bytes.len() - 1]), Err(wrong));
        assert_eq!(read(&bytes[..70]), Err(WeightsMistake::Title("numbers 1")));
    }
}
