//! Opening PGN files, packed or not.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

/// A file's text, unpacked if it begins as gzip or Zstandard files do. What has been taken from the
/// file is counted in `read`.
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
    if start.starts_with(b"\x1f\x8b") {
        return Ok(Box::new(BufReader::new(MultiGzDecoder::new(source))));
    }
    if start.starts_with(b"\x28\xb5\x2f\xfd") {
        return Ok(Box::new(BufReader::new(Frames { source: Some(source), frame: None })));
    }
    Ok(Box::new(source))
}

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
