//! Messages out of a SUB socket of ZeroMQ.

use superhet_runtime::catalog::{Entry, output};
use superhet_runtime::{AnyBlock, Block, MsgOut};

use super::zmq::{ADDRESS, CONNECTS, HIGH_WATER, MEMORY, MessageSource, ZmqSettings, receives};
use crate::error::Error;
use crate::zmtp::Role;

/// Messages out of a SUB socket of ZeroMQ, as GNU Radio's `zeromq.pub_msg_sink` sends them: as PMTs.
///
/// It gets everything that the other side sends.
///
/// The source goes on until it is stopped: the other side may come and go.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | any message | a pair of metadata and a vector is a packet; see [`Value::from_pmt`](superhet_runtime::Value::from_pmt) |
///
/// # Errors
/// At run time: [`Error::Socket`] where it cannot listen. A message that is none is dropped and counted as a dropped packet,
/// and its sender is parted with.
///
/// An example is at [`ZmqPubMsgSink`](super::ZmqPubMsgSink).
#[derive(Debug, Block)]
pub struct ZmqSubMsgSource {
    #[port("out")]
    output: MsgOut,
    source: MessageSource,
}

/// The name of the block in errors about its settings.
const NAME: &str = "zmq_sub_msg_source";

impl ZmqSubMsgSource {
    /// Will connect to an address, or listen at it, when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where the address is none.
    pub fn new(address: &str, settings: &ZmqSettings) -> Result<Self, Error> {
        let source = MessageSource::new(NAME, Role::Sub, address, settings)?;
        Ok(ZmqSubMsgSource { output: MsgOut::new(), source })
    }
}

receives!(ZmqSubMsgSource);

/// How files and the command line find [`ZmqSubMsgSource`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "packets",
    summary: "Messages out of a SUB socket of ZeroMQ, as PMTs.",
    params: &[ADDRESS, CONNECTS, HIGH_WATER, MEMORY],
    ports: &[output("out", "messages", "what has come; packets where it is one")],
    make: |params| {
        Ok(AnyBlock::new(ZmqSubMsgSource::new(params.text("address"), &ZmqSettings::of_messages(params))?))
    },
};
