//! Messages out of a PULL socket of ZeroMQ.

use superhet_runtime::catalog::{Entry, output};
use superhet_runtime::{AnyBlock, Block, MsgOut};

use super::zmq::{ADDRESS, CONNECTS, HIGH_WATER, MEMORY, MessageSource, ZmqSettings, receives};
use crate::error::Error;
use crate::zmtp::Role;

/// Messages out of a PULL socket of ZeroMQ, as GNU Radio's `zeromq.push_msg_sink` sends them: as PMTs.
///
/// What comes of several others is sent on as it comes, a message of each in turn.
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
/// An example is at [`ZmqPushMsgSink`](super::ZmqPushMsgSink).
#[derive(Debug, Block)]
pub struct ZmqPullMsgSource {
    #[port("out")]
    output: MsgOut,
    source: MessageSource,
}

/// The name of the block in errors about its settings.
const NAME: &str = "zmq_pull_msg_source";

impl ZmqPullMsgSource {
    /// Will connect to an address, or listen at it, when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where the address is none.
    pub fn new(address: &str, settings: &ZmqSettings) -> Result<Self, Error> {
        let source = MessageSource::new(NAME, Role::Pull, address, settings)?;
        Ok(ZmqPullMsgSource { output: MsgOut::new(), source })
    }
}

receives!(ZmqPullMsgSource);

/// How files and the command line find [`ZmqPullMsgSource`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "packets",
    summary: "Messages out of a PULL socket of ZeroMQ, as PMTs.",
    params: &[ADDRESS, CONNECTS, HIGH_WATER, MEMORY],
    ports: &[output("out", "messages", "what has come; packets where it is one")],
    make: |params| {
        Ok(AnyBlock::new(ZmqPullMsgSource::new(params.text("address"), &ZmqSettings::of_messages(params))?))
    },
};
