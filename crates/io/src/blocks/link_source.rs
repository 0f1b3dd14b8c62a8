//! A stream of another process.

use superhet_runtime::catalog::{Entry, output};
use superhet_runtime::gap::{Gaps, OnGap};
use superhet_runtime::{Block, BlockError, Context, Item, Out, Step, Work};

use super::link_sink::code_of;
use super::links::{
    AUTHORITY_FILE, CONNECTS_TO, FROM_START, Heard, LinkSourceSettings, READER, RECONNECT, TOKEN_FILE, Tap,
};
use super::rtl_tcp_settings::ON_GAP;
use super::zmq::{ITEM, block_of_item};
use crate::error::Error;
use crate::link::connection::Body;
use crate::link::{FrameKind, Given, Header, Unpacker};

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
    unpacker: Unpacker,
    /// Where the rest of the frame is that is being given.
    body: Option<Body>,
    /// Whether the stream has ended: nothing follows but what is missing at its end.
    is_over: bool,
    /// The tags of a frame.
    bytes: Vec<u8>,
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
            unpacker: Unpacker::default(),
            body: None,
            is_over: false,
            bytes: Vec::new(),
        })
    }

    /// Takes a frame, as far as it is new.
    fn take(&mut self, header: Header, body: Body) -> Result<(), BlockError> {
        let next = self.tap.next();
        if header.kind != FrameKind::End {
            self.bytes.resize(header.tags as usize, 0);
            if !self.tap.copy(&body, 0, &mut self.bytes)? {
                return Ok(());
            }
            if let Err(problem) = self.unpacker.take::<T>(header, &self.bytes, next) {
                return Ok(self.tap.refuse(problem)?);
            }
            self.body = Some(body);
        }
        if header.first > next {
            self.gaps.lost(header.first.saturating_sub(next));
            self.unpacker.breaks();
        }
        self.is_over = header.kind == FrameKind::End;
        Ok(())
    }

    /// Gives what there is room for.
    fn give(&mut self) -> Result<Step, BlockError> {
        let Some(body) = &self.body else { return Ok(Step::Ran) };
        let tap = &mut self.tap;
        match self.unpacker.give(&mut self.output, |at, room| tap.copy(body, at, room))? {
            Given::NoRoom => return Ok(Step::NeedOutput),
            // What was given of it must not come again.
            Given::Broken(next) => self.tap.given_in_part(next.max(self.tap.next())),
            Given::All(Some(end)) if end > self.tap.next() => self.tap.given(end, body.len())?,
            Given::All(_) => {}
        }
        self.body = None;
        Ok(Step::Ran)
    }
}

impl<T: Item> Work for LinkSource<T> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.unpacker.is_empty() && !self.is_over {
            if context.is_stopping() || self.output.is_closed() {
                self.tap.leave();
                return Ok(Step::Done);
            }
            match self.tap.hear(context)? {
                Heard::Nothing => return Ok(Step::Ran),
                Heard::Begins { missing } => {
                    self.gaps.lost(missing);
                    self.unpacker.breaks();
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
