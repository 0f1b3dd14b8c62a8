//! The clients of a TCP server: how they are accepted, what they get, and which of them is dropped when there are too many.
//!
//! Clients do not prove who they are, so a server has to bear any of them:
//!
//! - There may be [`MOST`] clients. Where one more comes, one goes: of those at the address with the most clients the one that
//!   does least, as [`standing`](crate::standing) says. So whoever has an address of their own keeps their place until there
//!   are clients of as many addresses as there are places. Those who share one with a crowd (behind the same router or proxy)
//!   may be the ones to go, after [`TURNS`] turns and some milliseconds, but the last where something is exchanged with them
//!   all along. A client that is silent for good reason keeps its connection as long as there is no crowd; a time limit would
//!   cost it that also without one, and a hostile client no more than a byte now and then.
//! - In each turn a third of the places is for those that come. Fewer turns for each would part with many before they have got
//!   anything; and they are not kept waiting longer, since the system's line is for 4096: one more, and everybody's next attempt
//!   comes a second later. Whoever has gone while waiting takes nobody's place.
//! - A client that comes is read at once, and one that goes is read before: all together up to [`MOST_WORDS`] in a turn.
//! - What is sent goes to all of them, at the pace of the fastest. Clients that are [`LAG`] bytes behind are waited for,
//!   but no longer than [`HOLD_UP`] in a second; one that is alone, for as long as the block says.
//! - Where the process has no more file descriptors, one goes for each that comes, too. Where there is none to go, newcomers
//!   wait, and the server looks again after [`PAUSE`].

use std::collections::VecDeque;
use std::fmt::Debug;
use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use superhet_runtime::Packet;

use crate::listening::listen;
use crate::notices::Notices;
use crate::standing::{Standing, next_to_go};

/// The most clients of a server.
const MOST: usize = 64;
/// How many bytes a client may be behind the fastest.
const LAG: usize = 1 << 18;
/// How long those that are so far behind may hold the others up in a second, all together.
const HOLD_UP: Duration = Duration::from_millis(100);
/// How long something must have been exchanged with a client until others go before it.
const TRIAL: Duration = Duration::from_secs(1);
/// In so many turns a client keeps its place.
const TURNS: usize = 3;
/// The fewest clients for which there is room in a turn, and how many are looked at, also of those that have gone already.
const LEAST_AT_ONCE: usize = 4;
const AT_ONCE: usize = 256;
/// How often a client is read that comes, and one that goes; and the bytes that are read of all of them in one turn.
const FIRST_READS: usize = 2;
const LAST_READS: usize = 4;
const MOST_WORDS: usize = 1 << 20;
/// Chunks that are sent at once.
const CHUNKS: usize = 64;
/// Bytes that are read at once of a client that nobody listens to.
const UNREAD: usize = 1 << 12;
/// How long a server waits where it could not take a client.
const PAUSE: Duration = Duration::from_millis(100);

/// Bytes to be sent, shared by all clients that get them.
pub(crate) trait Chunk: Clone + Debug {
    fn bytes(&self) -> &[u8];
}

impl Chunk for Packet<u8> {
    fn bytes(&self) -> &[u8] {
        self.items()
    }
}

impl Chunk for Arc<Vec<u8>> {
    fn bytes(&self) -> &[u8] {
        self
    }
}

/// The other end of a TCP connection.
#[derive(Debug)]
pub(super) struct Client<C> {
    pub stream: TcpStream,
    pub name: Arc<str>,
    /// What is being sent, its bytes, and how many of the first have been.
    waiting: VecDeque<C>,
    bytes: usize,
    sent: usize,
    /// When it last took something, while something waits.
    took: Instant,
    standing: Standing,
}

impl<C: Chunk> Client<C> {
    pub fn new(stream: TcpStream, address: SocketAddr) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        let now = Instant::now();
        Ok(Client {
            stream,
            name: address.to_string().into(),
            waiting: VecDeque::new(),
            bytes: 0,
            sent: 0,
            took: now,
            standing: Standing::new(address.ip(), now, TRIAL),
        })
    }

    /// Whether it will send nothing more.
    pub fn has_closed(&self) -> bool {
        self.standing.has_closed
    }

    pub fn has_unsent(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Will send this behind what waits.
    pub fn begin(&mut self, chunk: C) {
        if chunk.bytes().is_empty() {
            return;
        }
        if self.waiting.is_empty() {
            self.took = Instant::now();
        }
        self.bytes = self.bytes.saturating_add(chunk.bytes().len());
        self.waiting.push_back(chunk);
    }

    /// Sends what it takes; whether anything was sent. An error where it takes nothing for longer than `timeout`.
    pub fn send(&mut self, timeout: Duration) -> io::Result<bool> {
        let mut has_sent = false;
        while self.has_unsent() {
            let mut slices = [IoSlice::new(&[]); CHUNKS];
            let mut skipped = self.sent;
            for (slice, chunk) in slices.iter_mut().zip(&self.waiting) {
                *slice = IoSlice::new(chunk.bytes().get(std::mem::take(&mut skipped)..).unwrap_or_default());
            }
            match not_yet(self.stream.write_vectored(&slices))? {
                Some(0) => return Err(ErrorKind::WriteZero.into()),
                Some(n) => self.was_sent(n),
                None if self.took.elapsed() > timeout => return Err(ErrorKind::TimedOut.into()),
                None => return Ok(has_sent),
            }
            has_sent = true;
        }
        Ok(has_sent)
    }

    fn was_sent(&mut self, n: usize) {
        self.took = Instant::now();
        self.sent = self.sent.saturating_add(n);
        self.bytes = self.bytes.saturating_sub(n);
        self.standing.taken = self.standing.taken.saturating_add(n as u64);
        while let Some(chunk) = self.waiting.pop_front_if(|chunk| chunk.bytes().len() <= self.sent) {
            self.sent = self.sent.saturating_sub(chunk.bytes().len());
            self.standing.active = self.took;
        }
    }

    /// What one read gives, if anything has come.
    pub fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let n = self.read(buffer)?;
        if let Some(n) = n {
            self.standing.has_sent(n, Instant::now());
        }
        Ok(n)
    }

    /// The same, and it does not make the client active.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        if self.has_closed() {
            return Ok(None);
        }
        let n = not_yet(self.stream.read(buffer))?;
        self.standing.has_closed = n == Some(0);
        Ok(n.filter(|n| *n > 0))
    }

    fn is_far_behind(&self) -> bool {
        self.bytes >= LAG
    }

    pub fn wanted(&self) -> PollFlags {
        let mut wanted = if self.has_closed() { PollFlags::empty() } else { PollFlags::IN };
        wanted.set(PollFlags::OUT, self.has_unsent());
        wanted
    }
}

/// Takes "not now" for `None`.
pub(crate) fn not_yet<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(None),
        Err(error) => Err(error),
    }
}

/// How to treat data from clients that are accepted or dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    Shown,
    Forgotten,
    /// Nothing is read.
    Left,
}

/// Hears clients that come or go.
struct Hear<'a, S> {
    buffer: &'a mut [u8],
    words: Words,
    /// How many bytes are still read in this turn.
    left: usize,
    show: S,
}

impl<S: FnMut(&Arc<str>, &[u8])> Hear<'_, S> {
    /// Reads a client so often, if it has sent anything; whether it is still there.
    fn of<C: Chunk>(&mut self, client: &mut Client<C>, reads: usize) -> bool {
        for _ in 0..reads {
            let most = self.buffer.len().min(self.left);
            let buffer = self.buffer.get_mut(..most).unwrap_or_default();
            if buffer.is_empty() {
                break;
            }
            let read = match self.words {
                Words::Shown => client.receive(buffer),
                Words::Forgotten => client.read(buffer),
                Words::Left => break,
            };
            let n = match read {
                Ok(Some(n)) => n,
                Ok(None) => return !client.has_closed() || self.words == Words::Forgotten,
                Err(_) => return false,
            };
            self.left = self.left.saturating_sub(n);
            if self.words == Words::Shown {
                (self.show)(&client.name, buffer.get(..n).unwrap_or_default());
            }
        }
        true
    }
}

/// A server and its clients.
#[derive(Debug)]
pub(crate) struct Clients<C> {
    listener: TcpListener,
    clients: Vec<Client<C>>,
    /// How long a client that is alone may take nothing.
    timeout: Duration,
    /// What each gets first.
    greeting: Option<C>,
    /// When the last turns began in which clients were taken, the latest first.
    turns: VecDeque<Instant>,
    /// Until when no client is taken.
    paused: Option<Instant>,
    /// Since when a client holds the others up, and how long any have since a time within the last second.
    holds_up: Option<Instant>,
    second: Instant,
    held_up: Duration,
}

impl<C: Chunk> Clients<C> {
    pub fn listen(addresses: &[SocketAddr], timeout: Duration) -> io::Result<Self> {
        Ok(Clients {
            listener: listen(addresses)?,
            clients: Vec::new(),
            timeout,
            greeting: None,
            turns: VecDeque::new(),
            paused: None,
            holds_up: None,
            second: Instant::now(),
            held_up: Duration::ZERO,
        })
    }

    /// Sends every client this first.
    pub fn greeting(mut self, chunk: C) -> Self {
        self.greeting = Some(chunk);
        self
    }

    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Whether there is a client of that name.
    pub fn has(&self, name: &str) -> bool {
        self.clients.iter().any(|client| &*client.name == name)
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.clients.len()
    }

    /// How many bytes wait for each client.
    #[cfg(test)]
    pub fn unsent(&self) -> impl Iterator<Item = usize> {
        self.clients.iter().map(|client| client.bytes)
    }

    pub fn is_empty(&self) -> bool {
        self.clients.is_empty()
    }

    pub fn has_unsent(&self) -> bool {
        self.clients.iter().any(Client::has_unsent)
    }

    /// Accepts new clients. Returns whether there were any. Their first data is shown as in [`receive`](Self::receive), and
    /// so is the last data of clients that are dropped for them.
    pub fn accept(
        &mut self,
        buffer: &mut [u8],
        words: Words,
        notices: &mut Notices,
        mut show: impl FnMut(&Arc<str>, &[u8]),
    ) -> bool {
        let turn = Instant::now();
        if self.paused.is_some_and(|paused| turn < paused) {
            return false;
        }
        self.paused = None;
        self.turns.push_front(turn);
        self.turns.truncate(TURNS);
        let places = (self.clients.len() / TURNS).max(LEAST_AT_ONCE);
        let (mut accepted, mut taken) = (0usize, 0usize);
        let mut hear = Hear { buffer, words, left: MOST_WORDS, show: &mut show };
        while accepted < AT_ONCE && taken < places {
            let error = match not_yet(self.listener.accept()) {
                Ok(Some((stream, address))) => {
                    accepted = accepted.saturating_add(1);
                    let Ok(mut client) = Client::new(stream, address) else { continue };
                    // A client that has disconnected since takes no place. One that has closed its side is the next to be
                    // dropped.
                    if !hear.of(&mut client, FIRST_READS) {
                        continue;
                    }
                    taken = taken.saturating_add(usize::from(!client.has_closed()));
                    self.greeting.iter().for_each(|greeting| client.begin(greeting.clone()));
                    self.clients.push(client);
                    if self.clients.len() > MOST {
                        self.drop_next(&mut hear, notices, "others have come");
                    }
                    continue;
                }
                Ok(None) => break,
                // It has gone before it was looked at.
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => continue,
                Err(error) => error,
            };
            let is_no_room = matches!(Errno::from_io_error(&error), Some(Errno::MFILE | Errno::NFILE));
            let why = "the process has no more file descriptors";
            if is_no_room && self.drop_next(&mut hear, notices, why) {
                continue;
            }
            self.paused = Some(turn + PAUSE);
            notices.warn(|| format!("a client could not be taken: {error}"));
            break;
        }
        accepted > 0
    }

    /// Parts with the client that is the next to go, if there is one.
    fn drop_next(
        &mut self,
        hear: &mut Hear<'_, impl FnMut(&Arc<str>, &[u8])>,
        notices: &mut Notices,
        why: &str,
    ) -> bool {
        let standings = self.clients.iter().map(|client| &client.standing);
        let now = Instant::now();
        let turn = self.turns.back().copied().unwrap_or(now);
        let Some(place) = next_to_go(standings, turn, now) else { return false };
        let mut client = self.clients.remove(place);
        hear.of(&mut client, LAST_READS);
        notices.warn(|| format!("the client {} is given up: it does least, and {why}", client.name));
        true
    }

    /// Whether the next chunk may begin: the fastest client has taken all, and no other is too far behind.
    pub fn is_ready(&self) -> bool {
        self.clients.is_empty()
            || (self.clients.iter().any(|client| !client.has_unsent())
                && !self.clients.iter().any(Client::is_far_behind))
    }

    /// Will send this to every client.
    pub fn begin(&mut self, chunk: &C) {
        self.clients.iter_mut().for_each(|client| client.begin(chunk.clone()));
    }

    /// Tells the clients that nothing more comes.
    pub fn shut(&mut self) {
        for client in &self.clients {
            // One that has gone is noticed when it is read.
            let _ = client.stream.shutdown(Shutdown::Write);
        }
    }

    /// Will send this to every client that then has at most `most` bytes to take, and names the others.
    pub fn offer(&mut self, chunk: &C, most: usize, mut full: impl FnMut(&str)) {
        for client in &mut self.clients {
            match client.bytes.saturating_add(chunk.bytes().len()) <= most {
                true => client.begin(chunk.clone()),
                false => full(&client.name),
            }
        }
    }

    /// Sends what the clients take; whether anything was sent. Those that have gone, or hold the others up for too long, are
    /// given up.
    pub fn send(&mut self, notices: &mut Notices) -> bool {
        let moved = self.send_to_each(notices);
        self.part_with_the_slow(notices);
        moved
    }

    /// The same where nobody holds others up.
    pub fn send_to_each(&mut self, notices: &mut Notices) -> bool {
        let mut moved = false;
        let timeout = self.timeout;
        self.clients.retain_mut(|client| match client.send(timeout) {
            Ok(has_sent) => {
                moved |= has_sent;
                true
            }
            Err(error) => {
                notices.warn(|| format!("the client {} is given up: {error}", client.name));
                false
            }
        });
        moved
    }

    /// Gives those up that are too far behind, when they have held the fastest up for as long as they may.
    fn part_with_the_slow(&mut self, notices: &mut Notices) {
        let now = Instant::now();
        if now.saturating_duration_since(self.second) >= Duration::from_secs(1) {
            (self.second, self.held_up) = (now, Duration::ZERO);
        }
        let waits = self.clients.iter().any(|client| !client.has_unsent());
        let is_held_up = waits && self.clients.iter().any(Client::is_far_behind);
        let since = self.holds_up.take();
        let passed = since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
        self.held_up = self.held_up.saturating_add(passed);
        if is_held_up && self.held_up < HOLD_UP {
            self.holds_up = Some(now);
        } else if is_held_up {
            self.clients.retain(|client| {
                let is_slow = client.is_far_behind();
                if is_slow {
                    notices.warn(|| {
                        format!("the client {} is given up: it is too slow for the others", client.name)
                    });
                }
                !is_slow
            });
        }
    }

    /// Reads each client once, and shows the data with the client's name. Clients that have disconnected are removed.
    pub fn receive(
        &mut self,
        buffer: &mut [u8],
        notices: &mut Notices,
        mut show: impl FnMut(&Arc<str>, &[u8]),
    ) {
        self.clients.retain_mut(|client| match client.receive(buffer) {
            Ok(received) => {
                if let Some(bytes) = received.and_then(|n| buffer.get(..n)) {
                    show(&client.name, bytes);
                }
                !client.has_closed()
            }
            Err(error) => {
                notices.warn(|| format!("the client {} is given up: {error}", client.name));
                false
            }
        });
    }

    /// Takes clients that have come, and forgets what they send: it does not make them active. Those whose connections are broken are
    /// dropped; one that sends nothing more may still take something.
    pub fn accept_and_read_nothing(&mut self, notices: &mut Notices) {
        let buffer = &mut [0; UNREAD];
        self.accept(buffer, Words::Forgotten, notices, |_, _| {});
        self.clients.retain_mut(|client| {
            let result = client.read(buffer);
            if let Err(error) = &result {
                notices.warn(|| format!("the client {} is given up: {error}", client.name));
            }
            result.is_ok()
        });
    }

    /// What to wait for: clients that come, send or take.
    pub fn looks(&self) -> Vec<PollFd<'_>> {
        let listener = self.paused.is_none().then(|| PollFd::new(&self.listener, PollFlags::IN));
        let clients = self.clients.iter().map(|client| PollFd::new(&client.stream, client.wanted()));
        listener.into_iter().chain(clients).collect()
    }

    /// What to wait for until somebody takes more, or comes.
    pub fn looks_out(&self) -> Vec<PollFd<'_>> {
        let listener = self.paused.is_none().then(|| PollFd::new(&self.listener, PollFlags::IN));
        let waiting = self.clients.iter().filter(|client| client.has_unsent());
        let waiting = waiting.map(|client| PollFd::new(&client.stream, PollFlags::OUT));
        listener.into_iter().chain(waiting).collect()
    }
}
