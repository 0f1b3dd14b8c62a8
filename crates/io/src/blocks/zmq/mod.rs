//! What the blocks for ZeroMQ share: their settings, their parameters, and the socket behind each of them.

mod messages;
mod streams;
pub(crate) mod tags;

use std::time::{Duration, Instant};

use superhet_runtime::Context;
use superhet_runtime::catalog::{COUNT, Kind, Param, Params, optional, required};

use crate::error::Error;
use crate::zmtp::{Address, EXPECTED, Memory, Options, Received, Role, Socket};

pub(super) use messages::{MessageSink, MessageSource};
pub(super) use streams::{StreamSink, StreamSource};

/// How a block for ZeroMQ is connected, and what its messages look like; both sides must agree on the latter.
///
/// | setting | means | default |
/// |---|---|---|
/// | `bind` | listens at the address, and others connect; or connects to it | sinks listen, sources connect |
/// | `high_water` | messages that wait at most, as far as the memory suffices; 0 is no number | 1000 |
/// | `memory_bytes` | memory for messages, at least 8 MiB: of what peers send and has not been taken, or of what they do not take; the longest message that comes in has an eighth of it | 64 MiB |
/// | `vector` | items that stay together: messages hold whole vectors, and count tags in them (streams) | 1 |
/// | `pass_tags` | tags are sent in a header before the items (streams) | no |
/// | `key` | a part of its own before the items; what a source's begins with is what it gets (PUB and SUB streams) | none |
/// | `waits` | waits for a subscriber whose queue is full, instead of dropping messages for it, so that any of them can hold up all (PUB streams) | no |
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the table says it")]
pub struct ZmqSettings {
    pub bind: Option<bool>,
    pub high_water: usize,
    pub memory_bytes: usize,
    pub vector: usize,
    pub pass_tags: bool,
    pub key: String,
    pub waits: bool,
}

/// What ZeroMQ has where nothing is said.
const HIGH_WATER_MARK: usize = 1000;

impl Default for ZmqSettings {
    fn default() -> Self {
        ZmqSettings {
            bind: None,
            high_water: HIGH_WATER_MARK,
            memory_bytes: Memory::DEFAULT,
            vector: 1,
            pass_tags: false,
            key: String::new(),
            waits: false,
        }
    }
}

impl ZmqSettings {
    /// The settings of a block for messages.
    pub(super) fn of_messages(params: &Params) -> Self {
        let high_water = match params.integer("high_water") {
            -1 => HIGH_WATER_MARK,
            messages => usize::try_from(messages).unwrap_or(usize::MAX),
        };
        let memory_bytes = params.count("memory_bytes");
        ZmqSettings { bind: Some(params.flag("bind")), high_water, memory_bytes, ..ZmqSettings::default() }
    }

    /// The settings of a block for a stream.
    pub(super) fn of_stream(params: &Params) -> Self {
        let (vector, pass_tags) = (params.count("length"), params.flag("pass_tags"));
        ZmqSettings { vector, pass_tags, ..ZmqSettings::of_messages(params) }
    }
}

/// How long a call waits for the other side.
const TIMEOUT: Duration = Duration::from_millis(50);
/// How long the end of a stream waits for peers that take nothing of what is left.
const LINGER: Duration = Duration::from_secs(10);
/// How long a stop waits for what is left.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// The socket of a block, which opens when the graph runs.
#[derive(Debug)]
pub(super) struct Line {
    role: Role,
    address: Address,
    bind: bool,
    options: Options,
    socket: Option<Socket>,
    /// When the graph was asked to stop.
    stopping: Option<Instant>,
    /// When something has last gone out of what is left at the end, and how many messages had.
    moved: Option<(Instant, u64)>,
    /// Whether an answer is to come.
    has_asked: bool,
}

impl Line {
    /// A socket for `block` at an address.
    ///
    /// # Errors
    /// [`Error::Setting`] where that is none.
    pub fn new(block: &str, role: Role, address: &str, settings: &ZmqSettings) -> Result<Self, Error> {
        let address = Address::parse(address).ok_or_else(|| Error::Setting {
            path: block.into(),
            parameter: "address",
            got: format!("{address:?}"),
            expected: EXPECTED.to_owned(),
        })?;
        let high_water = if settings.high_water == 0 { usize::MAX } else { settings.high_water };
        let topics = vec![settings.key.clone().into_bytes()];
        Ok(Line {
            role,
            address,
            bind: settings.bind.unwrap_or(matches!(role, Role::Pub | Role::Push | Role::Rep)),
            options: Options {
                high_water,
                topics,
                waits: settings.waits,
                memory: Memory::new(settings.memory_bytes),
            },
            socket: None,
            stopping: None,
            moved: None,
            has_asked: false,
        })
    }

    /// The socket, which is open from now on.
    pub fn open(&mut self) -> Result<&Socket, Error> {
        let socket = match self.socket.take() {
            Some(socket) => socket,
            None => Socket::open(self.role, &self.address, self.bind, self.options.clone())?,
        };
        Ok(self.socket.insert(socket))
    }

    /// Where it listens or what it connects to, once it does.
    pub fn endpoint(&self) -> Option<&str> {
        self.socket.as_ref().map(Socket::endpoint)
    }

    /// The next message, if one has come, or comes soon where it `waits`. REQ asks for it, and says as GNU Radio does how many
    /// items or messages it wants.
    fn fetch(&mut self, wanted: usize, waits: bool) -> Result<Option<Received>, Error> {
        let asks = self.role == Role::Req && !self.has_asked;
        let socket = self.open()?;
        if asks {
            let wanted = i32::try_from(wanted).unwrap_or(i32::MAX);
            socket.send(&[&[&wanted.to_le_bytes()]]);
        }
        let received = socket.receive(if waits { TIMEOUT } else { Duration::ZERO })?;
        self.has_asked = self.role == Role::Req && received.is_none();
        Ok(received)
    }

    /// Parts with a peer whose message was of no use.
    fn refuse(&self, peer: u64, problem: String) {
        if let Some(socket) = &self.socket {
            socket.refuse(peer, problem);
        }
    }

    /// How many peers were parted with for what they did, since this was asked last.
    fn take_parted(&self) -> u64 {
        self.socket.as_ref().map_or(0, Socket::take_parted)
    }

    /// Whether the graph was asked to stop so long ago that nobody is waited for any more.
    fn is_late(&mut self, context: &Context<'_>) -> bool {
        context.is_stopping() && self.stopping.get_or_insert_with(Instant::now).elapsed() > LAST_WORDS
    }

    /// Whether all was sent or has had its time; then the socket is closed.
    fn is_done(&mut self, context: &Context<'_>) -> Result<bool, Error> {
        let is_late = self.is_late(context);
        let Some(socket) = &self.socket else { return Ok(true) };
        let (is_sent, gone) = socket.flush(TIMEOUT)?;
        if !is_sent {
            let moved = self.moved.filter(|(_, before)| *before == gone).unwrap_or((Instant::now(), gone));
            self.moved = Some(moved);
            if !is_late && moved.0.elapsed() <= LINGER {
                return Ok(false);
            }
            self.tell_unsent();
        }
        self.socket = None;
        Ok(true)
    }

    fn tell_unsent(&self) {
        let at = self.endpoint().unwrap_or_default();
        tracing::warn!("{at}: messages that nobody has taken in time were not sent");
    }
}

/// The parameter `address`.
pub(super) const ADDRESS: Param = required(
    "address",
    Kind::Text,
    "",
    "tcp://host:port, where * is every host, or a free port to listen at; or ipc://path.",
);

/// The parameter `bind` of sinks.
pub(super) const BINDS: Param =
    optional("bind", Kind::Bool, "", "true", "Whether it listens at the address; otherwise it connects.");

/// The parameter `bind` of sources.
pub(super) const CONNECTS: Param =
    optional("bind", Kind::Bool, "", "false", "Whether it listens at the address; otherwise it connects.");

/// The parameter `high_water`.
pub(super) const HIGH_WATER: Param = optional(
    "high_water",
    Kind::Integer(-1, i64::MAX),
    "messages",
    "-1",
    "How many wait at most, as far as the memory suffices; -1: 1000; 0: no number.",
);

/// The parameter `memory_bytes`.
pub(super) const MEMORY: Param = optional(
    "memory_bytes",
    Kind::Integer(Memory::LEAST as i64, 1 << 40),
    "bytes",
    "67108864",
    "Memory for messages that peers send or do not take; the longest that comes in has an eighth of it.",
);

/// The parameter `length`.
pub(super) const VECTOR: Param = optional(
    "length",
    COUNT,
    "items",
    "1",
    "Items that stay together: messages hold whole vectors, and count tags in them.",
)
.formerly(&["vector"]);

/// The parameter `pass_tags`.
pub(super) const PASS_TAGS: Param =
    optional("pass_tags", Kind::Bool, "", "false", "Whether tags are sent, in a header before the items.");

/// The parameter `item`.
pub const ITEM: Param = optional(
    "item",
    Kind::Choice(&["C32", "f32", "u8", "i8", "i16", "i32", "cu8", "cs8", "cs16"]),
    "",
    "\"C32\"",
    "The type of the items, which are sent as they lie in memory.",
);

/// The block `$block`, in which `$T` stands for the type that the parameter `item` names.
#[doc(hidden)]
#[macro_export]
macro_rules! block_of_item {
    ($params:expr, $T:ident => $block:expr) => {
        $crate::block_of_item!($params, $T => $block;
            "C32" = $crate::C32, "f32" = f32, "u8" = u8, "i8" = i8, "i16" = i16, "i32" = i32,
            "cu8" = [u8; 2], "cs8" = [i8; 2], "cs16" = [i16; 2])
    };
    ($params:expr, $T:ident => $block:expr; $($name:literal = $type:ty),+) => {
        match $params.text("item") {
            $($name => {
                type $T = $type;
                Ok(::superhet_runtime::AnyBlock::new($block))
            })+
            other => Err(format!("there is no item type {other}").into()),
        }
    };
}
pub use block_of_item;

/// What all sinks have besides `new`: `sends!(ZmqPushSink<T>);`.
macro_rules! sends {
    ($Block:ident $(<$T:ident>)?) => {
        $crate::blocks::zmq::opens!($Block $(<$T>)?, sink);

        impl $(<$T: ::superhet_runtime::Item>)? ::superhet_runtime::Work for $Block $(<$T>)? {
            fn work(
                &mut self,
                context: &mut ::superhet_runtime::Context<'_>,
            ) -> Result<::superhet_runtime::Step, ::superhet_runtime::BlockError> {
                self.sink.work(&mut self.input, context)
            }

            fn finish(
                &mut self,
                context: &mut ::superhet_runtime::Context<'_>,
            ) -> Result<::superhet_runtime::Step, ::superhet_runtime::BlockError> {
                self.sink.finish(context)
            }

            fn blocking(&self) -> bool {
                true
            }
        }
    };
}
pub(super) use sends;

/// What all sources have besides `new`: `receives!(ZmqPullSource<T>);`.
macro_rules! receives {
    ($Block:ident $(<$T:ident>)?) => {
        $crate::blocks::zmq::opens!($Block $(<$T>)?, source);

        impl $(<$T: ::superhet_runtime::Item>)? ::superhet_runtime::Work for $Block $(<$T>)? {
            fn work(
                &mut self,
                context: &mut ::superhet_runtime::Context<'_>,
            ) -> Result<::superhet_runtime::Step, ::superhet_runtime::BlockError> {
                self.source.work(&mut self.output, context)
            }

            fn blocking(&self) -> bool {
                true
            }
        }
    };
}
pub(super) use receives;

/// The method that opens the socket of a block. The block's field `$part` has the socket.
macro_rules! opens {
    ($Block:ident $(<$T:ident>)?, $part:ident) => {
        impl $(<$T: ::superhet_runtime::Item>)? $Block $(<$T>)? {
            /// Opens the socket now, and not when the graph runs.
            ///
            /// # Errors
            /// [`Error::Socket`].
            pub fn open(mut self) -> Result<Self, $crate::Error> {
                self.$part.line.open()?;
                Ok(self)
            }

            /// Where it listens or what it connects to, once it does.
            pub fn endpoint(&self) -> Option<&str> {
                self.$part.line.endpoint()
            }
        }
    };
}
pub(super) use opens;
