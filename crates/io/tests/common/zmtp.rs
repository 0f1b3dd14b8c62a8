//! Peers of ZeroMQ by hand.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// The greeting of version 3.0, and READY of a socket of that type.
pub fn hello(socket_type: &str) -> Vec<u8> {
    let mut bytes = b"\xff\0\0\0\0\0\0\0\x01\x7f\x03\0NULL".to_vec();
    bytes.resize(64, 0);
    bytes.extend([4, 22 + socket_type.len() as u8]);
    bytes.extend(b"\x05READY\x0bSocket-Type\0\0\0");
    bytes.push(socket_type.len() as u8);
    bytes.extend(socket_type.as_bytes());
    bytes
}

/// The bytes of a part.
pub fn frame(body: &[u8], more: bool) -> Vec<u8> {
    let mut bytes = vec![2 | u8::from(more)];
    bytes.extend((body.len() as u64).to_be_bytes());
    bytes.extend(body);
    bytes
}

/// The body of the next frame, and whether more of the message follow.
pub fn read_frame(stream: &mut TcpStream) -> io::Result<(Vec<u8>, bool)> {
    let mut flags = [0];
    stream.read_exact(&mut flags)?;
    let mut length = [0; 8];
    let is_long = flags[0] & 2 != 0;
    stream.read_exact(if is_long { &mut length } else { &mut length[7..] })?;
    let length = u64::from_be_bytes(length) as usize;
    if length > 1 << 27 {
        return Err(ErrorKind::InvalidData.into());
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok((body, flags[0] & 1 != 0))
}

/// A peer of that type after the handshake; a SUB has subscribed to everything.
pub fn connect(address: SocketAddr, socket_type: &str, timeout: Duration) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect_timeout(&address, timeout)?;
    stream.set_read_timeout(Some(timeout))?;
    stream.set_write_timeout(Some(timeout))?;
    stream.set_nodelay(true)?;
    stream.write_all(&hello(socket_type))?;
    stream.read_exact(&mut [0; 64])?;
    read_frame(&mut stream)?;
    if socket_type == "SUB" {
        stream.write_all(b"\x00\x01\x01")?;
    }
    Ok(stream)
}
