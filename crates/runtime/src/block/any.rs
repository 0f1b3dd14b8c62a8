//! How a block of any level gets behind one face.

use std::sync::Arc;

use super::run::{General, Passing, PureBody, Regular, SyncBody, TapBody};
use super::runnable::{AnyBlock, BlockSpec, Level, Runnable};
use super::streams::Streams;
use super::watcher::Watcher;
use super::{Block, Context, Failed, Pure, Step, SyncBlock, Work};
use crate::data::Item;
use crate::stream::port::PortSpec;
use crate::stream::refs::{BlockId, MsgInRef};
use crate::stream::visit::PortVisitor;

/// What a graph has in the place of a block that is being run elsewhere, or is gone.
struct Nothing;

impl Runnable for Nothing {
    fn spec(&self) -> BlockSpec {
        BlockSpec { level: Level::General, ratio: None, in_place: false, blocking: false }
    }
    fn visit(&mut self, _: &mut dyn PortVisitor) {}
    fn run(&mut self, _: &mut Context<'_>) -> Result<Step, Failed> {
        Ok(Step::Done)
    }
    fn calls(&self) -> u64 {
        0
    }
}

impl AnyBlock {
    /// Wraps a block of any level.
    pub fn new<M, B: IntoBlock<M>>(block: B) -> Self {
        block.into_block()
    }

    /// A tap: a block that passes the items of a stream of `T` on, with their tags, and shows them to `watcher`.
    ///
    /// | port | item |
    /// |---|---|
    /// | in `in` | `T` |
    /// | out `out` | `T`: the same items |
    ///
    /// It works in place, so that a chain of blocks runs through it as if it were not there: where
    /// [`Edit::insert`](crate::running::Edit::insert) puts one into a running graph, a strip costs one call more.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// use superhet_runtime::{AnyBlock, Graph, block::Watcher, harness::{VecSink, VecSource}};
    ///
    /// #[derive(Default)]
    /// struct Most(Mutex<f32>);
    ///
    /// impl Watcher for Most {
    ///     fn items(&self, _: u64, items: &[u8]) {
    ///         let mut most = self.0.lock().unwrap();
    ///         // Items lie as they are in memory.
    ///         let items = items.chunks_exact(4).map(|x| f32::from_ne_bytes([x[0], x[1], x[2], x[3]]));
    ///         *most = items.fold(*most, f32::max);
    ///     }
    /// }
    ///
    /// let most = Arc::new(Most::default());
    /// let mut graph = Graph::new();
    /// graph.add("source", VecSource::new(vec![1.0f32, 3.0, 2.0]));
    /// graph.add_any("tap", AnyBlock::tap::<f32>(most.clone()));
    /// graph.add("sink", VecSink::<f32>::new());
    /// graph.connect_names("source", "tap");
    /// graph.connect_names("tap", "sink");
    /// graph.run()?;
    /// assert_eq!(*most.0.lock().unwrap(), 3.0);
    /// # Ok::<(), superhet_runtime::RunError>(())
    /// ```
    pub fn tap<T: Item>(watcher: Arc<dyn Watcher>) -> Self {
        AnyBlock(Box::new(Regular::new(TapBody::<T>::new(watcher))))
    }

    /// A block that does nothing and has no ports.
    pub(crate) fn nothing() -> Self {
        AnyBlock(Box::new(Nothing))
    }

    /// A block that passes on what a port of this kind takes.
    pub(crate) fn passing(port: &PortSpec) -> Self {
        AnyBlock(Box::new(Passing::new(port)))
    }
}

/// The ports of a pure or sync block, for connecting.
#[derive(Clone, Debug)]
pub struct StreamPorts<I: Streams, O: Streams> {
    /// The input, or a tuple of them.
    pub input: I::InRefs,
    /// The output, or a tuple of them.
    pub output: O::OutRefs,
    /// The message input that changes parameters, where the block has any: it takes maps of parameters to their new
    /// values, with an entry `at` for the item from which on they shall hold, if not at once.
    pub set: MsgInRef,
}

impl<I: Streams, O: Streams> StreamPorts<I, O> {
    /// The ports of the block that the graph knows as `id`.
    pub fn new(id: BlockId) -> Self {
        StreamPorts { input: I::in_refs(id), output: O::out_refs(id), set: MsgInRef::new(id, 0) }
    }
}

/// A block of any level. `M` is one of [`PureLevel`], [`SyncLevel`], [`GeneralLevel`] and is inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a block",
    note = "implement `Pure`, `SyncBlock`, or `Work` together with `#[derive(Block)]`"
)]
pub trait IntoBlock<M> {
    /// The ports of the block's handle.
    type Ports;
    /// Erases the block's type.
    fn into_block(self) -> AnyBlock;
    /// The ports of the block that the graph knows as `id`.
    fn ports(&self, id: BlockId) -> Self::Ports;
}

/// Marks [`Pure`] blocks in [`IntoBlock`].
#[derive(Debug)]
pub enum PureLevel {}
/// Marks [`SyncBlock`]s in [`IntoBlock`].
#[derive(Debug)]
pub enum SyncLevel {}
/// Marks general blocks, [`Work`], in [`IntoBlock`].
#[derive(Debug)]
pub enum GeneralLevel {}

impl<P: Pure> IntoBlock<PureLevel> for P {
    type Ports = StreamPorts<P::In, P::Out>;
    fn into_block(self) -> AnyBlock {
        AnyBlock(Box::new(Regular::new(PureBody::new(self))))
    }
    fn ports(&self, id: BlockId) -> Self::Ports {
        StreamPorts::new(id)
    }
}

impl<S: SyncBlock> IntoBlock<SyncLevel> for S {
    type Ports = StreamPorts<S::In, S::Out>;
    fn into_block(self) -> AnyBlock {
        AnyBlock(Box::new(Regular::new(SyncBody::new(self))))
    }
    fn ports(&self, id: BlockId) -> Self::Ports {
        StreamPorts::new(id)
    }
}

impl<W: Work> IntoBlock<GeneralLevel> for W {
    type Ports = W::Ports;
    fn into_block(self) -> AnyBlock {
        AnyBlock(Box::new(General::new(self)))
    }
    fn ports(&self, id: BlockId) -> Self::Ports {
        Block::ports(self, id)
    }
}
