//! Samples out of a SUB socket of ZeroMQ.

use superhet_runtime::catalog::{Entry, Kind, optional, output};
use superhet_runtime::{Block, Item, Out};

use super::zmq::{
    ADDRESS, CONNECTS, HIGH_WATER, ITEM, MEMORY, PASS_TAGS, StreamSource, VECTOR, ZmqSettings, block_of_item,
    receives,
};
use crate::error::Error;
use crate::zmtp::Role;

/// Samples out of a SUB socket of ZeroMQ, as GNU Radio's `zeromq.pub_sink` sends them.
///
/// It gets what the other side sends with a [`key`](ZmqSettings::key) that begins like its own. The first of several parts
/// of a message is the key; where no key is asked for, only if it cannot be items: it is no whole vectors, or, with tags, no header.
///
/// The source goes on until it is stopped: the other side may come and go.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | any | as sent |
///
/// # Errors
/// At run time: [`Error::Socket`] where it cannot listen. A message that is none is dropped and counted as a dropped packet,
/// and its sender is parted with.
///
/// An example is at [`ZmqPubSink`](super::ZmqPubSink).
#[derive(Debug, Block)]
pub struct ZmqSubSource<T: Item> {
    #[port("out")]
    output: Out<T>,
    source: StreamSource,
}

/// The name of the block in errors about its settings.
const NAME: &str = "zmq_sub_source";

impl<T: Item> ZmqSubSource<T> {
    /// Will connect to an address, or listen at it, when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where the address is none, or a vector has no item.
    pub fn new(address: &str, settings: &ZmqSettings) -> Result<Self, Error> {
        let source = StreamSource::new(NAME, Role::Sub, address, settings)?;
        Ok(ZmqSubSource { output: source.output(), source })
    }
}

receives!(ZmqSubSource<T>);

/// How files and the command line find [`ZmqSubSource`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "sources",
    summary: "Samples out of a SUB socket of ZeroMQ.",
    params: &[
        ITEM,
        ADDRESS,
        CONNECTS,
        HIGH_WATER,
        MEMORY,
        VECTOR,
        PASS_TAGS,
        optional(
            "key",
            Kind::Text,
            "",
            "\"\"",
            "What the key of a message begins with; empty: every message.",
        ),
    ],
    ports: &[output("out", "item", "the samples")],
    make: |params| {
        let key = params.text("key").to_owned();
        let settings = ZmqSettings { key, ..ZmqSettings::of_stream(params) };
        block_of_item!(params, T => ZmqSubSource::<T>::new(params.text("address"), &settings)?)
    },
};
