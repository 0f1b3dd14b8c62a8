//! The connection of a link: over the network, or to a process of the same machine that can be handed a file.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketAddrUnix, SocketFlags, SocketType, recvmsg, sendmsg,
};

use crate::tls::Wire;

/// A connection; never waits.
#[derive(Debug)]
pub(crate) enum Line {
    Net(Wire),
    Local(Local),
}

/// A connection to a process of the same machine.
#[derive(Debug)]
pub(crate) struct Local {
    socket: UnixStream,
    /// What goes with the next bytes.
    given: Option<OwnedFd>,
    /// What has come with any, where it is wanted.
    got: Option<OwnedFd>,
    is_wanted: bool,
}

impl Local {
    /// Of one who has connected.
    pub fn accepted(socket: UnixStream) -> Self {
        Local { socket, given: None, got: None, is_wanted: false }
    }

    /// Connects to a sink, of which it wants a file.
    pub fn connect(path: &Path) -> io::Result<Self> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        rustix::net::connect(&socket, &SocketAddrUnix::new(path)?)?;
        Ok(Local { socket: socket.into(), given: None, got: None, is_wanted: true })
    }
}

impl Line {
    /// Hands a file over with the next bytes.
    pub fn hand_over(&mut self, file: OwnedFd) {
        if let Line::Local(local) = self {
            local.given = Some(file);
        }
    }

    /// The file that was handed over.
    pub fn take_file(&mut self) -> Option<OwnedFd> {
        match self {
            Line::Net(_) => None,
            Line::Local(local) => local.got.take(),
        }
    }

    /// Whether something that was written waits for the socket to take it.
    pub fn wants_write(&self) -> bool {
        match self {
            Line::Net(wire) => wire.wants_write(),
            Line::Local(_) => false,
        }
    }

    /// Tells the other side that nothing more comes.
    pub fn close(&mut self) {
        if let Line::Net(wire) = self {
            wire.close();
        }
    }
}

impl AsFd for Line {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Line::Net(wire) => wire.socket().as_fd(),
            Line::Local(local) => local.socket.as_fd(),
        }
    }
}

impl Read for Line {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Line::Net(wire) => wire.read(bytes),
            // The system closes what comes with bytes that are read so.
            Line::Local(local) if !local.is_wanted => local.socket.read(bytes),
            Line::Local(local) => {
                let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
                let mut control = RecvAncillaryBuffer::new(&mut space);
                let mut parts = [IoSliceMut::new(bytes)];
                let read = recvmsg(&local.socket, &mut parts, &mut control, RecvFlags::CMSG_CLOEXEC)?;
                for message in control.drain() {
                    if let RecvAncillaryMessage::ScmRights(mut files) = message {
                        local.got = files.next();
                        local.is_wanted = false;
                    }
                }
                Ok(read.bytes)
            }
        }
    }
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Line::Net(wire) => wire.write_vectored(slices),
            Line::Local(local) => {
                let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
                let mut control = SendAncillaryBuffer::new(&mut space);
                let files: Vec<BorrowedFd<'_>> = local.given.iter().map(AsFd::as_fd).collect();
                if !files.is_empty() {
                    control.push(SendAncillaryMessage::ScmRights(&files));
                }
                // A peer that has gone is an error here, and no signal.
                let sent = sendmsg(&local.socket, slices, &mut control, SendFlags::NOSIGNAL)?;
                if sent > 0 {
                    local.given = None;
                }
                Ok(sent)
            }
        }
    }

    /// Sends what waits; `WouldBlock` where the socket does not take all of it.
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Line::Net(wire) => wire.flush(),
            Line::Local(_) => Ok(()),
        }
    }
}
