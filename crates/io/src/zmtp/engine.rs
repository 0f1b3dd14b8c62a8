//! The thread of a socket: it finds peers, distributes messages to them and takes theirs.

mod distribute;
mod peer;
mod peers;

use std::collections::VecDeque;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::Role;
use super::address::{Address, Listener};
use super::session::{Event, Parts};
use super::shared::{Outgoing, Received, Shared, State, bytes_of};
use crate::notices::Notices;
use crate::standing::Standing;
use peer::{HANDSHAKE, Peer};
use peers::TRIAL;

/// The most bytes that are read at once of a peer, and the least: the more peers, the fewer.
const AT_ONCE: usize = 1 << 18;
const LEAST_AT_ONCE: usize = 1 << 12;

/// Where peers come from.
#[derive(Debug)]
pub(super) enum Link {
    /// From others, which connect; not before this time, where one could not be taken.
    Listening(Listener, Option<Instant>),
    /// From connecting to an address, not before this time.
    Connecting(Address, Instant),
}

impl Link {
    pub fn to_peers(listener: Listener) -> Self {
        Link::Listening(listener, None)
    }

    pub fn to_address(address: Address) -> Self {
        Link::Connecting(address, Instant::now())
    }
}

/// What the thread knows.
#[derive(Debug)]
pub(super) struct Engine {
    shared: Arc<Shared>,
    link: Link,
    woken: UnixStream,
    peers: Vec<Peer>,
    next_id: u64,
    /// Which peer is the next to get a message, and which to be listened to.
    next: usize,
    next_to_hear: usize,
    /// The request that waits for an answer, and when a peer has last got it.
    asked: Option<(Instant, Outgoing)>,
    /// How many messages have gone out.
    gone: u64,
    /// When to look again whether a peer of PUSH that takes nothing is to be parted with.
    look_again: Option<Instant>,
    buffer: Vec<u8>,
    /// When the last turns began in which peers were taken, the latest first.
    turns: VecDeque<Instant>,
    notices: Notices,
    has_dropped: bool,
}

impl Engine {
    pub fn new(shared: Arc<Shared>, link: Link, woken: UnixStream) -> Self {
        Engine {
            shared,
            link,
            woken,
            peers: Vec::new(),
            next_id: 0,
            next: 0,
            next_to_hear: 0,
            asked: None,
            gone: 0,
            look_again: None,
            buffer: vec![0; AT_ONCE],
            turns: VecDeque::new(),
            notices: Notices::default(),
            has_dropped: false,
        }
    }

    /// Serves the socket until it is dropped.
    pub fn run(mut self) {
        let shared = self.shared.clone();
        let result = self.serve();
        // The address is free again before anybody hears that the thread has ended.
        drop(self);
        let mut state = shared.state();
        state.failure = result.err();
        state.ended = true;
        drop(state);
        shared.changed.notify_all();
    }

    fn serve(&mut self) -> io::Result<()> {
        loop {
            // What is written makes room for more.
            loop {
                let Some(has_given) = self.distribute() else { return Ok(()) };
                let before = self.gone;
                self.write();
                if !has_given && self.gone == before {
                    break;
                }
            }
            let reads = self.account();
            self.wait(reads)?;
            // A message that was taken meanwhile has made room. A peer that nothing has come of yet would else not be heard
            // before all that has come of the others.
            let reads = reads || self.shared.state().has_room(&self.shared.options);
            self.meet();
            self.read(reads);
            self.take();
        }
    }

    fn write(&mut self) {
        for peer in self.peers.iter_mut().filter(|peer| !peer.is_deaf && peer.session.has_output()) {
            let (before, bytes) = peer.session.waiting();
            peer.is_deaf = peer.session.write(&mut peer.stream).is_err();
            let (left, bytes_left) = peer.session.waiting();
            let gone = before.saturating_sub(left);
            if gone > 0 {
                // Who is asked has done nothing yet.
                if self.shared.role != Role::Req {
                    peer.standing.has_taken(bytes.saturating_sub(bytes_left), Instant::now());
                }
                self.gone = self.gone.wrapping_add(gone as u64);
            }
            // Where messages come from it, those count that it has sent before it went.
            if peer.is_deaf && matches!(self.shared.role, Role::Pub | Role::Push) {
                (peer.has_ended, peer.has_backlog) = (true, true);
            }
        }
    }

    /// Publishes what has been sent to the block. Returns whether there is room for more messages.
    fn account(&mut self) -> bool {
        let held = self.held();
        let mut state = self.shared.state();
        let has_gone = self.gone > state.gone;
        (state.held, state.gone) = (held, self.gone);
        let reads = state.has_room(&self.shared.options);
        state.is_full = !reads;
        drop(state);
        if has_gone {
            self.shared.changed.notify_all();
        }
        reads
    }

    /// Waits until there is something to do.
    fn wait(&mut self, reads: bool) -> io::Result<()> {
        let now = Instant::now();
        let mut looks = vec![PollFd::new(&self.woken, PollFlags::IN)];
        let mut until = match &self.link {
            Link::Listening(_, Some(paused)) => Some(*paused),
            Link::Listening(listener, None) => {
                looks.push(PollFd::new(listener, PollFlags::IN));
                None
            }
            Link::Connecting(_, next) => self.peers.is_empty().then_some(*next),
        };
        until = [until, self.look_again].into_iter().flatten().min();
        for peer in &self.peers {
            if !peer.session.is_open() {
                let end = peer.since + HANDSHAKE;
                until = Some(until.map_or(end, |until| until.min(end)));
            }
            let wanted = peer.wanted(reads);
            // One that hangs up is shown whether it is wanted or not.
            if !wanted.is_empty() {
                looks.push(PollFd::new(&peer.stream, wanted));
            }
        }
        let has_backlog = self.peers.iter().any(|peer| peer.is_taken_of(self.shared.role));
        let timeout = match until {
            _ if has_backlog && reads => Some(Timespec { tv_sec: 0, tv_nsec: 0 }),
            Some(until) => {
                // A millisecond more: it is not to wake too early.
                let timeout = until.saturating_duration_since(now) + Duration::from_millis(1);
                let (seconds, nanos) = (timeout.as_secs() as i64, timeout.subsec_nanos());
                Some(Timespec { tv_sec: seconds, tv_nsec: nanos.into() })
            }
            None => None,
        };
        match poll(&mut looks, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        drop(looks);
        let mut bytes = [0; 64];
        while matches!((&self.woken).read(&mut bytes), Ok(n) if n == bytes.len()) {}
        Ok(())
    }

    fn read(&mut self, reads: bool) {
        let share = self.shared.options.memory.unfinished() / 2 / self.peers.len().max(1);
        let share = share.clamp(LEAST_AT_ONCE, AT_ONCE);
        let Engine { peers, buffer, .. } = self;
        for peer in peers.iter_mut().filter(|peer| peer.is_read(reads)) {
            peer.read(buffer.get_mut(..share).unwrap_or_default());
        }
    }

    /// Takes messages of the peers, one of each in turn, as long as there is room; parts with those that are done.
    fn take(&mut self) {
        let shared = self.shared.clone();
        let mut state = shared.state();
        let before = (state.received.len(), state.peers, state.unsent.len(), state.held);
        let mut problems: Vec<Option<String>> = vec![None; self.peers.len()];
        for (place, problem) in problems.iter_mut().enumerate() {
            // A handshake needs no room.
            if self.peers.get(place).is_some_and(|peer| !peer.session.is_open()) {
                *problem = self.take_of(&mut state, place);
            } else if let Some(peer) = self.peers.get_mut(place) {
                peer.has_backlog = true;
            }
        }
        let mut has_taken = true;
        while has_taken && state.has_room(&shared.options) {
            has_taken = false;
            let first = self.next_to_hear;
            for place in 0..self.peers.len() {
                let place = place.wrapping_add(first) % self.peers.len();
                let has_more = self.peers.get(place).is_some_and(|peer| peer.is_taken_of(shared.role));
                if has_more && state.has_room(&shared.options) {
                    has_taken = true;
                    // Where there is room for no more, the one behind it is the next to be listened to.
                    self.next_to_hear = place.saturating_add(1);
                    let found = self.take_of(&mut state, place);
                    if let (Some(problem), Some(found)) = (problems.get_mut(place), found) {
                        *problem = Some(found);
                    }
                }
            }
        }
        for (id, problem) in std::mem::take(&mut state.refused) {
            let place = self.peers.iter().position(|peer| peer.id == id);
            if let Some(place) = place.and_then(|place| problems.get_mut(place)) {
                *place = Some(problem);
            }
        }
        for (place, problem) in problems.into_iter().enumerate().rev() {
            let Some(peer) = self.peers.get(place) else { continue };
            let is_late = !peer.session.is_open() && peer.since.elapsed() > HANDSHAKE;
            let problem = problem.or_else(|| is_late.then(|| "it does not greet".to_owned()));
            if let Some(problem) = problem {
                self.part_for(&mut state, place, &problem);
            } else if peer.has_ended && !peer.has_backlog {
                self.part(&mut state, place);
            }
        }
        self.keep_limits(&mut state);
        state.peers = self.peers.iter().filter(|peer| peer.session.is_open()).count();
        state.held = self.held();
        let has_changed = before != (state.received.len(), state.peers, state.unsent.len(), state.held);
        drop(state);
        if has_changed {
            shared.changed.notify_all();
        }
    }

    /// Takes the next message of a peer, or the end of its handshake; how it has broken the protocol, if it has.
    fn take_of(&mut self, state: &mut State, place: usize) -> Option<String> {
        let peer = self.peers.get_mut(place)?;
        match peer.session.next() {
            Ok(Some(event)) => {
                peer.has_backlog = true;
                let from = peer.id;
                match event {
                    Event::Open => peer.standing = Standing::new(peer.address, Instant::now(), TRIAL),
                    Event::Message(_) if self.shared.role == Role::Req && !peer.is_asking => {
                        return Some("it answers what it was not asked".to_owned());
                    }
                    Event::Message(parts) => {
                        // Who answers sends no more than was asked for.
                        let bytes = if self.shared.role == Role::Req { 0 } else { bytes_of(&parts) };
                        peer.standing.has_sent(bytes, Instant::now());
                        self.receive(state, from, parts);
                    }
                }
                None
            }
            Ok(None) => {
                peer.has_backlog = false;
                None
            }
            Err(breach) => {
                peer.has_backlog = false;
                Some(breach.to_string())
            }
        }
    }

    fn receive(&mut self, state: &mut State, from: u64, parts: Parts) {
        match self.shared.role {
            Role::Req => {
                // What does not begin as an answer does is ignored.
                let peer = self.peers.iter_mut().find(|peer| peer.id == from && peer.is_asking);
                let begins_well = parts.len() >= 2 && parts.first().is_some_and(Vec::is_empty);
                let (Some(peer), true) = (peer, begins_well) else { return };
                peer.is_asking = false;
                self.asked = None;
            }
            Role::Rep if !parts.iter().any(Vec::is_empty) => return,
            Role::Rep => {
                if let Some(peer) = self.peers.iter_mut().find(|peer| peer.id == from) {
                    peer.is_asking = true;
                }
            }
            _ => {}
        }
        state.received_bytes = state.received_bytes.saturating_add(bytes_of(&parts));
        state.received.push_back(Received { from, parts });
    }
}

#[cfg(test)]
mod tests;
