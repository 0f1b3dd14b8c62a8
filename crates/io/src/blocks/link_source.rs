//! A stream of another process.

use std::ops::Range;

use superhet_runtime::catalog::{Entry, output};
use superhet_runtime::{Block, BlockError, Context, Gaps, Item, OnGap, Out, Step, Tag, Work};

use super::link_sink::code_of;
use super::links::{
    AUTHORITY_FILE, CONNECTS_TO, FROM_START, Heard, LinkSourceSettings, READER, RECONNECT, TOKEN_FILE, Tap,
};
use super::rtl_tcp_settings::ON_GAP;
use super::zmq::{ITEM, block_of_item};
use crate::error::Error;
use crate::link::payload::{read_items, said};
use crate::link::{FrameKind, Header};

/// The stream of a [`LinkSink`](super::LinkSink) in another process, with its tags.
///
/// A connection that breaks is tried again after 100 ms, then after twice as long each time, up to 5 s. It then goes on where it has
/// stopped. What the sink does not have any more is a gap of known length: tagged, counted, and filled or refused as
/// [`LinkSourceSettings::on_gap`] says; see [`gap`](superhet_runtime::gap). A sink that was started anew has another stream; what is missing
/// before that is a gap of unknown length. The end of the sink's stream is the end of this one.
///
/// The first item, and the first behind a gap, has the tags `rx_rate`, `rx_freq` and `rx_time`, as far as the sink knows them.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | any of [`item_code`](crate::link::item_code) | as sent |
///
/// # Errors
/// At run time: [`Error::Socket`] where the sink does not let this reader in, or the connection breaks and is not to be tried
/// again; a gap, where the settings say so.
///
/// An example is at [`LinkSink`](super::LinkSink).
#[derive(Debug, Block)]
pub struct LinkSource<T: Item> {
    #[port("out")]
    pub(super) output: Out<T>,
    tap: Tap,
    gaps: Gaps,
    /// Whether the next item has to be told what its header says.
    is_new: bool,
    current: Option<Current>,
    /// Whether the stream has ended: nothing follows but what is missing at its end.
    is_over: bool,
}

/// A frame that is being given.
#[derive(Debug)]
struct Current {
    header: Header,
    /// The items that are not given yet, in the bytes of the connection; how many bytes the frame had.
    items: Range<usize>,
    bytes: usize,
    /// Tags that are not on the stream yet. Their indices count from the first item to be given.
    tags: Option<Vec<Tag>>,
}

/// Bytes of items that are given at once, so that whoever takes them is woken seldom.
const AT_ONCE: usize = 1 << 18;
/// The name of the block in errors about its settings.
const NAME: &str = "link_source";

impl<T: Item> LinkSource<T> {
    /// Will connect to `tcp://HOST:PORT` when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where the address or the name is none, or links do not carry `T`.
    pub fn new(address: &str, settings: LinkSourceSettings) -> Result<Self, Error> {
        let gaps = Gaps::new(settings.on_gap);
        let tap = Tap::new(NAME, address, code_of::<T>(NAME)?, settings)?;
        Ok(LinkSource {
            output: Out::new().batch(AT_ONCE / size_of::<T>()),
            tap,
            gaps,
            is_new: true,
            current: None,
            is_over: false,
        })
    }

    /// Takes a frame, as far as it is new.
    fn take(&mut self, header: Header, body: Range<usize>) -> Result<(), String> {
        let next = self.tap.next();
        if header.first > next {
            self.gaps.lost(header.first.saturating_sub(next));
            self.is_new = true;
        }
        if header.kind == FrameKind::End {
            self.is_over = true;
            return Ok(());
        }
        let bytes = self.tap.bytes(body.clone());
        let (place, mut tags) = read_items(&header, bytes, size_of::<T>())?;
        let given = usize::try_from(next.saturating_sub(header.first)).unwrap_or(usize::MAX);
        let given = given.min(header.count as usize);
        tags.retain_mut(|tag| {
            let index = tag.index.checked_sub(given as u64);
            tag.index = index.unwrap_or(0);
            index.is_some()
        });
        let start =
            body.start.saturating_add(place.start).saturating_add(given.saturating_mul(size_of::<T>()));
        let items = start..body.start.saturating_add(place.end);
        self.current = Some(Current { header, items, bytes: body.len(), tags: Some(tags) });
        Ok(())
    }

    /// Puts the tags of a frame on the stream, whose first item is the next one.
    fn tag(&mut self, header: &Header, tags: Vec<Tag>, is_whole: bool) {
        let first = self.output.index();
        if std::mem::take(&mut self.is_new) && is_whole {
            for (key, value) in said(header) {
                if !tags.iter().any(|tag| tag.index == 0 && *tag.key == *key) {
                    self.output.tag(0, key, value);
                }
            }
        }
        for tag in tags {
            self.output.put_tag(Tag { index: first.saturating_add(tag.index), ..tag });
        }
    }

    /// Gives what there is room for.
    fn give(&mut self) -> Result<Step, BlockError> {
        let Some(mut current) = self.current.take() else { return Ok(Step::Ran) };
        if let Some(tags) = current.tags.take().filter(|_| !current.items.is_empty()) {
            let is_whole = self.tap.next() <= current.header.first;
            self.tag(&current.header, tags, is_whole);
        }
        while !current.items.is_empty() {
            let room: &mut [u8] = bytemuck::cast_slice_mut(self.output.reserve());
            let n = room.len().min(current.items.len());
            if n == 0 {
                self.current = Some(current);
                return Ok(Step::NeedOutput);
            }
            let from = current.items.start;
            let bytes = self.tap.bytes(from..from.saturating_add(n));
            let Some(room) = room.get_mut(..bytes.len()) else { break };
            room.copy_from_slice(bytes);
            self.output.produce(bytes.len() / size_of::<T>());
            current.items.start = from.saturating_add(n);
        }
        if current.header.end() > self.tap.next() {
            self.tap.given(current.header.end(), current.bytes)?;
        }
        Ok(Step::Ran)
    }
}

impl<T: Item> Work for LinkSource<T> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.current.is_none() && !self.is_over {
            if context.is_stopping() || self.output.is_closed() {
                self.tap.leave();
                return Ok(Step::Done);
            }
            match self.tap.hear(context)? {
                Heard::Nothing => return Ok(Step::Ran),
                Heard::Begins { missing } => {
                    self.gaps.lost(missing);
                    self.is_new = true;
                    return Ok(Step::Ran);
                }
                Heard::Frame(header, body) => {
                    if let Err(problem) = self.take(header, body) {
                        self.tap.refuse(problem)?;
                        return Ok(Step::Ran);
                    }
                }
            }
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
        self.give()
    }

    fn blocking(&self) -> bool {
        true
    }
}

/// How files and the command line find [`LinkSource`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "sources",
    summary: "A stream of another process: items and tags over TCP; what is lost is tagged and counted.",
    params: &[ITEM, CONNECTS_TO, READER, RECONNECT, FROM_START, ON_GAP, TOKEN_FILE, AUTHORITY_FILE],
    ports: &[output("out", "item", "the items")],
    make: |params| {
        let on_gap = OnGap::of_word(params.text("on_gap"));
        let settings = LinkSourceSettings { on_gap, ..LinkSourceSettings::of(params)? };
        block_of_item!(params, T => LinkSource::<T>::new(params.text("address"), settings)?)
    },
};
