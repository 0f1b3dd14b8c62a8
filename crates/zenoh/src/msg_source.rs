//! Messages of another process, over Zenoh.

use std::time::Duration;

use superhet_io::Error;
use superhet_io::blocks::parts::Behind;
use superhet_io::link::{FrameKind, HEADER, MOST_DECODED, read_messages};
use superhet_runtime::catalog::{Entry, output};
use superhet_runtime::{AnyBlock, Block, BlockError, Context, MsgOut, Step, Work};

use crate::memory::copy;
use crate::place::{CONFIG_FILE, CONNECTS_TO, KEY, LISTENS_AT, LOOKS_AT, Place};
use crate::tap::{Heard, MEMORY, POLICY, READER, SourceSettings, Tap};

/// The messages and packets of a [`ZenohMsgSink`](crate::ZenohMsgSink) in another process.
///
/// Those that are lost count as dropped packets. The end of the sink is the end of this one.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | any message | as sent |
///
/// # Errors
/// At run time: [`Error::Socket`] where there can be no session.
///
/// An example is at [`ZenohMsgSink`](crate::ZenohMsgSink).
#[derive(Debug, Block)]
pub struct ZenohMsgSource {
    #[port("out")]
    output: MsgOut,
    tap: Tap,
    behind: Behind,
}

/// How long it waits for those behind it, which have enough to do.
const SHORT: Duration = Duration::from_millis(2);
/// Lost messages that are counted one by one. A sink that lies may say any number.
const MOST_COUNTED: u64 = 1 << 20;
/// The name of the block in errors about its settings.
const NAME: &str = "zenoh_msg_source";

impl ZenohMsgSource {
    /// Will open a session when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where the key or the name is none.
    pub fn new(place: Place, settings: SourceSettings) -> Result<Self, Error> {
        let tap = Tap::new(NAME, place, 0, settings)?;
        Ok(ZenohMsgSource { output: MsgOut::new(), tap, behind: Behind::default() })
    }
}

impl Work for ZenohMsgSource {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if context.is_stopping() {
            self.tap.leave();
            return Ok(Step::Done);
        }
        if self.behind.is_full(&self.output, MOST_DECODED) {
            std::thread::sleep(SHORT);
            return Ok(Step::Ran);
        }
        let Heard::Frame { header, payload, .. } = self.tap.hear()? else { return Ok(Step::Ran) };
        let next = self.tap.next();
        let lost = header.first.saturating_sub(next);
        if lost > 0 {
            tracing::warn!("{lost} messages were lost");
            (0..lost.min(MOST_COUNTED)).for_each(|_| self.output.count_dropped_packet());
        }
        if header.kind == FrameKind::End {
            self.tap.leave();
            return Ok(Step::Done);
        }
        let mut bytes = vec![0; header.body as usize];
        copy(&payload, HEADER, &mut bytes);
        match read_messages(&header, &bytes) {
            Ok((messages, memory)) => {
                let given = usize::try_from(next.saturating_sub(header.first)).unwrap_or(usize::MAX);
                let each = memory / messages.len().max(1);
                for message in messages.into_iter().skip(given) {
                    self.output.send(message)?;
                    self.behind.add(each);
                }
            }
            Err(problem) => tracing::warn!("{problem}"),
        }
        self.tap.given(header.end().max(next), payload.len())?;
        Ok(Step::Ran)
    }

    fn blocking(&self) -> bool {
        true
    }
}

/// How files and the command line find [`ZenohMsgSource`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "packets",
    summary: "Messages and packets of another process, over Zenoh.",
    params: &[KEY, POLICY, MEMORY, READER, LISTENS_AT, CONNECTS_TO, LOOKS_AT, CONFIG_FILE],
    ports: &[output("out", "messages", "what has come; packets where it is one")],
    make: |params| {
        let source = ZenohMsgSource::new(Place::of(params), SourceSettings::of(params))?;
        Ok(AnyBlock::new(source))
    },
};
