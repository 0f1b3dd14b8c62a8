//! What a socket and its thread share.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Role;
use super::memory::{Memory, Outbound};
use super::session::Parts;

/// How a socket is to be.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// How many messages may wait: for each subscriber of PUB, for the block of others.
    pub high_water: usize,
    /// What SUB subscribes to; everything begins with an empty topic.
    pub topics: Vec<Vec<u8>>,
    /// Whether PUB waits for a subscriber whose queue is full, instead of dropping what is for it.
    pub waits: bool,
    /// What it may take for messages.
    pub memory: Memory,
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
    /// Peers that the thread has parted with for what they did, and the block has not counted yet.
    pub parted: AtomicU64,
    /// Bytes of all messages that are to go out.
    pub outgoing: Arc<AtomicUsize>,
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
    /// Peers whose messages the block could not use, and why.
    pub refused: Vec<(u64, String)>,
    /// Whether the thread was woken and has not looked yet.
    woken: bool,
    pub stop: bool,
    pub ended: bool,
    pub failure: Option<io::Error>,
}

#[derive(Clone, Debug)]
pub(super) struct Outgoing {
    pub message: Arc<Outbound>,
    /// The peer that it is for; any, where none is said.
    pub to: Option<u64>,
}

/// A message, and which peer has sent it.
#[derive(Debug)]
pub(crate) struct Received {
    pub from: u64,
    pub parts: Parts,
}

impl State {
    /// Puts a message before all others, where it was.
    pub fn take_back(&mut self, outgoing: Outgoing) {
        self.unsent_bytes = self.unsent_bytes.saturating_add(outgoing.message.len());
        self.unsent.push_front(outgoing);
    }

    /// The message to be sent next.
    pub fn pop_unsent(&mut self) -> Option<Outgoing> {
        let outgoing = self.unsent.pop_front()?;
        self.unsent_bytes = self.unsent_bytes.saturating_sub(outgoing.message.len());
        Some(outgoing)
    }

    /// Whether the thread may put in another message for the block.
    pub fn has_room(&self, options: &Options) -> bool {
        self.received.len() < options.high_water && self.received_bytes < options.memory.received()
    }
}

/// What a part of a message takes up beside its bytes, and a message beside its parts.
pub(super) const OVERHEAD: usize = 64;

/// The bytes that a message counts.
pub(super) fn bytes_of(parts: &Parts) -> usize {
    parts.iter().fold(OVERHEAD, |sum, part| sum.saturating_add(part.len()).saturating_add(OVERHEAD))
}

impl Shared {
    pub fn new(role: Role, options: Options, waker: UnixStream) -> Self {
        Shared {
            role,
            options,
            state: Mutex::default(),
            changed: Condvar::new(),
            waker,
            parted: AtomicU64::new(0),
            outgoing: Arc::default(),
        }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the state for the thread; `None` where that is to end.
    pub fn look(&self) -> Option<MutexGuard<'_, State>> {
        let mut state = self.state();
        state.woken = false;
        (!state.stop).then_some(state)
    }

    /// Lets go of the state and has the thread look at it.
    pub fn wake(&self, mut state: MutexGuard<'_, State>) {
        let was_woken = std::mem::replace(&mut state.woken, true);
        drop(state);
        if !was_woken {
            // A full pipe wakes, too.
            let _ = (&self.waker).write(&[0]);
        }
    }

    /// The state once `is_so`, or after so long.
    pub fn wait(&self, timeout: Duration, is_so: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let waits = |state: &mut State| state.failure.is_none() && !is_so(state);
        let wait = self.changed.wait_timeout_while(self.state(), timeout, waits);
        wait.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Bytes of all messages that are to go out.
    pub fn outgoing(&self) -> usize {
        self.outgoing.load(Ordering::Relaxed)
    }
}
