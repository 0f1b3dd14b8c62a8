//! The thread of a socket: it finds peers, deals messages out to them and takes theirs.

mod deal;

use std::io::{self, ErrorKind, Read};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::Role;
use super::address::{Address, Listener, Stream};
use super::session::{Event, Parts, Session};
use super::socket::{Outgoing, Received, Shared, State, bytes_of};

/// How long a side that connects waits before it tries again.
const RETRY: Duration = Duration::from_millis(100);
/// How long a handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(30);
/// Peers of a socket that listens.
const MOST_PEERS: usize = 256;
/// Bytes that are read at once of a peer.
const AT_ONCE: usize = 1 << 18;

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

#[derive(Debug)]
struct Peer {
    id: u64,
    stream: Stream,
    session: Session,
    since: Instant,
    /// Whether it takes nothing any more.
    is_deaf: bool,
    /// Whether nothing comes any more.
    has_ended: bool,
}

impl Peer {
    fn wanted(&self, reads: bool) -> PollFlags {
        let mut wanted = PollFlags::empty();
        wanted.set(PollFlags::IN, reads && !self.has_ended);
        wanted.set(PollFlags::OUT, self.session.has_output() && !self.is_deaf);
        wanted
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
    /// Which peer is the next to get a message, and to be listened to.
    next: usize,
    /// The request that waits for its answer, and the peer that has got it.
    asked: Option<(u64, Outgoing)>,
    /// How many messages have gone out.
    gone: u64,
    /// Whether peers have more than there was room for, or one is to be parted with.
    has_backlog: bool,
    buffer: Vec<u8>,
    has_warned: bool,
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
            asked: None,
            gone: 0,
            has_backlog: false,
            buffer: vec![0; AT_ONCE],
            has_warned: false,
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
                let Some(dealt) = self.deal() else { return Ok(()) };
                let before = self.gone;
                self.write();
                if !dealt && self.gone == before {
                    break;
                }
            }
            let reads = self.account();
            self.wait(reads)?;
            self.meet();
            if reads {
                self.read();
            }
            self.take();
        }
    }

    fn write(&mut self) {
        for peer in self.peers.iter_mut().filter(|peer| !peer.is_deaf && peer.session.has_output()) {
            let before = peer.session.waiting().0;
            peer.is_deaf = peer.session.write(&mut peer.stream).is_err();
            self.gone += (before - peer.session.waiting().0) as u64;
            // Where messages come from it, those count that it has sent before it went.
            if peer.is_deaf && matches!(self.shared.role, Role::Pub | Role::Push) {
                (peer.has_ended, self.has_backlog) = (true, true);
            }
        }
    }

    /// Tells the block what has gone out; whether there is room for what comes.
    fn account(&mut self) -> bool {
        let held = self.held();
        let mut state = self.shared.state();
        let has_gone = self.gone > state.gone;
        (state.held, state.gone) = (held, self.gone);
        let reads = state.has_room(self.shared.options.high_water);
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
                if self.peers.len() < MOST_PEERS {
                    looks.push(PollFd::new(listener, PollFlags::IN));
                }
                None
            }
            Link::Connecting(_, next) => self.peers.is_empty().then_some(*next),
        };
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
        let patience = match until {
            _ if self.has_backlog && reads => Some(Timespec { tv_sec: 0, tv_nsec: 0 }),
            Some(until) => {
                // A millisecond more: it is not to wake too early.
                let patience = until.saturating_duration_since(now) + Duration::from_millis(1);
                let (seconds, nanos) = (patience.as_secs() as i64, patience.subsec_nanos());
                Some(Timespec { tv_sec: seconds, tv_nsec: nanos.into() })
            }
            None => None,
        };
        match poll(&mut looks, patience.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        drop(looks);
        let mut bytes = [0; 64];
        while matches!((&self.woken).read(&mut bytes), Ok(n) if n == bytes.len()) {}
        Ok(())
    }

    /// Takes peers that have come, or connects.
    fn meet(&mut self) {
        let now = Instant::now();
        let mut come = Vec::new();
        let mut problem = None;
        match &mut self.link {
            Link::Listening(_, Some(paused)) if *paused > now => {}
            Link::Listening(listener, paused) => {
                *paused = None;
                while self.peers.len() + come.len() < MOST_PEERS {
                    match listener.accept() {
                        Ok(Some(stream)) => come.push(stream),
                        Ok(None) => break,
                        Err(error) => {
                            *paused = Some(now + RETRY);
                            problem = Some(error);
                            break;
                        }
                    }
                }
            }
            Link::Connecting(address, next) => {
                if self.peers.is_empty() && *next <= now {
                    // Whoever is not there yet may come.
                    come.extend(address.connect());
                    *next = Instant::now() + RETRY;
                }
            }
        }
        if let Some(error) = problem {
            self.warn(&format!("a peer could not be taken: {error}"));
        }
        for stream in come {
            let session = Session::new(self.shared.role, &self.shared.options.topics);
            let (id, since) = (self.next_id, Instant::now());
            self.next_id += 1;
            self.peers.push(Peer { id, stream, session, since, is_deaf: false, has_ended: false });
        }
    }

    fn read(&mut self) {
        for peer in self.peers.iter_mut().filter(|peer| !peer.has_ended) {
            match peer.stream.read(&mut self.buffer) {
                Ok(0) => peer.has_ended = true,
                Ok(n) => peer.session.feed(&self.buffer[..n]),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                Err(_) => peer.has_ended = true,
            }
        }
    }

    /// Takes messages of the peers, one of each in turn, as long as there is room; parts with those that are done.
    fn take(&mut self) {
        let shared = self.shared.clone();
        let mut state = shared.state();
        let before = (state.received.len(), state.peers, state.unsent.len(), state.held);
        let high_water = shared.options.high_water;
        let mut has_more: Vec<bool> = vec![true; self.peers.len()];
        let mut broken: Vec<Option<String>> = vec![None; self.peers.len()];
        while state.has_room(high_water) && has_more.contains(&true) {
            for place in 0..self.peers.len() {
                let place = (place + self.next) % self.peers.len();
                if !has_more[place] || !state.has_room(high_water) {
                    continue;
                }
                let peer = &mut self.peers[place];
                match peer.session.next() {
                    Ok(Some(Event::Open)) => {}
                    Ok(Some(Event::Message(parts))) => {
                        let from = peer.id;
                        self.receive(&mut state, from, parts);
                    }
                    Ok(None) => has_more[place] = false,
                    Err(breach) => {
                        has_more[place] = false;
                        broken[place] = Some(breach.to_string());
                    }
                }
            }
        }
        self.has_backlog = has_more.contains(&true);
        for place in (0..self.peers.len()).rev() {
            let peer = &self.peers[place];
            let is_late = !peer.session.is_open() && peer.since.elapsed() > HANDSHAKE;
            let problem = broken[place].take().or_else(|| is_late.then(|| "it does not greet".to_owned()));
            if problem.is_some() || (peer.has_ended && !has_more[place]) {
                self.part(&mut state, place);
            }
            if let Some(problem) = problem {
                self.warn(&format!("a peer is not served: {problem}"));
            }
        }
        state.peers = self.peers.iter().filter(|peer| peer.session.is_open()).count();
        state.held = self.held();
        let has_changed = before != (state.received.len(), state.peers, state.unsent.len(), state.held);
        drop(state);
        if has_changed {
            shared.changed.notify_all();
        }
    }

    fn receive(&mut self, state: &mut State, from: u64, parts: Parts) {
        match self.shared.role {
            Role::Req => {
                // What nobody has asked for is passed over, and so is what does not begin as an answer does.
                let is_answer = matches!(&self.asked, Some((asked, _)) if *asked == from);
                if !is_answer || parts.len() < 2 || !parts[0].is_empty() {
                    return;
                }
                self.asked = None;
            }
            Role::Rep if !parts.iter().any(Vec::is_empty) => return,
            _ => {}
        }
        state.received_bytes += bytes_of(&parts);
        state.received.push_back(Received { from, parts });
    }

    /// Parts with a peer; what it has not got goes to others.
    fn part(&mut self, state: &mut State, place: usize) {
        let peer = self.peers.remove(place);
        match self.shared.role {
            Role::Push => {
                for message in peer.session.into_unsent().into_iter().rev() {
                    state.take_back(Outgoing { message, to: None });
                }
            }
            Role::Req => {
                if let Some((_, request)) = self.asked.take_if(|(asked, _)| *asked == peer.id) {
                    state.take_back(request);
                }
            }
            Role::Rep => {
                let State { received, received_bytes, .. } = state;
                received.retain(|request| {
                    let is_kept = request.from != peer.id;
                    *received_bytes -= if is_kept { 0 } else { bytes_of(&request.parts) };
                    is_kept
                });
            }
            Role::Pub | Role::Sub | Role::Pull => {}
        }
        if let Link::Connecting(_, next) = &mut self.link {
            *next = Instant::now() + RETRY;
        }
    }

    /// Tells the log, once for each socket: a peer may try for ever.
    fn warn(&mut self, problem: &str) {
        if !std::mem::replace(&mut self.has_warned, true) {
            let address = match &self.link {
                Link::Listening(listener, _) => listener.endpoint().unwrap_or_default(),
                Link::Connecting(address, _) => address.to_string(),
            };
            tracing::warn!("{address}: {problem}");
        }
    }
}
