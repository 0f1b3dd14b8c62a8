//! Frames as bytes: a header, tags, and items or messages.

use std::ops::Range;

/// Bytes of a header.
pub const HEADER: usize = 80;
/// The most bytes of tags in a frame.
pub const MOST_TAGS: usize = 1 << 20;
/// The most bytes of items in a frame.
pub const MOST_ITEMS: usize = 1 << 20;
/// The most bytes behind a header: one long message.
pub const MOST_BODY: usize = 1 << 23;
/// The most bytes behind the header of a frame that belongs to the handshake, and of one that a reader sends.
pub const MOST_WORDS: usize = 1 << 10;

const MAGIC: [u8; 4] = *b"SHL1";
/// Where the checksum of the header stands, which counts the bytes before it.
const CHECKED: usize = HEADER - 4;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// A sink greets whoever has connected.
    Challenge,
    /// A reader says who it is, and from where on it wants the stream.
    Hello,
    /// The sink lets the reader in.
    Welcome,
    /// The sink does not let the reader in: the body says why.
    Refusal,
    /// Items, with their tags before them.
    Items,
    /// Messages, as PMTs.
    Messages,
    /// The reader has used what lies before an index.
    Acknowledgement,
    /// The reader leaves for good.
    Farewell,
    /// The stream ends at an index.
    End,
    /// Items or messages that lie in memory which both sides share: the body says where.
    Notice,
}

impl FrameKind {
    const ALL: [FrameKind; 10] = [
        FrameKind::Challenge,
        FrameKind::Hello,
        FrameKind::Welcome,
        FrameKind::Refusal,
        FrameKind::Items,
        FrameKind::Messages,
        FrameKind::Acknowledgement,
        FrameKind::Farewell,
        FrameKind::End,
        FrameKind::Notice,
    ];

    fn code(self) -> u8 {
        1 + self as u8
    }

    fn of(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code).checked_sub(1)?).copied()
    }

    fn most_body(self) -> usize {
        match self {
            FrameKind::Items | FrameKind::Messages => MOST_BODY,
            _ => MOST_WORDS,
        }
    }
}

/// What stands before the bytes of a frame.
///
/// | bytes | field | |
/// |---|---|---|
/// | 4 | `SHL1` | the version of the format |
/// | 1 | [`kind`](Self::kind) | 1 to 10, in the order of [`FrameKind`] |
/// | 1 | [`item`](Self::item) | the type of the items, see [`item_code`](super::item_code); 0 of messages |
/// | 2 | | 0 |
/// | 4 | [`body`](Self::body) | bytes behind the header |
/// | 4 | [`tags`](Self::tags) | how many of them are tags |
/// | 8 | [`stream`](Self::stream) | the stream: a random number that a sink draws when it starts |
/// | 8 | [`sequence`](Self::sequence) | the number of the frame in its stream |
/// | 8 | [`first`](Self::first) | the index of its first item or message |
/// | 4 | [`count`](Self::count) | how many items or messages it has |
/// | 4 | [`checksum`](Self::checksum) | CRC-32 of the body |
/// | 8 | [`rate_hz`](Self::rate_hz) | items a second at the first item; 0 where it is not known |
/// | 8 | [`center_hz`](Self::center_hz) | the centre frequency; NaN where it is not known |
/// | 8 | [`time_ns`](Self::time_ns) | when it was taken, in ns since 1970-01-01 UTC; −2⁶³ where it is not known |
/// | 4 | | 0 |
/// | 4 | | CRC-32 of the 76 bytes before |
///
/// All numbers are little-endian. The checksum is that of IEEE 802.3.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the table says it")]
pub struct Header {
    pub kind: FrameKind,
    pub item: u8,
    pub body: u32,
    pub tags: u32,
    pub stream: u64,
    pub sequence: u64,
    pub first: u64,
    pub count: u32,
    pub checksum: u32,
    pub rate_hz: f64,
    pub center_hz: f64,
    pub time_ns: i64,
}

impl Header {
    /// One of this kind, in which nothing else is known.
    pub fn new(kind: FrameKind) -> Self {
        Header {
            kind,
            item: 0,
            body: 0,
            tags: 0,
            stream: 0,
            sequence: 0,
            first: 0,
            count: 0,
            checksum: 0,
            rate_hz: 0.0,
            center_hz: f64::NAN,
            time_ns: i64::MIN,
        }
    }

    /// The header as bytes.
    pub fn bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        let mut at = 0usize;
        let mut put = |field: &[u8]| {
            let end = at.saturating_add(field.len());
            if let Some(place) = bytes.get_mut(at..end) {
                place.copy_from_slice(field);
            }
            at = end;
        };
        put(&MAGIC);
        put(&[self.kind.code(), self.item, 0, 0]);
        put(&self.body.to_le_bytes());
        put(&self.tags.to_le_bytes());
        put(&self.stream.to_le_bytes());
        put(&self.sequence.to_le_bytes());
        put(&self.first.to_le_bytes());
        put(&self.count.to_le_bytes());
        put(&self.checksum.to_le_bytes());
        put(&self.rate_hz.to_le_bytes());
        put(&self.center_hz.to_le_bytes());
        put(&self.time_ns.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[..CHECKED]);
        bytes[CHECKED..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads a header.
    ///
    /// # Errors
    /// [`Breach`], where the bytes are none.
    pub fn parse(bytes: &[u8; HEADER]) -> Result<Self, Breach> {
        let (magic, rest) = bytes.split_first_chunk::<4>().ok_or(Breach::Checksum("header"))?;
        if *magic != MAGIC {
            return Err(Breach::Magic(*magic));
        }
        if crc32fast::hash(&bytes[..CHECKED]).to_le_bytes() != bytes[CHECKED..] {
            return Err(Breach::Checksum("header"));
        }
        let mut fields = Fields(rest);
        let [code, item, 0, 0] = fields.take() else { return Err(Breach::Reserved) };
        let kind = FrameKind::of(code).ok_or(Breach::Kind(code))?;
        let header = Header {
            kind,
            item,
            body: u32::from_le_bytes(fields.take()),
            tags: u32::from_le_bytes(fields.take()),
            stream: u64::from_le_bytes(fields.take()),
            sequence: u64::from_le_bytes(fields.take()),
            first: u64::from_le_bytes(fields.take()),
            count: u32::from_le_bytes(fields.take()),
            checksum: u32::from_le_bytes(fields.take()),
            rate_hz: f64::from_le_bytes(fields.take()),
            center_hz: f64::from_le_bytes(fields.take()),
            time_ns: i64::from_le_bytes(fields.take()),
        };
        if fields.take::<4>() != [0; 4] {
            return Err(Breach::Reserved);
        }
        if header.body_bytes() > kind.most_body() {
            return Err(Breach::TooLong { bytes: header.body, most: kind.most_body() });
        }
        if header.tags > header.body || header.tags as usize > MOST_TAGS {
            return Err(Breach::Tags { tags: header.tags, body: header.body });
        }
        if header.first.checked_add(header.count.into()).is_none() {
            return Err(Breach::Index(header.first));
        }
        Ok(header)
    }

    /// The index behind its last item or message.
    pub fn end(&self) -> u64 {
        self.first.saturating_add(self.count.into())
    }

    fn body_bytes(&self) -> usize {
        self.body as usize
    }

    /// The frame with this header and body, whose length and checksum are filled in.
    pub fn frame(mut self, body: &[u8]) -> Vec<u8> {
        self.body = u32::try_from(body.len()).unwrap_or(u32::MAX);
        self.checksum = crc32fast::hash(body);
        [&self.bytes()[..], body].concat()
    }
}

/// Fields that follow each other; zeros where nothing is left.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let Some((field, rest)) = self.0.split_first_chunk::<N>() else { return [0; N] };
        self.0 = rest;
        *field
    }
}

/// How bytes are no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the sentences say it")]
#[non_exhaustive]
pub enum Breach {
    #[error("it begins with \"{}\", expected a frame, \"SHL1\"", .0.escape_ascii())]
    Magic([u8; 4]),
    #[error("the checksum of a {0} is wrong")]
    Checksum(&'static str),
    #[error("bytes that are 0 in this version are not")]
    Reserved,
    #[error("there is no frame of kind {0}")]
    Kind(u8),
    #[error("a frame has {bytes} bytes, expected at most {most}")]
    TooLong { bytes: u32, most: usize },
    #[error("a frame has {tags} bytes of tags in {body}, expected at most {MOST_TAGS}")]
    Tags { tags: u32, body: u32 },
    #[error("a frame begins at index {0}, and ends beyond all indices")]
    Index(u64),
}

/// Frames out of bytes that come in pieces.
///
/// ```
/// use superhet_io::link::{FrameKind, Frames, Header};
///
/// let bytes = Header::new(FrameKind::Refusal).frame(b"no");
/// let mut frames = Frames::new(1 << 16);
/// for piece in bytes.chunks(7) {
///     frames.feed(piece);
/// }
/// let (header, body) = frames.next()?.expect("the frame is whole");
/// assert_eq!((header.kind, &frames.bytes(body)[..]), (FrameKind::Refusal, &b"no"[..]));
/// # Ok::<(), superhet_io::link::Breach>(())
/// ```
#[derive(Debug)]
pub struct Frames {
    bytes: Vec<u8>,
    filled: Range<usize>,
    /// The header of the next frame, once it was read.
    header: Option<Header>,
    /// How many bytes are asked for at once.
    at_once: usize,
    most_body: usize,
}

impl Frames {
    /// For a stream of which so many bytes are read at once. Memory grows with what has come, not with what headers claim.
    pub fn new(at_once: usize) -> Self {
        Frames { bytes: Vec::new(), filled: 0..0, header: None, at_once, most_body: MOST_BODY }
    }

    /// The same, of peers that send no frame with more than so many bytes behind its header.
    pub fn of_words(at_once: usize) -> Self {
        Frames { most_body: MOST_WORDS, ..Frames::new(at_once) }
    }

    /// Where to read to.
    pub fn room(&mut self) -> &mut [u8] {
        let wanted = self.filled.end.saturating_add(self.at_once);
        if wanted > self.bytes.len() {
            self.bytes.copy_within(self.filled.clone(), 0);
            self.filled = 0..self.filled.len();
            let wanted = self.filled.end.saturating_add(self.at_once);
            if wanted > self.bytes.len() {
                // With room for several reads, the rest of a frame is moved to the front less often.
                self.bytes.resize(wanted.saturating_add(3 * self.at_once), 0);
            }
        }
        self.bytes.get_mut(self.filled.end..).unwrap_or_default()
    }

    /// Says that so many bytes were read to the room.
    pub fn filled(&mut self, n: usize) {
        self.filled.end = self.filled.end.saturating_add(n).min(self.bytes.len());
    }

    /// Takes bytes.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = self.room();
            let n = room.len().min(bytes.len());
            room[..n].copy_from_slice(&bytes[..n]);
            self.filled(n);
            bytes = &bytes[n..];
        }
    }

    /// The next frame, if it is whole: its header, and where its body lies until something is read again. Its checksum is right.
    ///
    /// # Errors
    /// [`Breach`], after which nothing more can be read.
    #[expect(clippy::should_implement_trait, reason = "it is called again when more has come")]
    pub fn next(&mut self) -> Result<Option<(Header, Range<usize>)>, Breach> {
        let header = match self.header {
            Some(header) => header,
            None => {
                let rest = self.bytes.get(self.filled.clone()).unwrap_or_default();
                let Some((bytes, _)) = rest.split_first_chunk() else {
                    // Something else is known by its first four bytes.
                    return match rest.first_chunk() {
                        Some(first) if *first != MAGIC => Err(Breach::Magic(*first)),
                        _ => Ok(None),
                    };
                };
                let header = Header::parse(bytes)?;
                if header.body_bytes() > self.most_body {
                    return Err(Breach::TooLong { bytes: header.body, most: self.most_body });
                }
                self.filled.start = self.filled.start.saturating_add(HEADER);
                *self.header.insert(header)
            }
        };
        if self.filled.len() < header.body_bytes() {
            return Ok(None);
        }
        let body = self.filled.start..self.filled.start.saturating_add(header.body_bytes());
        if crc32fast::hash(self.bytes(body.clone())) != header.checksum {
            return Err(Breach::Checksum("body"));
        }
        self.header = None;
        self.filled.start = body.end;
        Ok(Some((header, body)))
    }

    /// The bytes there.
    pub fn bytes(&self, place: Range<usize>) -> &[u8] {
        self.bytes.get(place).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header {
            item: 3,
            tags: 2,
            stream: 1 << 60,
            sequence: 7,
            first: 1 << 40,
            count: 5,
            rate_hz: 2e6,
            center_hz: 1090e6,
            time_ns: -5,
            ..Header::new(FrameKind::Items)
        }
    }

    #[test]
    fn a_header_is_read_as_it_was_written() {
        let bytes = header().frame(b"abcd");
        let read = Header::parse(bytes.first_chunk().unwrap()).unwrap();
        assert_eq!(
            format!("{read:?}"),
            format!("{:?}", Header { body: 4, checksum: read.checksum, ..header() })
        );
        assert_eq!(read.end(), (1 << 40) + 5);
        assert_eq!(read.checksum, 0xed82_cd11, "CRC-32 of IEEE 802.3");
        for kind in FrameKind::ALL {
            assert_eq!(FrameKind::of(kind.code()), Some(kind));
        }
    }

    #[test]
    fn every_wrong_bit_is_found() {
        let bytes = header().frame(b"abcd");
        for bit in 0..8 * bytes.len() {
            let mut wrong = bytes.clone();
            wrong[bit / 8] ^= 1 << (bit % 8);
            let mut frames = Frames::new(64);
            frames.feed(&wrong);
            assert!(frames.next().is_err(), "bit {bit}");
        }
    }

    #[test]
    fn a_header_that_claims_too_much_is_refused_before_anything_is_allocated() {
        let claims = |header: Header| Header::parse(&header.bytes()).unwrap_err();
        let long = Header { body: u32::MAX, ..header() };
        assert_eq!(claims(long), Breach::TooLong { bytes: u32::MAX, most: MOST_BODY });
        let words = Header { body: 1 << 11, tags: 0, ..Header::new(FrameKind::Hello) };
        assert_eq!(claims(words), Breach::TooLong { bytes: 1 << 11, most: MOST_WORDS });
        let tags = Header { body: 1 << 10, tags: 1 << 11, ..header() };
        assert_eq!(claims(tags), Breach::Tags { tags: 1 << 11, body: 1 << 10 });
        assert_eq!(claims(Header { first: u64::MAX, tags: 0, ..header() }), Breach::Index(u64::MAX));
        let mut frames = Frames::new(64);
        frames.feed(&Header { body: MOST_BODY as u32, tags: 0, ..header() }.bytes());
        assert!(frames.next().unwrap().is_none());
        assert!(frames.bytes.len() < 1000);
    }

    #[test]
    fn something_else_is_known_by_its_first_four_bytes() {
        let mut frames = Frames::new(64);
        frames.feed(b"SH");
        assert!(frames.next().unwrap().is_none());
        frames.feed(b"T");
        assert!(frames.next().unwrap().is_none());
        frames.feed(b"TP");
        assert_eq!(frames.next().unwrap_err(), Breach::Magic(*b"SHTT"));
    }
}
