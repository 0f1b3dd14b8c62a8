//! Pipes and devices: read and written without ever waiting for long.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// How long one look at a pipe takes at most. Twenty looks a second cost nothing and keep a stop well below 1 s.
pub(super) const TIMEOUT: Duration = Duration::from_millis(50);

/// The least room that a pipe has when `poll` calls it writable. So many bytes can be written without waiting even
/// where the pipe is not ours to be made non-blocking, as stdout is not.
const PIPE_BYTES: usize = 4096;

/// A pipe or a device, or stdin or stdout where that is one.
#[derive(Debug)]
pub(super) struct Waiting {
    /// To be opened when it is first used; `None` for stdin and stdout.
    path: Option<PathBuf>,
    file: Option<File>,
}

impl Waiting {
    /// The pipe or device at `path`, to be opened when it is first used.
    pub fn at(path: &Path) -> Self {
        Waiting { path: Some(path.to_owned()), file: None }
    }

    /// One that is open already and shared with other processes.
    pub fn shared(file: File) -> Self {
        Waiting { path: None, file: Some(file) }
    }

    /// Reads what has come, waiting at most [`TIMEOUT`] for anything; 0 is the end, `None` is nothing yet.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let Some(mut file) = self.ready(OFlags::RDONLY, PollFlags::IN)? else { return Ok(None) };
        not_yet(file.read(buffer))
    }

    /// Writes what fits, waiting at most [`TIMEOUT`] for any room and for a reader; `None` is nothing yet.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<Option<usize>> {
        let most = if self.path.is_some() { bytes.len() } else { bytes.len().min(PIPE_BYTES) };
        let Some(mut file) = self.ready(OFlags::WRONLY, PollFlags::OUT)? else { return Ok(None) };
        not_yet(file.write(&bytes[..most]))
    }

    /// The file, if it can be used without waiting.
    fn ready(&mut self, mode: OFlags, wanted: PollFlags) -> io::Result<Option<&File>> {
        if let (None, Some(path)) = (&self.file, &self.path) {
            match rustix::fs::open(path, mode | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()) {
                Ok(fd) => self.file = Some(fd.into()),
                // A pipe that nobody reads yet.
                Err(Errno::NXIO) if mode == OFlags::WRONLY => {
                    std::thread::sleep(TIMEOUT);
                    return Ok(None);
                }
                Err(error) => return Err(error.into()),
            }
        }
        let Some(file) = &self.file else { return Ok(None) };
        let mut look = [PollFd::from_borrowed_fd(file.as_fd(), wanted)];
        let timeout = Timespec { tv_sec: 0, tv_nsec: TIMEOUT.subsec_nanos().into() };
        match poll(&mut look, Some(&timeout)) {
            Ok(0) | Err(Errno::INTR) => Ok(None),
            Ok(_) => Ok(Some(file)),
            Err(error) => Err(error.into()),
        }
    }
}

/// Takes "not now" for `None`.
fn not_yet(result: io::Result<usize>) -> io::Result<Option<usize>> {
    match result {
        Ok(n) => Ok(Some(n)),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A descriptor of this process for stdin or stdout.
pub(super) fn own(stream: impl AsFd) -> io::Result<File> {
    let fd: OwnedFd = stream.as_fd().try_clone_to_owned()?;
    Ok(fd.into())
}
