//! A stream for other processes.

use std::net::SocketAddr;

use superhet_runtime::catalog::{Entry, input, output};
use superhet_runtime::{Block, BlockError, Context, In, Item, MsgOut, Step, Work};

use super::links::{
    CERTIFICATE_FILE, Feed, Gate, HOLD, KEY_FILE, LISTENS_AT, LinkSinkSettings, MEMORY, POLICY, READERS,
    TOKEN_FILE,
};
use super::zmq::{ITEM, block_of_item};
use crate::error::Error;
use crate::link::{FrameKind, Packer, item_code};

/// A stream for other processes: each reader, a [`LinkSource`](super::LinkSource), gets its items, and its tags at their items.
///
/// It listens, readers connect to it. What a reader has not acknowledged is kept in a ring. With the policy
/// [`Block`](crate::link::Policy::Block) the stream waits where one is full, and nothing is lost. With
/// [`Drop`](crate::link::Policy::Drop) it goes on, and this reader misses what comes until it has used something. The reader marks that
/// as a gap of the right length. One that is away for no longer than [`hold`](LinkSinkSettings::hold) gets what its ring has when
/// it comes back.
///
/// When no more items come, readers have 10 s for what they have not acknowledged, from the last thing that one has. When the graph is asked
/// to stop, they have 300 ms.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any of [`item_code`] | sent as they lie in memory |
/// | out `events` | messages | maps: `event` is `came`, `left`, `returned`, `gone` or `lost`, `reader` its name, `index` the item, `items` how many were lost |
///
/// Each frame that a reader loses counts as a dropped packet.
///
/// # Errors
/// At run time: [`Error::Socket`]; a tag that no PMT can hold.
///
/// # Example
///
/// ```
/// use superhet_io::blocks::{LinkSink, LinkSinkSettings, LinkSource, LinkSourceSettings};
/// use superhet_runtime::harness::{VecSink, VecSource};
/// use superhet_runtime::{C32, Graph};
///
/// let sink = LinkSink::<C32>::new("tcp://127.0.0.1:0", LinkSinkSettings::default())?.open()?;
/// let address = format!("tcp://{}", sink.local_addr().unwrap());
/// let sender = std::thread::spawn(move || {
///     let mut graph = Graph::new();
///     let source = graph.add("source", VecSource::new(vec![C32::new(0.5, -1.0); 1000]));
///     let sink = graph.add("sink", sink);
///     graph.connect(source.output, sink.input);
///     graph.run().map(|_| ())
/// });
///
/// let mut graph = Graph::new();
/// let source = graph.add("source", LinkSource::<C32>::new(&address, LinkSourceSettings::default())?);
/// let sink = VecSink::<C32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [C32::new(0.5, -1.0); 1000]);
/// sender.join().expect("no panic")?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct LinkSink<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("events")]
    events: MsgOut,
    feed: Feed,
    packer: Packer,
}

/// The name of the block in errors about its settings.
const NAME: &str = "link_sink";

impl<T: Item> LinkSink<T> {
    /// Will listen at `tcp://HOST:PORT`, or `shm://NAME` on this machine, when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where the address is none, or links do not carry `T`.
    pub fn new(address: &str, settings: LinkSinkSettings) -> Result<Self, Error> {
        let feed = Feed::new(NAME, address, code_of::<T>(NAME)?, settings)?;
        // Without any item, too: readers come.
        let (input, events) = (In::new().min(0).batch(feed.at_once() / size_of::<T>()), MsgOut::new());
        Ok(LinkSink { input, events, feed, packer: Packer::default() })
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

/// The number of an item type.
pub(super) fn code_of<T: Item>(block: &'static str) -> Result<u8, Error> {
    item_code(T::NAME).ok_or_else(|| Error::Setting {
        path: block.into(),
        parameter: "item",
        got: T::NAME.to_owned(),
        expected: "a type that links carry".to_owned(),
    })
}

impl<T: Item> Work for LinkSink<T> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        match self.feed.gate(&mut self.events, context)? {
            Gate::Open => {}
            Gate::Wait => return Ok(Step::Ran),
            Gate::Stop => return Ok(Step::Done),
        }
        let n = self.input.available().min(self.feed.at_once() / size_of::<T>());
        if n == 0 {
            return Ok(if self.feed.wait_for_readers()? { Step::Ran } else { Step::NeedInput });
        }
        let (feed, events) = (&mut self.feed, &mut self.events);
        self.packer.pack(&mut self.input, n, |packed| {
            let what = (FrameKind::Items, packed.count);
            feed.give(what, events, |header| packed.say(header), packed.tags, packed.items);
            Ok(())
        })?;
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

/// How files and the command line find [`LinkSink`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "sinks",
    summary: "A stream for other processes: items and tags over TCP or through shared memory, nothing lost unless the settings say so.",
    params: &[ITEM, LISTENS_AT, POLICY, MEMORY, HOLD, READERS, TOKEN_FILE, CERTIFICATE_FILE, KEY_FILE],
    ports: &[
        input("in", "item", "the items"),
        output("events", "messages", "readers that come and go, and what they lose"),
    ],
    make: |params| {
        let settings = LinkSinkSettings::of(params)?;
        block_of_item!(params, T => LinkSink::<T>::new(params.text("address"), settings)?)
    },
};
