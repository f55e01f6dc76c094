//! Opening text files, packed or not.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

/// A file's text, unpacked if it begins as gzip or Zstandard files do, without the mark that some
/// programs put before it. What has been taken from the file is counted in `read`.
pub fn open_text(path: &Path, read: &Arc<AtomicU64>) -> io::Result<Box<dyn BufRead + Send>> {
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder, not a file"));
    }
    let source = BufReader::with_capacity(1 << 16, File::open(path)?);
    unpacked(Counted { source, read: Arc::clone(read) })
}

/// Counts the bytes that are used.
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

/// The same of any source.
pub fn unpacked(mut source: impl BufRead + Send + 'static) -> io::Result<Box<dyn BufRead + Send>> {
    let start = source.fill_buf()?;
    let mut text: Box<dyn BufRead + Send> = if start.starts_with(b"\x1f\x8b") {
        Box::new(BufReader::new(MultiGzDecoder::new(source)))
    } else if start.starts_with(FRAME) || start.first_chunk().is_some_and(is_skippable) {
        Box::new(BufReader::new(Frames { source: Some(source), frame: None }))
    } else {
        Box::new(source)
    };
    let start = text.fill_buf()?;
    if start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") {
        let error = "the text is UTF-16; save it as UTF-8";
        return Err(io::Error::new(io::ErrorKind::InvalidData, error));
    }
    if start.starts_with(BYTE_ORDER_MARK.as_bytes()) {
        text.consume(BYTE_ORDER_MARK.len());
    }
    Ok(text)
}

/// Says that a text is UTF-8; nothing of it.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// How a frame of a Zstandard file begins (RFC 8878).
const FRAME: &[u8; 4] = b"\x28\xb5\x2f\xfd";

/// Does a frame begin so that holds no text? Parallel packers put one before every other.
fn is_skippable(&[first, ref rest @ ..]: &[u8; 4]) -> bool {
    first & 0xf0 == 0x50 && rest == b"\x2a\x4d\x18"
}

/// All frames of a Zstandard file, one after the other.
struct Frames<R: Read> {
    source: Option<R>,
    frame: Option<ZstdFrame<R>>,
}

/// A frame being read; its first bytes have been looked at.
type ZstdFrame<R> = StreamingDecoder<Chain<Cursor<[u8; 4]>, R>, ruzstd::decoding::FrameDecoder>;

/// The frame that begins here, if there is one.
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
    io::Error::new(io::ErrorKind::InvalidData, "the packed text is damaged or cut off")
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
    fn frames_of_zstandard_are_one_text_and_those_without_any_are_stepped_over() {
        // Frames of one raw block each, with and without the frame that tells a length.
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
            assert!(read(cut).expect_err("a part").to_string().contains("cut off"));
        }
    }

    #[test]
    fn a_mark_is_stepped_over_and_another_encoding_is_named() {
        assert_eq!(text(b"\xef\xbb\xbf1. e4").expect("a text"), "1. e4");
        assert_eq!(text(b"1. e4").expect("a text"), "1. e4");
        assert_eq!(text(b"").expect("a text"), "");
        for start in [&b"\xff\xfe[\0E\0"[..], b"\xfe\xff\0["] {
            assert!(text(start).expect_err("not read").to_string().contains("UTF-16"));
        }
    }
}
