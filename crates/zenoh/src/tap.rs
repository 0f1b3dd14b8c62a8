//! The reader's side of a link: its ring, and where in the stream it is.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use superhet_io::Error;
use superhet_io::link::{FrameKind, HEADER, Header, MOST_BODY, Policy, item_name, nonce};
use superhet_runtime::gap::OnGap;
use superhet_runtime::catalog::{Kind, Param, Params, optional};
use zenoh::bytes::ZBytes;
use zenoh::liveliness::LivelinessToken;
use zenoh::pubsub::{Publisher, Subscriber};
use zenoh::qos::CongestionControl;
use zenoh::sample::{Sample, SampleKind};
use zenoh::{Session, Wait};

use crate::memory::read;
use crate::place::Place;

/// The settings of a source.
///
/// | setting | unit | means | default |
/// |---|---|---|---|
/// | `policy` | | the sink waits for this reader where its ring is full, or the reader drops what it has no room for | waits |
/// | `memory_bytes` | bytes | of its ring, ≥ 1 MiB | 16 MiB |
/// | `name` | | who it is, in the events of sinks: letters, digits, `-`, `_` and `.`; empty: a random one | empty |
/// | `on_gap` | | what becomes of what is missing (streams) | the tag `gap` |
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the table says it")]
pub struct SourceSettings {
    pub policy: Policy,
    pub memory_bytes: usize,
    pub name: String,
    pub on_gap: OnGap,
}

const LEAST_MEMORY: usize = 1 << 20;
/// The longest name.
const LONGEST_NAME: usize = 64;
/// How long a call waits for the sink.
const WAIT: Duration = Duration::from_millis(50);
/// What has been used is told after so many bytes, or that part of the ring, while more is there.
const TOLD: usize = 1 << 20;
const PARTS: usize = 4;
/// Frames without anything behind their headers, such as the end of a stream, that are kept where there is no room.
const MOST_EMPTY: usize = 16;

impl Default for SourceSettings {
    fn default() -> Self {
        SourceSettings {
            policy: Policy::Block,
            memory_bytes: 1 << 24,
            name: String::new(),
            on_gap: OnGap::Continue,
        }
    }
}

impl SourceSettings {
    pub(crate) fn of(params: &Params) -> Self {
        SourceSettings {
            policy: Policy::of_word(params.text("policy")),
            memory_bytes: params.count("memory_bytes"),
            name: params.text("reader").to_owned(),
            on_gap: OnGap::Continue,
        }
    }
}

/// What has come, and who is there.
#[derive(Debug, Default)]
struct Ring {
    frames: VecDeque<ZBytes>,
    bytes: usize,
    /// Frames without a body among them.
    empty: usize,
    most: usize,
    /// Frames that there was no room for, and that were not told of yet.
    dropped: u64,
    /// The sinks that are there: their streams and what items they have.
    sinks: BTreeMap<u64, u8>,
}

#[derive(Debug, Default)]
struct Shared {
    ring: Mutex<Ring>,
    arrived: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A frame has come.
    fn push(&self, payload: &ZBytes) {
        let mut ring = self.lock();
        let length = payload.len();
        let is_empty = length <= HEADER && ring.empty < MOST_EMPTY;
        if !is_empty && ring.bytes.saturating_add(length) > ring.most {
            ring.dropped = ring.dropped.saturating_add(1);
            return;
        }
        ring.bytes = ring.bytes.saturating_add(length);
        ring.empty = ring.empty.saturating_add(usize::from(length <= HEADER));
        ring.frames.push_back(payload.clone());
        drop(ring);
        self.arrived.notify_one();
    }

    /// A token of a sink has come or gone.
    fn token(&self, sample: &Sample) {
        let mut words = sample.key_expr().as_str().rsplit('/');
        let (Some(item), Some(stream)) = (words.next(), words.next()) else { return };
        let (Ok(item), Ok(stream)) = (item.parse(), u64::from_str_radix(stream, 16)) else { return };
        let mut ring = self.lock();
        match sample.kind() {
            SampleKind::Put if ring.sinks.len() >= MOST_SINKS => {}
            SampleKind::Put => {
                ring.sinks.insert(stream, item);
            }
            SampleKind::Delete => {
                ring.sinks.remove(&stream);
            }
        }
    }
}

/// The most sinks of one key that are kept in mind.
const MOST_SINKS: usize = 64;

impl Ring {
    fn pop(&mut self) -> Option<ZBytes> {
        let payload = self.frames.pop_front()?;
        self.bytes = self.bytes.saturating_sub(payload.len());
        self.empty = self.empty.saturating_sub(usize::from(payload.len() <= HEADER));
        Some(payload)
    }
}

/// A session, and what was declared in it, which goes before it.
#[derive(Debug)]
struct Open {
    _token: LivelinessToken,
    _frames: Subscriber<()>,
    _sinks: Subscriber<()>,
    used: Publisher<'static>,
    _session: Session,
    shared: Arc<Shared>,
}

/// The reader's side of a link.
#[derive(Debug)]
pub(crate) struct Tap {
    place: Place,
    item: u8,
    settings: SourceSettings,
    open: Option<Open>,
    /// The stream, 0 before the first; and the index of what it has not given yet.
    stream: u64,
    next: u64,
    /// Bytes that were given and not told.
    untold: usize,
    /// Whether it has said that there is another sink.
    has_warned: bool,
}

/// What has come.
#[derive(Debug)]
pub(crate) enum Heard {
    /// Nothing.
    Nothing,
    /// A frame of items, of messages or of the end.
    Frame {
        header: Header,
        payload: ZBytes,
        /// Whether it is the first of another stream than before: how much is missing before it is not known then.
        is_other: bool,
        /// Frames that this reader has dropped before it.
        dropped: u64,
    },
}

impl Tap {
    /// For items of that code, 0 for messages.
    pub fn new(
        block: &'static str,
        place: Place,
        item: u8,
        mut settings: SourceSettings,
    ) -> Result<Self, Error> {
        place.check(block)?;
        settings.memory_bytes = settings.memory_bytes.max(LEAST_MEMORY);
        if settings.name.is_empty() {
            let number = nonce().map_err(|error| place.error("name a reader of", error))?;
            settings.name = number.iter().map(|byte| format!("{byte:02x}")).collect();
        }
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if settings.name.len() > LONGEST_NAME || !settings.name.chars().all(is_part) {
            let expected = format!("at most {LONGEST_NAME} letters, digits, -, _ and .");
            let got = format!("{:?}", settings.name);
            return Err(Error::Setting { path: block.into(), parameter: "reader", got, expected });
        }
        Ok(Tap { place, item, settings, open: None, stream: 0, next: 0, untold: 0, has_warned: false })
    }

    /// The index of what has not been given yet.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Opens the session now, and not when the graph runs.
    pub fn open(&mut self) -> Result<(), Error> {
        if self.open.is_none() {
            self.open = Some(self.declare()?);
        }
        Ok(())
    }

    fn declare(&self) -> Result<Open, Error> {
        let (place, settings) = (&self.place, &self.settings);
        let is_waited_for = settings.policy == Policy::Block;
        let announced = if is_waited_for { settings.memory_bytes } else { 0 };
        // A sink that waits gives one more as long as there is any room.
        let most = settings.memory_bytes + if is_waited_for { HEADER + MOST_BODY } else { 0 };
        let ring = Mutex::new(Ring { most, ..Ring::default() });
        let shared = Arc::new(Shared { ring, arrived: Condvar::new() });
        let (session, _) = place.open()?;
        let declare = || -> zenoh::Result<_> {
            let known = shared.clone();
            let sinks = session.liveliness().declare_subscriber(place.beside("sink/*/*")).history(true);
            let sinks = sinks.callback(move |sample| known.token(&sample)).wait()?;
            let used = session.declare_publisher(place.beside(&format!("used/{}", settings.name)));
            let used = used.congestion_control(CongestionControl::Block).express(true).wait()?;
            let known = shared.clone();
            let frames = session.declare_subscriber(place.key.clone());
            let frames = frames.callback(move |sample| known.push(sample.payload())).wait()?;
            // The last: who sees it can count on the others.
            let token = place.beside(&format!("reader/{}/{announced}/{}", self.item, settings.name));
            Ok((session.liveliness().declare_token(token).wait()?, frames, sinks, used))
        };
        let (token, frames, sinks, used) = declare().map_err(|error| place.error("read from", error))?;
        Ok(Open { _token: token, _frames: frames, _sinks: sinks, used, _session: session, shared })
    }

    /// What has come, waiting a little for it.
    ///
    /// # Errors
    /// No session can be opened; all sinks have other items.
    pub fn hear(&mut self) -> Result<Heard, Error> {
        self.open()?;
        let Some(open) = &self.open else { return Ok(Heard::Nothing) };
        let mut ring = open.shared.lock();
        if ring.frames.is_empty() {
            if self.untold > 0 {
                drop(ring);
                self.tell()?;
                return Ok(Heard::Nothing);
            }
            let waited = open.shared.arrived.wait_timeout(ring, WAIT);
            ring = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if let Some(wrong) = ring.sinks.values().find(|item| **item != self.item)
            && ring.sinks.values().all(|item| *item != self.item)
        {
            let problem = format!("the stream has {}, expected {}", item_name(*wrong), item_name(self.item));
            return Err(self.place.error("read from", problem));
        }
        let Some(payload) = ring.pop() else { return Ok(Heard::Nothing) };
        let has_gone = !ring.sinks.contains_key(&self.stream);
        let dropped = std::mem::take(&mut ring.dropped);
        drop(ring);
        let header = match read(&payload) {
            Ok(header) => header,
            Err(problem) => {
                tracing::warn!("zenoh://{}: {problem}", self.place.key);
                return Ok(Heard::Nothing);
            }
        };
        let wanted = if self.item == 0 { FrameKind::Messages } else { FrameKind::Items };
        let is_wanted = header.kind == wanted || header.kind == FrameKind::End;
        if !is_wanted || header.item != self.item {
            return Ok(Heard::Nothing);
        }
        let mut is_other = false;
        if header.stream != self.stream {
            is_other = self.stream != 0;
            if is_other && !has_gone {
                if !std::mem::replace(&mut self.has_warned, true) {
                    tracing::warn!("zenoh://{}: there are two sinks; the second is not read", self.place.key);
                }
                return Ok(Heard::Nothing);
            }
            (self.stream, self.next) = (header.stream, header.first);
        }
        Ok(Heard::Frame { header, payload, is_other, dropped })
    }

    /// Notes that a frame was given as a whole, and tells the sink now and then.
    pub fn given(&mut self, end: u64, bytes: usize) -> Result<(), Error> {
        self.next = end;
        self.untold = self.untold.saturating_add(bytes);
        if self.untold < TOLD.min(self.settings.memory_bytes / PARTS) { Ok(()) } else { self.tell() }
    }

    /// Tells the sink what was used.
    fn tell(&mut self) -> Result<(), Error> {
        self.untold = 0;
        let Some(open) = self.open.as_ref().filter(|_| self.settings.policy == Policy::Block) else {
            return Ok(());
        };
        let header =
            Header { stream: self.stream, first: self.next, ..Header::new(FrameKind::Acknowledgement) };
        let put = open.used.put(header.frame(&[])).wait();
        put.map_err(|error| self.place.error("answer", error))
    }

    /// Says that this reader does not come back.
    pub fn leave(&mut self) {
        self.open = None;
    }
}

/// The parameters of sources besides those of the place.
pub(crate) const POLICY: Param = optional(
    "policy",
    Kind::Choice(Policy::WORDS),
    "",
    "\"block\"",
    "block: the sink waits where the ring of this reader is full; drop: the reader drops what it has no room for.",
);
pub(crate) const MEMORY: Param = optional(
    "memory_bytes",
    Kind::Integer(LEAST_MEMORY as i64, 1 << 40),
    "bytes",
    "16777216",
    "The ring: what may have come and is not used yet.",
);
pub(crate) const READER: Param = optional(
    "reader",
    Kind::Text,
    "",
    "\"\"",
    "Who it is, in the events of sinks: letters, digits, -, _ and .; empty: a random name.",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_ring_drops_what_comes_and_counts_it_but_not_the_end() {
        let ring = Mutex::new(Ring { most: 1000, ..Ring::default() });
        let shared = Shared { ring, arrived: Condvar::new() };
        for _ in 0..5 {
            shared.push(&Header::new(FrameKind::Items).frame(&[0; 320]).into());
        }
        (0..30).for_each(|_| shared.push(&Header::new(FrameKind::End).frame(&[]).into()));
        let mut ring = shared.lock();
        assert_eq!((ring.frames.len(), ring.dropped), (2 + MOST_EMPTY, 3 + 14));
        let lengths: Vec<usize> = std::iter::from_fn(|| ring.pop()).map(|payload| payload.len()).collect();
        assert_eq!((lengths[1], lengths[2], ring.bytes, ring.empty), (400, HEADER, 0, 0));
    }

    #[test]
    fn a_name_is_a_word() {
        let tap = |name: &str| {
            let settings = SourceSettings { name: name.to_owned(), ..SourceSettings::default() };
            Tap::new("zenoh_source", Place::new("a"), 1, settings)
        };
        assert_eq!(tap("radio-1").unwrap().settings.name, "radio-1");
        assert!(tap("").unwrap().settings.name.len() >= 16);
        for name in ["a/b", "*", "ü", &"x".repeat(65)] {
            assert!(tap(name).unwrap_err().to_string().contains("letters, digits, -, _ and ."), "{name}");
        }
    }
}
