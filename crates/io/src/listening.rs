//! Listening at TCP addresses where a crowd may come, and at Unix sockets.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};

/// How many peers may wait to be taken, where the system allows as many. The standard library has 128: one more of a crowd,
/// and everybody's next attempt comes a second later.
const BACKLOG: i32 = 4096;

/// Listens at the first of the addresses where that is possible; taking a peer never waits.
pub(crate) fn listen(addresses: &[SocketAddr]) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(addresses)?;
    rustix::net::listen(&listener, BACKLOG)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Listens at a Unix socket, whose file goes with it; taking a peer never waits.
#[derive(Debug)]
pub(crate) struct LocalListener {
    listener: UnixListener,
    path: PathBuf,
    /// The device and the number of the file.
    file: (u64, u64),
}

impl LocalListener {
    /// Listens there. A socket at which nobody listens any more, as one that was killed leaves it, is replaced.
    pub fn at(path: &Path) -> io::Result<Self> {
        let _turn = turn(path);
        let listener = match UnixListener::bind(path) {
            Err(error) if error.kind() == ErrorKind::AddrInUse && is_left_over(path) => {
                std::fs::remove_file(path)?;
                UnixListener::bind(path)?
            }
            result => result?,
        };
        rustix::net::listen(&listener, BACKLOG)?;
        listener.set_nonblocking(true)?;
        Ok(LocalListener { listener, path: path.to_owned(), file: number_of(path)? })
    }

    pub fn accept(&self) -> io::Result<UnixStream> {
        let (stream, _) = self.listener.accept()?;
        stream.set_nonblocking(true)?;
        Ok(stream)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl AsFd for LocalListener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}

impl Drop for LocalListener {
    fn drop(&mut self) {
        let _turn = turn(&self.path);
        // What somebody else has put there stays.
        if number_of(&self.path).is_ok_and(|file| file == self.file) {
            // The next one would have to ask whether anybody listens.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn number_of(path: &Path) -> io::Result<(u64, u64)> {
    std::fs::symlink_metadata(path).map(|meta| (meta.dev(), meta.ino()))
}

/// How often, and how long after each other, a turn is asked for: anybody may have a public folder's lock, for as long as they like.
const ATTEMPTS: usize = 20;
const PAUSE: Duration = Duration::from_millis(10);

/// Of two that find the same socket left over, the second one would remove what the first one has put there. So they take turns, by a
/// lock on the folder, until what this gives is dropped.
fn turn(path: &Path) -> Option<File> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = File::open(folder).ok()?;
    for _ in 0..ATTEMPTS {
        if flock(&folder, FlockOperation::NonBlockingLockExclusive).is_ok() {
            return Some(folder);
        }
        std::thread::sleep(PAUSE);
    }
    None
}

/// Whether a Unix socket lies there at which nobody listens.
fn is_left_over(path: &Path) -> bool {
    let is_socket = std::fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_socket());
    let refused = |error: io::Error| error.kind() == ErrorKind::ConnectionRefused;
    is_socket && UnixStream::connect(path).is_err_and(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_that_was_left_is_replaced_one_in_use_is_not_and_another_file_never() {
        let folder = std::env::temp_dir().join(format!("superhet-listening-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("socket");
        // Dropping this one of the standard library leaves its file.
        drop(UnixListener::bind(&path).unwrap());
        let listener = LocalListener::at(&path).unwrap();
        assert_eq!(LocalListener::at(&path).unwrap_err().kind(), ErrorKind::AddrInUse);
        drop(listener);
        assert!(!path.exists());
        std::fs::write(&path, "no socket").unwrap();
        assert_eq!(LocalListener::at(&path).unwrap_err().kind(), ErrorKind::AddrInUse);
        assert_eq!(std::fs::read(&path).unwrap(), b"no socket");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_another_one_has_put_there_stays() {
        let folder = std::env::temp_dir().join(format!("superhet-listening-other-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("socket");
        let first = LocalListener::at(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let second = LocalListener::at(&path).unwrap();
        drop(first);
        assert!(UnixStream::connect(&path).is_ok());
        drop(second);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn of_many_that_find_one_left_over_one_listens() {
        let folder = std::env::temp_dir().join(format!("superhet-listening-race-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("socket");
        for _ in 0..20 {
            drop(UnixListener::bind(&path).unwrap());
            let found: Vec<_> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| LocalListener::at(&path))).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert_eq!(found.iter().filter(|listener| listener.is_ok()).count(), 1, "{found:?}");
            assert!(UnixStream::connect(&path).is_ok());
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
