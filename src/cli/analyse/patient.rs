//! A command that writes files too is not done when its reader leaves.

use std::io::{self, Write};

/// Goes on when its reader has left, for there may be files to write; and says so in the end.
pub struct Patient<'a> {
    pub out: &'a mut dyn Write,
    pub gone: Option<io::Error>,
}

impl Write for Patient<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.endure(|out| out.write_all(bytes)).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.endure(|out| out.flush())
    }
}

impl Patient<'_> {
    fn endure(&mut self, say: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        if self.gone.is_some() {
            return Ok(());
        }
        match say(self.out) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.gone = Some(error),
            said => return said,
        }
        Ok(())
    }
}
