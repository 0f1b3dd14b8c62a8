//! General blocks whose parameters can be changed while they run.

use superhet_runtime::{
    Block, BlockError, BlockId, Context, Desk, PortVisitor, Ratio, Readiness, Step, Value, Work,
};

/// A general block whose parameters can be changed while it runs, as part of a [`Tuned`].
pub trait Tunable: Work {
    /// The names of the parameters.
    const PARAMETERS: &'static [&'static str];

    /// How many items of its first input it has taken.
    fn position(&self) -> u64;

    /// Changes one parameter, between two calls of `work_on`.
    ///
    /// # Errors
    /// Where the value is not one that the parameter can have; the block must be as before then.
    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError>;

    /// The value of a parameter, where the block shows it.
    fn parameter(&self, name: &str) -> Option<Value>;

    /// As [`Work::work`], taking at most `most` items: the next change is for the one behind them.
    ///
    /// # Errors
    /// As there.
    fn work_on(&mut self, most: usize, context: &mut Context<'_>) -> Result<Step, BlockError>;
}

/// A [`Tunable`] with a message input `set`, as pure and sync blocks have one.
///
/// ```
/// use superhet_blocks::{Tuned, flow::Throttle, sinks::NullSink, sources::NullSource};
/// use superhet_runtime::{Graph, Options, Single};
///
/// let mut graph = Graph::new();
/// let source = graph.add("source", NullSource::<u8>::new());
/// let throttle = graph.add("throttle", Tuned::new(Throttle::<u8>::new(1e3)?));
/// let sink = graph.add("sink", NullSink::<u8>::new());
/// graph.connect(source.output, throttle.input);
/// graph.connect(throttle.output, sink.input);
/// let running = graph.check()?.start(&Single, &Options::default())?;
/// running.set("throttle.rate_hz", 1e6)?;
/// running.stop_within(std::time::Duration::from_secs(10))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Tuned<B> {
    block: B,
    desk: Option<Desk>,
}

impl<B: Tunable> Tuned<B> {
    /// The block, with its parameters.
    pub fn new(block: B) -> Self {
        let desk = Desk::new(B::PARAMETERS, Ratio::ONE, false);
        if let Some(desk) = &desk {
            desk.tell(current_values(&block));
        }
        Tuned { block, desk }
    }
}

/// What the parameters are.
fn current_values<B: Tunable>(block: &B) -> Vec<(&'static str, Value)> {
    B::PARAMETERS.iter().filter_map(|name| Some((*name, block.parameter(name)?))).collect()
}

impl<B: Tunable> Block for Tuned<B> {
    type Ports = B::Ports;

    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        self.block.visit(visitor);
        if let Some(desk) = &mut self.desk {
            desk.visit(Desk::PORT, visitor);
        }
    }

    #[inline]
    fn poll(&self, readiness: &mut Readiness) {
        self.block.poll(readiness);
    }

    fn ports(&self, id: BlockId) -> B::Ports {
        self.block.ports(id)
    }
}

impl<B: Tunable> Work for Tuned<B> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut most = usize::MAX;
        if let Some(desk) = &self.desk {
            let position = self.block.position();
            if desk.next() <= position {
                desk.apply(position, &mut self.block, B::set_parameter, current_values);
            }
            most = usize::try_from(desk.next().saturating_sub(position)).unwrap_or(usize::MAX).max(1);
        }
        self.block.work_on(most, context)
    }

    fn finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.block.finish(context)
    }

    fn ratio(&self) -> Option<Ratio> {
        self.block.ratio()
    }

    fn blocking(&self) -> bool {
        self.block.blocking()
    }
}
