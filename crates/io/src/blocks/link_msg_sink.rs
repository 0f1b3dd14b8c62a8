//! Messages for other processes.

use std::net::SocketAddr;

use superhet_runtime::catalog::{Entry, input, output};
use superhet_runtime::{AnyBlock, Block, BlockError, Context, MsgIn, MsgOut, Step, Work};

use super::links::{
    CERTIFICATE_FILE, Feed, Gate, HOLD, KEY_FILE, LISTENS_AT, LinkSinkSettings, MEMORY, POLICY, READERS,
    TOKEN_FILE,
};
use crate::error::Error;
use crate::link::{FrameKind, pack_messages};

/// Messages and packets for other processes: each reader, a [`LinkMsgSource`](super::LinkMsgSource), gets all of them.
///
/// What a reader has not acknowledged is kept for it, and it may come back, as at [`LinkSink`](super::LinkSink).
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any message | sent as a PMT, see [`Value::to_pmt`](superhet_runtime::Value::to_pmt); tags within packets are left out |
/// | out `events` | messages | as at [`LinkSink`](super::LinkSink) |
///
/// # Errors
/// At run time: [`Error::Socket`]; a message that no PMT can hold, or of more than 8 MiB as one.
///
/// # Example
///
/// ```
/// use superhet_io::blocks::{LinkMsgSink, LinkMsgSource, LinkSinkSettings, LinkSourceSettings};
///
/// let sink = LinkMsgSink::new("tcp://127.0.0.1:0", LinkSinkSettings::default())?.open()?;
/// let address = format!("tcp://{}", sink.local_addr().unwrap());
/// let source = LinkMsgSource::new(&address, LinkSourceSettings::default())?;
/// assert!(LinkMsgSource::new("127.0.0.1", LinkSourceSettings::default()).is_err());
/// # Ok::<(), superhet_io::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct LinkMsgSink {
    #[port("in")]
    input: MsgIn,
    #[port("events")]
    events: MsgOut,
    feed: Feed,
}

/// The name of the block in errors about its settings.
const NAME: &str = "link_msg_sink";

impl LinkMsgSink {
    /// Will listen at `tcp://HOST:PORT`, or `shm://NAME` on this machine, when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where the address is none.
    pub fn new(address: &str, settings: LinkSinkSettings) -> Result<Self, Error> {
        let feed = Feed::new(NAME, address, 0, settings)?;
        Ok(LinkMsgSink { input: MsgIn::new(), events: MsgOut::new(), feed })
    }

    /// Listens from now on; port 0 is one that is free.
    ///
    /// # Errors
    /// [`Error::Socket`].
    pub fn open(mut self) -> Result<Self, Error> {
        self.feed.open()?;
        Ok(self)
    }

    /// The address where it listens, once it does; none of `shm://NAME`.
    pub fn local_addr(&self) -> Option<SocketAddr> {
        self.feed.local_addr()
    }
}

impl Work for LinkMsgSink {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        match self.feed.gate(&mut self.events, context)? {
            Gate::Open => {}
            Gate::Wait => return Ok(Step::Ran),
            Gate::Stop => return Ok(Step::Done),
        }
        if !self.input.has_mail() {
            return Ok(if self.feed.wait_for_readers()? { Step::Ran } else { Step::NeedInput });
        }
        let (bytes, count) = pack_messages(&mut self.input)?;
        self.feed.give((FrameKind::Messages, count), &mut self.events, |_| {}, &[], &bytes);
        self.feed.turn(&mut self.events)?;
        Ok(Step::Ran)
    }

    fn finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        Ok(if self.feed.finish(&mut self.events, context)? { Step::Done } else { Step::Ran })
    }

    fn blocking(&self) -> bool {
        true
    }
}

/// How files and the command line find [`LinkMsgSink`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "packets",
    summary: "Messages and packets for other processes, over TCP or through shared memory; nothing lost unless the settings say so.",
    params: &[LISTENS_AT, POLICY, MEMORY, HOLD, READERS, TOKEN_FILE, CERTIFICATE_FILE, KEY_FILE],
    ports: &[
        input("in", "messages", "what is to be sent"),
        output("events", "messages", "readers that come and go, and what they lose"),
    ],
    make: |params| {
        let settings = LinkSinkSettings::of(params)?;
        Ok(AnyBlock::new(LinkMsgSink::new(params.text("address"), settings)?))
    },
};
