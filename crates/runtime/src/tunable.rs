//! General blocks whose parameters can be changed while they run.

use crate::port::{BlockId, PortVisitor};
use crate::{Block, BlockError, Context, Ratio, Readiness, Step, Value, Work, parameter::Desk};

/// A general block whose parameters can be changed while it runs, as part of a [`Tuned`].
pub trait Tunable: Work {
    /// The names of the parameters.
    const PARAMETERS: &'static [&'static str];

    /// As [`Pure::FORMERLY`](crate::Pure::FORMERLY).
    const FORMERLY: &'static [(&'static str, &'static str)] = &[];

    /// How many items of its first input it has taken; a source, how many it has given.
    fn position(&self) -> u64;

    /// Changes one parameter, between two calls of `work_on`.
    ///
    /// # Errors
    /// Where the value is not one that the parameter can have; the block must be as before then.
    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError>;

    /// The value of a parameter, where the block shows it.
    fn parameter(&self, name: &str) -> Option<Value>;

    /// As [`Work::work`], taking or, as a source, giving at most `most` items: the next change is for the one behind them.
    ///
    /// # Errors
    /// As there.
    fn work_on(&mut self, most: usize, context: &mut Context<'_>) -> Result<Step, BlockError>;
}

/// A [`Tunable`] with a message input `set`, as pure and sync blocks have one.
///
/// ```
/// use superhet_runtime::prelude::*;
/// use superhet_runtime::{Tunable, Tuned, harness::VecSink};
///
/// /// Gives the same number so many times.
/// #[derive(Block)]
/// struct Constant {
///     #[port("out")]
///     output: Out<f32>,
///     value: f32,
///     left: usize,
/// }
///
/// impl Tunable for Constant {
///     const PARAMETERS: &'static [&'static str] = &["value"];
///     fn position(&self) -> u64 {
///         self.output.index()
///     }
///     fn set_parameter(&mut self, _: &str, value: &Value) -> Result<(), BlockError> {
///         self.value = value.as_f64().ok_or("value: expected a number")? as f32;
///         Ok(())
///     }
///     fn parameter(&self, _: &str) -> Option<Value> {
///         Some(self.value.into())
///     }
///     fn work_on(&mut self, most: usize, _: &mut Context<'_>) -> Result<Step, BlockError> {
///         let room = self.output.reserve();
///         let n = room.len().min(most).min(self.left);
///         room[..n].fill(self.value);
///         self.output.produce(n);
///         self.left -= n;
///         Ok(if self.left == 0 { Step::Done } else { Step::Ran })
///     }
/// }
///
/// impl Work for Constant {
///     fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
///         self.work_on(usize::MAX, context)
///     }
/// }
///
/// let mut graph = Graph::new();
/// let source = graph.add("source", Tuned::new(Constant { output: Out::new(), value: 1.0, left: 3 }));
/// let sink = VecSink::<f32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [1.0; 3]);
/// # Ok::<(), superhet_runtime::RunError>(())
/// ```
pub struct Tuned<B> {
    block: B,
    desk: Option<Desk>,
}

impl<B: Tunable> Tuned<B> {
    /// The block, with its parameters.
    pub fn new(block: B) -> Self {
        let desk = Desk::new(B::PARAMETERS, B::FORMERLY, Ratio::ONE, false);
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
