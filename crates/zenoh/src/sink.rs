//! A stream for other processes, over Zenoh.

use superhet_io::Error;
use superhet_io::blocks::parts::{ITEM, block_of_item};
use superhet_io::link::{FrameKind, Packer, item_code};
use superhet_runtime::catalog::{Entry, input, output};
use superhet_runtime::{Block, BlockError, Context, In, Item, MsgOut, Step, Work};

use crate::feed::{self, CHUNK, Feed, Gate, READERS, SinkSettings};
use crate::place::{CONFIG_FILE, CONNECTS_TO, KEY, LISTENS_AT, LOOKS_AT, Place};

/// A stream for other processes, over Zenoh: each reader of its key, a [`ZenohSource`](crate::ZenohSource), gets its items, and its tags
/// at their items.
///
/// It waits for readers whose rings are full, but for those that say that they drop. A reader that is gone is not waited for. What comes
/// while there is no reader is dropped. When no more items come, readers have 10 s for what they have not used, from the last thing that
/// one has; when the graph is asked to stop, they have 300 ms.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any of [`item_code`] | sent as they lie in memory |
/// | out `events` | messages | maps: `event` is `came` or `gone`, `reader` its name, `index` the item |
///
/// # Errors
/// At run time: [`Error::Socket`] where there can be no session; a tag that no PMT can hold.
///
/// # Example
///
/// ```
/// use superhet_runtime::harness::{VecSink, VecSource};
/// use superhet_runtime::{C32, Graph};
/// use superhet_zenoh::{Place, SinkSettings, SourceSettings, ZenohSink, ZenohSource};
///
/// let place = Place::new("example/antenna");
/// let sink = ZenohSink::<C32>::new(place.clone(), SinkSettings::default())?;
/// let sender = std::thread::spawn(move || {
///     let mut graph = Graph::new();
///     let source = graph.add("source", VecSource::new(vec![C32::new(0.5, -1.0); 1000]));
///     let sink = graph.add("sink", sink);
///     graph.connect(source.output, sink.input);
///     graph.run().map(|_| ())
/// });
///
/// let mut graph = Graph::new();
/// let source = graph.add("source", ZenohSource::<C32>::new(place, SourceSettings::default())?);
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
pub struct ZenohSink<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("events")]
    events: MsgOut,
    feed: Feed,
    packer: Packer,
}

/// The name of the block in errors about its settings.
const NAME: &str = "zenoh_sink";

impl<T: Item> ZenohSink<T> {
    /// Will open a session when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where the key is none, links do not carry `T`, or a setting is out of range.
    pub fn new(place: Place, settings: SinkSettings) -> Result<Self, Error> {
        let feed = Feed::new(NAME, place, code_of::<T>(NAME)?, settings)?;
        // Without any item, too: readers come.
        let input = In::new().min(0).batch(feed.chunk() / size_of::<T>());
        Ok(ZenohSink { input, events: MsgOut::new(), feed, packer: Packer::default() })
    }

    /// Opens the session now.
    ///
    /// # Errors
    /// [`Error::Socket`].
    pub fn open(mut self) -> Result<Self, Error> {
        self.feed.open()?;
        Ok(self)
    }
}

/// The number of an item type.
pub(crate) fn code_of<T: Item>(block: &'static str) -> Result<u8, Error> {
    item_code(T::NAME).ok_or_else(|| Error::Setting {
        path: block.into(),
        parameter: "item",
        got: T::NAME.to_owned(),
        expected: "a type that links carry".to_owned(),
    })
}

impl<T: Item> Work for ZenohSink<T> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        match self.feed.gate(&mut self.events, context)? {
            Gate::Open => {}
            Gate::Wait => return Ok(Step::Ran),
            Gate::Stop => return Ok(Step::Done),
        }
        if self.input.available() == 0 {
            return Ok(Step::NeedInput);
        }
        let feed = &mut self.feed;
        self.packer.pack(&mut self.input, feed.chunk() / size_of::<T>(), |packed| {
            let what = (FrameKind::Items, packed.count);
            Ok(feed.give(what, |header| packed.say(header), packed.tags, packed.items)?)
        })?;
        Ok(Step::Ran)
    }

    fn finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        Ok(if self.feed.finish(&mut self.events, context)? { Step::Done } else { Step::Ran })
    }

    fn blocking(&self) -> bool {
        true
    }
}

/// How files and the command line find [`ZenohSink`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "sinks",
    summary: "A stream for other processes: items and tags over Zenoh, to all that read its key.",
    params: &[KEY, ITEM, READERS, CHUNK, feed::MEMORY, LISTENS_AT, CONNECTS_TO, LOOKS_AT, CONFIG_FILE],
    ports: &[input("in", "item", "the items"), output("events", "messages", "readers that come and go")],
    make: |params| {
        let (place, settings) = (Place::of(params), SinkSettings::of(params));
        block_of_item!(params, T => ZenohSink::<T>::new(place, settings)?)
    },
};
