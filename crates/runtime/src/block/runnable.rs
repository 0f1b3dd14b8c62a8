//! What a graph keeps and a lane runs: a block of any level behind one face, and the domain that it may live in.
//!
//! A domain joins blocks into one, and a block says which domain it lives in: so both are in this file.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::erased::{ErasedPure, ErasedState, LinkShape};
use super::parameters::LinkChanges;
use super::{Context, Failed, Step};
use crate::data::{BlockError, Ratio};
use crate::stream::buffer::Runner;
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

/// What is asked of a block that does not run: each has a place for the answer, which stays as it is where there is none.
pub(crate) enum Question<'a> {
    /// Seconds per input item (output item for a source) on made-up data, where that changes nothing: pure blocks.
    Probe(&'a mut Option<f64>),
    /// The block as a link of a chain that several workers run at once: pure blocks of one port a side at most.
    Link(&'a mut Option<Arc<dyn ErasedPure>>),
    /// What a chain knows of the block: pure and sync blocks of one port a side at most.
    LinkShape(&'a mut Option<LinkShape>),
    /// The changes that a pure link has to take.
    LinkChanges(&'a mut Option<Arc<dyn LinkChanges>>),
    /// Whether it can be part of a segment: pure and sync blocks of one port a side at most, with as many items out as in.
    Passes(&'a mut bool),
    /// Who uses its ports: what runs it and visits it is that, meanwhile.
    Runner(&'a mut Runner),
    /// Where its samples live, if not in the host's memory.
    Domain(&'a mut Option<Arc<dyn Domain>>),
}

/// A block as a lane sees it. Each method is a pointer for each type of block, of 32 bytes in a program: so what is asked when a graph
/// is put together is one method.
pub(crate) trait Runnable: Send {
    fn spec(&self) -> BlockSpec;
    fn visit(&mut self, visitor: &mut dyn PortVisitor);
    /// Answers a question, where the block has an answer.
    fn answer(&self, question: Question<'_>) {
        let _ = question;
    }
    /// Runs the block for about a strip. `Ran` means that something moved.
    fn run(&mut self, context: &mut Context<'_>) -> Result<Step, Failed>;
    /// How often the block's own code was called.
    fn calls(&self) -> u64;
    /// How often it said that it ran, where it is its own word: general blocks.
    fn said_ran(&self) -> u64 {
        0
    }
    /// The block as a link of a chain that one worker at a time runs: such sync blocks.
    fn state(&mut self) -> Option<&mut dyn ErasedState> {
        None
    }
    /// How many items a block that [`passes`](Question::Passes) could take now from its stream.
    fn takes(&self) -> usize {
        0
    }
    /// How many items such a block could give now to its stream.
    fn gives(&self) -> usize {
        0
    }
    /// Takes `n` items through such a block, from `x` or from its stream, to `y` or to its stream. They are there, and there is
    /// room.
    ///
    /// # Errors
    /// Where a change of a parameter makes another block of it.
    fn pass(&mut self, x: Option<&[u8]>, y: Option<&mut [u8]>, n: usize) -> Result<(), BlockError> {
        let _ = (x, y, n);
        Ok(())
    }
    /// Applies the changes of its parameters whose time has come; how many items there are until the next one.
    ///
    /// # Errors
    /// As `pass`.
    fn take_changes(&mut self) -> Result<usize, BlockError> {
        Ok(usize::MAX)
    }
    /// As `pass`, on top of the items in `y`.
    ///
    /// # Errors
    /// As `pass`.
    fn pass_in_place(&mut self, y: &mut [u8], n: usize) -> Result<(), BlockError> {
        let _ = (y, n);
        Ok(())
    }
    /// Takes over what those changes have made of it, when it is no link any more.
    fn recall(&mut self) {}
    /// The block itself, for its domain, which joins it to others: no other method is called afterwards.
    fn take_resident(&mut self) -> Option<Box<dyn Any + Send>> {
        None
    }
    /// Says where the streams at the block's ports stand in a running graph, while nobody runs the block.
    fn set_base(&mut self, inputs: &[u64], outputs: &[u64]) {
        let _ = (inputs, outputs);
    }
}

/// The questions as methods.
impl dyn Runnable + '_ {
    pub fn probe(&self) -> Option<f64> {
        let mut seconds = None;
        self.answer(Question::Probe(&mut seconds));
        seconds
    }

    pub fn link(&self) -> Option<Arc<dyn ErasedPure>> {
        let mut link = None;
        self.answer(Question::Link(&mut link));
        link
    }

    pub fn link_shape(&self) -> Option<LinkShape> {
        let mut shape = None;
        self.answer(Question::LinkShape(&mut shape));
        shape
    }

    pub fn link_changes(&self) -> Option<Arc<dyn LinkChanges>> {
        let mut changes = None;
        self.answer(Question::LinkChanges(&mut changes));
        changes
    }

    pub fn passes(&self) -> bool {
        let mut passes = false;
        self.answer(Question::Passes(&mut passes));
        passes
    }

    pub fn runner(&self) -> Runner {
        let mut runner = Runner::RUNTIME;
        self.answer(Question::Runner(&mut runner));
        runner
    }

    pub fn domain(&self) -> Option<Arc<dyn Domain>> {
        let mut domain = None;
        self.answer(Question::Domain(&mut domain));
        domain
    }
}

/// A block of any level, ready to be put into a graph: what [`Graph::add_any`](crate::Graph::add_any) takes.
pub struct AnyBlock(pub(crate) Box<dyn Runnable>);

impl AnyBlock {
    /// What the plan knows of the block.
    pub fn spec(&self) -> BlockSpec {
        self.0.spec()
    }

    /// Shows every port of the block.
    pub fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        self.0.visit(visitor);
    }
}

impl fmt::Debug for AnyBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AnyBlock").field(&self.spec()).finish()
    }
}

/// A place where samples live, and what runs the blocks that live there: a device.
pub trait Domain: Send + Sync + 'static {
    /// Its name: `sim`, `cuda:0`. The block that its blocks are joined into is called like this.
    fn name(&self) -> String;

    /// Joins blocks that streams of this domain connect into one block of the host.
    ///
    /// Its ports are those that [`Member`] says are joined to the host, called `block.port`: one input for each
    /// [`Feed::Host`] of a number of its own, and one output for each that reaches the host.
    ///
    /// # Errors
    /// Where the domain cannot run them.
    fn join(&self, members: Vec<Member>) -> Result<AnyBlock, BlockError>;
}

/// One of the blocks that a domain joins.
pub struct Member {
    /// Its name in the graph.
    pub name: String,
    /// What [`Resident::into_any`](super::domain::Resident::into_any) gave.
    pub block: Box<dyn Any + Send>,
    /// Per input, where its stream comes from.
    pub inputs: Vec<Feed>,
    /// Per output, whether a block outside of the domain reads it.
    pub outputs: Vec<bool>,
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Member { name, inputs, outputs, .. } = self;
        f.debug_struct("Member")
            .field("name", name)
            .field("inputs", inputs)
            .field("outputs", outputs)
            .finish()
    }
}

/// Where the stream of an input comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feed {
    /// From nowhere.
    Unconnected,
    /// From outside. Inputs of one number read one stream, and share one port: that of the first.
    Host(usize),
    /// From an output of another member.
    Member {
        /// Its place among the members.
        member: usize,
        /// Which of its outputs.
        output: usize,
    },
}
