//! The sink's side of a link.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use superhet_runtime::{BlockError, Context, MsgOut};

use super::{LEAST_MEMORY, LinkSinkSettings, place};
use crate::error::Error;
use crate::link::door::Door;
use crate::link::place::Place;
use crate::link::server::{Rules, Server};
use crate::link::{FrameKind, Header};
use crate::tls::Certificate;

/// How long a call waits for readers.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The same, while items may come, too.
const SHORT: Duration = Duration::from_millis(5);
/// How often readers are looked after while the block has nothing to do.
const TICK: Duration = Duration::from_millis(20);
/// How long the end waits for readers that acknowledge nothing, and how long a stop does.
const LINGER: Duration = Duration::from_secs(10);
const LAST_WORDS: Duration = Duration::from_millis(300);

/// The sink's side of a link.
#[derive(Debug)]
pub(in crate::blocks) struct Feed {
    place: Place,
    /// What it shows readers, where connections are encrypted.
    certificate: Option<Certificate>,
    rules: Rules,
    readers: usize,
    server: Option<Arc<Mutex<Server>>>,
    has_begun: bool,
    has_ended: bool,
    has_skipped: bool,
    stopping: Option<Instant>,
    /// When a reader has last acknowledged something, or something was given to it.
    moved: Instant,
}

/// What a sink may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::blocks) enum Gate {
    /// Give more.
    Open,
    /// Look again: it has waited a little.
    Wait,
    /// End: the graph was asked to stop, and readers have had their time.
    Stop,
}

impl Feed {
    /// For items of that code, 0 for messages.
    pub fn new(
        block: &'static str,
        address: &str,
        item: u8,
        settings: LinkSinkSettings,
    ) -> Result<Self, Error> {
        let LinkSinkSettings { policy, memory_bytes, hold, readers, token, certificate } = settings;
        let place = place(block, address, certificate.as_ref().map(|_| "a certificate"))?;
        let memory = memory_bytes.max(LEAST_MEMORY);
        let rules = Rules { item, token, policy, memory, hold };
        Ok(Feed {
            place,
            certificate,
            rules,
            readers,
            server: None,
            has_begun: false,
            has_ended: false,
            has_skipped: false,
            stopping: None,
            moved: Instant::now(),
        })
    }

    /// Bytes of items that go into a frame.
    pub fn at_once(&self) -> usize {
        self.place.at_once()
    }

    /// Listens from now on.
    pub fn open(&mut self) -> Result<&Arc<Mutex<Server>>, Error> {
        let server = match self.server.take() {
            Some(server) => server,
            None => {
                let server = Arc::new(Mutex::new(self.listen()?));
                let looked_after = Arc::downgrade(&server);
                let thread = std::thread::Builder::new().name("superhet-link".to_owned());
                let spawned = thread.spawn(move || look_after(&looked_after));
                spawned.map_err(|source| self.error("serve at", source))?;
                server
            }
        };
        Ok(self.server.insert(server))
    }

    fn listen(&self) -> Result<Server, Error> {
        let door = Door::at(&self.place, self.certificate.clone());
        let server = door.and_then(|door| Server::new(door, self.rules.clone()));
        server.map_err(|source| self.error("listen at", source))
    }

    fn error(&self, action: &'static str, source: std::io::Error) -> Error {
        Error::Socket { address: self.place.to_string(), action, source }
    }

    /// Where it listens, once it does.
    pub fn local_addr(&self) -> Option<SocketAddr> {
        lock(self.server.as_ref()?).door().local_addr()
    }

    /// Lets readers come, take and go, tells of it, and says whether more may be given.
    pub fn gate(&mut self, events: &mut MsgOut, context: &Context<'_>) -> Result<Gate, BlockError> {
        let is_late = self.is_late(context);
        self.open()?;
        for has_waited in [false, true] {
            self.turn(events)?;
            let Some(server) = &self.server else { return Ok(Gate::Stop) };
            let server = lock(server);
            self.has_begun |= server.readers() >= self.readers || context.is_stopping();
            if self.has_begun && server.is_ready() {
                return Ok(Gate::Open);
            }
            if is_late {
                tracing::warn!("{}: what readers have not taken in time was not sent", self.place);
                return Ok(Gate::Stop);
            }
            if !has_waited {
                server.wait(LOOK_EVERY).map_err(|source| self.error("serve at", source))?;
            }
        }
        Ok(Gate::Wait)
    }

    /// Lets readers come, take and go, and tells of it.
    pub fn turn(&mut self, events: &mut MsgOut) -> Result<(), BlockError> {
        let Some(server) = &self.server else { return Ok(()) };
        let mut server = lock(server);
        if server.turn() {
            self.moved = Instant::now();
        }
        tell(&mut server, events)
    }

    /// Gives the readers a frame of so many items or messages, with tags before them, whose header `say` completes; or passes over them,
    /// where nobody gets them. Each reader that loses it counts as a dropped packet.
    pub fn give(
        &mut self,
        (kind, count): (FrameKind, usize),
        events: &mut MsgOut,
        say: impl FnOnce(&mut Header),
        tags: &[u8],
        body: &[u8],
    ) {
        let Some(server) = &self.server else { return };
        let mut server = lock(server);
        if server.is_empty() {
            server.skip(count as u64);
            if !std::mem::replace(&mut self.has_skipped, true) {
                tracing::warn!("{}: what comes is dropped: there is no reader", self.place);
            }
            return;
        }
        if !server.has_unacknowledged() {
            self.moved = Instant::now();
        }
        let mut header = server.header(kind, u32::try_from(count).unwrap_or(u32::MAX));
        say(&mut header);
        let lost = server.give(header, tags, body);
        (0..lost).for_each(|_| events.count_dropped_packet());
    }

    /// Waits a little where readers still have something to take; whether they had.
    pub fn wait_for_readers(&mut self) -> Result<bool, BlockError> {
        let Some(server) = &self.server else { return Ok(false) };
        let server = lock(server);
        if !server.has_unsent() {
            return Ok(false);
        }
        server.wait(SHORT).map_err(|source| self.error("serve at", source))?;
        Ok(true)
    }

    /// Tells the readers that nothing more comes, and waits for what they acknowledge; whether it is over.
    pub fn finish(&mut self, events: &mut MsgOut, context: &Context<'_>) -> Result<bool, BlockError> {
        // Also without an item: readers learn that there is none.
        let gate = self.gate(events, context)?;
        let is_late = self.is_late(context);
        let Some(server) = self.server.clone() else { return Ok(true) };
        let mut server = lock(&server);
        // Whoever is away has the time to come back.
        let patience = if server.waits_for_somebody() { LINGER.max(self.rules.hold) } else { LINGER };
        let is_over = is_late || self.moved.elapsed() > patience;
        if gate == Gate::Open && !std::mem::replace(&mut self.has_ended, true) {
            let header = server.header(FrameKind::End, 0);
            server.give(header, &[], &[]);
            self.moved = Instant::now();
        }
        server.turn();
        tell(&mut server, events)?;
        let is_done = self.has_ended && !server.has_unacknowledged();
        if !is_done && is_over && (self.has_begun || gate == Gate::Stop) {
            tracing::warn!("{}: what readers have not acknowledged in time may be lost", self.place);
        }
        if is_done || gate == Gate::Stop || (is_over && self.has_begun) {
            drop(server);
            self.server = None;
            return Ok(true);
        }
        server.wait(LOOK_EVERY).map_err(|source| self.error("serve at", source))?;
        Ok(false)
    }

    /// Whether the graph was asked to stop so long ago that nobody is waited for any more.
    fn is_late(&mut self, context: &Context<'_>) -> bool {
        context.is_stopping() && self.stopping.get_or_insert_with(Instant::now).elapsed() > LAST_WORDS
    }
}

/// Tells of what has happened to readers.
fn tell(server: &mut Server, events: &mut MsgOut) -> Result<(), BlockError> {
    while let Some(event) = server.events.pop_front() {
        events.send(event)?;
    }
    Ok(())
}

fn lock(server: &Mutex<Server>) -> MutexGuard<'_, Server> {
    server.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Looks after readers while the block waits for its input, until the block has dropped the server.
fn look_after(server: &Weak<Mutex<Server>>) {
    while let Some(server) = server.upgrade() {
        if let Ok(mut server) = server.try_lock() {
            server.turn();
        }
        drop(server);
        std::thread::sleep(TICK);
    }
}
