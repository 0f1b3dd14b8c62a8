//! Samples out of a REQ socket of ZeroMQ.

use superhet_runtime::catalog::{Entry, output};
use superhet_runtime::{Block, Item, Out};

use super::zmq::{
    ADDRESS, CONNECTS, HIGH_WATER, ITEM, MEMORY, PASS_TAGS, StreamSource, VECTOR, ZmqSettings, block_of_item,
    receives,
};
use crate::error::Error;
use crate::zmtp::Role;

/// Samples out of a REQ socket of ZeroMQ, as GNU Radio's `zeromq.rep_sink` sends them.
///
/// It asks for as many items as there is room for, and then for more. Where the other side goes without an answer, it is
/// asked again when it is back.
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
/// An example is at [`ZmqRepSink`](super::ZmqRepSink).
#[derive(Debug, Block)]
pub struct ZmqReqSource<T: Item> {
    #[port("out")]
    output: Out<T>,
    source: StreamSource,
}

/// The name of the block in errors about its settings.
const NAME: &str = "zmq_req_source";

impl<T: Item> ZmqReqSource<T> {
    /// Will connect to an address, or listen at it, when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where the address is none, or a vector has no item.
    pub fn new(address: &str, settings: &ZmqSettings) -> Result<Self, Error> {
        let source = StreamSource::new(NAME, Role::Req, address, settings)?;
        Ok(ZmqReqSource { output: source.output(), source })
    }
}

receives!(ZmqReqSource<T>);

/// How files and the command line find [`ZmqReqSource`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "sources",
    summary: "Samples out of a REQ socket of ZeroMQ.",
    params: &[ITEM, ADDRESS, CONNECTS, HIGH_WATER, MEMORY, VECTOR, PASS_TAGS],
    ports: &[output("out", "item", "the samples")],
    make: |params| {
        let settings = ZmqSettings::of_stream(params);
        block_of_item!(params, T => ZmqReqSource::<T>::new(params.text("address"), &settings)?)
    },
};
