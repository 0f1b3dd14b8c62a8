//! Every error of the runtime on one page.

use std::fmt;
use std::time::Duration;

/// What a block reports when it cannot go on: any error, or a sentence.
pub type BlockError = Box<dyn std::error::Error + Send + Sync>;

/// A mistake in how a graph is put together. [`Graph::check`](crate::Graph::check) finds all of them at once.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// An input port that nothing feeds.
    #[error("{port} is not connected: it needs a stream of {item}")]
    UnconnectedInput {
        /// The port, as `block.port`.
        port: String,
        /// The type of its items.
        item: String,
    },
    /// An output port that nothing reads.
    #[error("{port} is not connected: its {item} would go nowhere (connect it to a null_sink to drop them)")]
    UnconnectedOutput {
        /// The port, as `block.port`.
        port: String,
        /// The type of its items.
        item: String,
    },
    /// Two ports of different item types.
    #[error("{from} gives {from_item}, {to} takes {to_item}{hint}")]
    TypeMismatch {
        /// The output port, as `block.port`.
        from: String,
        /// What it gives.
        from_item: String,
        /// The input port, as `block.port`.
        to: String,
        /// What it takes.
        to_item: String,
        /// Which block would convert, where the library has one; empty or starting with a separator.
        hint: String,
    },
    /// An input fed by more than one output.
    #[error("{port} has {count} writers ({writers}): an input takes one stream")]
    ManyWriters {
        /// The port, as `block.port`.
        port: String,
        /// How many outputs feed it.
        count: usize,
        /// The outputs, separated by commas.
        writers: String,
    },
    /// Streams of one source that reach a block at different rates.
    #[error("{block} reads its inputs in step, but of each item of {origin} it gets {first} and {second}")]
    RateConflict {
        /// The block that reads both.
        block: String,
        /// The block that both streams come from.
        origin: String,
        /// One input and its rate: `1/2 on add.in0`.
        first: String,
        /// Another input and its rate.
        second: String,
    },
    /// A cycle in which no block delays.
    #[error("{path} is a loop without delay: nothing in it could ever run first (a delay block breaks it)")]
    Loop {
        /// The blocks of the cycle, in order.
        path: String,
    },
    /// A name that no block can have: `block.port` and `block.parameter` would mean something else, or nothing.
    #[error(
        "{block} has the name {name:?}: expected a text that is not empty, without a dot, which stands before the port's name"
    )]
    BadName {
        /// The block, by its place: `block 2`.
        block: String,
        /// The name as given, behind those of the blocks that it is a part of.
        name: String,
    },
    /// Two blocks of one name.
    #[error("the name {name} is used by {count} blocks")]
    DuplicateName {
        /// The name.
        name: String,
        /// How many blocks have it.
        count: usize,
    },
    /// A port of another graph.
    #[error(
        "{port} is of another graph: it cannot be used {used} (a handle fits the graph that has given it)"
    )]
    OtherGraph {
        /// The foreign port, by its kind and place: `output 0 of block 2`.
        port: String,
        /// What for, with the port of this graph as `block.port`.
        used: String,
    },
    /// A name that is not there.
    #[error("{what} {name} does not exist{hint}")]
    Unknown {
        /// Block, input port, output port, …
        what: &'static str,
        /// The name as given.
        name: String,
        /// What is near, empty or starting with a separator.
        hint: String,
    },
    /// A block that contradicts itself.
    #[error("{port} asks for {problem}")]
    Contract {
        /// The port, as `block.port`.
        port: String,
        /// What does not fit.
        problem: String,
    },
    /// A setting of the plan or the scheduler that does not fit the graph.
    #[error("{0}")]
    Plan(String),
}

/// All mistakes of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckError(pub Vec<ConnectError>);

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            1 => write!(f, "{}", self.0[0]),
            n => {
                write!(f, "{n} mistakes:")?;
                self.0.iter().try_for_each(|mistake| write!(f, "\n  - {mistake}"))
            }
        }
    }
}

impl std::error::Error for CheckError {}

/// Why a running graph ended without success.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The graph was not fit to run.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// A block reported an error.
    #[error("block {block} failed: {error}{}", in_brackets(ports))]
    Block {
        /// The name of the block.
        block: String,
        /// What it reported.
        #[source]
        error: BlockError,
        /// The state of its ports at that moment; empty where it has none.
        ports: String,
    },
    /// A block panicked.
    #[error("block {block} panicked: {message}{}", in_brackets(ports))]
    Panic {
        /// The name of the block.
        block: String,
        /// The text of the panic.
        message: String,
        /// The state of its ports at that moment; empty where it has none.
        ports: String,
    },
    /// No block can run, and none ever will.
    #[error("the graph is stuck: {explanation}")]
    Stuck {
        /// Which block waits for what, and which buffer would have to be larger.
        explanation: String,
    },
    /// Blocks that did not come back in time after the graph was stopped.
    #[error("{blocks} did not come back within {waited:?} after the stop")]
    DidNotStop {
        /// The names of the blocks, separated by commas.
        blocks: String,
        /// How long was waited.
        waited: Duration,
    },
    /// A block that kept a stopped graph from its end: it gave items for seconds and took none of those before it. The
    /// graph was cancelled.
    #[error(
        "block {block} never ends: since the stop it gave {given} items and took none of those that wait before it; \
         the graph was cancelled"
    )]
    OnlyGives {
        /// The name of the block.
        block: String,
        /// How many items it gave since it took one.
        given: u64,
    },
    /// A thread or a buffer could not be had from the system.
    #[error("{what}: {error}")]
    System {
        /// What was asked for.
        what: String,
        /// What the system said.
        #[source]
        error: std::io::Error,
    },
}

/// Why a running graph was not changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReconfigureError {
    /// The graph would not be fit to run; it goes on as it was.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// The graph has ended.
    #[error("the graph has ended")]
    Ended,
    /// Its scheduler does not change graphs while they run.
    #[error("this scheduler does not change graphs while they run: use adaptive or single")]
    Scheduler,
    /// Workers did not come between two strips in time; the graph goes on as it was.
    #[error("the workers did not pause within {waited:?}: {blocks} did not come back")]
    DidNotPause {
        /// The blocks that were being run, separated by commas.
        blocks: String,
        /// How long was waited.
        waited: Duration,
    },
    /// A block has lent items or room of a stream and not taken them back; the graph goes on as it was.
    #[error("what {port} has lent has not come back: a graph can be changed when it has")]
    Lent {
        /// The port, as `block.port`.
        port: String,
    },
    /// A worker holds on to the graph: a mistake in the runtime.
    #[error("a worker still holds the graph")]
    Busy,
    /// The changed graph could not be set to work again; it was cancelled.
    #[error("the changed graph could not be set to work: {0}")]
    Run(RunError),
}

fn in_brackets(ports: &str) -> String {
    if ports.is_empty() { String::new() } else { format!(" ({ports})") }
}

/// Why a message or a request from outside was not taken, or not answered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// No such block or message port.
    #[error("there is no message input {port}{hint}")]
    Unknown {
        /// The port, as `block.port`.
        port: String,
        /// What is near, empty or starting with a separator.
        hint: String,
    },
    /// The queue is full and its policy is to refuse.
    #[error("the queue of {port} is full: it holds {capacity} messages")]
    Full {
        /// The port, as `block.port`.
        port: String,
        /// How many messages it holds.
        capacity: usize,
    },
    /// No such block or parameter.
    #[error("there is no parameter {parameter}{hint}")]
    UnknownParameter {
        /// The parameter, as `block.parameter`.
        parameter: String,
        /// What is near or what there is; empty or starting with a separator.
        hint: String,
    },
    /// The block does not take the value.
    #[error("{parameter}: {reason}")]
    Refused {
        /// The parameter, as `block.parameter`, or the message port.
        parameter: String,
        /// What the block said.
        reason: String,
    },
    /// The block has ended.
    #[error("the block of {port} has ended")]
    Ended {
        /// The port, as `block.port`.
        port: String,
    },
    /// The block does not answer requests there.
    #[error("{port} takes no requests")]
    TakesNoRequests {
        /// The port, as `block.port`.
        port: String,
    },
    /// The block has dropped a request.
    #[error("{port} has given no reply to a request")]
    NoReply {
        /// The port, as `block.port`.
        port: String,
    },
    /// The block has not answered in time.
    #[error("{port} has not replied within {waited:?}")]
    NotInTime {
        /// The port, as `block.port`.
        port: String,
        /// How long was waited.
        waited: Duration,
    },
}

/// What a channel was to take goes nowhere: the block at its other end has ended; see [`channel`](crate::channel).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the block at the other end of the channel has ended: it took {taken} items of {given}")]
pub struct ChannelClosed {
    /// How many of the items it took.
    pub taken: usize,
    /// How many there were.
    pub given: usize,
}

/// A source has lost items, and its policy is to end the graph then: see [`OnGap`](crate::gap::OnGap).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} before item {index}", lost(*.items))]
pub struct GapError {
    /// The item that would have come behind the gap.
    pub index: u64,
    /// How many items are missing, where that is known.
    pub items: Option<u64>,
}

fn lost(items: Option<u64>) -> String {
    match items {
        Some(1) => "1 item was lost".to_owned(),
        Some(items) => format!("{items} items were lost"),
        None => "an unknown number of items was lost".to_owned(),
    }
}

/// Why bytes are no PMT, or a value cannot be written as one.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PmtError {
    /// The bytes end too early; more of them could mend it.
    #[error("byte {offset} of the PMT: expected {expected}, {needed} byte{}, got {left}", plural(*needed))]
    Truncated {
        /// Where more was expected.
        offset: usize,
        /// What was expected.
        expected: &'static str,
        /// How many bytes it takes, at least.
        needed: u64,
        /// How many there are.
        left: usize,
    },
    /// A byte that means nothing there.
    #[error("byte {offset} of the PMT: expected {expected}, got {got:02x}")]
    Unexpected {
        /// Where it is.
        offset: usize,
        /// What was expected.
        expected: &'static str,
        /// The byte.
        got: u8,
    },
    /// Bytes after the value.
    #[error("byte {offset} of the PMT: expected its end, got {left} more byte{}", plural(*left as u64))]
    Trailing {
        /// Where the value ends.
        offset: usize,
        /// How many bytes follow.
        left: usize,
    },
    /// Too many values within each other.
    #[error("byte {offset} of the PMT: values lie within each other deeper than {limit}")]
    TooDeep {
        /// Where the first value beyond the limit is, or would be.
        offset: usize,
        /// How deep they may lie.
        limit: usize,
    },
    /// Values that take more memory than they may.
    #[error("byte {offset} of the PMT: its values take more than the {budget} bytes of memory that they may")]
    TooLarge {
        /// Where that shows.
        offset: usize,
        /// How much they may take.
        budget: usize,
    },
    /// More than a PMT has room for.
    #[error("{what} of length {length} does not fit into a PMT: expected at most {limit}")]
    TooLong {
        /// Text, a list, …
        what: &'static str,
        /// Its length, of text in bytes.
        length: usize,
        /// The greatest length.
        limit: u64,
    },
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}
