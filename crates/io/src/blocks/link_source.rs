//! A stream of another process.

use std::collections::VecDeque;

use superhet_runtime::catalog::{Entry, output};
use superhet_runtime::{Block, BlockError, Context, Gaps, Item, OnGap, Out, Step, Tag, Work};

use super::link_sink::code_of;
use super::links::{
    AUTHORITY_FILE, CONNECTS_TO, FROM_START, Heard, LinkSourceSettings, READER, RECONNECT, TOKEN_FILE, Tap,
};
use super::rtl_tcp_settings::ON_GAP;
use super::zmq::{ITEM, block_of_item};
use crate::error::Error;
use crate::link::connection::Body;
use crate::link::payload::{read_tags, said};
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
    /// The tags of a frame.
    bytes: Vec<u8>,
}

/// A frame that is being given.
#[derive(Debug)]
struct Current {
    header: Header,
    body: Body,
    /// How many bytes of the body are given, or were had before.
    given: usize,
    /// Whether nothing of it was had before.
    is_whole: bool,
    /// Tags that are not on the stream yet, by their indices, which count from the next item to be given.
    tags: VecDeque<Tag>,
}

/// The name of the block in errors about its settings.
const NAME: &str = "link_source";

impl<T: Item> LinkSource<T> {
    /// Will connect to `tcp://HOST:PORT`, or `shm://NAME` on this machine, when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where the address or the name is none, or links do not carry `T`.
    pub fn new(address: &str, settings: LinkSourceSettings) -> Result<Self, Error> {
        let gaps = Gaps::new(settings.on_gap);
        let tap = Tap::new(NAME, address, code_of::<T>(NAME)?, settings)?;
        Ok(LinkSource {
            // What comes at once is given at once, so that whoever takes it is woken seldom.
            output: Out::new().batch(tap.at_once() / size_of::<T>()),
            tap,
            gaps,
            is_new: true,
            current: None,
            is_over: false,
            bytes: Vec::new(),
        })
    }

    /// Takes a frame, as far as it is new.
    fn take(&mut self, header: Header, body: Body) -> Result<(), BlockError> {
        let next = self.tap.next();
        let in_tags = header.tags as usize;
        if header.kind != FrameKind::End {
            self.bytes.resize(in_tags, 0);
            if !self.tap.copy(&body, 0, &mut self.bytes)? {
                return Ok(());
            }
            let mut tags = match read_tags(&header, &self.bytes, size_of::<T>()) {
                Ok(tags) => tags,
                Err(problem) => return Ok(self.tap.refuse(problem)?),
            };
            let had = usize::try_from(next.saturating_sub(header.first)).unwrap_or(usize::MAX);
            let had = had.min(header.count as usize);
            tags.retain_mut(|tag| {
                let index = tag.index.checked_sub(had as u64);
                tag.index = index.unwrap_or(0);
                index.is_some()
            });
            tags.sort_by_key(|tag| tag.index);
            let given = in_tags.saturating_add(had.saturating_mul(size_of::<T>()));
            self.current = Some(Current { header, body, given, is_whole: had == 0, tags: tags.into() });
        }
        if header.first > next {
            self.gaps.lost(header.first.saturating_sub(next));
            self.is_new = true;
        }
        self.is_over = header.kind == FrameKind::End;
        Ok(())
    }

    /// Puts the tags of a frame on the stream that are at the next `count` items.
    fn tag(&mut self, current: &mut Current, count: u64) {
        if std::mem::take(&mut self.is_new) && current.is_whole {
            for (key, value) in said(&current.header) {
                if !current.tags.iter().any(|tag| tag.index == 0 && *tag.key == *key) {
                    self.output.tag(0, key, value);
                }
            }
        }
        let first = self.output.index();
        while let Some(tag) = current.tags.pop_front_if(|tag| tag.index < count) {
            self.output.put_tag(Tag { index: first.saturating_add(tag.index), ..tag });
        }
        current.tags.iter_mut().for_each(|tag| tag.index = tag.index.saturating_sub(count));
    }

    /// Gives what there is room for.
    fn give(&mut self) -> Result<Step, BlockError> {
        let Some(mut current) = self.current.take() else { return Ok(Step::Ran) };
        while current.given < current.body.len() {
            let left = current.body.len().saturating_sub(current.given);
            let room: &mut [u8] = bytemuck::cast_slice_mut(self.output.reserve());
            let n = room.len().min(left);
            let Some(room) = room.get_mut(..n).filter(|room| !room.is_empty()) else {
                self.current = Some(current);
                return Ok(Step::NeedOutput);
            };
            if !self.tap.copy(&current.body, current.given, room)? {
                // What was given of it must not come again.
                let left = (left / size_of::<T>()) as u64;
                self.tap.given_in_part(current.header.end().saturating_sub(left).max(self.tap.next()));
                return Ok(Step::Ran);
            }
            let count = n / size_of::<T>();
            self.tag(&mut current, count as u64);
            self.output.produce(count);
            current.given = current.given.saturating_add(n);
        }
        if current.header.end() > self.tap.next() {
            self.tap.given(current.header.end(), current.body.len())?;
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
                Heard::Frame(header, body) => self.take(header, body)?,
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
    summary: "A stream of another process: items and tags over TCP or through shared memory; what is lost is tagged and counted.",
    params: &[ITEM, CONNECTS_TO, READER, RECONNECT, FROM_START, ON_GAP, TOKEN_FILE, AUTHORITY_FILE],
    ports: &[output("out", "item", "the items")],
    make: |params| {
        let on_gap = OnGap::of_word(params.text("on_gap"));
        let settings = LinkSourceSettings { on_gap, ..LinkSourceSettings::of(params)? };
        block_of_item!(params, T => LinkSource::<T>::new(params.text("address"), settings)?)
    },
};
