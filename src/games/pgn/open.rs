//! Opens text files, plain or compressed.
//!
//! Large collections of games are distributed as gzip or Zstandard files. Both are recognised by
//! their first bytes, regardless of the name of the file.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

use crate::files::open_existing;

/// Opens a text file, decompresses gzip and Zstandard, and skips a byte order mark. `read` counts
/// the bytes read from the file, so that progress can be shown.
pub fn open_text(path: &Path, read: &Arc<AtomicU64>) -> io::Result<Box<dyn BufRead + Send>> {
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "this is a folder, not a file"));
    }
    let file = open_existing(path)?;
    let source = BufReader::with_capacity(1 << 16, file);
    unpacked(Counted { source, read: Arc::clone(read) })
}

/// Like [`open_text`], but the file is open only while it is being read, so that thousands of files do not exhaust the
/// limit on open files. An error is reported at once if the file cannot be read.
pub fn open_text_later(path: &Path, read: &Arc<AtomicU64>) -> io::Result<WaitingText> {
    drop(open_text(path, &Arc::default())?);
    let (path, read) = (path.to_owned(), Arc::clone(read));
    Ok(WaitingText { path, read, text: None, is_over: false })
}

/// The text of a file that is opened when it is first read and closed at its end.
pub struct WaitingText {
    path: PathBuf,
    read: Arc<AtomicU64>,
    text: Option<Box<dyn BufRead + Send>>,
    is_over: bool,
}

impl Read for WaitingText {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for WaitingText {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.text.is_none() && !self.is_over {
            self.text = Some(open_text(&self.path, &self.read)?);
        }
        if let Some(text) = &mut self.text
            && text.fill_buf()?.is_empty()
        {
            (self.text, self.is_over) = (None, true);
        }
        self.text.as_mut().map_or(Ok(&[]), |text| text.fill_buf())
    }

    fn consume(&mut self, count: usize) {
        self.text.iter_mut().for_each(|text| text.consume(count));
    }
}

/// Counts the bytes that are consumed.
struct Counted<R> {
    source: R,
    read: Arc<AtomicU64>,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.source.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.source.consume(count);
        self.read.fetch_add(count as u64, Ordering::Relaxed);
    }
}

/// Archives and compressed files that cannot be read, with their first bytes.
const UNREADABLE: [(&[u8], &str); 4] = [
    (b"PK\x03\x04", "a ZIP archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\xfd7zX", "an XZ file"),
    (b"BZh", "a bzip2 file"),
];

/// Reads up to four bytes ahead. A pipe may deliver fewer of them at once.
fn read_start(source: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    source.take(4).read_to_end(&mut start)?;
    Ok(start)
}

fn is_gzip(start: &[u8]) -> bool {
    start.starts_with(b"\x1f\x8b")
}

fn is_zstandard(start: &[u8]) -> bool {
    start.starts_with(FRAME) || start.first_chunk().is_some_and(is_skippable)
}

/// Returns whether a source is compressed or an archive.
pub(crate) fn is_packed(source: &mut impl Read) -> io::Result<bool> {
    let start = read_start(source)?;
    let is_unreadable = UNREADABLE.iter().any(|(bytes, _)| start.starts_with(bytes));
    Ok(is_unreadable || is_gzip(&start) || is_zstandard(&start))
}

/// Decompresses any source in the same way as [`open_text`].
pub fn unpacked(mut source: impl BufRead + Send + 'static) -> io::Result<Box<dyn BufRead + Send>> {
    let start = read_start(&mut source)?;
    if let Some((_, kind)) = UNREADABLE.iter().find(|(bytes, _)| start.starts_with(bytes)) {
        let error = format!("this is {kind}; unpack it first");
        return Err(io::Error::new(io::ErrorKind::InvalidData, error));
    }
    let (is_gzip, is_zstandard) = (is_gzip(&start), is_zstandard(&start));
    let source = Cursor::new(start).chain(source);
    let mut text: Box<dyn BufRead + Send> = if is_gzip {
        Box::new(BufReader::new(Gzip(MultiGzDecoder::new(source))))
    } else if is_zstandard {
        Box::new(BufReader::new(Frames { source: Some(source), frame: None }))
    } else {
        Box::new(source)
    };
    let mut start = read_start(&mut text)?;
    let is_utf_16 = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff");
    // UTF-16 without a byte order mark has a zero byte in every Latin letter.
    if is_utf_16 || start.contains(&0) {
        let kind = if is_utf_16 { "UTF-16" } else { "UTF-16 or binary" };
        let error = format!("the text is {kind}; save the file as UTF-8");
        return Err(io::Error::new(io::ErrorKind::InvalidData, error));
    }
    if start.starts_with(BYTE_ORDER_MARK.as_bytes()) {
        start.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(Box::new(Cursor::new(start).chain(text)))
}

/// The mark that some programs put at the start of UTF-8 text. It is not part of the text.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The text of a gzip file. Its errors say what to do about a corrupt file.
struct Gzip<R>(MultiGzDecoder<R>);

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput
            | io::ErrorKind::InvalidData
            | io::ErrorKind::UnexpectedEof => damaged(error),
            _ => error,
        })
    }
}

/// The first bytes of a Zstandard frame (RFC 8878, section 3.1.1).
const FRAME: &[u8; 4] = b"\x28\xb5\x2f\xfd";

/// Returns whether these bytes start a skippable frame, which contains no text (RFC 8878, section
/// 3.1.2). Parallel compressors write one before each ordinary frame.
fn is_skippable(&[first, ref rest @ ..]: &[u8; 4]) -> bool {
    first & 0xf0 == 0x50 && rest == b"\x2a\x4d\x18"
}

/// The text of all frames in a Zstandard file, in order.
struct Frames<R: Read> {
    source: Option<R>,
    frame: Option<ZstdFrame<R>>,
}

/// A frame that is being read. Its first bytes were read ahead and are put in front of the rest.
type ZstdFrame<R> = StreamingDecoder<Chain<Cursor<[u8; 4]>, R>, ruzstd::decoding::FrameDecoder>;

/// Opens the next frame with text, or returns `None` at the end of the file.
fn next_frame<R: Read>(mut source: R) -> io::Result<Option<ZstdFrame<R>>> {
    loop {
        let mut head = Vec::new();
        source.by_ref().take(4).read_to_end(&mut head)?;
        if head.is_empty() {
            return Ok(None);
        }
        let head: [u8; 4] = head.try_into().map_err(damaged)?;
        if !is_skippable(&head) {
            let source = Cursor::new(head).chain(source);
            return StreamingDecoder::new(source).map(Some).map_err(damaged);
        }
        let mut length = [0; 4];
        source.read_exact(&mut length).map_err(damaged)?;
        let length = u64::from(u32::from_le_bytes(length));
        if io::copy(&mut source.by_ref().take(length), &mut io::sink())? < length {
            return Err(damaged(()));
        }
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(source) = self.source.take() {
                self.frame = next_frame(source)?;
            }
            let Some(frame) = &mut self.frame else { return Ok(0) };
            let count = frame.read(buffer).map_err(damaged)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            self.source = self.frame.take().map(|frame| frame.into_inner().into_inner().1);
        }
    }
}

fn damaged<E>(_: E) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "the compressed file is corrupt or incomplete; download or copy it again",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &'static [u8]) -> io::Result<String> {
        let mut text = String::new();
        unpacked(bytes)?.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn zstandard_frames_are_joined_and_skippable_frames_skipped() {
        // Frames with one raw block each, with and without skippable frames.
        let frame = |text: &str| {
            let length = text.len() as u8;
            let head = [0x28, 0xb5, 0x2f, 0xfd, 0x20, length, 1 + 8 * length, 0, 0];
            [&head[..], text.as_bytes()].concat()
        };
        let skipped = |first: u8| vec![first, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, b'x', b'y', b'z'];
        let (one, two) = (frame("1. e4"), frame(" e5"));
        for packed in [
            [&one[..], &two].concat(),
            [&skipped(0x50)[..], &one, &skipped(0x5f), &two, &skipped(0x50)].concat(),
        ] {
            let cut = packed[..packed.len() - 1].to_vec();
            let read = |bytes: Vec<u8>| {
                let mut text = String::new();
                unpacked(Cursor::new(bytes))?.read_to_string(&mut text).map(|_| text)
            };
            assert_eq!(read(packed).expect("a text"), "1. e4 e5");
            assert!(read(cut).expect_err("incomplete").to_string().contains("incomplete"));
        }
    }

    #[test]
    fn a_truncated_gzip_file_is_reported_as_incomplete() {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        io::Write::write_all(&mut packer, b"1. e4 e5 2. Nf3 Nc6").expect("there is memory");
        let packed = packer.finish().expect("there is memory");
        for length in [12, packed.len() - 9, packed.len() - 1] {
            let read = || {
                let mut text = String::new();
                unpacked(Cursor::new(packed[..length].to_vec()))?.read_to_string(&mut text)
            };
            assert_eq!(read().expect_err("incomplete").to_string(), damaged(()).to_string());
        }
    }

    #[test]
    fn a_byte_order_mark_is_skipped_and_utf_16_refused() {
        assert_eq!(text(b"\xef\xbb\xbf1. e4").expect("a text"), "1. e4");
        assert_eq!(text(b"1. e4").expect("a text"), "1. e4");
        assert_eq!(text(b"").expect("a text"), "");
        for start in [&b"\xff\xfe[\0E\0"[..], b"\xfe\xff\0[", b"[\0E\0", b"\0[\0E"] {
            assert!(text(start).expect_err("not read").to_string().contains("UTF-16"));
        }
    }

    #[test]
    fn archives_that_cannot_be_read_are_named() {
        for (start, name) in [
            (&b"PK\x03\x04..."[..], "ZIP"),
            (b"\xfd7zXZ\0...", "XZ"),
            (b"BZh91AY", "bzip2"),
            (b"7z\xbc\xaf\x27\x1c", "7z"),
        ] {
            let error = text(start).expect_err(name).to_string();
            assert!(error.contains(name) && error.contains("unpack it first"), "{error}");
        }
    }

    #[test]
    fn the_kind_of_a_text_is_found_even_if_it_arrives_byte_by_byte() {
        struct Drip(Cursor<Vec<u8>>);
        impl Read for Drip {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let most = buffer.len().min(1);
                self.0.read(&mut buffer[..most])
            }
        }
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        io::Write::write_all(&mut packer, b"1. e4 e5").expect("there is memory");
        let gzip = packer.finish().expect("there is memory");
        let zstandard = ruzstd::encoding::compress_to_vec(
            &b"1. e4 e5"[..],
            ruzstd::encoding::CompressionLevel::Fastest,
        );
        for bytes in [gzip, zstandard, b"\xef\xbb\xbf1. e4 e5".to_vec(), b"1. e4 e5".to_vec()] {
            let mut text = String::new();
            let drip = BufReader::with_capacity(1, Drip(Cursor::new(bytes)));
            unpacked(drip).and_then(|mut source| source.read_to_string(&mut text)).expect("a text");
            assert_eq!(text, "1. e4 e5");
        }
        let drip = BufReader::with_capacity(1, Drip(Cursor::new(b"PK\x03\x04".to_vec())));
        assert!(unpacked(drip).is_err());
    }
}
