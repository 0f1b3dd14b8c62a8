//! Messages to brokers: MQTT 3.1.1 and NATS.
//!
//! ```text
//!  block ── posts ──> queue ──> courier ── protocol ──> broker
//!                       ^                                 │
//!                       └── what it has taken is forgotten ┘
//! ```
//!
//! A post stays in the queue until the broker has taken it, so that a connection that breaks costs none: what was not taken is sent
//! again. A broker may so get one twice. While nobody is connected the queue fills, and then its oldest post goes for each that comes.
//! That is counted.
//!
//! | file | has |
//! |---|---|
//! | `place` | where a broker is: a URI |
//! | `courier` | the queue, and the connection that may be lost |
//! | `mqtt`, `nats` | what is said |
//! | `topic` | the topic of a message, from what it says |
//! | `home_assistant` | what Home Assistant has to know of a sensor |

pub(crate) mod courier;
pub(crate) mod fuzzing;
pub(crate) mod home_assistant;
pub(crate) mod mqtt;
pub(crate) mod nats;
pub(crate) mod place;
pub(crate) mod topic;

/// A message for a broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Post {
    pub topic: String,
    pub body: Vec<u8>,
    /// Whether the broker keeps it for those who subscribe later.
    pub retain: bool,
}

/// What a broker has said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// Nothing yet: more bytes are needed.
    Part,
    /// Nothing that matters here.
    Nothing,
    /// It goes on encrypted.
    Secure,
    /// It lets this client in.
    Welcome,
    /// It has taken the post with that number.
    Taken(u64),
    /// It has taken all posts up to that number.
    TakenTo(u64),
}

/// Why a connection cannot go on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// What it says is wrong.
    Garbled(String),
    /// It wants none of this: another attempt would end the same.
    Refused(String),
}

/// How a broker is spoken to.
pub(crate) trait Protocol: std::fmt::Debug {
    /// Whether a connection is encrypted from its first byte, and not only after [`Said::Secure`].
    const SECURE_AT_ONCE: bool;

    /// What is said first on a new connection, which is to be encrypted or not.
    fn begin(&mut self, is_secure: bool, out: &mut Vec<u8>);

    /// Reads the first of what has come; how many bytes that was.
    fn hear(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(usize, Said), Trouble>;

    /// What goes on after [`Said::Secure`].
    fn is_secured(&mut self, _out: &mut Vec<u8>) {}

    /// Says a post; `again`: perhaps not for the first time.
    fn post(&mut self, number: u64, post: &Post, again: bool, out: &mut Vec<u8>);

    /// Says a post that nobody asks about.
    fn say(&mut self, post: &Post, out: &mut Vec<u8>);

    /// Asks for an answer, which says that everything up to that number has come.
    fn ask(&mut self, number: u64, out: &mut Vec<u8>);

    /// Whether posts are not answered one by one, so that the broker has to be asked.
    fn asks(&self) -> bool;

    /// How many posts may be on their way.
    fn most_on_way(&self) -> usize;

    /// The longest post.
    fn most_bytes(&self) -> usize;

    /// What is said last.
    fn end(&mut self, out: &mut Vec<u8>);
}
