//! Messages of another process.

use std::time::Duration;

use superhet_runtime::catalog::{Entry, output};
use superhet_runtime::{AnyBlock, Block, BlockError, Context, MsgOut, Step, Work};

use super::behind::Behind;
use super::links::{
    AUTHORITY_FILE, CONNECTS_TO, FROM_START, Heard, LinkSourceSettings, READER, RECONNECT, TOKEN_FILE, Tap,
};
use crate::error::Error;
use crate::link::FrameKind;
use crate::link::payload::{MOST_DECODED, read_messages};

/// The messages and packets of a [`LinkMsgSink`](super::LinkMsgSink) in another process.
///
/// A connection that breaks is tried again, and goes on where it has stopped, as at [`LinkSource`](super::LinkSource). Messages that
/// the sink does not have any more count as dropped packets.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | any message | as sent |
///
/// # Errors
/// At run time: [`Error::Socket`] where the sink does not let this reader in, or the connection breaks and is not to be tried
/// again.
///
/// An example is at [`LinkMsgSink`](super::LinkMsgSink).
#[derive(Debug, Block)]
pub struct LinkMsgSource {
    #[port("out")]
    output: MsgOut,
    tap: Tap,
    behind: Behind,
    /// The messages of a frame.
    bytes: Vec<u8>,
}

/// How long it waits for those behind it, which have enough to do.
const SHORT: Duration = Duration::from_millis(2);
/// Lost messages that are counted one by one. A sink that lies may say any number.
const MOST_COUNTED: u64 = 1 << 20;
/// The name of the block in errors about its settings.
const NAME: &str = "link_msg_source";

impl LinkMsgSource {
    /// Will connect to `tcp://HOST:PORT`, or `shm://NAME` on this machine, when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where the address or the name is none.
    pub fn new(address: &str, settings: LinkSourceSettings) -> Result<Self, Error> {
        let tap = Tap::new(NAME, address, 0, settings)?;
        Ok(LinkMsgSource { output: MsgOut::new(), tap, behind: Behind::default(), bytes: Vec::new() })
    }

    fn count_lost(&mut self, messages: u64) {
        if messages > 0 {
            tracing::warn!("{messages} messages were lost");
            (0..messages.min(MOST_COUNTED)).for_each(|_| self.output.count_dropped_packet());
        }
    }
}

impl Work for LinkMsgSource {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if context.is_stopping() {
            self.tap.leave();
            return Ok(Step::Done);
        }
        if self.behind.is_full(&self.output, MOST_DECODED) {
            std::thread::sleep(SHORT);
            return Ok(Step::Ran);
        }
        let (header, body) = match self.tap.hear(context)? {
            Heard::Nothing => return Ok(Step::Ran),
            Heard::Begins { missing } => {
                self.count_lost(missing.unwrap_or(0));
                return Ok(Step::Ran);
            }
            Heard::Frame(header, body) => (header, body),
        };
        let next = self.tap.next();
        self.count_lost(header.first.saturating_sub(next));
        if header.kind == FrameKind::End {
            self.tap.leave();
            return Ok(Step::Done);
        }
        let bytes = body.len();
        // Memory that is shared is read once, so that it cannot change while it is looked at.
        self.bytes.resize(bytes, 0);
        if !self.tap.copy(&body, 0, &mut self.bytes)? {
            return Ok(Step::Ran);
        }
        match read_messages(&header, &self.bytes) {
            Ok((messages, memory)) => {
                let given = usize::try_from(next.saturating_sub(header.first)).unwrap_or(usize::MAX);
                let each = memory / messages.len().max(1);
                for message in messages.into_iter().skip(given) {
                    self.output.send(message)?;
                    self.behind.add(each);
                }
                self.tap.given(header.end().max(next), bytes)?;
            }
            Err(problem) => self.tap.refuse(problem)?,
        }
        Ok(Step::Ran)
    }

    fn blocking(&self) -> bool {
        true
    }
}

/// How files and the command line find [`LinkMsgSource`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "packets",
    summary: "Messages and packets of another process, over TCP or through shared memory.",
    params: &[CONNECTS_TO, READER, RECONNECT, FROM_START, TOKEN_FILE, AUTHORITY_FILE],
    ports: &[output("out", "messages", "what has come; packets where it is one")],
    make: |params| {
        let settings = LinkSourceSettings::of(params)?;
        Ok(AnyBlock::new(LinkMsgSource::new(params.text("address"), settings)?))
    },
};
