//! Samples out of a PULL socket of ZeroMQ.

use superhet_runtime::catalog::{Entry, output};
use superhet_runtime::{Block, Item, Out};

use super::zmq::{
    ADDRESS, CONNECTS, HIGH_WATER, ITEM, MEMORY, PASS_TAGS, StreamSource, VECTOR, ZmqSettings, block_of_item,
    receives,
};
use crate::error::Error;
use crate::zmtp::Role;

/// Samples out of a PULL socket of ZeroMQ, as GNU Radio's `zeromq.push_sink` sends them.
///
/// What comes of several others is given as it comes, a message of each in turn.
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
/// An example is at [`ZmqPushSink`](super::ZmqPushSink).
#[derive(Debug, Block)]
pub struct ZmqPullSource<T: Item> {
    #[port("out")]
    output: Out<T>,
    source: StreamSource,
}

/// The name of the block in errors about its settings.
const NAME: &str = "zmq_pull_source";

impl<T: Item> ZmqPullSource<T> {
    /// Will connect to an address, or listen at it, when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where the address is none, or a vector has no item.
    pub fn new(address: &str, settings: &ZmqSettings) -> Result<Self, Error> {
        let source = StreamSource::new(NAME, Role::Pull, address, settings)?;
        Ok(ZmqPullSource { output: source.output(), source })
    }
}

receives!(ZmqPullSource<T>);

/// How files and the command line find [`ZmqPullSource`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "sources",
    summary: "Samples out of a PULL socket of ZeroMQ.",
    params: &[ITEM, ADDRESS, CONNECTS, HIGH_WATER, MEMORY, VECTOR, PASS_TAGS],
    ports: &[output("out", "item", "the samples")],
    make: |params| {
        let settings = ZmqSettings::of_stream(params);
        block_of_item!(params, T => ZmqPullSource::<T>::new(params.text("address"), &settings)?)
    },
};
