//! What the sinks and sources of links share: their settings, their parameters, and the connections behind each of them.

use std::net::{SocketAddr, ToSocketAddrs};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use superhet_runtime::catalog::{Kind, Param, Params, optional, required};
use superhet_runtime::{BlockError, Context, MsgOut, OnGap};

use super::link::{Link, TIMEOUT};
use crate::connecting::{address, host_and_port};
use crate::error::Error;
use crate::link::connection::{Broken, Connection};
use crate::link::server::{Rules, Server};
use crate::link::{FrameKind, Header, Policy, Token, handshake, item_name, nonce, payload};
use crate::notices::Notices;

/// The settings of a sink of a link.
///
/// | setting | unit | means | default |
/// |---|---|---|---|
/// | `policy` | | waits for readers whose rings are full, or drops what they do not get | waits |
/// | `memory_bytes` | bytes | for what readers have not acknowledged, ≥ 8 MiB; one reader has a quarter | 64 MiB |
/// | `hold` | | how long a reader that is away keeps its place, and its ring what it has not acknowledged | 10 s |
/// | `readers` | | the stream begins when so many are there | 1 |
/// | `token` | | what readers have to know | none |
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the table says it")]
pub struct LinkSinkSettings {
    pub policy: Policy,
    pub memory_bytes: usize,
    pub hold: Duration,
    pub readers: usize,
    pub token: Token,
}

/// The least memory of a sink.
const LEAST_MEMORY: usize = 1 << 23;

impl Default for LinkSinkSettings {
    fn default() -> Self {
        LinkSinkSettings {
            policy: Policy::Block,
            memory_bytes: 1 << 26,
            hold: Duration::from_secs(10),
            readers: 1,
            token: Token::default(),
        }
    }
}

impl LinkSinkSettings {
    pub(super) fn of(params: &Params) -> Result<Self, Error> {
        Ok(LinkSinkSettings {
            policy: Policy::of_word(params.text("policy")),
            memory_bytes: params.count("memory_bytes"),
            hold: Duration::from_secs_f64(params.float("hold_s")),
            readers: params.count("readers"),
            token: token(params)?,
        })
    }
}

/// The settings of a source of a link.
///
/// | setting | means | default |
/// |---|---|---|
/// | `name` | who it is: whoever has the name goes on where the last one who had it has stopped; empty: nobody else has it | empty |
/// | `reconnect` | it connects again, for ever; otherwise the end of a connection is an error | yes |
/// | `on_gap` | what becomes of what is missing (streams) | the tag `gap` |
/// | `from_start` | what the stream had before this reader came is missing, too, so that it can be told where it begins | no |
/// | `token` | what the sink has to know | none |
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the table says it")]
pub struct LinkSourceSettings {
    pub name: String,
    pub reconnect: bool,
    pub on_gap: OnGap,
    pub from_start: bool,
    pub token: Token,
}

impl Default for LinkSourceSettings {
    fn default() -> Self {
        LinkSourceSettings {
            name: String::new(),
            reconnect: true,
            on_gap: OnGap::Continue,
            from_start: false,
            token: Token::default(),
        }
    }
}

impl LinkSourceSettings {
    pub(super) fn of(params: &Params) -> Result<Self, Error> {
        Ok(LinkSourceSettings {
            name: params.text("reader").to_owned(),
            reconnect: params.flag("reconnect"),
            on_gap: OnGap::Continue,
            from_start: params.flag("from_start"),
            token: token(params)?,
        })
    }
}

fn token(params: &Params) -> Result<Token, Error> {
    match params.text("token_file") {
        "" => Ok(Token::default()),
        path => Token::from_file(Path::new(path)),
    }
}

/// The host and port of `tcp://HOST:PORT`.
fn place(block: &'static str, text: &str) -> Result<(String, u16), Error> {
    const NO_PORT: u16 = 0;
    let rest = text.strip_prefix("tcp://").map(|rest| rest.strip_suffix('/').unwrap_or(rest));
    // Without a port it would be another one for each of two.
    let found =
        rest.filter(|rest| rest.contains(':')).and_then(|rest| host_and_port(rest, "127.0.0.1", NO_PORT));
    found.ok_or_else(|| Error::Setting {
        path: block.into(),
        parameter: "address",
        got: format!("{text:?}"),
        expected: "tcp://HOST:PORT".to_owned(),
    })
}

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
pub(super) struct Feed {
    host: String,
    port: u16,
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
pub(super) enum Gate {
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
        let (host, port) = place(block, address)?;
        let LinkSinkSettings { policy, memory_bytes, hold, readers, token } = settings;
        let rules = Rules { item, token, policy, memory: memory_bytes.max(LEAST_MEMORY), hold };
        Ok(Feed {
            host,
            port,
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
        let found = (&*self.host, self.port).to_socket_addrs();
        let addresses: Vec<SocketAddr> = found.map_err(|source| self.error("look up", source))?.collect();
        Server::listen(&addresses, self.rules.clone()).map_err(|source| self.error("listen at", source))
    }

    fn error(&self, action: &'static str, source: std::io::Error) -> Error {
        Error::Socket { address: address(&self.host, self.port), action, source }
    }

    /// Where it listens, once it does.
    pub fn local_addr(&self) -> Option<SocketAddr> {
        lock(self.server.as_ref()?).local_addr().ok()
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
                tracing::warn!("{}: what readers have not taken in time was not sent", self.name());
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
        while let Some(event) = server.events.pop_front() {
            events.send(event)?;
        }
        Ok(())
    }

    fn name(&self) -> String {
        address(&self.host, self.port)
    }

    /// Gives the readers a frame of so many items or messages, which `make` makes of its header and of empty memory; or passes over
    /// them, where nobody gets them. Each reader that loses it counts as a dropped packet.
    pub fn give(
        &mut self,
        kind: FrameKind,
        count: usize,
        events: &mut MsgOut,
        make: impl FnOnce(&mut Header, Vec<u8>) -> Vec<u8>,
    ) {
        let Some(server) = &self.server else { return };
        let mut server = lock(server);
        if server.is_empty() {
            server.skip(count as u64);
            if !std::mem::replace(&mut self.has_skipped, true) {
                tracing::warn!(
                    "{}: what comes is dropped: there is no reader",
                    address(&self.host, self.port)
                );
            }
            return;
        }
        if !server.has_unacknowledged() {
            self.moved = Instant::now();
        }
        let mut header = server.header(kind, u32::try_from(count).unwrap_or(u32::MAX));
        let frame = make(&mut header, server.memory());
        let lost = server.give(&header, frame);
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
            let mut header = server.header(FrameKind::End, 0);
            let frame = payload::frame(&mut header, Vec::new(), &[], &[]);
            server.give(&header, frame);
            self.moved = Instant::now();
        }
        server.turn();
        let is_done = self.has_ended && !server.has_unacknowledged();
        if !is_done && is_over && (self.has_begun || gate == Gate::Stop) {
            tracing::warn!("{}: what readers have not acknowledged in time may be lost", self.name());
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

/// The reader's side of a link: a connection that may be lost, and where in the stream it is.
#[derive(Debug)]
pub(super) struct Tap {
    host: String,
    port: u16,
    item: u8,
    settings: LinkSourceSettings,
    link: Link<Connection>,
    /// The stream, 0 before the first; and the index of what it has not given yet.
    stream: u64,
    next: u64,
    /// Bytes that were given and not acknowledged.
    unacknowledged: usize,
    notices: Notices,
}

/// What has come.
#[derive(Debug)]
pub(super) enum Heard {
    /// Nothing.
    Nothing,
    /// Another stream than before. So much of it is missing before its first item; `None` where nobody knows.
    Begins { missing: Option<u64> },
    /// A frame of items, of messages or of the end, and where its body lies.
    Frame(Header, Range<usize>),
}

/// How many bytes are acknowledged at once, while more has come already.
const ACKNOWLEDGED: usize = 1 << 18;

impl Tap {
    /// For items of that code, 0 for messages.
    pub fn new(
        block: &'static str,
        address: &str,
        item: u8,
        mut settings: LinkSourceSettings,
    ) -> Result<Self, Error> {
        let (host, port) = place(block, address)?;
        if settings.name.is_empty() {
            let failed =
                |source| Error::Socket { address: address.to_owned(), action: "name a reader of", source };
            settings.name = handshake::random_name().map_err(failed)?;
        }
        if !handshake::is_name(&settings.name) {
            let expected = format!("1 to {} bytes without control characters", handshake::LONGEST_NAME);
            let got = format!("{:?}", settings.name);
            return Err(Error::Setting { path: block.into(), parameter: "reader", got, expected });
        }
        Ok(Tap {
            host,
            port,
            item,
            settings,
            link: Link::Fresh,
            stream: 0,
            next: handshake::NOTHING,
            unacknowledged: 0,
            notices: Notices::default(),
        })
    }

    /// The index of what has not been given yet.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// The bytes of a frame.
    pub fn bytes(&mut self, place: Range<usize>) -> &[u8] {
        self.link.connection().map_or(&[], |connection| connection.bytes(place))
    }

    /// What has come, waiting a little for it. An error where it is not to be tried again.
    pub fn hear(&mut self, context: &mut Context<'_>) -> Result<Heard, Error> {
        match self.receive(context) {
            Ok(heard) => Ok(heard),
            Err(broken) => self.lose(&broken).map(|()| Heard::Nothing),
        }
    }

    fn receive(&mut self, context: &mut Context<'_>) -> Result<Heard, Broken> {
        let (host, port, settings) = (&self.host, self.port, &self.settings);
        let (item, stream, next) = (self.item, self.stream, self.next);
        let connect = || {
            let nonce = nonce().map_err(Broken::Failed)?;
            let hello = handshake::Hello { name: settings.name.clone(), item, stream, next, nonce };
            Connection::to(host, port, hello, settings.token.clone())
        };
        let Some((connection, attempts)) = self.link.up(context, connect)? else { return Ok(Heard::Nothing) };
        if !connection.is_open() {
            let Some(welcome) = connection.open(TIMEOUT)? else { return Ok(Heard::Nothing) };
            self.unacknowledged = 0;
            if welcome.stream == self.stream {
                return Ok(Heard::Nothing);
            }
            let is_first = std::mem::replace(&mut self.stream, welcome.stream) == 0;
            let known = (welcome.acknowledged != handshake::NOTHING).then_some(welcome.acknowledged);
            self.next = welcome.first;
            let missing = match known {
                _ if self.settings.from_start && is_first => Some(welcome.first),
                Some(acknowledged) if is_first => Some(welcome.first.saturating_sub(acknowledged)),
                None if is_first => Some(0),
                _ => None,
            };
            return Ok(Heard::Begins { missing });
        }
        let frame = match connection.next()? {
            Some(frame) => frame,
            None => {
                if std::mem::take(&mut self.unacknowledged) > 0 {
                    connection.acknowledge(self.next)?;
                }
                if !connection.read(TIMEOUT)? {
                    return Ok(Heard::Nothing);
                }
                *attempts = 0;
                let Some(frame) = connection.next()? else { return Ok(Heard::Nothing) };
                frame
            }
        };
        let (header, body) = frame;
        let wanted = if self.item == 0 { FrameKind::Messages } else { FrameKind::Items };
        let fits = header.kind == FrameKind::End || (header.kind == wanted && header.item == self.item);
        match fits && header.stream == self.stream {
            true => Ok(Heard::Frame(header, body)),
            false => {
                let (kind, item) = (header.kind, item_name(header.item));
                Err(Broken::Garbled(format!("{kind:?} of {item} in stream {:x}", header.stream)))
            }
        }
    }

    /// Gives the connection up for what it has sent.
    pub fn refuse(&mut self, problem: String) -> Result<(), Error> {
        self.lose(&Broken::Garbled(problem))
    }

    /// Tries again later, or ends.
    fn lose(&mut self, broken: &Broken) -> Result<(), Error> {
        let place = address(&self.host, self.port);
        if broken.is_final() || !self.settings.reconnect {
            let source = std::io::Error::other(broken.to_string());
            return Err(Error::Socket { address: place, action: "read from", source });
        }
        let wait = self.link.lose();
        self.notices.warn(|| format!("{place}: {broken}; tries again in {:.1} s", wait.as_secs_f64()));
        Ok(())
    }

    /// Notes that a frame was given as a whole, and acknowledges it now and then.
    pub fn given(&mut self, end: u64, bytes: usize) -> Result<(), Error> {
        self.next = end;
        self.unacknowledged = self.unacknowledged.saturating_add(bytes);
        if self.unacknowledged < ACKNOWLEDGED {
            return Ok(());
        }
        self.unacknowledged = 0;
        let said = self.link.connection().map_or(Ok(()), |connection| connection.acknowledge(end));
        said.or_else(|broken| self.lose(&broken))
    }

    /// Says that this reader does not come back.
    pub fn leave(&mut self) {
        let next = self.next;
        if let Some(connection) = self.link.connection() {
            connection.leave(next);
        }
        self.link = Link::Fresh;
    }
}

/// The parameter `address` of sinks.
pub(super) const LISTENS_AT: Param =
    required("address", Kind::Text, "", "Where it listens: tcp://HOST:PORT; port 0 is one that is free.");
/// The parameter `address` of sources.
pub(super) const CONNECTS_TO: Param =
    required("address", Kind::Text, "", "Where the sink of the link listens: tcp://HOST:PORT.");
/// The parameter `policy`.
pub(super) const POLICY: Param = optional(
    "policy",
    Kind::Choice(Policy::WORDS),
    "",
    "\"block\"",
    "block: waits for readers whose rings are full; drop: goes on, and they miss what comes.",
);
/// The parameter `memory_bytes`.
pub(super) const MEMORY: Param = optional(
    "memory_bytes",
    Kind::Integer(LEAST_MEMORY as i64, 1 << 40),
    "bytes",
    "67108864",
    "Memory for what readers have not acknowledged; one reader has a quarter.",
);
/// The parameter `hold_s`.
pub(super) const HOLD: Param = optional(
    "hold_s",
    Kind::Float(0.0, 86_400.0),
    "s",
    "10",
    "How long a reader that is away keeps its place, and its ring what it has not acknowledged.",
);
/// The parameter `readers`.
pub(super) const READERS: Param =
    optional("readers", Kind::Integer(0, 64), "", "1", "The stream begins when so many readers are there.");
/// The parameter `token_file`.
pub(super) const TOKEN_FILE: Param = optional(
    "token_file",
    Kind::Path,
    "",
    "\"\"",
    "A file with a secret of 16 to 1024 bytes that the other side has to know; empty: none.",
);
/// The parameter `reader`.
pub(super) const READER: Param = optional(
    "reader",
    Kind::Text,
    "",
    "\"\"",
    "Who it is: whoever has the name goes on where the last one who had it has stopped; empty: nobody else has it.",
);
/// The parameter `reconnect`.
pub(super) const RECONNECT: Param = optional(
    "reconnect",
    Kind::Bool,
    "",
    "true",
    "Connects again, for ever; otherwise the end of a connection is an error.",
);
/// The parameter `from_start`.
pub(super) const FROM_START: Param = optional(
    "from_start",
    Kind::Bool,
    "",
    "false",
    "What the stream had before this reader came counts as missing.",
);
