//! Messages to a PUB socket of ZeroMQ.

use superhet_runtime::catalog::{Entry, input};
use superhet_runtime::{AnyBlock, Block, MsgIn};

use super::zmq::{ADDRESS, BINDS, HIGH_WATER, MEMORY, MessageSink, ZmqSettings, sends};
use crate::error::Error;
use crate::zmtp::Role;

/// Messages to a PUB socket of ZeroMQ, as GNU Radio's `zeromq.pub_msg_sink` sends them: as PMTs.
///
/// Every subscriber gets every message; without subscribers they are dropped. A subscriber that is too slow loses what does
/// not fit into its queue, the first time with a warning.
///
/// When no more messages come, the rest is sent as long as others take it, and for 10 s more. When the graph is asked to
/// stop, it has 300 ms.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any message | a packet is sent as the pair that a PDU is; see [`Value::to_pmt`](superhet_runtime::Value::to_pmt) |
///
/// # Errors
/// At run time: [`Error::Socket`] where it cannot listen; a message that no PMT can hold.
///
/// # Example
///
/// ```
/// use superhet_io::blocks::{ZmqPubMsgSink, ZmqSubMsgSource, ZmqSettings};
///
/// let settings = ZmqSettings::default();
/// let sink = ZmqPubMsgSink::new("tcp://127.0.0.1:*", &settings)?.open()?;
/// let source = ZmqSubMsgSource::new(sink.endpoint().unwrap(), &settings)?;
/// assert!(ZmqSubMsgSource::new("localhost:5555", &settings).is_err());
/// # Ok::<(), superhet_io::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct ZmqPubMsgSink {
    #[port("in")]
    input: MsgIn,
    sink: MessageSink,
}

/// The name of the block in errors about its settings.
const NAME: &str = "zmq_pub_msg_sink";

impl ZmqPubMsgSink {
    /// Will listen at an address, or connect to it, when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where the address is none.
    pub fn new(address: &str, settings: &ZmqSettings) -> Result<Self, Error> {
        Ok(ZmqPubMsgSink { input: MsgIn::new(), sink: MessageSink::new(NAME, Role::Pub, address, settings)? })
    }
}

sends!(ZmqPubMsgSink);

/// How files and the command line find [`ZmqPubMsgSink`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "packets",
    summary: "Messages to a PUB socket of ZeroMQ, as PMTs.",
    params: &[ADDRESS, BINDS, HIGH_WATER, MEMORY],
    ports: &[input("in", "messages", "what is to be sent")],
    make: |params| {
        Ok(AnyBlock::new(ZmqPubMsgSink::new(params.text("address"), &ZmqSettings::of_messages(params))?))
    },
};
