//! The peers of a socket: how they connect, how many there may be, and which is dropped where there are too many.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rustix::io::Errno;

use super::super::Role;
use super::super::address::Stream;
use super::super::session::Session;
use super::super::shared::{Outgoing, State, bytes_of};
use super::peer::Peer;
use super::{Engine, Link};

/// How long a side that connects waits before it tries again.
const RETRY: Duration = Duration::from_millis(100);
/// Peers of a socket that listens, and those of them that are at their handshake.
const MOST_OPEN: usize = 256;
const MOST_UNOPENED: usize = 32;
/// Peers that are accepted before their messages are read. So those that greet are not the first to be dropped.
const AT_ONCE: usize = MOST_UNOPENED / 2;

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
                        self.add(stream);
                    }
                }
            }
        }
    }

    fn accept(&mut self, now: Instant) {
        for _ in 0..AT_ONCE {
            let Link::Listening(listener, paused) = &mut self.link else { return };
            *paused = None;
            let error = match listener.accept() {
                Ok(Some(stream)) => {
                    self.add(stream);
                    self.keep_unopened();
                    continue;
                }
                Ok(None) => return,
                Err(error) => error,
            };
            // Without descriptors, one that has said nothing makes room for one who may.
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

    fn add(&mut self, stream: Stream) {
        let options = &self.shared.options;
        let session = Session::new(self.shared.role, &options.topics, options.memory.longest());
        let (id, now) = (self.next_id, Instant::now());
        self.next_id = self.next_id.wrapping_add(1);
        self.peers.push(Peer {
            id,
            stream,
            session,
            since: now,
            active: now,
            is_deaf: false,
            has_ended: false,
            has_backlog: false,
            is_asking: false,
        });
    }

    /// The peer at its handshake that has said least, of several the first.
    fn least_of_the_unopened(&self) -> Option<usize> {
        let unopened = self.peers.iter().enumerate().filter(|(_, peer)| !peer.session.is_open());
        unopened.min_by_key(|(_, peer)| (peer.session.has_greeted(), peer.since)).map(|(place, _)| place)
    }

    /// The open peer that has finished no message for longest, where that is true of it.
    fn most_idle(&self, is_one: impl Fn(&Peer) -> bool) -> Option<usize> {
        let peers = self.peers.iter().enumerate();
        let open = peers.filter(|(_, peer)| peer.session.is_open() && is_one(peer));
        open.min_by_key(|(_, peer)| peer.active).map(|(place, _)| place)
    }

    fn keep_unopened(&mut self) {
        let unopened = self.peers.iter().filter(|peer| !peer.session.is_open()).count();
        if unopened > MOST_UNOPENED
            && let Some(place) = self.least_of_the_unopened()
        {
            let shared = self.shared.clone();
            let problem = "it has not greeted, and others have come";
            self.part_for(&mut shared.state(), place, problem);
        }
    }

    /// Parts with a peer, so that another can be taken; whether there was one.
    fn make_room(&mut self) -> bool {
        let place = self.least_of_the_unopened().or_else(|| self.most_idle(|_| true));
        let Some(place) = place else { return false };
        let shared = self.shared.clone();
        self.part_for(&mut shared.state(), place, "the process has no more file descriptors for others");
        true
    }

    /// Parts with those that are too many, or hold too much memory.
    pub(super) fn keep_limits(&mut self, state: &mut State) {
        while self.peers.iter().filter(|peer| peer.session.is_open()).count() > MOST_OPEN {
            let Some(place) = self.most_idle(|_| true) else { break };
            self.part_for(state, place, "it was silent for longest, and others have come");
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
