//! The sink's side of a link: strangers, which have not said who they are yet, and the places of readers.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use superhet_runtime::Value;

use super::door::{Door, Newcomer};
use super::frame::{FrameKind, Header};
use super::handshake::{self, Hello, NOTHING, Welcome};
use super::item_name;
use super::payload;
use super::ring::{Chunk, Ring};
use super::shared::{LEAST_SHARED, Notice, SharedMemory, Slot, Stamp};
use super::token::{NONCE, Token, nonce};
use peer::Peer;
pub(super) use peer::keep_alive;

use crate::blocks::clients::not_yet;
use crate::notices::Notices;
use crate::standing::next_to_go;

mod peer;

/// The most strangers, and the most readers.
const MOST_STRANGERS: usize = 64;
const MOST_READERS: usize = 64;
/// How long a stranger has to say who it is.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Connections that are taken in one turn.
const AT_ONCE: usize = 256;
/// How long something must have been exchanged with a peer until others go before it.
const TRIAL: Duration = Duration::from_secs(1);
/// How often a server looks for those who have connected, at most.
const LOOK_EVERY: Duration = Duration::from_millis(1);
/// How long a server waits where it could not take anybody.
const PAUSE: Duration = Duration::from_millis(100);
/// In so many turns a stranger keeps its place.
const TURNS: usize = 3;
/// The part of the memory that one reader may have.
const SHARE: usize = 4;
/// So many times the memory has slots: what readers have may be more, and frames do not fill slots.
const SLACK: usize = 2;

/// What a sink does where a reader's ring is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// Waits for it. Nothing is lost.
    #[default]
    Block,
    /// Goes on: this reader does not get what comes, until it has used some. It is told how much that was.
    Drop,
}

impl Policy {
    /// The words for a parameter `policy`, in the order of the variants.
    pub const WORDS: &'static [&'static str] = &["block", "drop"];

    /// What a word of [`Policy::WORDS`] says; of any other, the default.
    pub fn of_word(word: &str) -> Self {
        if word == "drop" { Policy::Drop } else { Policy::Block }
    }
}

/// What a server goes by.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub item: u8,
    pub token: Token,
    pub policy: Policy,
    /// Memory for what readers have not acknowledged, in bytes.
    pub memory: usize,
    /// How long a reader that is away keeps its place.
    pub hold: Duration,
}

/// A connection that has not said who it is.
#[derive(Debug)]
struct Stranger {
    peer: Peer,
    challenge: [u8; NONCE],
    since: Instant,
}

/// What a reader gets, whether it is connected or not.
#[derive(Debug)]
struct Place {
    name: String,
    peer: Option<Peer>,
    /// Since when it is away.
    left: Instant,
    ring: Ring,
    /// What it has acknowledged, and what it did not get because its ring was full.
    acknowledged: u64,
    lost: u64,
    /// Where it lost something first, of what was not reported yet.
    losing: Option<(u64, u64)>,
}

/// A server, its strangers and its readers.
#[derive(Debug)]
pub(crate) struct Server {
    door: Door,
    rules: Rules,
    /// Where frames lie for readers on the same machine.
    shared: Option<SharedMemory>,
    stream: u64,
    strangers: Vec<Stranger>,
    places: Vec<Place>,
    /// The number of the next frame, and the index behind the last.
    sequence: u64,
    end: u64,
    /// Bytes of all that any reader has not acknowledged.
    total: Arc<AtomicUsize>,
    /// Memory to be used again.
    spare: Vec<Vec<u8>>,
    turns: VecDeque<Instant>,
    /// When it has last looked for newcomers.
    looked: Option<Instant>,
    paused: Option<Instant>,
    /// Whether anybody has acknowledged anything in this turn.
    has_moved: bool,
    /// What has happened, to be told.
    pub events: VecDeque<Value>,
    notices: Notices,
}

/// Events that are kept for those who want to know.
const MOST_EVENTS: usize = 256;

impl Server {
    /// Serves those who come to the door.
    pub fn new(door: Door, rules: Rules) -> io::Result<Self> {
        let [a, b, c, d, e, f, g, h, ..] = nonce()?;
        // 0 stands for no stream.
        let stream = u64::from_le_bytes([a, b, c, d, e, f, g, h]).max(1);
        Ok(Server {
            shared: door
                .is_local()
                .then(|| SharedMemory::new(rules.memory.saturating_mul(SLACK)))
                .transpose()?,
            door,
            rules,
            stream,
            strangers: Vec::new(),
            places: Vec::new(),
            sequence: 0,
            end: 0,
            total: Arc::default(),
            spare: Vec::new(),
            turns: VecDeque::new(),
            looked: None,
            paused: None,
            has_moved: false,
            events: VecDeque::new(),
            notices: Notices::default(),
        })
    }

    pub fn door(&self) -> &Door {
        &self.door
    }

    /// How many readers are connected.
    pub fn readers(&self) -> usize {
        self.places.iter().filter(|place| place.peer.is_some()).count()
    }

    /// Whether somebody is away who may come back.
    pub fn waits_for_somebody(&self) -> bool {
        self.places.iter().any(|place| place.peer.is_none())
    }

    /// Whether there is nobody who would get something.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether anybody has something to take, or to acknowledge.
    pub fn has_unacknowledged(&self) -> bool {
        self.places.iter().any(|place| !place.ring.is_empty())
    }

    pub fn has_unsent(&self) -> bool {
        self.places.iter().any(|place| place.peer.is_some() && place.ring.has_unsent())
    }

    /// Whether the next frame may be given: always, unless readers are waited for.
    pub fn is_ready(&self) -> bool {
        let most = self.rules.memory / SHARE;
        self.rules.policy == Policy::Drop || self.places.iter().all(|place| place.ring.bytes() < most)
    }

    /// Memory for a frame, which is empty.
    fn memory(&mut self) -> Vec<u8> {
        let mut memory = self.spare.pop().unwrap_or_default();
        memory.clear();
        memory
    }

    /// The header of the next frame, which has so many items or messages.
    pub fn header(&self, kind: FrameKind, count: u32) -> Header {
        Header {
            item: self.rules.item,
            stream: self.stream,
            sequence: self.sequence,
            first: self.end,
            count,
            ..Header::new(kind)
        }
    }

    /// Passes over so many items or messages, which nobody gets.
    pub fn skip(&mut self, count: u64) {
        self.end = self.end.saturating_add(count);
    }

    /// The next frame, in memory that readers share where it is worth it.
    fn chunk(&mut self, mut header: Header, tags: &[u8], body: &[u8]) -> Chunk {
        let (memory, range) = (self.memory(), header.first..header.end());
        let frame = match self.share(&header, tags, body) {
            None => payload::frame(&mut header, memory, tags, body),
            Some((slot, notice)) => {
                let mut header = Header { kind: FrameKind::Notice, ..header };
                let frame = payload::frame(&mut header, memory, &[], &notice.bytes());
                return Chunk::new(frame, Some((slot, notice.body as usize)), range, &self.total);
            }
        };
        Chunk::new(frame, None, range, &self.total)
    }

    /// Puts what a frame has into memory that readers share, where there is one, it has room, and that is worth it.
    fn share(&mut self, header: &Header, tags: &[u8], body: &[u8]) -> Option<(Slot, Notice)> {
        let bytes = tags.len().saturating_add(body.len());
        let shared = self.shared.as_ref().filter(|_| bytes >= LEAST_SHARED)?;
        let stamp = Stamp { stream: header.stream, sequence: header.sequence };
        match shared.put(stamp, [tags, body]) {
            Ok(slot) => {
                let slot = slot?;
                let at = slot.at();
                let tags = u32::try_from(tags.len()).ok()?;
                Some((slot, Notice { at, body: u32::try_from(bytes).ok()?, tags }))
            }
            Err(error) => {
                self.notices.warn(|| format!("what was to be shared goes over the socket: {error}"));
                None
            }
        }
    }

    /// Gives the readers the next frame, whose header is [`header`](Self::header), and has tags before items or messages; to how many it
    /// was lost.
    pub fn give(&mut self, header: Header, tags: &[u8], body: &[u8]) -> usize {
        let chunk = self.chunk(header, tags, body);
        (self.sequence, self.end) = (self.sequence.saturating_add(1), header.end());
        let (memory, readers) = (self.rules.memory, self.places.len().max(1));
        let is_full = self.total.load(Ordering::Relaxed) > memory;
        let mut lost = 0usize;
        for place in &mut self.places {
            let most = if is_full { memory / readers / 2 } else { memory / SHARE };
            let fits = place.ring.bytes().saturating_add(chunk.memory()) <= most || place.ring.is_empty();
            if fits || self.rules.policy == Policy::Block || header.count == 0 {
                let ends_loss = header.count > 0 || header.kind == FrameKind::End;
                if let Some((first, items)) = place.losing.take_if(|_| ends_loss) {
                    event(&mut self.events, "lost", &place.name, first, items);
                }
                place.ring.push(chunk.clone());
                continue;
            }
            lost = lost.saturating_add(1);
            let count = u64::from(header.count);
            place.lost = place.lost.saturating_add(count);
            let (first, items) = place.losing.unwrap_or((header.first, 0));
            place.losing = Some((first, items.saturating_add(count)));
            let name = &place.name;
            self.notices.warn(|| {
                format!("the reader {name} is too slow: {count} items from {first} on are lost to it")
            });
        }
        lost
    }

    /// Lets peers come, speak, take and go; whether anything has moved on.
    pub fn turn(&mut self) -> bool {
        self.has_moved = false;
        self.accept();
        self.hear_strangers();
        self.serve();
        std::mem::take(&mut self.has_moved)
    }

    /// Takes those who have connected.
    fn accept(&mut self) {
        let turn = Instant::now();
        if self.paused.is_some_and(|paused| turn < paused) {
            return;
        }
        // While a stream is given this is called for each frame.
        if self.looked.is_some_and(|looked| turn.saturating_duration_since(looked) < LOOK_EVERY) {
            return;
        }
        (self.paused, self.looked) = (None, Some(turn));
        self.turns.push_front(turn);
        self.turns.truncate(TURNS);
        for _ in 0..AT_ONCE {
            match not_yet(self.door.accept()) {
                Ok(None) => return,
                Ok(Some(newcomer)) => {
                    if let Ok(newcomer) = newcomer {
                        self.greet(newcomer);
                    }
                }
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
                Err(error) => {
                    let is_no_room =
                        matches!(Errno::from_io_error(&error), Some(Errno::MFILE | Errno::NFILE));
                    if is_no_room && self.drop_stranger() {
                        continue;
                    }
                    self.paused = Some(turn + PAUSE);
                    self.notices.warn(|| format!("a reader could not be taken: {error}"));
                    return;
                }
            }
        }
    }

    fn greet(&mut self, newcomer: Newcomer) {
        let Ok(challenge) = nonce() else { return };
        let now = Instant::now();
        let mut peer = Peer::new(newcomer, now, TRIAL);
        peer.say(&handshake::challenge(&challenge));
        self.strangers.push(Stranger { peer, challenge, since: now });
        if self.strangers.len() > MOST_STRANGERS {
            // Those who have spoken are not strangers any more.
            self.hear_strangers();
        }
        if self.strangers.len() > MOST_STRANGERS {
            self.drop_stranger();
        }
    }

    /// Parts with the stranger that is the next to go, if there is one.
    fn drop_stranger(&mut self) -> bool {
        let now = Instant::now();
        let turn = self.turns.back().copied().unwrap_or(now);
        let next = next_to_go(self.strangers.iter().map(|one| &one.peer.standing), turn, now);
        next.map(|place| self.strangers.swap_remove(place)).is_some()
    }

    fn hear_strangers(&mut self) {
        let now = Instant::now();
        let mut place = 0usize;
        while let Some(stranger) = self.strangers.get_mut(place) {
            match stranger.hear(now, &self.rules) {
                Ok(None) => place = place.saturating_add(1),
                Ok(Some(hello)) => {
                    let Stranger { peer, challenge, .. } = self.strangers.swap_remove(place);
                    self.admit(peer, &hello, &challenge);
                }
                Err(problem) => {
                    let Stranger { peer, .. } = self.strangers.swap_remove(place);
                    if let Some(problem) = problem {
                        self.notices.warn(|| format!("{}: {problem}", peer.name));
                    }
                }
            }
        }
    }

    /// Lets a reader in, at its old place where it has one.
    fn admit(&mut self, mut peer: Peer, hello: &Hello, challenge: &[u8; NONCE]) {
        match self.shared.as_ref().map(|shared| shared.readable().try_clone()).transpose() {
            Ok(None) => {}
            Ok(Some(file)) => peer.hand_over(file),
            Err(error) => {
                // It tries again.
                self.notices.warn(|| format!("{} cannot be let in: {error}", peer.name));
                return;
            }
        }
        let known = self.places.iter().position(|place| place.name == hello.name);
        if known.is_none() && self.places.len() >= MOST_READERS {
            self.drop_reader();
        }
        let has_some = hello.stream == self.stream && hello.next != NOTHING;
        let wanted = has_some.then_some(hello.next);
        let (place, acknowledged) = match known {
            Some(place) => (place, self.places.get(place).map_or(NOTHING, |place| place.acknowledged)),
            None => {
                self.places.push(Place {
                    name: hello.name.clone(),
                    peer: None,
                    left: Instant::now(),
                    ring: Ring::default(),
                    acknowledged: self.end,
                    lost: 0,
                    losing: None,
                });
                (self.places.len().saturating_sub(1), NOTHING)
            }
        };
        let Some(place) = self.places.get_mut(place) else { return };
        // More than was ever given is nonsense.
        place.ring.begin_again(wanted.filter(|wanted| *wanted <= self.end).unwrap_or(place.acknowledged));
        let first = place.ring.first().unwrap_or(self.end);
        let welcome = Welcome { item: self.rules.item, stream: self.stream, first, acknowledged };
        peer.say(&welcome.frame(hello, challenge, &self.rules.token));
        if place.peer.is_some() {
            // It is back before it was missed.
            event(&mut self.events, "left", &place.name, place.acknowledged, 0);
        }
        let what = if known.is_none() { "came" } else { "returned" };
        event(&mut self.events, what, &place.name, first, 0);
        place.peer = Some(peer);
        self.has_moved = true;
    }

    /// Parts with the reader that is the next to go: one that is away, or that does least.
    fn drop_reader(&mut self) {
        let now = Instant::now();
        let away = self.places.iter().enumerate().filter(|(_, place)| place.peer.is_none());
        let away = away.min_by_key(|(_, place)| place.left).map(|(place, _)| place);
        let standings = self.places.iter().filter_map(|place| Some(&place.peer.as_ref()?.standing));
        let Some(place) = away.or_else(|| next_to_go(standings, now, now)) else { return };
        let place = self.places.swap_remove(place);
        self.notices
            .warn(|| format!("the reader {} is given up: it does least, and others have come", place.name));
        event(&mut self.events, "gone", &place.name, place.acknowledged, 0);
    }

    /// Hears the readers, and sends them what they take.
    fn serve(&mut self) {
        let (now, hold) = (Instant::now(), self.rules.hold);
        let Server { places, spare, stream, end, has_moved, events, notices, .. } = self;
        places.retain_mut(|place| {
            let Some(peer) = &mut place.peer else {
                let is_kept = now.saturating_duration_since(place.left) < hold;
                if !is_kept {
                    notices.warn(|| format!("the reader {} has not come back", place.name));
                    event(events, "gone", &place.name, place.acknowledged, 0);
                }
                return is_kept;
            };
            let before = place.acknowledged;
            let mut said = |header: &Header| match header.kind {
                FrameKind::Acknowledgement if header.stream == *stream && header.first <= *end => {
                    place.acknowledged = place.acknowledged.max(header.first);
                    Ok(())
                }
                FrameKind::Farewell => Err(String::new()),
                kind => Err(format!("a reader sends {kind:?}")),
            };
            let heard = peer.hear(&mut said).and_then(|()| {
                let sent = peer.send(&mut place.ring);
                // Its last word may have come while it was sent more.
                if sent.is_err() { peer.hear(&mut said).and(sent) } else { sent }
            });
            if place.acknowledged > before {
                let bytes = place.ring.acknowledge(place.acknowledged, |chunk| {
                    if spare.len() < SPARE {
                        spare.extend(chunk.into_bytes());
                    }
                });
                peer.standing.has_taken(bytes, now);
                *has_moved = true;
            }
            let Err(problem) = heard else { return true };
            if problem.is_empty() {
                event(events, "gone", &place.name, place.acknowledged, 0);
                *has_moved = true;
                return false;
            }
            notices.warn(|| format!("the reader {} is away: {problem}", place.name));
            event(events, "left", &place.name, place.acknowledged, 0);
            (place.peer, place.left) = (None, now);
            !hold.is_zero()
        });
    }

    /// Waits until a peer comes, says or takes something, but no longer than `timeout`.
    pub fn wait(&self, timeout: Duration) -> io::Result<()> {
        let listener = self.paused.is_none().then(|| PollFd::new(&self.door, PollFlags::IN));
        let strangers = self.strangers.iter().map(|one| one.peer.look(false));
        let readers =
            self.places.iter().filter_map(|place| Some(place.peer.as_ref()?.look(place.ring.has_unsent())));
        let mut looks: Vec<PollFd<'_>> = listener.into_iter().chain(strangers).chain(readers).collect();
        let timeout = Timespec { tv_sec: 0, tv_nsec: timeout.subsec_nanos().into() };
        match poll(&mut looks, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Pieces of memory that are kept to be used again.
const SPARE: usize = 64;

impl Stranger {
    /// Hears a stranger; what it says of itself, once it has. An error parts with it, with a reason that is worth a word.
    fn hear(&mut self, now: Instant, rules: &Rules) -> Result<Option<Hello>, Option<String>> {
        let hello = match self.peer.hello(&self.challenge, &rules.token) {
            Ok(None) if now.saturating_duration_since(self.since) > HANDSHAKE => return Err(None),
            Ok(None) => return Ok(None),
            Ok(Some(hello)) => hello,
            Err(problem) => return Err(Some(problem)),
        };
        let hello = hello.and_then(|hello| match hello.item == rules.item {
            true => Ok(hello),
            false => {
                Err(format!("the stream has {}, expected {}", item_name(rules.item), item_name(hello.item)))
            }
        });
        hello.map(Some).map_err(|why| {
            self.refuse(&why);
            Some(why)
        })
    }

    fn refuse(&mut self, why: &str) {
        self.peer.say(&handshake::refusal(why));
        // It goes all the same.
        let _ = self.peer.send(&mut Ring::default());
    }
}

/// Notes that something has happened to a reader.
fn event(events: &mut VecDeque<Value>, what: &str, reader: &str, index: u64, items: u64) {
    if events.len() < MOST_EVENTS {
        let mut map = vec![("event", Value::from(what)), ("reader", reader.into()), ("index", index.into())];
        if items > 0 {
            map.push(("items", items.into()));
        }
        events.push_back(Value::map(map));
    }
}

#[cfg(test)]
mod tests;
