//! A block of any level behind one face: what a graph keeps and a lane runs.

use std::any::Any;
use std::sync::Arc;

use super::run::{General, Passing, PureBody, Regular, SyncBody};

use super::domain::Domain;
use super::erased::{ErasedPure, ErasedState, Shape};
use super::parameters::LinkChanges;
use super::streams::Streams;
use super::{Block, Context, Failed, Pure, Step, SyncBlock, Work};
use crate::data::Ratio;
use crate::stream::buffer::Runner;
use crate::stream::port::PortSpec;
use crate::stream::refs::{BlockId, MsgInRef};
use crate::stream::visit::PortVisitor;

/// The level of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A function of a window of the input.
    Pure,
    /// The same shape, with a state.
    Sync,
    /// Anything.
    General,
}

impl Level {
    /// The level in one word.
    pub fn name(self) -> &'static str {
        match self {
            Level::Pure => "pure",
            Level::Sync => "sync",
            Level::General => "general",
        }
    }
}

/// What the plan knows of a block besides its ports.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockSpec {
    /// Its level.
    pub level: Level,
    /// Items out for items in, where that is fixed.
    pub ratio: Option<Ratio>,
    /// Whether its output can lie on top of its input.
    pub in_place: bool,
    /// Whether it waits for the outside world.
    pub blocking: bool,
}

/// A block as a lane sees it.
pub(crate) trait Runnable: Send {
    fn spec(&self) -> BlockSpec;
    fn visit(&mut self, visitor: &mut dyn PortVisitor);
    /// Who uses its ports: what runs it and visits it is that, meanwhile.
    fn runner(&self) -> Runner {
        Runner::RUNTIME
    }
    /// Runs the block for about a strip. `Ran` means that something moved.
    fn run(&mut self, context: &mut Context<'_>) -> Result<Step, Failed>;
    /// How often the block's own code was called.
    fn calls(&self) -> u64;
    /// Seconds per input item (output item for a source) on made-up data, where that changes nothing: pure blocks.
    fn probe(&self) -> Option<f64> {
        None
    }
    /// The block as a link of a chain that several workers run at once: pure blocks of one port a side at most.
    fn link(&self) -> Option<Arc<dyn ErasedPure>> {
        None
    }
    /// What a chain knows of the block: pure and sync blocks of one port a side at most.
    fn shape(&self) -> Option<Shape> {
        Some(self.link()?.shape())
    }
    /// The block as a link of a chain that one worker at a time runs: such sync blocks.
    fn state(&mut self) -> Option<&mut dyn ErasedState> {
        None
    }
    /// The changes that a pure link has to take.
    fn link_changes(&self) -> Option<Arc<dyn LinkChanges>> {
        None
    }
    /// Takes over what those changes have made of it, when it is no link any more.
    fn recall(&mut self) {}
    /// Where its samples live, if not in the host's memory.
    fn domain(&self) -> Option<Arc<dyn Domain>> {
        None
    }
    /// The block, for its domain.
    fn into_resident(self: Box<Self>) -> Option<Box<dyn Any + Send>> {
        None
    }
    /// Says where the streams at the block's ports stand in a running graph, while nobody runs the block.
    fn set_base(&mut self, inputs: &[u64], outputs: &[u64]) {
        let _ = (inputs, outputs);
    }
}

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

/// A block of any level, ready to be put into a graph: what [`Graph::add_any`](crate::Graph::add_any) takes.
pub struct AnyBlock(pub(crate) Box<dyn Runnable>);

impl AnyBlock {
    /// Wraps a block of any level.
    pub fn new<M, B: IntoBlock<M>>(block: B) -> Self {
        block.into_block()
    }

    /// A block that does nothing and has no ports.
    pub(crate) fn nothing() -> Self {
        AnyBlock(Box::new(Nothing))
    }

    /// A block that passes on what a port of this kind takes.
    pub(crate) fn passing(port: &PortSpec) -> Self {
        AnyBlock(Box::new(Passing::new(port)))
    }

    /// What the plan knows of the block.
    pub fn spec(&self) -> BlockSpec {
        self.0.spec()
    }

    /// Shows every port of the block.
    pub fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        self.0.visit(visitor);
    }
}

impl std::fmt::Debug for AnyBlock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("AnyBlock").field(&self.spec()).finish()
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
