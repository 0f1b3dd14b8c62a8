//! Messages for other processes, over Zenoh.

use superhet_io::Error;
use superhet_io::link::{FrameKind, pack_messages};
use superhet_runtime::catalog::{Entry, input, output};
use superhet_runtime::{AnyBlock, Block, BlockError, Context, MsgIn, MsgOut, Step, Work};

use crate::feed::{self, Feed, Gate, READERS, SinkSettings};
use crate::place::{CONFIG_FILE, CONNECTS_TO, KEY, LISTENS_AT, LOOKS_AT, Place};

/// Messages and packets for other processes, over Zenoh: each reader of its key, a [`ZenohMsgSource`](crate::ZenohMsgSource), gets them.
///
/// It waits for readers, or not, as a [`ZenohSink`](crate::ZenohSink) does.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any message | sent as a PMT |
/// | out `events` | messages | as those of [`ZenohSink`](crate::ZenohSink), which count messages |
///
/// # Errors
/// At run time: [`Error::Socket`] where there can be no session; a message that no PMT can hold, or that is too long.
///
/// # Example
///
/// ```
/// use superhet_zenoh::{Place, SinkSettings, SourceSettings, ZenohMsgSink, ZenohMsgSource};
///
/// let sink = ZenohMsgSink::new(Place::new("example/aircraft"), SinkSettings::default())?;
/// let source = ZenohMsgSource::new(Place::new("example/aircraft"), SourceSettings::default())?;
/// assert!(ZenohMsgSource::new(Place::new("example/*"), SourceSettings::default()).is_err());
/// # Ok::<(), superhet_io::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct ZenohMsgSink {
    #[port("in")]
    input: MsgIn,
    #[port("events")]
    events: MsgOut,
    feed: Feed,
}

/// The name of the block in errors about its settings.
const NAME: &str = "zenoh_msg_sink";

impl ZenohMsgSink {
    /// Will open a session when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where the key is none, or a setting is out of range.
    pub fn new(place: Place, settings: SinkSettings) -> Result<Self, Error> {
        let feed = Feed::new(NAME, place, 0, settings)?;
        Ok(ZenohMsgSink { input: MsgIn::new(), events: MsgOut::new(), feed })
    }
}

impl Work for ZenohMsgSink {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        match self.feed.gate(&mut self.events, context)? {
            Gate::Open => {}
            Gate::Wait => return Ok(Step::Ran),
            Gate::Stop => return Ok(Step::Done),
        }
        if !self.input.has_mail() {
            return Ok(Step::NeedInput);
        }
        let (bytes, count) = pack_messages(&mut self.input)?;
        self.feed.give((FrameKind::Messages, count), |_| {}, &[], &bytes)?;
        Ok(Step::Ran)
    }

    fn finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        Ok(if self.feed.finish(&mut self.events, context)? { Step::Done } else { Step::Ran })
    }

    fn blocking(&self) -> bool {
        true
    }
}

/// How files and the command line find [`ZenohMsgSink`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "packets",
    summary: "Messages and packets for other processes over Zenoh, to all that read its key.",
    params: &[KEY, READERS, feed::MEMORY, LISTENS_AT, CONNECTS_TO, LOOKS_AT, CONFIG_FILE],
    ports: &[
        input("in", "messages", "what is to be sent"),
        output("events", "messages", "readers that come and go"),
    ],
    make: |params| {
        let settings = SinkSettings::of_messages(params);
        Ok(AnyBlock::new(ZenohMsgSink::new(Place::of(params), settings)?))
    },
};
