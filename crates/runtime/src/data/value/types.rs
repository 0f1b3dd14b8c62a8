//! A value, and what it may have in it that has values itself: packets with their metadata and tags, and requests.

use std::sync::{Arc, Condvar, Mutex};

use super::short::Text;
use super::vector::Vector;
use crate::data::bytes::Line;
use crate::data::{C64, ItemType};

/// One value of a tag or a message. Cheap to clone: what is long is shared.
///
/// Converts to JSON (`Display`, [`Value::to_json`]) and back ([`Value::from_json`]), and to the bytes that GNU Radio
/// exchanges ([`Value::to_pmt`]) and back ([`Value::from_pmt`]). The docs of the four functions list how each value is
/// converted.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// Nothing.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number beyond `i64`, or an index.
    Uint(u64),
    /// A real number.
    Float(f64),
    /// A complex number.
    Complex(C64),
    /// Text.
    Text(Text),
    /// Raw bytes: the vector of `u8`.
    Bytes(Arc<[u8]>),
    /// Numbers of one type.
    Vector(Vector),
    /// Values in order.
    List(Arc<[Value]>),
    /// Values by name, in the order of their names.
    Map(Arc<Map>),
    /// A burst of items with metadata; a PDU.
    Packet(AnyPacket),
    /// Values in order, as a PMT tuple holds them: `rx_time` is one of seconds and their fraction.
    Tuple(Arc<[Value]>),
    /// Linked pairs, as PMTs have them: see [`Value::pairs`].
    Pairs(Pairs),
    /// Entries of a dictionary that is no `Map`: keys that are not text, or that come twice.
    Dict(Arc<[(Value, Value)]>),
    /// A message with a reply address. In JSON and as a PMT it is the message alone.
    Request(Request),
}

/// A chain of linked pairs: at least one item, and an end that is no chain itself.
///
/// [`Value::pairs`] makes one. With the end `Null` it is a list of GNU Radio's, `(a b c)`. With another end it is a dotted
/// list, `(a b . c)`, or a single pair, `(a . b)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pairs(pub(super) Arc<[Value]>);

/// Values by name, in the order of their names.
///
/// ```
/// use superhet_runtime::{Value, value::Map};
///
/// let mut map: Map = [("snr_db", Value::from(9.5)), ("rate", 1e6.into())].into_iter().collect();
/// map.insert("rate", 2e6);
/// assert_eq!(map.get("rate"), Some(&Value::from(2e6)));
/// assert_eq!(map.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["rate", "snr_db"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    /// In the order of their names, each of which is there once.
    pub(super) entries: Vec<(Text, Value)>,
}

/// A packet whose item type is known at run time only: what a [`Value`] carries.
///
/// Clones share items and metadata. Changing a shared packet makes a copy first ([`Packet::items_mut`](crate::Packet::items_mut)). Memory is used
/// again: see `packet/pool.rs`.
pub struct AnyPacket {
    pub(in crate::data) meta: Option<Arc<Map>>,
    /// There until the packet is dropped.
    pub(in crate::data) store: Option<Arc<Store>>,
}

/// The items of a packet, and the tags on them.
#[derive(Debug)]
pub(in crate::data) struct Store {
    pub(in crate::data) lines: Box<[Line]>,
    pub(in crate::data) item: ItemType,
    pub(in crate::data) items: usize,
    /// Their indices count from the packet's first item.
    pub(in crate::data) tags: Vec<Tag>,
}

/// A value that belongs to one item of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Tag {
    /// The absolute index of the item in its stream; the first item has index 0.
    pub index: u64,
    /// What the value says, such as `rx_freq`.
    pub key: Arc<str>,
    /// The value.
    pub value: Value,
    /// The name of the block that made the tag.
    pub source: Arc<str>,
}

/// A message with a reply address: the content of a [`Value::Request`].
///
/// Cheap to clone and to send on; the first answer counts.
///
/// ```
/// use std::time::Duration;
/// use superhet_runtime::prelude::*;
///
/// /// Doubles what it is asked.
/// #[derive(Block)]
/// struct Oracle {
///     #[port]
///     questions: MsgIn,
/// }
///
/// impl Work for Oracle {
///     fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
///         while let Some(message) = self.questions.recv() {
///             if let Value::Request(request) = message {
///                 match request.message().as_f64() {
///                     Some(x) => request.reply(2.0 * x),
///                     None => request.refuse("expected a number"),
///                 }
///             }
///         }
///         Ok(Step::NeedInput)
///     }
/// }
///
/// let mut graph = Graph::new();
/// graph.add("oracle", Oracle { questions: MsgIn::new().answering() });
/// let running = graph.check()?.start(&Single, &Options::default())?;
/// assert_eq!(running.request("oracle.questions", 21, Duration::from_secs(1))?, Value::from(42.0));
/// let error = running.request("oracle.questions", "why?", Duration::from_secs(1)).unwrap_err();
/// assert_eq!(error.to_string(), "oracle.questions: expected a number");
/// # running.stop_within(Duration::from_secs(1))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Request(pub(in crate::data) Arc<Asked>);

pub(in crate::data) struct Asked {
    pub(in crate::data) message: Value,
    pub(in crate::data) reply_to: ReplyTo,
}

/// A block's input for answers, whatever it is: the queue of its messages.
pub(crate) trait TakesReplies: Send + Sync {
    /// Takes the answer to a request, for which there is always room: there are no more of them than requests.
    fn push_reply(&self, reply: Value);
}

/// Where an answer goes.
pub(in crate::data) enum ReplyTo {
    /// Somebody who waits for it.
    Outside(Arc<Waiter>),
    /// A block's input, with the number of the request.
    Block(Arc<dyn TakesReplies>, u64, Mutex<bool>),
}

/// Why there is no reply.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NoReply {
    /// The block has said why not.
    Refused(String),
    /// The block has dropped the request, or ended.
    Dropped,
}

/// Somebody outside of the graph who waits for a reply.
#[derive(Debug, Default)]
pub(crate) struct Waiter {
    pub(in crate::data) outcome: Mutex<Option<Result<Value, NoReply>>>,
    /// Rung when there is an outcome.
    pub(in crate::data) known: Condvar,
}
