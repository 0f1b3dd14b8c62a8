//! Listening at TCP addresses where a crowd may come.

use std::io;
use std::net::{SocketAddr, TcpListener};

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
