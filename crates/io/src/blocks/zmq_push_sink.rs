//! Samples to a PUSH socket of ZeroMQ.

use superhet_runtime::catalog::{Entry, input};
use superhet_runtime::{Block, In, Item};

use super::zmq::{
    ADDRESS, BINDS, HIGH_WATER, ITEM, MEMORY, PASS_TAGS, StreamSink, VECTOR, ZmqSettings, block_of_item,
    sends,
};
use crate::error::Error;
use crate::zmtp::Role;

/// Samples to a PUSH socket of ZeroMQ, as GNU Radio's `zeromq.push_sink` sends them.
///
/// Each message of items goes to one of the connected peers, in turn. Messages that a peer had not got when it disconnected
/// go to another. Without anybody the block waits.
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
/// use superhet_io::blocks::{ZmqSettings, ZmqPushSink, ZmqPullSource};
/// use superhet_runtime::{Graph, Options, Threads, harness::{VecSink, VecSource}};
///
/// let settings = ZmqSettings::default();
/// let sink = ZmqPushSink::<i16>::new("tcp://127.0.0.1:*", &settings)?.open()?;
/// let source = ZmqPullSource::<i16>::new(sink.endpoint().unwrap(), &settings)?;
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
pub struct ZmqPushSink<T: Item> {
    #[port("in")]
    input: In<T>,
    sink: StreamSink,
}

/// The name of the block in errors about its settings.
const NAME: &str = "zmq_push_sink";

impl<T: Item> ZmqPushSink<T> {
    /// Will listen at an address, or connect to it, when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where the address is none, or a vector has no item.
    pub fn new(address: &str, settings: &ZmqSettings) -> Result<Self, Error> {
        let sink = StreamSink::new(NAME, Role::Push, address, settings)?;
        Ok(ZmqPushSink { input: sink.input(), sink })
    }
}

sends!(ZmqPushSink<T>);

/// How files and the command line find [`ZmqPushSink`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "sinks",
    summary: "Samples to a PUSH socket of ZeroMQ.",
    params: &[ITEM, ADDRESS, BINDS, HIGH_WATER, MEMORY, VECTOR, PASS_TAGS],
    ports: &[input("in", "item", "the samples")],
    make: |params| {
        let settings = ZmqSettings::of_stream(params);
        block_of_item!(params, T => ZmqPushSink::<T>::new(params.text("address"), &settings)?)
    },
};
