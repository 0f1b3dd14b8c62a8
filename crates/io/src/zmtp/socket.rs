//! A block's side of a socket: it sends, receives, asks and answers. Each call has a time limit.

use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

use super::Role;
use super::address::Address;
use super::engine::{Engine, Link};
use super::memory::{Memory, Outbound};
use super::session::Parts;
use super::shared::{Options, Outgoing, Received, Shared, State, bytes_of};
use super::wire;
use crate::error::Error;

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
        let shared = Arc::new(Shared::new(role, options, waker));
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
    pub fn wait_for_room(&self, timeout: Duration) -> Result<bool, Error> {
        let Options { high_water, memory, .. } = self.shared.options;
        let has_room = |state: &State| {
            state.unsent.len() < high_water
                && state.unsent_bytes < memory.unsent()
                && (self.role != Role::Push || state.peers > 0)
        };
        let mut state = self.shared.wait(timeout, has_room);
        self.check(&mut state)?;
        Ok(has_room(&state))
    }

    /// Whether a peer is connected. PUB need not make messages without one.
    pub fn has_peers(&self) -> bool {
        self.shared.state().peers > 0
    }

    /// Sends a message of these parts, each of which is some pieces in a row. Of REQ it is a request.
    pub fn send(&self, parts: &[&[&[u8]]]) {
        let envelope: &[&[&[u8]]] = if self.role == Role::Req { &[&[]] } else { &[] };
        self.put(message(envelope.iter().chain(parts)), None);
    }

    fn put(&self, message: Vec<u8>, to: Option<u64>) {
        let message = Outbound::new(message, &self.shared.outgoing);
        let mut state = self.shared.state();
        state.unsent_bytes = state.unsent_bytes.saturating_add(message.len());
        state.unsent.push_back(Outgoing { message, to });
        self.shared.wake(state);
    }

    /// A message, or of REQ an answer, if one comes within this time.
    pub fn receive(&self, timeout: Duration) -> Result<Option<Received>, Error> {
        let Some(mut received) = self.take(timeout)? else { return Ok(None) };
        if self.role == Role::Req && !received.parts.is_empty() {
            // It begins with the empty part that the request has begun with.
            received.parts.remove(0);
        }
        Ok(Some(received))
    }

    /// Parts with a peer whose message was of no use. Where this side connects, it does so anew.
    pub fn refuse(&self, peer: u64, problem: String) {
        let mut state = self.shared.state();
        // A peer is parted with once, whatever else of it waits.
        if state.refused.iter().all(|(other, _)| *other != peer) {
            state.refused.push((peer, problem));
            self.shared.wake(state);
        }
    }

    /// How many peers it has parted with for what they did, since this was asked last.
    pub fn take_parted(&self) -> u64 {
        self.shared.parted.swap(0, Ordering::Relaxed)
    }

    /// What it may take for messages.
    pub fn memory(&self) -> Memory {
        self.shared.options.memory
    }

    /// A request to REP, if one comes within this time.
    pub fn request(&self, timeout: Duration) -> Result<Option<Request>, Error> {
        let Some(Received { from, parts: mut envelope }) = self.take(timeout)? else { return Ok(None) };
        let end = envelope.iter().position(Vec::is_empty).map_or(0, |place| place.saturating_add(1));
        let body = envelope.split_off(end);
        Ok(Some(Request { from, envelope, body }))
    }

    /// Answers a request; nobody gets the answer where the other side has gone.
    pub fn answer(&self, request: &Request, parts: &[&[&[u8]]]) {
        let envelope: Vec<[&[u8]; 1]> = request.envelope.iter().map(|part| [&part[..]]).collect();
        let envelope: Vec<&[&[u8]]> = envelope.iter().map(|part| &part[..]).collect();
        self.put(message(envelope.iter().chain(parts)), Some(request.from));
    }

    fn take(&self, timeout: Duration) -> Result<Option<Received>, Error> {
        let mut state = self.shared.wait(timeout, |state| !state.received.is_empty());
        let Some(received) = state.received.pop_front() else {
            self.check(&mut state)?;
            return Ok(None);
        };
        state.received_bytes = state.received_bytes.saturating_sub(bytes_of(&received.parts));
        let is_low = state.received.len() <= self.shared.options.high_water / 2;
        if state.is_full && is_low && state.received_bytes <= self.memory().received() / 2 {
            state.is_full = false;
            self.shared.wake(state);
        }
        Ok(Some(received))
    }

    /// Waits so long at most until all was sent; whether it was, and how many messages have gone out.
    pub fn flush(&self, timeout: Duration) -> Result<(bool, u64), Error> {
        let is_sent = |state: &State| state.unsent.is_empty() && state.held == 0;
        let mut state = self.shared.wait(timeout, is_sent);
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
