//! The peers of a socket: how they connect, how many there may be, and which is dropped where there are too many.

use std::cmp::Reverse;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rustix::io::Errno;

use super::super::Role;
use super::super::address::Stream;
use super::super::session::Session;
use super::super::shared::{Outgoing, State, bytes_of};
use super::peer::Peer;
use super::{Engine, Link};
use crate::standing::{Standing, next_to_go};

/// The address of the one that a socket connects to: there are no others.
const NOBODY: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// How long a side that connects waits before it tries again.
const RETRY: Duration = Duration::from_millis(100);
/// How long a peer has to begin its handshake, and to finish it, before those that come later may take its place.
const BEGINNING: Duration = Duration::from_millis(10);
const GREETING: Duration = Duration::from_millis(100);
/// Peers of a socket that listens, and those of them that are at their handshake.
const MOST_OPEN: usize = 256;
const MOST_UNOPENED: usize = 64;
/// How long messages must have been exchanged with an open peer until others go before it.
pub(super) const TRIAL: Duration = Duration::from_millis(50);
/// In so many turns an open peer keeps its place, and one part in so many of all places is for handshakes.
const TURNS: usize = 3;
/// The fewest peers for which there is room in a turn, and how many are looked at, also of those that have gone already.
const LEAST_TAKEN: usize = 4;
const MOST_LOOKED_AT: usize = 256;
/// Bytes that are read of a peer when it comes.
const FIRST_READ: usize = 1 << 12;

impl Engine {
    /// Takes peers that have come, or connects.
    pub(super) fn meet(&mut self) {
        let now = Instant::now();
        match &mut self.link {
            Link::Listening(_, Some(paused)) if *paused > now => {}
            Link::Listening(..) => self.accept(now),
            Link::Connecting(address, next) => {
                if self.peers.is_empty() && *next <= now {
                    // Whoever is not there yet may come.
                    let come = address.connect();
                    *next = Instant::now() + RETRY;
                    if let Ok(stream) = come {
                        self.add(stream, NOBODY);
                    }
                }
            }
        }
    }

    fn accept(&mut self, now: Instant) {
        self.turns.push_front(now);
        self.turns.truncate(TURNS);
        let places = (self.peers.len() / TURNS).max(LEAST_TAKEN);
        let (mut looked_at, mut taken) = (0usize, 0usize);
        while looked_at < MOST_LOOKED_AT && taken < places {
            let Link::Listening(listener, paused) = &mut self.link else { return };
            *paused = None;
            let error = match listener.accept() {
                Ok(Some((stream, address))) => {
                    looked_at = looked_at.saturating_add(1);
                    if self.begin(stream, address) {
                        taken = taken.saturating_add(1);
                        self.keep_unopened();
                    }
                    continue;
                }
                Ok(None) => return,
                Err(error) => error,
            };
            // Without descriptors, one goes for each that comes.
            let is_no_room = matches!(Errno::from_io_error(&error), Some(Errno::MFILE | Errno::NFILE));
            if is_no_room && self.make_room() {
                continue;
            }
            if let Link::Listening(_, paused) = &mut self.link {
                *paused = Some(now + RETRY);
            }
            self.warn(|| format!("a peer could not be taken: {error}"));
            return;
        }
    }

    fn add(&mut self, stream: Stream, address: IpAddr) {
        let options = &self.shared.options;
        let session = Session::new(self.shared.role, &options.topics, options.memory.longest());
        let (id, now) = (self.next_id, Instant::now());
        self.next_id = self.next_id.wrapping_add(1);
        self.peers.push(Peer {
            id,
            stream,
            address,
            session,
            since: now,
            standing: Standing::new(address, now, TRIAL),
            is_deaf: false,
            has_ended: false,
            has_backlog: false,
            is_asking: false,
        });
    }

    /// Takes a peer and reads what it has said while it waited: who has said all of a handshake is open at once. Whether it is
    /// there; who has gone since, or breaks the protocol, takes nobody's place.
    fn begin(&mut self, stream: Stream, address: IpAddr) -> bool {
        self.add(stream, address);
        let place = self.peers.len().saturating_sub(1);
        let Engine { peers, buffer, .. } = self;
        let Some(peer) = peers.get_mut(place) else { return false };
        peer.read(buffer.get_mut(..FIRST_READ).unwrap_or_default());
        if peer.has_ended {
            self.peers.pop();
            return false;
        }
        let shared = self.shared.clone();
        let mut state = shared.state();
        let problem = self.take_of(&mut state, place);
        if let Some(problem) = &problem {
            self.part_for(&mut state, place, problem);
        }
        problem.is_none()
    }

    /// The peer at its handshake that is the first to go: of those that have had their time the first, one that has not greeted
    /// before one that has; where nobody has, the last to come.
    fn next_of_the_unopened(&self) -> Option<usize> {
        let now = Instant::now();
        let rank = |peer: &Peer| {
            let time = if peer.session.has_begun() { GREETING } else { BEGINNING };
            let had_its_time = now.saturating_duration_since(peer.since) >= time;
            match had_its_time {
                true => (1, peer.session.has_greeted(), Some(peer.since), Reverse(None)),
                false => (2, false, None, Reverse(Some(peer.since))),
            }
        };
        let unopened = self.peers.iter().enumerate().filter(|(_, peer)| !peer.session.is_open());
        unopened.min_by_key(|(_, peer)| rank(peer)).map(|(place, _)| place)
    }

    /// The open peer that is the first to go.
    fn next_of_the_open(&self) -> Option<usize> {
        if self.shared.role == Role::Req {
            return self.next_of_the_asked();
        }
        let now = Instant::now();
        let turn = self.turns.back().copied().unwrap_or(now);
        let open = self.peers.iter().enumerate().filter(|(_, peer)| peer.session.is_open());
        let next = next_to_go(open.clone().map(|(_, peer)| &peer.standing), turn, now)?;
        open.map(|(place, _)| place).nth(next)
    }

    /// The same of REQ, which says itself when a peer may speak: those first that were asked and have never answered, then those that
    /// were not asked yet. Those that have answered go where they have more than three quarters of the places, the last to come
    /// first.
    fn next_of_the_asked(&self) -> Option<usize> {
        let open = self.peers.iter().enumerate().filter(|(_, peer)| peer.session.is_open());
        let answers = |peer: &Peer| peer.standing.has_done_something();
        let (count, answering) =
            (open.clone().count(), open.clone().filter(|(_, peer)| answers(peer)).count());
        let next = if answering > count.saturating_sub(count / 4) {
            open.filter(|(_, peer)| answers(peer)).max_by_key(|(_, peer)| peer.since)
        } else {
            open.min_by_key(|(_, peer)| (answers(peer), !peer.is_asking, peer.since))
        };
        next.map(|(place, _)| place)
    }

    /// The open peer that has finished no message for longest, where that is true of it.
    fn most_idle(&self, is_one: impl Fn(&Peer) -> bool) -> Option<usize> {
        let peers = self.peers.iter().enumerate();
        let open = peers.filter(|(_, peer)| peer.session.is_open() && is_one(peer));
        open.min_by_key(|(_, peer)| peer.standing.active).map(|(place, _)| place)
    }

    fn unopened(&self) -> usize {
        self.peers.iter().filter(|peer| !peer.session.is_open()).count()
    }

    fn keep_unopened(&mut self) {
        if self.unopened() > MOST_UNOPENED
            && let Some(place) = self.next_of_the_unopened()
        {
            let shared = self.shared.clone();
            let problem = "it has not greeted, and others have come";
            self.part_for(&mut shared.state(), place, problem);
        }
    }

    /// Parts with a peer, so that another can be taken; whether there was one.
    pub(super) fn make_room(&mut self) -> bool {
        let has_too_many_unopened = self.unopened() > self.peers.len() / TURNS;
        let open = if has_too_many_unopened { None } else { self.next_of_the_open() };
        let Some(place) = open.or_else(|| self.next_of_the_unopened()) else { return false };
        let shared = self.shared.clone();
        self.part_for(&mut shared.state(), place, "the process has no more file descriptors for others");
        true
    }

    /// Parts with those that are too many, or hold too much memory.
    pub(super) fn keep_limits(&mut self, state: &mut State) {
        while self.peers.iter().filter(|peer| peer.session.is_open()).count() > MOST_OPEN {
            let Some(place) = self.next_of_the_open() else { break };
            self.part_for(state, place, "it does least, and others have come");
        }
        let most = self.shared.options.memory.unfinished();
        loop {
            let held = self.peers.iter().fold(0usize, |sum, peer| sum.saturating_add(peer.session.held()));
            if held <= most {
                break;
            }
            // One that holds less than its share is not to blame.
            let share = held / self.peers.len().max(1);
            let Some(place) = self.most_idle(|peer| peer.session.held() >= share) else { break };
            self.part_for(state, place, "messages that are not whole take up all memory for them");
        }
    }

    /// Parts with a peer for what it did or did not.
    pub(super) fn part_for(&mut self, state: &mut State, place: usize, problem: &str) {
        self.part(state, place);
        self.shared.parted.fetch_add(1, Ordering::Relaxed);
        self.warn(|| format!("a peer is not served: {problem}"));
    }

    /// Parts with a peer; what it has not got goes to others.
    pub(super) fn part(&mut self, state: &mut State, place: usize) {
        let peer = self.peers.remove(place);
        match self.shared.role {
            Role::Push => {
                for message in peer.session.into_unsent().into_iter().rev() {
                    state.take_back(Outgoing { message, to: None });
                }
            }
            Role::Req => {
                let is_asked = self.peers.iter().any(|peer| peer.is_asking);
                if let Some((_, request)) = self.asked.take_if(|_| peer.is_asking && !is_asked) {
                    state.take_back(request);
                }
            }
            Role::Rep => {
                let State { received, received_bytes, .. } = state;
                received.retain(|request| {
                    let is_kept = request.from != peer.id;
                    let bytes = if is_kept { 0 } else { bytes_of(&request.parts) };
                    *received_bytes = received_bytes.saturating_sub(bytes);
                    is_kept
                });
            }
            Role::Pub | Role::Sub | Role::Pull => {}
        }
        if let Link::Connecting(_, next) = &mut self.link {
            *next = Instant::now() + RETRY;
        }
    }

    /// Logs a problem, at a limited rate: a peer may try for ever.
    pub(super) fn warn(&mut self, problem: impl FnOnce() -> String) {
        let link = &self.link;
        self.notices.warn(|| {
            let address = match link {
                Link::Listening(listener, _) => listener.endpoint().unwrap_or_default(),
                Link::Connecting(address, _) => address.to_string(),
            };
            format!("{address}: {}", problem())
        });
    }
}
