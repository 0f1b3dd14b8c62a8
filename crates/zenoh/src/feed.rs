//! The sink's side of a link: readers, and what each of them has in hand.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use superhet_io::Error;
use superhet_io::link::{FrameKind, Header, item_name, nonce};
use superhet_runtime::catalog::{Kind, Param, Params, optional};
use superhet_runtime::{BlockError, Context, MsgOut, Value};
use zenoh::liveliness::LivelinessToken;
use zenoh::pubsub::{Publisher, Subscriber};
use zenoh::qos::CongestionControl;
use zenoh::sample::{Sample, SampleKind};
use zenoh::{Session, Wait};

use crate::memory::{Memory, read};
use crate::place::Place;

/// The settings of a sink.
///
/// | setting | unit | means | default |
/// |---|---|---|---|
/// | `chunk_bytes` | bytes | of items in a frame, 32 to 256 KiB | 256 KiB |
/// | `memory_bytes` | bytes | shared memory for frames that readers on this host have in hand, ≥ 1 MiB | 64 MiB |
/// | `readers` | | the stream begins when so many are there | 1 |
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the table says it")]
pub struct SinkSettings {
    pub chunk_bytes: usize,
    pub memory_bytes: usize,
    pub readers: usize,
}

/// The least and the most that a frame has of items, in bytes.
const LEAST_CHUNK: usize = 1 << 15;
const MOST_CHUNK: usize = 1 << 18;
const LEAST_MEMORY: usize = 1 << 20;
/// The most readers that a sink knows.
const MOST_READERS: usize = 64;
/// How far it goes before the last of those that it waits for, in bytes: what is there should stay in the caches.
const LEAD: u64 = 1 << 22;
/// How long a call waits for readers.
const WAIT: Duration = Duration::from_millis(50);
/// How long the end waits for readers that use nothing, and how long a stop does.
const LINGER: Duration = Duration::from_secs(10);
const LAST_WORDS: Duration = Duration::from_millis(300);

impl Default for SinkSettings {
    fn default() -> Self {
        SinkSettings { chunk_bytes: MOST_CHUNK, memory_bytes: 1 << 26, readers: 1 }
    }
}

impl SinkSettings {
    pub(crate) fn of(params: &Params) -> Self {
        SinkSettings { chunk_bytes: params.count("chunk_bytes"), ..SinkSettings::of_messages(params) }
    }

    /// The same where there are no chunks.
    pub(crate) fn of_messages(params: &Params) -> Self {
        let (memory_bytes, readers) = (params.count("memory_bytes"), params.count("readers"));
        SinkSettings { memory_bytes, readers, ..SinkSettings::default() }
    }
}

/// A reader that has said that it is there.
#[derive(Debug)]
struct Reader {
    /// What its ring holds; 0 of one that is not waited for.
    ring: usize,
    /// It has used what lies before this index.
    used: u64,
}

/// What the threads of Zenoh tell the block.
#[derive(Debug, Default)]
struct Known {
    readers: BTreeMap<String, Reader>,
    events: VecDeque<Value>,
    /// The index behind the last item that was given.
    end: u64,
    /// Counts what readers have used, and those that came and went.
    moves: u64,
}

#[derive(Debug, Default)]
struct Shared {
    known: Mutex<Known>,
    moved: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A token of a reader has come or gone.
    fn token(&self, item: u8, sample: &Sample) {
        let mut words = sample.key_expr().as_str().rsplit('/');
        let (Some(name), Some(ring), Some(code)) = (words.next(), words.next(), words.next()) else { return };
        let (Ok(ring), Ok(code)) = (ring.parse(), code.parse::<u8>()) else { return };
        let mut known = self.lock();
        let Known { readers, events, end, moves } = &mut *known;
        match sample.kind() {
            SampleKind::Put if code != item => {
                tracing::warn!(
                    "the reader {name} wants {}, and the stream has {}",
                    item_name(code),
                    item_name(item)
                );
                return;
            }
            SampleKind::Put if readers.contains_key(name) || readers.len() >= MOST_READERS => return,
            SampleKind::Put => {
                readers.insert(name.to_owned(), Reader { ring, used: *end });
                event(events, "came", name, *end);
            }
            SampleKind::Delete => {
                let Some(reader) = readers.remove(name) else { return };
                event(events, "gone", name, reader.used);
            }
        }
        *moves = moves.wrapping_add(1);
        drop(known);
        self.moved.notify_all();
    }

    /// A reader says what it has used.
    fn used(&self, stream: u64, sample: &Sample) {
        let name = sample.key_expr().as_str().rsplit('/').next().unwrap_or_default();
        let Ok(header) = read(sample.payload()) else { return };
        let mut known = self.lock();
        let Known { readers, end, moves, .. } = &mut *known;
        let fits =
            header.kind == FrameKind::Acknowledgement && header.stream == stream && header.first <= *end;
        let Some(reader) = readers.get_mut(name).filter(|reader| fits && reader.used < header.first) else {
            return;
        };
        reader.used = header.first;
        *moves = moves.wrapping_add(1);
        drop(known);
        self.moved.notify_all();
    }
}

/// The most events that are kept for the block.
const MOST_EVENTS: usize = 1024;

fn event(events: &mut VecDeque<Value>, what: &str, reader: &str, index: u64) {
    if events.len() < MOST_EVENTS {
        let map = [("event", Value::from(what)), ("reader", reader.into()), ("index", index.into())];
        events.push_back(Value::map(map));
    }
}

/// A session, and what was declared in it, which goes before it.
#[derive(Debug)]
struct Open {
    publisher: Publisher<'static>,
    _token: LivelinessToken,
    _readers: Subscriber<()>,
    _used: Subscriber<()>,
    _session: Session,
    memory: Memory,
    shared: Arc<Shared>,
    stream: u64,
}

/// The sink's side of a link.
#[derive(Debug)]
pub(crate) struct Feed {
    place: Place,
    item: u8,
    settings: SinkSettings,
    open: Option<Open>,
    /// Frames that some reader may have in hand: the index behind each, and the bytes of all up to it.
    given: VecDeque<(u64, u64)>,
    /// The bytes of all frames, and of those that all readers have used.
    bytes: u64,
    used: u64,
    sequence: u64,
    has_begun: bool,
    has_ended: bool,
    stopping: Option<Instant>,
    /// When readers have last used something, and what [`Known::moves`] was then.
    moved: (Instant, u64),
}

/// What a sink may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gate {
    /// Give more.
    Open,
    /// Look again: it has waited a little.
    Wait,
    /// End: the graph was asked to stop, and readers have had their time.
    Stop,
}

impl Feed {
    /// For items of that code, 0 for messages.
    pub fn new(block: &'static str, place: Place, item: u8, settings: SinkSettings) -> Result<Self, Error> {
        place.check(block)?;
        if !(LEAST_CHUNK..=MOST_CHUNK).contains(&settings.chunk_bytes) {
            let expected = format!("{LEAST_CHUNK} to {MOST_CHUNK} bytes");
            let got = settings.chunk_bytes.to_string();
            return Err(Error::Setting { path: block.into(), parameter: "chunk_bytes", got, expected });
        }
        let settings = SinkSettings { memory_bytes: settings.memory_bytes.max(LEAST_MEMORY), ..settings };
        Ok(Feed {
            place,
            item,
            settings,
            open: None,
            given: VecDeque::new(),
            bytes: 0,
            used: 0,
            sequence: 0,
            has_begun: false,
            has_ended: false,
            stopping: None,
            moved: (Instant::now(), 0),
        })
    }

    /// Bytes of items that go into a frame.
    pub fn chunk(&self) -> usize {
        self.settings.chunk_bytes
    }

    /// Opens the session now, and not when the graph runs.
    pub fn open(&mut self) -> Result<(), Error> {
        if self.open.is_none() {
            self.open = Some(self.declare()?);
        }
        Ok(())
    }

    fn declare(&self) -> Result<Open, Error> {
        let (place, item) = (&self.place, self.item);
        let number = nonce().map_err(|error| place.error("name the stream of", error))?;
        let stream = number.first_chunk().map_or(1, |bytes| u64::from_le_bytes(*bytes)).max(1);
        let (session, shares) = place.open()?;
        let shared = Arc::<Shared>::default();
        let declare = || -> zenoh::Result<_> {
            let publisher = session.declare_publisher(place.key.clone());
            let publisher = publisher.congestion_control(CongestionControl::Block).express(true).wait()?;
            let known = shared.clone();
            let used = session.declare_subscriber(place.beside("used/*"));
            let used = used.callback(move |sample| known.used(stream, &sample)).wait()?;
            let known = shared.clone();
            let readers = session.liveliness().declare_subscriber(place.beside("reader/*/*/*")).history(true);
            let readers = readers.callback(move |sample| known.token(item, &sample)).wait()?;
            let token = session.liveliness().declare_token(place.beside(&format!("sink/{stream:x}/{item}")));
            Ok((publisher, used, readers, token.wait()?))
        };
        let (publisher, used, readers, token) = declare().map_err(|error| place.error("serve", error))?;
        let memory = if shares { Memory::new(self.settings.memory_bytes) } else { Memory::default() };
        Ok(Open {
            publisher,
            _token: token,
            _readers: readers,
            _used: used,
            _session: session,
            memory,
            shared,
            stream,
        })
    }

    /// Tells of readers that come and go, and says whether more may be given.
    pub fn gate(&mut self, events: &mut MsgOut, context: &Context<'_>) -> Result<Gate, BlockError> {
        let is_late =
            context.is_stopping() && self.stopping.get_or_insert_with(Instant::now).elapsed() > LAST_WORDS;
        self.open()?;
        let Some(open) = &self.open else { return Ok(Gate::Stop) };
        let mut known = open.shared.lock();
        for has_waited in [false, true] {
            while let Some(event) = known.events.pop_front() {
                events.send(event)?;
            }
            self.has_begun |= known.readers.len() >= self.settings.readers || context.is_stopping();
            let all = || known.readers.values().filter(|reader| reader.ring > 0);
            let least = all().map(|reader| reader.used).min().unwrap_or(known.end);
            while let Some((_, bytes)) = self.given.pop_front_if(|(end, _)| *end <= least) {
                self.used = bytes;
            }
            let ring = all().map(|reader| reader.ring as u64).min();
            let has_room = ring.is_none_or(|ring| self.bytes.saturating_sub(self.used) < ring.min(LEAD));
            if self.has_begun && has_room {
                return Ok(Gate::Open);
            }
            if is_late {
                tracing::warn!(
                    "zenoh://{}: what readers have not taken in time was not sent",
                    self.place.key
                );
                return Ok(Gate::Stop);
            }
            if !has_waited {
                let waited = open.shared.moved.wait_timeout(known, WAIT);
                known = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
        Ok(Gate::Wait)
    }

    /// Gives the readers a frame of so many items or messages, with tags before them, whose header `say` completes.
    pub fn give(
        &mut self,
        (kind, count): (FrameKind, usize),
        say: impl FnOnce(&mut Header),
        tags: &[u8],
        body: &[u8],
    ) -> Result<(), Error> {
        let Some(open) = &self.open else { return Ok(()) };
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let (first, has_readers) = {
            let mut known = open.shared.lock();
            let first = known.end;
            known.end = first.saturating_add(count.into());
            (first, !known.readers.is_empty())
        };
        let mut header = Header {
            item: self.item,
            stream: open.stream,
            sequence: self.sequence,
            first,
            count,
            ..Header::new(kind)
        };
        self.sequence = self.sequence.wrapping_add(1);
        if !has_readers {
            return Ok(());
        }
        say(&mut header);
        let payload = open.memory.frame(&mut header, tags, body);
        self.bytes = self.bytes.saturating_add(payload.len() as u64);
        self.given.push_back((header.end(), self.bytes));
        open.publisher.put(payload).wait().map_err(|error| self.place.error("send to", error))
    }

    /// Tells the readers that nothing more comes, and waits until they have left; whether it is over.
    pub fn finish(&mut self, events: &mut MsgOut, context: &Context<'_>) -> Result<bool, BlockError> {
        // Also without an item: readers learn that there is none.
        let gate = self.gate(events, context)?;
        if gate == Gate::Open && !std::mem::replace(&mut self.has_ended, true) {
            self.give((FrameKind::End, 0), |_| {}, &[], &[])?;
            self.moved.0 = Instant::now();
        }
        let Some(open) = &self.open else { return Ok(true) };
        let known = open.shared.lock();
        if self.moved.1 != known.moves {
            self.moved = (Instant::now(), known.moves);
        }
        let is_done = self.has_ended && known.readers.is_empty();
        let is_over = self.has_begun && self.moved.0.elapsed() > LINGER;
        if !is_done && !is_over && gate != Gate::Stop {
            let _ = open.shared.moved.wait_timeout(known, WAIT);
            return Ok(false);
        }
        drop(known);
        if !is_done {
            tracing::warn!("zenoh://{}: what readers have not used in time may be lost", self.place.key);
        }
        self.open = None;
        Ok(true)
    }
}

/// The parameters of sinks besides those of the place.
pub(crate) const CHUNK: Param = optional(
    "chunk_bytes",
    Kind::Integer(LEAST_CHUNK as i64, MOST_CHUNK as i64),
    "bytes",
    "262144",
    "How much of items is in a frame, at most.",
);
pub(crate) const MEMORY: Param = optional(
    "memory_bytes",
    Kind::Integer(LEAST_MEMORY as i64, 1 << 40),
    "bytes",
    "67108864",
    "Shared memory for the frames that readers on this host have in hand.",
);
pub(crate) const READERS: Param = optional(
    "readers",
    Kind::Integer(0, MOST_READERS as i64),
    "",
    "1",
    "The stream begins when so many readers are there.",
);
