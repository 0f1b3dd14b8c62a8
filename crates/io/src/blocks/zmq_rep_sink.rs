//! Samples to a REP socket of ZeroMQ.

use superhet_runtime::catalog::{Entry, input};
use superhet_runtime::{Block, In, Item};

use super::zmq::{
    ADDRESS, BINDS, HIGH_WATER, ITEM, MEMORY, PASS_TAGS, StreamSink, VECTOR, ZmqSettings, block_of_item,
    sends,
};
use crate::error::Error;
use crate::zmtp::Role;

/// Samples to a REP socket of ZeroMQ, as GNU Radio's `zeromq.rep_sink` sends them.
///
/// Each request is answered with the items that there are, as many as it asks for at most: GNU Radio says that number in 4
/// bytes, little-endian. A shorter request gets all items that are there.
///
/// When no more items come, the rest is sent as long as others take it, and for 10 s more. When the graph is asked to stop,
/// it has 300 ms.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | sent as they lie in memory |
///
/// # Errors
/// At run time: [`Error::Socket`] where it cannot listen; a tag that no PMT can hold.
///
/// # Example
///
/// ```
/// use superhet_io::blocks::{ZmqSettings, ZmqRepSink, ZmqReqSource};
/// use superhet_runtime::{Graph, Options, Threads, harness::{VecSink, VecSource}};
///
/// let settings = ZmqSettings::default();
/// let sink = ZmqRepSink::<i16>::new("tcp://127.0.0.1:*", &settings)?.open()?;
/// let source = ZmqReqSource::<i16>::new(sink.endpoint().unwrap(), &settings)?;
///
/// let mut receiver = Graph::new();
/// let source = receiver.add("source", source);
/// let kept = VecSink::<i16>::new();
/// let items = kept.items();
/// let kept = receiver.add("kept", kept);
/// receiver.connect(source.output, kept.input);
/// let receiver = receiver.check()?.start(&Threads, &Options::default())?;
///
/// let mut sender = Graph::new();
/// let numbers = sender.add("numbers", VecSource::new(vec![1i16, 2, 3]));
/// let sink = sender.add("sink", sink);
/// sender.connect(numbers.output, sink.input);
/// sender.run()?;
/// # let mut got = Vec::new();
/// # while got.len() < 3 {
/// #     got.extend(items.take());
/// #     std::thread::sleep(std::time::Duration::from_millis(1));
/// # }
/// # items.give(&got);
/// // A moment later:
/// assert_eq!(items.take(), [1, 2, 3]);
/// receiver.stop_within(std::time::Duration::from_secs(5))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct ZmqRepSink<T: Item> {
    #[port("in")]
    input: In<T>,
    sink: StreamSink,
}

/// The name of the block in errors about its settings.
const NAME: &str = "zmq_rep_sink";

impl<T: Item> ZmqRepSink<T> {
    /// Will listen at an address, or connect to it, when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where the address is none, or a vector has no item.
    pub fn new(address: &str, settings: &ZmqSettings) -> Result<Self, Error> {
        let sink = StreamSink::new(NAME, Role::Rep, address, settings)?;
        Ok(ZmqRepSink { input: sink.input(), sink })
    }
}

sends!(ZmqRepSink<T>);

/// How files and the command line find [`ZmqRepSink`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "sinks",
    summary: "Samples to a REP socket of ZeroMQ.",
    params: &[ITEM, ADDRESS, BINDS, HIGH_WATER, MEMORY, VECTOR, PASS_TAGS],
    ports: &[input("in", "item", "the samples")],
    make: |params| {
        let settings = ZmqSettings::of_stream(params);
        block_of_item!(params, T => ZmqRepSink::<T>::new(params.text("address"), &settings)?)
    },
};
