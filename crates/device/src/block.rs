//! What a device block is: a kernel in several languages, or any work that its stream can be given.

use superhet_runtime::{
    BlockError, Item, Ratio, Value, block::Streams, parameter::no_parameter, tag::TagPolicy,
};

use crate::backend::{Backend, Launch};
use crate::counters::Counters;
use crate::kernel::Source;
use crate::slice::{DevSlice, DevSliceMut};
use crate::streams::{DevSlices, DevSlicesMut};

/// A block of a device whose work is one kernel, on any device whose language the kernel is there in.
///
/// With the ratio `I/D` and a history of `h`, a run that gives `n·I` items sees `h + n·D` items of each input. The first
/// `h` came before the new ones; before the start of the stream they are zero. It computes each output item from these
/// alone, so that it does not matter where the stream is cut.
///
/// ```
/// use superhet_device::{Device, DeviceMap, HostCall, Sim, Source};
/// use superhet_runtime::{Graph, harness::{VecSink, VecSource}};
///
/// /// Squares: `y[n] = x[n]²`.
/// struct Square;
///
/// impl DeviceMap for Square {
///     type In = f32;
///     type Out = f32;
///     fn source(&self) -> Source {
///         Source::new("square")
///             .opencl("kernel void square(uint n, global const float* x, uint x0, global float* y, uint y0) {
///                          uint i = get_global_id(0); if (i < n) y[y0 + i] = x[x0 + i] * x[x0 + i]; }")
///             .host(HostCall::map(|x: &[f32], y: &mut [f32]| {
///                 for (y, x) in y.iter_mut().zip(x) { *y = x * x; }
///             }))
///     }
/// }
///
/// let device = Device::new(Sim::new());
/// let mut graph = Graph::new();
/// let source = graph.add("source", VecSource::new(vec![1.0f32, 2.0, 3.0]));
/// let square = graph.add("square", device.map(Square));
/// let sink = VecSink::<f32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, square.input);
/// graph.connect(square.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [1.0, 4.0, 9.0]);
/// # Ok::<(), superhet_runtime::RunError>(())
/// ```
pub trait DeviceMap: Send + 'static {
    /// The items of the input port or ports.
    type In: Streams;
    /// The items of the output port or ports.
    type Out: Streams;

    /// The names of what can be changed while the block runs.
    const PARAMETERS: &'static [&'static str] = &[];

    /// Items out for items in.
    fn ratio(&self) -> Ratio {
        Ratio::ONE
    }

    /// How many items before the new ones a run sees.
    fn history(&self) -> usize {
        0
    }

    /// The group delay in items at the interpolated rate, as that of a pure block.
    fn delay(&self) -> u64 {
        0
    }

    /// How tags pass.
    fn tags(&self) -> TagPolicy {
        TagPolicy::AllToAll
    }

    /// The kernel. It, its tables and its constants stay the same as long as no parameter changes.
    fn source(&self) -> Source;

    /// How many threads a run needs that gives `items` items on its first output, or takes as many where it has none.
    fn threads(&self, items: usize) -> usize {
        items
    }

    /// Its constants: 32-bit words, as [`bytemuck::bytes_of`] or `bytemuck::cast_slice` makes them.
    fn constants(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Tables that it reads besides its inputs, such as filter taps; each comes after the inputs as one more.
    fn tables(&self) -> Vec<Vec<u8>> {
        Vec::new()
    }

    /// Changes one parameter, between two runs. The shape of the block must stay as it is.
    ///
    /// # Errors
    /// Where the value is not one that the parameter can have; the block must be as before then.
    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        let _ = value;
        Err(no_parameter(name, Self::PARAMETERS))
    }

    /// The current value of a parameter; `None` for one that the block does not show.
    fn parameter(&self, name: &str) -> Option<Value> {
        let _ = name;
        None
    }
}

/// A block of a device of kind `B`, which enqueues what it likes.
///
/// Its shape, and what a run sees, are as for a [`DeviceMap`].
pub trait DeviceBlock<B: Backend>: Send + 'static {
    /// The items of the input port or ports.
    type In: Streams;
    /// The items of the output port or ports.
    type Out: Streams;

    /// The names of what can be changed while the block runs.
    const PARAMETERS: &'static [&'static str] = &[];

    /// Items out for items in.
    fn ratio(&self) -> Ratio {
        Ratio::ONE
    }

    /// How many items before the new ones a run sees.
    fn history(&self) -> usize {
        0
    }

    /// The group delay in items at the interpolated rate, as that of a pure block.
    fn delay(&self) -> u64 {
        0
    }

    /// How tags pass.
    fn tags(&self) -> TagPolicy {
        TagPolicy::AllToAll
    }

    /// Whether a run may be captured, and enqueued again without asking the block.
    fn repeat(&self) -> Repeat {
        Repeat::Never
    }

    /// Compiles kernels and gets memory of its own. Called once, when the graph is checked.
    ///
    /// # Errors
    /// Where the device cannot do it.
    fn prepare(&mut self, backend: &B) -> Result<(), B::Error> {
        let _ = backend;
        Ok(())
    }

    /// Enqueues the computation of `y` from `x`.
    ///
    /// # Errors
    /// What the device says.
    fn enqueue(
        &mut self,
        queue: &mut Queue<'_, B>,
        x: DevSlices<'_, Self::In, B>,
        y: DevSlicesMut<'_, Self::Out, B>,
    ) -> Result<(), B::Error>;

    /// Changes one parameter, between two runs. The shape of the block must stay as it is.
    ///
    /// # Errors
    /// Where the value is not one that the parameter can have; the block must be as before then.
    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        let _ = value;
        Err(no_parameter(name, Self::PARAMETERS))
    }

    /// The current value of a parameter; `None` for one that the block does not show.
    fn parameter(&self, name: &str) -> Option<Value> {
        let _ = name;
        None
    }
}

/// What may be done with a run of a [`DeviceBlock`] that a driver has captured. A [`DeviceMap`] repeats freely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// Nothing: the block enqueues something else each time.
    Never,
    /// It may be enqueued again for the same places and lengths, as long as no parameter changes; one run after the other.
    InOrder,
    /// As `InOrder`; besides, two runs may overlap, as the block has no memory of its own that they write.
    Freely,
}

/// The stream of a device block, which takes work.
pub struct Queue<'a, B: Backend> {
    pub(crate) backend: &'a B,
    pub(crate) stream: &'a mut B::Stream,
    pub(crate) counters: &'a Counters,
}

impl<B: Backend> Queue<'_, B> {
    /// Enqueues a copy.
    ///
    /// # Errors
    /// What the device says.
    ///
    /// # Panics
    /// If the two have different lengths.
    pub fn copy<T: Item>(&mut self, x: DevSlice<'_, T, B>, y: DevSliceMut<'_, T, B>) -> Result<(), B::Error> {
        assert_eq!(x.len(), y.len(), "a copy of {} items to {}", x.len(), y.len());
        self.counters.copies.add(1);
        self.backend.copy(self.stream, x.span.place, y.span.place, x.span.bytes())
    }

    /// Enqueues a kernel. Its inputs are [`DevSlice::arg`]s, its outputs [`DevSliceMut::arg`]s, both in the order in which
    /// the kernel has them.
    ///
    /// # Errors
    /// What the device says.
    pub fn launch(&mut self, program: &B::Program, launch: &Launch<'_, B>) -> Result<(), B::Error> {
        self.counters.launches.add(1);
        self.backend.launch(self.stream, program, launch)
    }
}
