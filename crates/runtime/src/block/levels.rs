//! The traits of the three levels, and what a block's work is given and says.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::shape::Shape;
use super::streams::Streams;
use crate::data::{BlockError, Ratio, RunError, Value, no_parameter};
use crate::stream::buffer::WriteEnd;
use crate::stream::message::{MsgIn, MsgOut};
use crate::stream::port::{AnyIn, AnyOut};
use crate::stream::readiness::Readiness;
use crate::stream::refs::BlockId;
use crate::stream::settable::Parameters;
use crate::stream::visit::PortVisitor;
use crate::wake::Parker;

/// Why a block's work came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It did something and may have more to do.
    Ran,
    /// It could do something, and lets the others go first: it is called again when they had their turn.
    Later,
    /// It needs more input, or a message, before it can do anything.
    NeedInput,
    /// It needs a message before it can do anything, whatever its streams bring. It is called again when one has come; that
    /// its streams end does not end it, unless every block that could send it one has ended, too.
    NeedMessage,
    /// It needs room on an output before it can do anything.
    NeedOutput,
    /// It will do nothing any more.
    Done,
}

/// What a pure block does to items that lie where its output goes.
pub type InPlace<P> = for<'a> fn(&P, <<P as Pure>::Out as Streams>::SlicesMut<'a>);

/// What a sync block does to items that lie where its output goes.
pub type InPlaceState<S> = for<'a> fn(&mut S, <<S as SyncBlock>::Out as Streams>::SlicesMut<'a>);

/// A block whose output is a function of a window of its input and nothing else.
///
/// `In` and `Out` are an item type for one port, a tuple of them for several, `()` for none.
///
/// With the ratio `I/D` and a history of `h`, a call that gives `n·I` items sees `h + n·D` items of each input: the
/// `h` before the new ones (zero before the start of the stream), then the new ones.
///
/// ```
/// use superhet_runtime::{Pure, Shape};
///
/// /// Mean of the last two items: `y[n] = (x[n-1] + x[n]) / 2`.
/// struct Smooth;
///
/// impl Pure for Smooth {
///     type In = f32;
///     type Out = f32;
///     fn shape(&self) -> Shape { Shape { history: 1, ..Shape::default() } }
///     fn map(&self, x: &[f32], y: &mut [f32]) {
///         for (y, x) in y.iter_mut().zip(x.windows(2)) { *y = (x[0] + x[1]) / 2.0; }
///     }
/// }
/// # superhet_runtime::harness::assert_cut_invariant(|| Smooth, &[1.0, 2.0, 4.0, 8.0, 16.0]);
/// ```
pub trait Pure: Send + Sync + Sized + 'static {
    /// The items of the input port or ports.
    type In: Streams;
    /// The items of the output port or ports.
    type Out: Streams;

    /// Computes what [`map`](Pure::map) does where `x` lies in `y` already; of a block that can do that. Needs one input and one
    /// output of one type, the ratio 1 and no history.
    ///
    /// ```
    /// use superhet_runtime::{InPlace, Pure};
    ///
    /// struct Twice;
    ///
    /// impl Pure for Twice {
    ///     type In = f32;
    ///     type Out = f32;
    ///     const IN_PLACE: Option<InPlace<Self>> = Some(|_, y| y.iter_mut().for_each(|y| *y *= 2.0));
    ///     fn map(&self, x: &[f32], y: &mut [f32]) {
    ///         y.iter_mut().zip(x).for_each(|(y, x)| *y = 2.0 * x);
    ///     }
    /// }
    /// # superhet_runtime::harness::assert_cut_invariant(|| Twice, &[1.0, 2.0, 4.0, 8.0]);
    /// ```
    const IN_PLACE: Option<InPlace<Self>> = None;

    /// The names of what can be changed while the block runs. A block that has any also has a message input `set`.
    const PARAMETERS: &'static [&'static str] = &[];

    /// Names that parameters had before, each with the name that it has now: they are understood for one version, with a
    /// warning.
    const FORMERLY: &'static [(&'static str, &'static str)] = &[];

    /// Its shape: ratio, history, delay, tags and the like.
    fn shape(&self) -> Shape {
        Shape::default()
    }

    /// The same block with another value for one parameter. Its [`shape`](Pure::shape) must stay as it is, but
    /// for the shift. Called where the change is asked for, not where the block runs.
    ///
    /// ```
    /// use superhet_runtime::{BlockError, Pure, Value, parameter::no_parameter};
    ///
    /// struct Gain(f32);
    ///
    /// impl Pure for Gain {
    ///     type In = f32;
    ///     type Out = f32;
    ///     const PARAMETERS: &'static [&'static str] = &["gain"];
    ///     fn with_parameter(&self, name: &str, value: &Value) -> Result<Self, BlockError> {
    ///         match (name, value.as_f64()) {
    ///             ("gain", Some(gain)) => Ok(Gain(gain as f32)),
    ///             ("gain", None) => Err(format!("expected a number, got {value}").into()),
    ///             _ => Err(no_parameter(name, Self::PARAMETERS)),
    ///         }
    ///     }
    ///     fn map(&self, x: &[f32], y: &mut [f32]) {
    ///         for (y, x) in y.iter_mut().zip(x) { *y = self.0 * x; }
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// Where the value is not one that the parameter can have.
    fn with_parameter(&self, name: &str, value: &Value) -> Result<Self, BlockError> {
        let _ = value;
        Err(no_parameter(name, Self::PARAMETERS))
    }

    /// The value that a parameter has, for those who ask ([`RunningGraph::get`](crate::RunningGraph::get)); `None` of
    /// one that the block does not tell.
    fn parameter(&self, name: &str) -> Option<Value> {
        let _ = name;
        None
    }

    /// Computes `y` from `x`.
    fn map(&self, x: <Self::In as Streams>::Slices<'_>, y: <Self::Out as Streams>::SlicesMut<'_>);
}

/// As [`Pure`], with a state that the order of the calls keeps: filters with feedback, loops, counters, simple sources
/// (`In = ()`) and sinks (`Out = ()`).
pub trait SyncBlock: Send + Sized + 'static {
    /// The items of the input port or ports.
    type In: Streams;
    /// The items of the output port or ports.
    type Out: Streams;

    /// As [`Pure::IN_PLACE`], for [`process`](SyncBlock::process).
    const IN_PLACE: Option<InPlaceState<Self>> = None;

    /// As [`Pure::PARAMETERS`].
    const PARAMETERS: &'static [&'static str] = &[];

    /// As [`Pure::FORMERLY`].
    const FORMERLY: &'static [(&'static str, &'static str)] = &[];

    /// Its shape: ratio, history, delay, tags and the like.
    fn shape(&self) -> Shape {
        Shape::default()
    }

    /// Changes one parameter. Called between two calls of `process`; what it does holds from a known item on. See
    /// [`Parameters`] for when. Its [`shape`](SyncBlock::shape) must stay as it is, but for the shift.
    ///
    /// # Errors
    /// Where the value is not one that the parameter can have; the block must be as before then. The graph goes on, and
    /// the [`Receipt`](crate::parameter::Receipt) has the error.
    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        let _ = value;
        Err(no_parameter(name, Self::PARAMETERS))
    }

    /// As [`Pure::parameter`].
    fn parameter(&self, name: &str) -> Option<Value> {
        let _ = name;
        None
    }

    /// Computes `y` from `x` and the state.
    fn process(&mut self, x: <Self::In as Streams>::Slices<'_>, y: <Self::Out as Streams>::SlicesMut<'_>);
}

/// The ports of a general block. Derive it: `#[derive(Block)]` makes a port of every field marked `#[port]`.
///
/// The derived `Ports` has a field of the same name for each port, to be given to [`Graph::connect`](crate::Graph::connect).
pub trait Block: Send + 'static {
    /// What the block's handle offers for connecting.
    type Ports;

    /// Shows every port, in the order of the fields: the same ports each time. A graph ends with a mistake where a block shows
    /// others than when it was added, or a port that was connected as another.
    fn visit(&mut self, visitor: &mut dyn PortVisitor);

    /// Asks every port whether the block can run.
    fn poll(&self, readiness: &mut Readiness);

    /// The ports for connecting, of the block that the graph knows as `id`.
    fn ports(&self, id: BlockId) -> Self::Ports;
}

/// A general block: any rates, tags and messages by hand.
pub trait Work: Block {
    /// Does some work: look at the inputs, compute, account for it.
    ///
    /// Called when every input has its minimum of items and every output its minimum of room, or when a message waits.
    ///
    /// # Errors
    /// Any error ends the graph, which then names this block.
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError>;

    /// Gives what is still to be given when the inputs have ended; called again while it returns `Ran` or
    /// `NeedOutput`. What is left of an input is in [`In::rest`](crate::In::rest). Where it returns `NeedMessage`, `work` is
    /// called when a message has come, and this again when none will come any more.
    ///
    /// # Errors
    /// As for `work`.
    fn finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let _ = context;
        Ok(Step::Done)
    }

    /// How many items each output gets for so many of each input, where that never changes. The plan then knows how fast the
    /// streams behind are, and makes their strips as long as they should be; inputs at different rates of one source are a mistake.
    fn ratio(&self) -> Option<Ratio> {
        None
    }

    /// Whether `work` waits for the outside world. Such a block gets a thread of its own under every scheduler; it
    /// asks [`Context::is_stopping`] at least ten times a second while it waits.
    fn blocking(&self) -> bool {
        false
    }
}

/// What a block's work can ask the runtime.
#[derive(Debug)]
pub struct Context<'a> {
    /// The names of the lane's blocks, and which of them is being run.
    pub(crate) names: &'a [std::sync::Arc<str>],
    pub(crate) current: usize,
    pub(crate) stopping: &'a AtomicBool,
    pub(crate) parker: &'a Parker,
    /// What the graph will report when it has come to its end.
    pub(crate) verdict: &'a Mutex<Option<RunError>>,
    /// What the worker may take of the lane's input before it goes on; all of it, where that is not said.
    pub(crate) share: Option<Share<'a>>,
    /// Why the block that was run last has failed.
    failure: Option<BlockError>,
}

/// Says whether a worker has taken all that is its to take of what lies before a lane.
#[derive(Clone, Copy)]
pub(crate) struct Share<'a>(pub &'a dyn Fn() -> bool);

impl Share<'_> {
    pub fn is_through(&self) -> bool {
        (self.0)()
    }
}

impl std::fmt::Debug for Share<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Share").field(&self.is_through()).finish()
    }
}

/// A block has failed, and the [`Context`] has the error: this is a byte, and most calls do not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failed;

impl<'a> Context<'a> {
    /// For the first of the lane's blocks, whose names these are.
    pub(crate) fn new(
        names: &'a [std::sync::Arc<str>],
        stopping: &'a AtomicBool,
        parker: &'a Parker,
        verdict: &'a Mutex<Option<RunError>>,
    ) -> Self {
        Context { names, current: 0, stopping, parker, verdict, share: None, failure: None }
    }

    /// Keeps the error of the block that is being run.
    #[cold]
    pub(crate) fn failed(&mut self, error: BlockError) -> Failed {
        self.failure = Some(error);
        Failed
    }

    /// The error of the block that has [`Failed`].
    pub(crate) fn failure(&mut self) -> BlockError {
        self.failure.take().unwrap_or_else(|| "it has failed without saying why".into())
    }

    /// The name of the block in its graph.
    pub fn name(&self) -> &str {
        self.names.get(self.current).map_or("", |name| name)
    }

    /// Whether the graph was asked to stop. A block that waits for the outside world returns soon then.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Ends the block with an error that the graph reports when everything given so far has been used: for a source
    /// whose stream breaks off. Return the step that this gives. An `Err` from `work` would end all blocks at once.
    pub fn end_with(&mut self, error: impl Into<BlockError>) -> Step {
        let (block, error, ports) = (self.name().to_owned(), error.into(), String::new());
        let mut verdict = self.verdict.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        verdict.get_or_insert(RunError::Block { block, error, ports });
        Step::Done
    }

    /// Sleeps until `deadline`; false if the graph was asked to stop in the meantime. For blocking blocks.
    pub fn sleep_until(&mut self, deadline: Instant) -> bool {
        loop {
            if self.is_stopping() {
                return false;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            self.parker.announce();
            if self.is_stopping() {
                self.parker.withdraw();
                return false;
            }
            self.parker.sleep(Some(left.min(Duration::from_millis(100))));
        }
    }
}

/// Closes what a visitor meets: called for a block that has ended.
pub(crate) struct CloseAll;

impl PortVisitor for CloseAll {
    fn input(&mut self, _: &str, port: &mut dyn AnyIn) {
        let raw = port.raw();
        if raw.is_mine() {
            raw.end.close();
        }
    }
    fn output(&mut self, _: &str, port: &mut dyn AnyOut) {
        let raw = port.raw();
        if raw.is_mine() {
            raw.end.finish();
            *raw.end = WriteEnd::None;
        }
    }
    fn message_input(&mut self, _: &str, port: &mut MsgIn) {
        port.close();
    }
    fn message_output(&mut self, _: &str, port: &mut MsgOut) {
        port.finish();
    }
    fn parameters(&mut self, parameters: &Parameters) {
        parameters.close();
    }
}
