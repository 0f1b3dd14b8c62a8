//! What blocks hold of a socket: they send, receive, ask and answer, and wait for none of it for longer than they say.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::Role;
use super::address::Address;
use super::engine::{Engine, Link};
use super::session::Parts;
use super::wire::{self, MOST_BYTES};
use crate::error::Error;

/// How a socket is to be.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// How many messages may wait: for each subscriber of PUB, for the block of others.
    pub high_water: usize,
    /// What SUB subscribes to; everything begins with an empty topic.
    pub topics: Vec<Vec<u8>>,
    /// Whether PUB waits for a subscriber whose queue is full, instead of dropping what is for it.
    pub waits: bool,
}

/// Bytes of messages that may wait to be dealt to peers.
const MOST_UNSENT: usize = 1 << 26;
/// How long the end of a socket waits for its thread, which may be looking a name up.
const LAST_LOOK: Duration = Duration::from_secs(1);

/// A socket, served by a thread of its own until it is dropped.
#[derive(Debug)]
pub(crate) struct Socket {
    role: Role,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    endpoint: String,
}

/// A request that waits for its answer.
#[derive(Debug)]
pub(crate) struct Request {
    from: u64,
    /// What stands before the request, and will before the answer.
    envelope: Parts,
    pub body: Parts,
}

/// What the block and the thread share.
#[derive(Debug)]
pub(super) struct Shared {
    pub role: Role,
    pub options: Options,
    state: Mutex<State>,
    /// Rung when there is something new for the block.
    pub changed: Condvar,
    /// Where a byte wakes the thread.
    waker: UnixStream,
}

#[derive(Debug, Default)]
pub(super) struct State {
    /// Messages that no peer has got yet, and their bytes.
    pub unsent: VecDeque<Outgoing>,
    pub unsent_bytes: usize,
    /// How many wait in the queues of peers.
    pub held: usize,
    /// How many have gone out, ever.
    pub gone: u64,
    /// Messages for the block, and their bytes.
    pub received: VecDeque<Received>,
    pub received_bytes: usize,
    /// Whether the thread has found no room for more of them.
    pub is_full: bool,
    /// Peers whose handshake is done.
    pub peers: usize,
    /// Whether the thread was woken and has not looked yet.
    woken: bool,
    stop: bool,
    pub ended: bool,
    pub failure: Option<io::Error>,
}

#[derive(Clone, Debug)]
pub(super) struct Outgoing {
    pub message: Arc<Vec<u8>>,
    /// The peer that it is for; any, where none is said.
    pub to: Option<u64>,
}

#[derive(Debug)]
pub(super) struct Received {
    pub from: u64,
    pub parts: Parts,
}

impl State {
    /// Puts a message before all others, where it was.
    pub fn take_back(&mut self, outgoing: Outgoing) {
        self.unsent_bytes += outgoing.message.len();
        self.unsent.push_front(outgoing);
    }

    /// The message to be sent next.
    pub fn pop_unsent(&mut self) -> Option<Outgoing> {
        let outgoing = self.unsent.pop_front()?;
        self.unsent_bytes -= outgoing.message.len();
        Some(outgoing)
    }

    /// Whether the thread may put in another message for the block.
    pub fn has_room(&self, high_water: usize) -> bool {
        self.received.len() < high_water && self.received_bytes < MOST_BYTES
    }
}

/// The bytes that the parts of a message count.
pub(super) fn bytes_of(parts: &Parts) -> usize {
    parts.iter().map(|part| part.len() + size_of::<Vec<u8>>()).sum()
}

impl Shared {
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the state for the thread; `None` where that is to end.
    pub fn look(&self) -> Option<MutexGuard<'_, State>> {
        let mut state = self.state();
        state.woken = false;
        (!state.stop).then_some(state)
    }

    fn wake(&self, mut state: MutexGuard<'_, State>) {
        let was_woken = std::mem::replace(&mut state.woken, true);
        drop(state);
        if !was_woken {
            // A full pipe wakes, too.
            let _ = (&self.waker).write(&[0]);
        }
    }

    /// The state once `is_so`, or after so long.
    fn wait(&self, patience: Duration, is_so: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let waits = |state: &mut State| state.failure.is_none() && !is_so(state);
        let wait = self.changed.wait_timeout_while(self.state(), patience, waits);
        wait.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Socket {
    /// A socket that listens at an address, or connects to it again and again.
    ///
    /// # Errors
    /// [`Error::Socket`] where it cannot listen there, or the system has no thread for it.
    pub fn open(role: Role, address: &Address, bind: bool, options: Options) -> Result<Self, Error> {
        let fail = |action| {
            let address = address.to_string();
            move |source| Error::Socket { address, action, source }
        };
        let (link, endpoint) = match bind {
            true => {
                let listener = address.listen().map_err(fail("listen at"))?;
                let endpoint = listener.endpoint().map_err(fail("listen at"))?;
                (Link::to_peers(listener), endpoint)
            }
            false => (Link::to_address(address.clone()), address.to_string()),
        };
        let (waker, woken) = UnixStream::pair().map_err(fail("serve"))?;
        for stream in [&waker, &woken] {
            stream.set_nonblocking(true).map_err(fail("serve"))?;
        }
        let shared =
            Arc::new(Shared { role, options, state: Mutex::default(), changed: Condvar::new(), waker });
        let engine = Engine::new(shared.clone(), link, woken);
        let thread = std::thread::Builder::new().name("superhet-zmq".to_owned()).spawn(|| engine.run());
        let thread = Some(thread.map_err(fail("serve"))?);
        Ok(Socket { role, shared, thread, endpoint })
    }

    /// Where it listens, or what it connects to.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    fn check(&self, state: &mut State) -> Result<(), Error> {
        let address = || self.endpoint.clone();
        state
            .failure
            .take()
            .map_or(Ok(()), |source| Err(Error::Socket { address: address(), action: "serve", source }))
    }

    /// Waits so long at most until there is room for a message, and, of PUSH, somebody to send it to; whether there is.
    pub fn wait_for_room(&self, patience: Duration) -> Result<bool, Error> {
        let has_room = |state: &State| {
            state.unsent.len() < self.shared.options.high_water
                && state.unsent_bytes < MOST_UNSENT
                && (self.role != Role::Push || state.peers > 0)
        };
        let mut state = self.shared.wait(patience, has_room);
        self.check(&mut state)?;
        Ok(has_room(&state))
    }

    /// Whether anybody is connected: what PUB sends to nobody need not be made.
    pub fn has_peers(&self) -> bool {
        self.shared.state().peers > 0
    }

    /// Sends a message of these parts, each of which is some pieces in a row. Of REQ it is a request.
    pub fn send(&self, parts: &[&[&[u8]]]) {
        let envelope: &[&[&[u8]]] = if self.role == Role::Req { &[&[]] } else { &[] };
        self.put(message(envelope.iter().chain(parts)), None);
    }

    fn put(&self, message: Vec<u8>, to: Option<u64>) {
        let mut state = self.shared.state();
        state.unsent_bytes += message.len();
        state.unsent.push_back(Outgoing { message: message.into(), to });
        self.shared.wake(state);
    }

    /// A message, or of REQ an answer, if one comes within this time.
    pub fn receive(&self, patience: Duration) -> Result<Option<Parts>, Error> {
        let Some(Received { mut parts, .. }) = self.take(patience)? else { return Ok(None) };
        if self.role == Role::Req {
            // It begins with the empty part that the request has begun with.
            parts.remove(0);
        }
        Ok(Some(parts))
    }

    /// A request to REP, if one comes within this time.
    pub fn request(&self, patience: Duration) -> Result<Option<Request>, Error> {
        let Some(Received { from, parts: mut envelope }) = self.take(patience)? else { return Ok(None) };
        let end = envelope.iter().position(Vec::is_empty).map_or(0, |place| place + 1);
        let body = envelope.split_off(end);
        Ok(Some(Request { from, envelope, body }))
    }

    /// Answers a request; nobody gets the answer where the other side has gone.
    pub fn answer(&self, request: &Request, parts: &[&[&[u8]]]) {
        let envelope: Vec<[&[u8]; 1]> = request.envelope.iter().map(|part| [&part[..]]).collect();
        let envelope: Vec<&[&[u8]]> = envelope.iter().map(|part| &part[..]).collect();
        self.put(message(envelope.iter().chain(parts)), Some(request.from));
    }

    fn take(&self, patience: Duration) -> Result<Option<Received>, Error> {
        let mut state = self.shared.wait(patience, |state| !state.received.is_empty());
        let Some(received) = state.received.pop_front() else {
            self.check(&mut state)?;
            return Ok(None);
        };
        state.received_bytes -= bytes_of(&received.parts);
        let is_low = state.received.len() <= self.shared.options.high_water / 2;
        if state.is_full && is_low && state.received_bytes <= MOST_BYTES / 2 {
            state.is_full = false;
            self.shared.wake(state);
        }
        Ok(Some(received))
    }

    /// Waits so long at most until all was sent; whether it was, and how many messages have gone out.
    pub fn flush(&self, patience: Duration) -> Result<(bool, u64), Error> {
        let is_sent = |state: &State| state.unsent.is_empty() && state.held == 0;
        let mut state = self.shared.wait(patience, is_sent);
        self.check(&mut state)?;
        Ok((is_sent(&state), state.gone))
    }
}

/// The bytes of a message.
fn message<'a>(parts: impl Iterator<Item = &'a &'a [&'a [u8]]>) -> Vec<u8> {
    let parts: Vec<_> = parts.collect();
    let length: usize = parts.iter().flat_map(|part| part.iter()).map(|piece| piece.len()).sum();
    let mut bytes = Vec::with_capacity(length + 9 * parts.len());
    for (place, part) in parts.iter().enumerate() {
        wire::put_part(&mut bytes, place + 1 < parts.len(), part);
    }
    bytes
}

impl Drop for Socket {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.stop = true;
        self.shared.wake(state);
        let has_ended = self.shared.wait(LAST_LOOK, |state| state.ended).ended;
        if let (true, Some(thread)) = (has_ended, self.thread.take()) {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests;
