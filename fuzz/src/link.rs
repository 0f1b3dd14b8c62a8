//! Frames of links, with tags, items and messages in them.

use superhet::io::fuzzing::link;
use superhet::io::link::{FrameKind, Header};

use crate::draw::Draw;
use crate::{assert_harmless, memory};

/// Parts of one byte are lists of their own; what is read is put into words.
const TIMES: usize = 256;
/// Tags and messages have a budget of their own, whatever a frame has.
const KINDS: [FrameKind; 5] =
    [FrameKind::Items, FrameKind::Messages, FrameKind::End, FrameKind::Refusal, FrameKind::Notice];

/// What a sink sends is read the same wherever it is cut. Half of the inputs are the body of a frame whose checksums are right, as no
/// mutation makes them.
pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    let (item_bytes, is_body, step) = (1 + draw.below(8), draw.once_in(2), 1 + draw.below(40));
    let bytes = if is_body {
        let kind = KINDS[draw.below(KINDS.len())];
        let (count, tags) = (draw.below(1 << 12), draw.below(1 << 8));
        let body = draw.rest();
        let header = Header { count: count as u32, tags: tags.min(body.len()) as u32, ..Header::new(kind) };
        header.frame(body)
    } else {
        draw.rest().to_vec()
    };
    let whole = memory::within(&bytes, TIMES, || link(item_bytes, [&bytes[..]]));
    let cut = link(item_bytes, bytes.chunks(step));
    assert_eq!(whole, cut, "cut into pieces of {step} bytes");
    if let Some(breach) = whole.1 {
        assert_harmless(&breach);
    }
}
