//! A stream of another process, over Zenoh.

use superhet_io::blocks::parts::{ITEM, ON_GAP, Plays, block_of_item};
use superhet_io::link::{FrameKind, Given, HEADER, Header, Unpacker};
use superhet_io::{C32, Error};
use superhet_runtime::catalog::{Entry, output};
use superhet_runtime::gap::{Gaps, OnGap};
use superhet_runtime::{Block, BlockError, Context, Item, Out, Step, Work};
use zenoh::bytes::ZBytes;

use crate::memory::copy;
use crate::place::{CONFIG_FILE, CONNECTS_TO, KEY, LISTENS_AT, LOOKS_AT, Place};
use crate::sink::code_of;
use crate::tap::{Heard, MEMORY, POLICY, READER, SourceSettings, Tap};

/// The stream of a [`ZenohSink`](crate::ZenohSink) in another process, with its tags.
///
/// A connection that breaks is made again by Zenoh. What was lost meanwhile, or dropped because the ring was full, is a gap of known length:
/// tagged, counted, and filled or refused as [`SourceSettings::on_gap`] says; see [`gap`](superhet_runtime::gap). A sink that was
/// started anew has another stream; what is missing before that is a gap of unknown length. The end of the sink's stream is the end of
/// this one. Where there is no sink yet, or no more, it waits for one.
///
/// The first item, and the first behind a gap, has the tags `rx_rate`, `rx_freq` and `rx_time`, as far as the sink knows them. Each frame
/// that was dropped counts as a dropped packet.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | any of [`item_code`](superhet_io::link::item_code) | as sent |
///
/// # Errors
/// At run time: [`Error::Socket`] where there can be no session, or the stream has other items; a gap, where the settings say so.
///
/// An example is at [`ZenohSink`](crate::ZenohSink).
#[derive(Debug, Block)]
pub struct ZenohSource<T: Item> {
    #[port("out")]
    output: Out<T>,
    tap: Tap,
    gaps: Gaps,
    unpacker: Unpacker,
    /// The frame that is being given.
    payload: ZBytes,
    /// Whether the stream has ended: nothing follows but what is missing at its end.
    is_over: bool,
    /// The tags of a frame.
    bytes: Vec<u8>,
}

/// The name of the block in errors about its settings.
const NAME: &str = "zenoh_source";
/// Bytes of items that are given at once, as sinks send them.
const AT_ONCE: usize = 1 << 18;

impl<T: Item> ZenohSource<T> {
    /// Will open a session when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where the key or the name is none, or links do not carry `T`.
    pub fn new(place: Place, settings: SourceSettings) -> Result<Self, Error> {
        let gaps = Gaps::new(settings.on_gap);
        let tap = Tap::new(NAME, place, code_of::<T>(NAME)?, settings)?;
        Ok(ZenohSource {
            output: Out::new().batch(AT_ONCE / size_of::<T>()),
            tap,
            gaps,
            unpacker: Unpacker::default(),
            payload: ZBytes::new(),
            is_over: false,
            bytes: Vec::new(),
        })
    }

    /// Opens the session now.
    ///
    /// # Errors
    /// [`Error::Socket`].
    pub fn open(mut self) -> Result<Self, Error> {
        self.tap.open()?;
        Ok(self)
    }

    /// Takes a frame, as far as it is new.
    fn take(&mut self, header: Header, payload: ZBytes) {
        let next = self.tap.next();
        if header.kind != FrameKind::End {
            self.bytes.resize(header.tags as usize, 0);
            copy(&payload, HEADER, &mut self.bytes);
            if let Err(problem) = self.unpacker.take::<T>(header, &self.bytes, next) {
                // Its items are missing, and that is told before the next.
                tracing::warn!("{problem}");
                return;
            }
            self.payload = payload;
        }
        if header.first > next {
            self.gaps.lost(header.first.saturating_sub(next));
            self.unpacker.breaks();
        }
        self.is_over = header.kind == FrameKind::End;
    }
}

impl<T: Item> Work for ZenohSource<T> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.unpacker.is_empty() && !self.is_over {
            if context.is_stopping() || self.output.is_closed() {
                self.tap.leave();
                return Ok(Step::Done);
            }
            let Heard::Frame { header, payload, is_other, dropped } = self.tap.hear()? else {
                return Ok(Step::Ran);
            };
            (0..dropped).for_each(|_| self.output.count_dropped_packet());
            if is_other {
                self.gaps.lost(None);
                self.unpacker.breaks();
            }
            self.take(header, payload);
        }
        match self.gaps.settle(&mut self.output) {
            Ok(true) => {}
            Ok(false) => return Ok(Step::NeedOutput),
            Err(error) => return Ok(context.end_with(error)),
        }
        if self.is_over {
            self.tap.leave();
            return Ok(Step::Done);
        }
        let payload = &self.payload;
        let at = |skipped: usize| HEADER.saturating_add(skipped);
        let given = self
            .unpacker
            .give(&mut self.output, |skipped, room| Ok::<_, Error>(copy(payload, at(skipped), room)))?;
        match given {
            Given::NoRoom => return Ok(Step::NeedOutput),
            Given::All(Some(end)) if end > self.tap.next() => self.tap.given(end, payload.len())?,
            Given::All(_) | Given::Broken(_) => {}
        }
        self.payload = ZBytes::new();
        Ok(Step::Ran)
    }

    fn blocking(&self) -> bool {
        true
    }
}

impl Plays for ZenohSource<C32> {
    fn output(&mut self) -> &mut Out<C32> {
        &mut self.output
    }

    fn given(&self) -> u64 {
        self.output.index()
    }
}

/// How files and the command line find [`ZenohSource`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "sources",
    summary: "A stream of another process: items and tags over Zenoh; what is lost is tagged and counted.",
    params: &[KEY, ITEM, POLICY, MEMORY, READER, ON_GAP, LISTENS_AT, CONNECTS_TO, LOOKS_AT, CONFIG_FILE],
    ports: &[output("out", "item", "the items")],
    make: |params| {
        let on_gap = OnGap::of_word(params.text("on_gap"));
        let (place, settings) = (Place::of(params), SourceSettings { on_gap, ..SourceSettings::of(params) });
        block_of_item!(params, T => ZenohSource::<T>::new(place, settings)?)
    },
};
