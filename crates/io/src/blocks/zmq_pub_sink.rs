//! Samples to a PUB socket of ZeroMQ.

use superhet_runtime::catalog::{Entry, Kind, input, optional};
use superhet_runtime::{Block, In, Item};

use super::zmq::{
    ADDRESS, BINDS, HIGH_WATER, ITEM, MEMORY, PASS_TAGS, StreamSink, VECTOR, ZmqSettings, block_of_item,
    sends,
};
use crate::error::Error;
use crate::zmtp::Role;

/// Samples to a PUB socket of ZeroMQ, as GNU Radio's `zeromq.pub_sink` sends them.
///
/// Every subscriber gets the items whose [`key`](ZmqSettings::key) begins as it wants; without subscribers they are
/// dropped. A subscriber that is too slow loses messages that do not fit into its queue, the first time with a warning. The
/// settings can make the sink wait for it instead.
///
/// When no more items come, the rest is sent as long as others take it, and for 10 s more. When the graph is asked to stop,
/// it has 300 ms.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | sent as they lie in memory |
///
/// # Errors
/// At run time: [`Error::Socket`] where it cannot listen; a tag that no PMT can hold.
///
/// # Example
///
/// ```
/// use superhet_io::blocks::{ZmqPubSink, ZmqSettings, ZmqSubSource};
/// use superhet_runtime::C32;
///
/// let settings = ZmqSettings { pass_tags: true, key: "radio".to_owned(), ..ZmqSettings::default() };
/// let sink = ZmqPubSink::<C32>::new("tcp://127.0.0.1:*", &settings)?.open()?;
/// let address = sink.endpoint().unwrap();
/// assert!(address.starts_with("tcp://127.0.0.1:"));
/// let source = ZmqSubSource::<C32>::new(address, &settings)?;
/// # Ok::<(), superhet_io::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct ZmqPubSink<T: Item> {
    #[port("in")]
    input: In<T>,
    sink: StreamSink,
}

/// The name of the block in errors about its settings.
const NAME: &str = "zmq_pub_sink";

impl<T: Item> ZmqPubSink<T> {
    /// Will listen at an address, or connect to it, when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where the address is none, or a vector has no item.
    pub fn new(address: &str, settings: &ZmqSettings) -> Result<Self, Error> {
        let sink = StreamSink::new(NAME, Role::Pub, address, settings)?;
        Ok(ZmqPubSink { input: sink.input(), sink })
    }
}

sends!(ZmqPubSink<T>);

/// How files and the command line find [`ZmqPubSink`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "sinks",
    summary: "Samples to a PUB socket of ZeroMQ.",
    params: &[
        ITEM,
        ADDRESS,
        BINDS,
        HIGH_WATER,
        MEMORY,
        VECTOR,
        PASS_TAGS,
        optional(
            "key",
            Kind::Text,
            "",
            "\"\"",
            "A part of its own before the items, for subscribers to choose by.",
        ),
        optional(
            "waits",
            Kind::Bool,
            "",
            "false",
            "Waits for a subscriber whose queue is full, instead of dropping.",
        ),
    ],
    ports: &[input("in", "item", "the samples")],
    make: |params| {
        let settings = ZmqSettings {
            key: params.text("key").to_owned(),
            waits: params.flag("waits"),
            ..ZmqSettings::of_stream(params)
        };
        block_of_item!(params, T => ZmqPubSink::<T>::new(params.text("address"), &settings)?)
    },
};
