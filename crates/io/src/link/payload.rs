//! Items with their tags, and messages, as the bytes of a frame.

use superhet_runtime::clock::{Moment, StreamClock};
use superhet_runtime::{Tag, Value, error::PmtError, packet::AnyPacket};

use super::frame::{HEADER, Header};
use crate::blocks::zmq::tags;

/// Memory that the tags or the messages of one frame may take, in bytes.
pub const MOST_DECODED: usize = 1 << 24;
/// Tags that a frame may have for each of its items, and besides: they take memory until the items are used.
const TAGS_PER_ITEM: u64 = 4;
const MOST_BESIDES: u64 = 256;

/// Puts a frame together: the header, whose length and checksum are filled in, tags and items.
pub(crate) fn frame(header: &mut Header, mut memory: Vec<u8>, tags: &[u8], items: &[u8]) -> Vec<u8> {
    memory.reserve(HEADER.saturating_add(tags.len()).saturating_add(items.len()));
    memory.extend_from_slice(&[0; HEADER]);
    memory.extend_from_slice(tags);
    memory.extend_from_slice(items);
    let body = memory.get(HEADER..).unwrap_or_default();
    header.body = u32::try_from(body.len()).unwrap_or(u32::MAX);
    header.tags = u32::try_from(tags.len()).unwrap_or(u32::MAX);
    header.checksum = crc32fast::hash(body);
    if let Some(place) = memory.first_chunk_mut() {
        *place = header.bytes();
    }
    memory
}

/// The tags of a frame as bytes: none where there is none, else as [`tags`] has them.
pub(crate) fn tags_to_bytes(first: u64, found: &[Tag]) -> Result<Vec<u8>, PmtError> {
    if found.is_empty() { Ok(Vec::new()) } else { tags::header(first, found, 1) }
}

/// What is known of the first item of a frame.
pub(crate) fn say_clock(header: &mut Header, clock: &StreamClock, index: u64) {
    header.rate_hz = clock.rate_hz().unwrap_or(0.0);
    header.center_hz = clock.frequency_hz().unwrap_or(f64::NAN);
    header.time_ns = clock.time_of(index).and_then(to_ns).unwrap_or(i64::MIN);
}

/// What a header says of its first item, as tags.
pub(crate) fn said(header: &Header) -> Vec<(&'static str, Value)> {
    let rate =
        (header.rate_hz.is_finite() && header.rate_hz > 0.0).then(|| ("rx_rate", header.rate_hz.into()));
    let center = header.center_hz.is_finite().then(|| ("rx_freq", header.center_hz.into()));
    let time = (header.time_ns != i64::MIN).then(|| ("rx_time", from_ns(header.time_ns).into()));
    [rate, center, time].into_iter().flatten().collect()
}

fn to_ns(moment: Moment) -> Option<i64> {
    let fraction = (moment.fraction * 1e9).round() as i64;
    moment.seconds.checked_mul(1_000_000_000)?.checked_add(fraction)
}

fn from_ns(ns: i64) -> Moment {
    let fraction = ns.rem_euclid(1_000_000_000) as f64 / 1e9;
    Moment { seconds: ns.div_euclid(1_000_000_000), fraction }
}

/// The tags of a frame of items, whose indices count from its first item. They are the first [`Header::tags`] bytes of its body; the
/// items are the rest, as many as the header says.
pub(crate) fn read_tags(header: &Header, tags: &[u8], item_bytes: usize) -> Result<Vec<Tag>, String> {
    let (count, start) = (u64::from(header.count), header.tags as usize);
    let expected = (header.count as usize).saturating_mul(item_bytes);
    let bytes = (header.body as usize).saturating_sub(start);
    if bytes != expected || count == 0 {
        return Err(format!("a frame has {bytes} bytes of items, expected {expected} for {count} items"));
    }
    if start == 0 {
        return Ok(Vec::new());
    }
    let (found, used) = tags::read_header(tags, MOST_DECODED)?;
    if used != start {
        return Err(format!("a frame has {start} bytes of tags, of which {used} are used"));
    }
    if let Some(tag) = found.iter().find(|tag| tag.index >= count) {
        return Err(format!("a tag is at item {} of a frame, which has {count}", tag.index));
    }
    let most = count.saturating_mul(TAGS_PER_ITEM).saturating_add(MOST_BESIDES);
    if found.len() as u64 > most {
        return Err(format!("a frame has {} tags on {count} items, expected at most {most}", found.len()));
    }
    Ok(found)
}

/// The messages of a frame, PMTs one behind the other, and the memory that they take.
///
/// # Errors
/// What is wrong with the frame.
pub fn read_messages(header: &Header, body: &[u8]) -> Result<(Vec<Value>, usize), String> {
    let (mut rest, mut left) = (body, MOST_DECODED);
    let mut messages = Vec::new();
    for _ in 0..header.count {
        // Each takes a byte or more, so that a header that lies ends here.
        let read = Value::from_pmt_prefix_within(rest, &mut left);
        let (message, used) = read.map_err(|error| format!("a message is no PMT: {error}"))?;
        rest = rest.get(used..).unwrap_or_default();
        messages.push(AnyPacket::try_from(message.clone()).map_or(message, Value::Packet));
    }
    if !rest.is_empty() || header.tags != 0 {
        return Err(format!("{} bytes follow the {} messages of a frame", rest.len(), header.count));
    }
    Ok((messages, MOST_DECODED.saturating_sub(left)))
}

#[cfg(test)]
mod tests {
    use super::super::frame::{FrameKind, Frames};
    use super::*;

    fn tag(index: u64, key: &str, value: Value) -> Tag {
        Tag { index, key: key.into(), value, source: "radio".into() }
    }

    #[test]
    fn items_and_tags_are_read_as_they_were_written() {
        let found = [tag(102, "a", 7.into()), tag(104, "b", Value::map([("x", 1.5)]))];
        let mut header = Header { first: 100, count: 5, ..Header::new(FrameKind::Items) };
        let bytes = tags_to_bytes(100, &found).unwrap();
        let items: Vec<u8> = (0..20).collect();
        let bytes = frame(&mut header, Vec::new(), &bytes, &items);
        let mut frames = Frames::new(100);
        frames.feed(&bytes);
        let (header, body) = frames.next().unwrap().unwrap();
        let body = frames.bytes(body);
        let (tags, rest) = body.split_at(header.tags as usize);
        assert_eq!(rest, items);
        assert_eq!(
            read_tags(&header, tags, 4).unwrap(),
            [tag(2, "a", 7.into()), tag(4, "b", Value::map([("x", 1.5)]))]
        );
        assert!(read_tags(&header, tags, 8).unwrap_err().contains("20 bytes of items, expected 40"));
        let late = Header { count: 4, body: header.body - 4, ..header };
        assert!(read_tags(&late, tags, 4).unwrap_err().contains("at item 4"));
    }

    #[test]
    fn a_frame_cannot_have_tags_without_measure() {
        let many: Vec<Tag> = (0..261).map(|n| tag(0, "k", n.into())).collect();
        let mut header = Header { count: 1, ..Header::new(FrameKind::Items) };
        let bytes = tags_to_bytes(0, &many).unwrap();
        let bytes = frame(&mut header, Vec::new(), &bytes, &[1]);
        let tags = &bytes[HEADER..HEADER + header.tags as usize];
        let problem = read_tags(&header, tags, 1).unwrap_err();
        assert_eq!(problem, "a frame has 261 tags on 1 items, expected at most 260");
    }

    #[test]
    fn messages_are_read_as_they_were_written() {
        let messages =
            [Value::map([("icao", Value::from("3c6481")), ("altitude", 37_000u64.into())]), 5.into()];
        let body: Vec<u8> = messages.iter().flat_map(|message| message.to_pmt().unwrap()).collect();
        let header = Header { count: 2, ..Header::new(FrameKind::Messages) };
        assert_eq!(read_messages(&header, &body).unwrap().0, messages);
        let header = Header { count: 3, ..header };
        assert!(read_messages(&header, &body).unwrap_err().contains("is no PMT"));
        let header = Header { count: 1, ..header };
        assert_eq!(read_messages(&header, &body).unwrap_err(), "5 bytes follow the 1 messages of a frame");
    }

    #[test]
    fn a_header_says_what_a_clock_knows() {
        let mut clock = StreamClock::new();
        let mut header = Header::new(FrameKind::Items);
        say_clock(&mut header, &clock, 0);
        assert!(said(&header).is_empty());
        clock.note(&tag(0, "rx_rate", 2e6.into()));
        clock.note(&tag(0, "rx_freq", 1090e6.into()));
        clock.note(&tag(0, "rx_time", Value::Tuple([Value::Int(-3), 0.25.into()].into())));
        say_clock(&mut header, &clock, 1_000_000);
        let time = Value::Tuple([Value::Int(-3), 0.75.into()].into());
        assert_eq!(said(&header), [("rx_rate", 2e6.into()), ("rx_freq", 1090e6.into()), ("rx_time", time)]);
    }
}
