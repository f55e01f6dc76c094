//! Opening text files, packed or not.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
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
    } else if start.starts_with(b"\x28\xb5\x2f\xfd") {
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

/// All frames of a Zstandard file, one after the other.
struct Frames<R: BufRead> {
    source: Option<R>,
    frame: Option<StreamingDecoder<R, ruzstd::decoding::FrameDecoder>>,
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(mut source) = self.source.take() {
                if source.fill_buf()?.is_empty() {
                    return Ok(0);
                }
                self.frame = Some(StreamingDecoder::new(source).map_err(damaged)?);
            }
            let Some(frame) = &mut self.frame else { return Ok(0) };
            let count = frame.read(buffer).map_err(damaged)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            self.source = self.frame.take().map(StreamingDecoder::into_inner);
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
    fn a_mark_is_stepped_over_and_another_encoding_is_named() {
        assert_eq!(text(b"\xef\xbb\xbf1. e4").expect("a text"), "1. e4");
        assert_eq!(text(b"1. e4").expect("a text"), "1. e4");
        assert_eq!(text(b"").expect("a text"), "");
        for start in [&b"\xff\xfe[\0E\0"[..], b"\xfe\xff\0["] {
            assert!(text(start).expect_err("not read").to_string().contains("UTF-16"));
        }
    }
}
