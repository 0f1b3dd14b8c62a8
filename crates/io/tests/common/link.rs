//! A reader of a link without a graph, as strangers may write one.

use std::io::{Error, Read, Result, Write};
use std::net::TcpStream;

use superhet_io::link::{FrameKind, HEADER, Header, MOST_BODY, NONCE, Token};

/// Reads a frame.
fn read(stream: &mut TcpStream) -> Result<(Header, Vec<u8>)> {
    let mut header = [0; HEADER];
    stream.read_exact(&mut header)?;
    let header = Header::parse(&header).map_err(Error::other)?;
    let mut body = vec![0; header.body as usize];
    stream.read_exact(&mut body)?;
    Ok((header, body))
}

/// Says who it is, and is let in.
pub fn greet(stream: &mut TcpStream, item: u8, name: &str) -> Result<()> {
    let (_, challenge) = read(stream)?;
    let nonce = [7; NONCE];
    let (known, next) = (0u64.to_le_bytes(), u64::MAX.to_le_bytes());
    let said = [&known[..], &next, &[item]].concat();
    let parts: [&[u8]; 5] = [b"superhet link reader", &challenge, &nonce, &said, name.as_bytes()];
    let proof = Token::default().prove(&parts);
    let header = Header { item, first: u64::MAX, ..Header::new(FrameKind::Hello) };
    stream.write_all(&header.frame(&[&nonce[..], &proof, name.as_bytes()].concat()))?;
    match read(stream)?.0.kind {
        FrameKind::Welcome => Ok(()),
        kind => Err(Error::other(format!("{kind:?}"))),
    }
}

/// Takes a frame of the stream, and acknowledges it.
pub fn take_frame(stream: &mut TcpStream) -> Result<()> {
    let (header, _) = read(stream)?;
    let used =
        Header { stream: header.stream, first: header.end(), ..Header::new(FrameKind::Acknowledgement) };
    stream.write_all(&used.frame(&[]))
}

/// Frames that no reader sends, or that claim more than they have.
pub fn nonsense(random: u64) -> Vec<u8> {
    let kinds = [FrameKind::Items, FrameKind::Hello, FrameKind::Welcome, FrameKind::Farewell];
    let kind = kinds[random as usize % kinds.len()];
    let header = Header { stream: random, first: random >> 1, ..Header::new(kind) };
    match random % 3 {
        0 => header.frame(&[0; 200]),
        1 => [&Header { body: MOST_BODY as u32, ..header }.bytes()[..], &vec![0; 1 << 20]].concat(),
        _ => header.frame(b"")[..40].to_vec(),
    }
}
