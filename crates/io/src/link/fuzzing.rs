//! Doors for the fuzz targets, see [`crate::fuzzing`].

use super::frame::{FrameKind, Frames};
use super::payload::{read_messages, read_tags};
use super::shared::Notice;

/// What a reader makes of the bytes of a sink, wherever they are cut: each frame in words, and the breach that ends them.
pub fn link<'a>(
    item_bytes: usize,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<String>, Option<String>) {
    let (mut frames, mut heard) = (Frames::new(1 << 10), Vec::new());
    for piece in pieces {
        frames.feed(piece);
        loop {
            let (header, body) = match frames.next() {
                Ok(Some(frame)) => frame,
                Ok(None) => break,
                Err(breach) => return (heard, Some(breach.to_string())),
            };
            let body = frames.bytes(body);
            let payload = match header.kind {
                FrameKind::Items => {
                    let tags = body.get(..header.tags as usize).unwrap_or_default();
                    read_tags(&header, tags, item_bytes.max(1)).map(|read| format!("{read:?}"))
                }
                FrameKind::Notice => Ok(format!("{:?}", Notice::parse(body))),
                FrameKind::Messages => read_messages(&header, body).map(|read| format!("{read:?}")),
                _ => Ok(format!("{body:?}")),
            };
            match payload {
                Ok(payload) => heard.push(format!("{header:?}: {payload}")),
                Err(problem) => return (heard, Some(problem)),
            }
        }
    }
    (heard, None)
}
