//! How a lane runs a block, whatever its level.

use std::any::Any;
use std::sync::Arc;

use crate::block::{Block, Context, Pure, Ratio, Readiness, Step, SyncBlock, Verdict, Work};
use crate::chain::{Base, ErasedPure, link_of};
use crate::domain::Domain;
use crate::error::BlockError;
use crate::graph::{BlockId, MsgInRef, PortVisitor};
use crate::message::MsgIn;
use crate::parameters::{self, Draft, Due, LinkChanges, Mailbox, NEVER, OfPure, OfSync, Parameters};
use crate::streams::{Streams, sealed::Ports};
use crate::tag::{NO_TAG, TagPolicy, TagQueue};

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
    /// Runs the block for about a strip. `Ran` means that something moved.
    fn run(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError>;
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
    /// The changes that such a link has to take.
    fn link_changes(&self) -> Option<Arc<dyn LinkChanges>> {
        None
    }
    /// Where its samples live, if not in the host's memory.
    fn domain(&self) -> Option<Arc<dyn Domain>> {
        None
    }
    /// The block, for its domain.
    fn into_resident(self: Box<Self>) -> Option<Box<dyn Any + Send>> {
        None
    }
    /// Says where the block's streams stand when it is put into a running graph.
    fn set_base(&mut self, base: Base) {
        let _ = base;
    }
}

/// What a graph has in the place of a block that is being run elsewhere, or is gone.
struct Nothing;

impl Runnable for Nothing {
    fn spec(&self) -> BlockSpec {
        BlockSpec { level: Level::General, ratio: None, in_place: false, blocking: false }
    }
    fn visit(&mut self, _: &mut dyn PortVisitor) {}
    fn run(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
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
        AnyBlock(Box::new(Stage::new(PureBody::new(self))))
    }
    fn ports(&self, id: BlockId) -> Self::Ports {
        StreamPorts::new(id)
    }
}

impl<S: SyncBlock> IntoBlock<SyncLevel> for S {
    type Ports = StreamPorts<S::In, S::Out>;
    fn into_block(self) -> AnyBlock {
        AnyBlock(Box::new(Stage::new(SyncBody::new(self))))
    }
    fn ports(&self, id: BlockId) -> Self::Ports {
        StreamPorts::new(id)
    }
}

impl<W: Work> IntoBlock<GeneralLevel> for W {
    type Ports = W::Ports;
    fn into_block(self) -> AnyBlock {
        AnyBlock(Box::new(General {
            block: self,
            calls: 0,
            last: Step::Ran,
            had_mail: false,
            is_source: false,
            drives_itself: false,
        }))
    }
    fn ports(&self, id: BlockId) -> Self::Ports {
        Block::ports(self, id)
    }
}

/// What pure and sync blocks have in common.
trait Body: Send {
    type In: Streams;
    type Out: Streams;
    const LEVEL: Level;
    const IN_PLACE: bool;
    fn ratio(&self) -> Ratio;
    fn history(&self) -> usize;
    fn delay(&self) -> u64;
    fn tags(&self) -> TagPolicy;
    fn align(&self) -> usize;
    fn map(&mut self, x: <Self::In as Streams>::Slices<'_>, y: <Self::Out as Streams>::SlicesMut<'_>);
    fn map_in_place(&mut self, y: <Self::Out as Streams>::SlicesMut<'_>);
    fn probe(&self) -> Option<f64> {
        None
    }
    fn link(&self) -> Option<Arc<dyn ErasedPure>> {
        None
    }
    fn link_changes(&self) -> Option<Arc<dyn LinkChanges>> {
        None
    }
    /// Whether anything of the block can be changed.
    const HAS_PARAMETERS: bool;
    /// The first item for which a change waits, [`NEVER`] if none does.
    fn next_change(&self) -> u64;
    /// Applies the changes for items up to `position`, which is the next to be taken.
    fn change(&mut self, position: u64) -> Result<(), BlockError>;
    fn visit_parameters(&mut self, visitor: &mut dyn PortVisitor);
    /// Says with which item the block begins.
    fn begin_at(&self, index: u64);
}

/// A pure block; shared, so that several workers can run it at once.
struct PureBody<P: Pure> {
    block: Arc<P>,
    knobs: Option<Knobs<OfPure<P>>>,
}

/// A sync block.
struct SyncBody<S: SyncBlock> {
    block: Box<S>,
    knobs: Option<Knobs<OfSync<S>>>,
}

/// What a block with parameters has for them.
struct Knobs<D: Draft> {
    mailbox: Arc<Mailbox<D>>,
    parameters: Parameters,
    port: MsgIn,
}

impl<D: Draft> Knobs<D> {
    /// What a block of this ratio has, which as a source counts what it gives.
    fn new(version: D::Version, ratio: Ratio, is_source: bool) -> Option<Self> {
        if D::NAMES.is_empty() {
            return None;
        }
        let step = if is_source { ratio.interpolation } else { ratio.decimation };
        let mailbox = Arc::new(Mailbox::new(D::NAMES, version, step));
        let parameters = Parameters::new(mailbox.clone());
        Some(Knobs { mailbox, port: MsgIn::changing(parameters.clone()), parameters })
    }

    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        visitor.message_input(parameters::PORT, &mut self.port);
        visitor.parameters(&self.parameters);
    }
}

impl<D: Draft> Drop for Knobs<D> {
    fn drop(&mut self) {
        self.parameters.close();
    }
}

impl<P: Pure> PureBody<P> {
    fn new(block: P) -> Self {
        let block = Arc::new(block);
        let knobs = Knobs::new(block.clone(), block.ratio(), P::In::PORTS == 0);
        PureBody { block, knobs }
    }
}

impl<S: SyncBlock> SyncBody<S> {
    fn new(block: S) -> Self {
        let knobs = Knobs::new((), block.ratio(), S::In::PORTS == 0);
        let body = SyncBody { block: Box::new(block), knobs };
        body.tell();
        body
    }

    /// Tells those who ask what the parameters are.
    fn tell(&self) {
        if let Some(knobs) = &self.knobs {
            let told = S::PARAMETERS.iter().filter_map(|name| Some((*name, self.block.parameter(name)?)));
            knobs.mailbox.tell(told.collect());
        }
    }

    /// Applies one change; the error ends the graph, since nothing is planned for what the block is then.
    fn apply(&mut self, due: Due<()>) -> Result<(), BlockError> {
        let shape = |block: &S| (block.ratio(), block.history(), block.delay(), block.tags(), block.align());
        let before = shape(&self.block);
        let mut apply =
            || due.changes.iter().try_for_each(|(name, value)| self.block.set_parameter(name, value));
        let outcome = apply();
        if let Some(knobs) = &self.knobs {
            let outcome = outcome.map(|()| due.from).map_err(|error| {
                let refused = knobs.mailbox.refused(&due.changes, &error);
                tracing::warn!("{refused}");
                refused
            });
            self.tell();
            due.receipt.resolve(outcome);
        }
        if shape(&self.block) == before { Ok(()) } else { Err(parameters::CHANGED_SHAPE.into()) }
    }
}

macro_rules! delegate {
    ($trait:ident, $level:expr) => {
        type In = B::In;
        type Out = B::Out;
        const LEVEL: Level = $level;
        const IN_PLACE: bool = B::IN_PLACE;
        fn ratio(&self) -> Ratio {
            $trait::ratio(&*self.block)
        }
        fn history(&self) -> usize {
            $trait::history(&*self.block)
        }
        fn delay(&self) -> u64 {
            $trait::delay(&*self.block)
        }
        fn tags(&self) -> TagPolicy {
            $trait::tags(&*self.block)
        }
        fn align(&self) -> usize {
            $trait::align(&*self.block)
        }
        const HAS_PARAMETERS: bool = !B::PARAMETERS.is_empty();
        #[inline(always)]
        fn next_change(&self) -> u64 {
            self.knobs.as_ref().map_or(NEVER, |knobs| knobs.mailbox.next())
        }
        fn visit_parameters(&mut self, visitor: &mut dyn PortVisitor) {
            if let Some(knobs) = &mut self.knobs {
                knobs.visit(visitor);
            }
        }
        fn begin_at(&self, index: u64) {
            if let Some(knobs) = &self.knobs {
                knobs.mailbox.begin_at(index);
            }
        }
    };
}

impl<B: Pure> Body for PureBody<B> {
    delegate!(Pure, Level::Pure);
    #[inline]
    fn map(&mut self, x: <B::In as Streams>::Slices<'_>, y: <B::Out as Streams>::SlicesMut<'_>) {
        self.block.map(x, y);
    }
    #[inline]
    fn map_in_place(&mut self, y: <B::Out as Streams>::SlicesMut<'_>) {
        self.block.map_in_place(y);
    }
    fn probe(&self) -> Option<f64> {
        crate::harness::time_pure(&*self.block)
    }
    fn link(&self) -> Option<Arc<dyn ErasedPure>> {
        match &self.knobs {
            Some(knobs) => link_of(&knobs.mailbox.current()),
            None => link_of(&self.block),
        }
    }
    fn link_changes(&self) -> Option<Arc<dyn LinkChanges>> {
        Some(self.knobs.as_ref()?.mailbox.clone())
    }
    fn change(&mut self, position: u64) -> Result<(), BlockError> {
        if let Some(knobs) = &self.knobs {
            for due in knobs.mailbox.take(position, position + 1) {
                due.receipt.resolve(Ok(due.from));
            }
            // Which a chain may have changed, too, while the block was a part of it.
            self.block = knobs.mailbox.current();
        }
        Ok(())
    }
}

impl<B: SyncBlock> Body for SyncBody<B> {
    delegate!(SyncBlock, Level::Sync);
    #[inline]
    fn map(&mut self, x: <B::In as Streams>::Slices<'_>, y: <B::Out as Streams>::SlicesMut<'_>) {
        self.block.process(x, y);
    }
    #[inline]
    fn map_in_place(&mut self, y: <B::Out as Streams>::SlicesMut<'_>) {
        self.block.process_in_place(y);
    }
    fn change(&mut self, position: u64) -> Result<(), BlockError> {
        let due = self.knobs.as_ref().map(|knobs| knobs.mailbox.take(position, position + 1));
        due.into_iter().flatten().try_for_each(|due| self.apply(due))
    }
}

/// A pure or sync block with its ports.
struct Stage<B: Body> {
    body: B,
    inputs: <B::In as Ports>::Inputs,
    outputs: <B::Out as Ports>::Outputs,
    ratio: Ratio,
    base: Base,
    /// Empty but while tags are handed on.
    passing: TagQueue,
    calls: u64,
}

impl<B: Body> Stage<B> {
    fn new(body: B) -> Self {
        let ratio = body.ratio();
        let (align, history) = (body.align(), body.history());
        Stage {
            inputs: B::In::inputs(history, ratio.decimation, align),
            outputs: B::Out::outputs(ratio.interpolation, align),
            ratio,
            base: Base::default(),
            passing: TagQueue::default(),
            body,
            calls: 0,
        }
    }

    fn is_simple(&self) -> bool {
        self.ratio == Ratio::ONE
    }

    /// Applies the changes of parameters whose time has come; how many turns there are until the next one.
    #[inline(always)]
    fn turns_without_change(&mut self) -> Result<usize, BlockError> {
        if !B::HAS_PARAMETERS || self.body.next_change() == NEVER {
            return Ok(usize::MAX);
        }
        self.change()
    }

    #[cold]
    fn change(&mut self) -> Result<usize, BlockError> {
        let (position, step) = match B::In::PORTS {
            0 => (B::Out::produced(&self.outputs), self.ratio.interpolation),
            _ => (B::In::consumed(&self.inputs), self.ratio.decimation),
        };
        if self.body.next_change() <= position {
            self.body.change(position)?;
        }
        // Both are whole steps.
        let turns = self.body.next_change().saturating_sub(position) / step as u64;
        Ok(usize::try_from(turns).unwrap_or(usize::MAX).max(1))
    }

    /// Works on at most `most` items of what is there, if the plan has made this an in-place block; how many items that
    /// were.
    #[inline(always)]
    fn run_in_place(&mut self, most: usize) -> Option<usize> {
        let mut input = B::In::in_place(&mut self.inputs)?;
        let n = input.end.available().min(input.limit).min(most);
        if input.end.first_tag() != NO_TAG {
            if B::In::has_tags(&self.inputs, n) {
                self.propagate_tags(Some(n));
            }
            input = B::In::in_place(&mut self.inputs)?;
        }
        if n > 0 {
            self.calls += 1;
            self.body.map_in_place(B::Out::in_place_span(&mut input, n)?);
            input.end.consume(n);
        }
        Some(n)
    }

    #[inline(never)]
    fn without_input(&mut self) -> Step {
        if !B::In::ends_before(&self.inputs, self.ratio.decimation) {
            return Step::NeedInput;
        }
        self.propagate_tags(None);
        Step::Done
    }

    /// How many times `decimation` items can be taken and `interpolation` items be given now.
    #[inline(always)]
    fn turns(&mut self) -> Result<usize, Step> {
        let (available, room) = (B::In::available(&self.inputs), B::Out::room(&self.outputs));
        let (taken, given) = if self.is_simple() {
            (available, room)
        } else {
            (available / self.ratio.decimation, room / self.ratio.interpolation)
        };
        match taken.min(given) {
            0 if taken == 0 => Err(self.without_input()),
            0 => Err(Step::NeedOutput),
            turns => Ok(turns),
        }
    }

    /// Hands on the tags of the next `n` items; without `n`, what an ended input has left.
    #[inline(never)]
    fn propagate_tags(&mut self, n: Option<usize>) {
        let policy = self.body.tags();
        let (ratio, delay, base) = (self.ratio, self.body.delay(), self.base);
        let outputs = &mut self.outputs;
        let is_plain = B::Out::PORTS == 1 && policy == TagPolicy::AllToAll;
        let keeps_index = ratio == Ratio::ONE && delay == 0 && base.input == base.output;
        if let Some(n) = n
            && is_plain
            && keeps_index
            && B::In::move_tags(&mut self.inputs, n, &mut self.passing)
        {
            return B::Out::put_tags(outputs, &mut self.passing);
        }
        B::In::take_tags(&mut self.inputs, n, ratio.decimation, |input, mut tag| {
            // Untouched, as a whole: who writes a part of it and copies it all at once waits for that part.
            if is_plain && keeps_index {
                return B::Out::put_tag(outputs, 0, tag);
            }
            base.carry(&mut tag, ratio, delay);
            for output in 1..B::Out::PORTS {
                if let Some(tag) = policy.apply(tag.clone(), input, output) {
                    B::Out::put_tag(outputs, output, tag);
                }
            }
            if let (1.., Some(tag)) = (B::Out::PORTS, policy.apply(tag, input, 0)) {
                B::Out::put_tag(outputs, 0, tag);
            }
        });
    }
}

impl<B: Body> Runnable for Stage<B> {
    fn spec(&self) -> BlockSpec {
        let types_match = B::In::single().is_some() && B::In::single() == B::Out::single();
        BlockSpec {
            level: B::LEVEL,
            ratio: Some(self.ratio),
            in_place: B::IN_PLACE && types_match && self.is_simple() && self.body.history() == 0,
            blocking: false,
        }
    }

    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        B::In::visit_inputs(&mut self.inputs, visitor);
        self.body.visit_parameters(visitor);
        B::Out::visit_outputs(&mut self.outputs, visitor);
    }

    fn run(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if B::Out::is_unwanted(&self.outputs) {
            return Ok(Step::Done);
        }
        let most = self.turns_without_change()?;
        if B::IN_PLACE
            && let Some(n) = self.run_in_place(most)
        {
            return Ok(if n > 0 { Step::Ran } else { self.without_input() });
        }
        let turns = match self.turns() {
            Ok(turns) => turns.min(most),
            Err(step) => return Ok(step),
        };
        let taken = if B::In::PORTS == 0 { 0 } else { turns * self.ratio.decimation };
        let given = if B::Out::PORTS == 0 { 0 } else { turns * self.ratio.interpolation };
        if B::In::has_tags(&self.inputs, taken) {
            self.propagate_tags(Some(taken));
        }
        self.calls += 1;
        self.body.map(B::In::windows(&self.inputs, taken), B::Out::spans(&mut self.outputs, given));
        B::In::consume(&mut self.inputs, taken);
        B::Out::produce(&mut self.outputs, given);
        Ok(Step::Ran)
    }

    fn calls(&self) -> u64 {
        self.calls
    }

    fn probe(&self) -> Option<f64> {
        self.body.probe()
    }

    fn link(&self) -> Option<Arc<dyn ErasedPure>> {
        self.body.link()
    }

    fn link_changes(&self) -> Option<Arc<dyn LinkChanges>> {
        self.body.link_changes()
    }

    fn set_base(&mut self, base: Base) {
        self.base = base;
        self.body.begin_at(if B::In::PORTS == 0 { base.output } else { base.input });
    }
}

/// A general block.
struct General<W> {
    block: W,
    calls: u64,
    last: Step,
    /// Whether a message ever came.
    had_mail: bool,
    /// Ran last with nothing to take: what it gives is its own.
    is_source: bool,
    /// Whether it ran before any message came: of blocks that only have message inputs, those are sources with knobs.
    drives_itself: bool,
}

impl<W: Work> General<W> {
    /// How many calls one turn takes at most, so that the other blocks of the lane get theirs.
    const CALLS_PER_TURN: usize = 64;

    /// One call, or the reason why there is none.
    #[inline]
    fn step(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut readiness = Readiness::default();
        self.block.poll(&mut readiness);
        let by_message_only = readiness.by_message_only();
        self.is_source = readiness.inputs == 0 && !readiness.mail;
        // A stop ends what nothing upstream will end.
        let is_first = readiness.connected_message_inputs == 0 || self.drives_itself;
        match readiness.verdict() {
            Verdict::Unwanted => Ok(Step::Done),
            Verdict::NeedInput => Ok(Step::NeedInput),
            Verdict::NeedOutput => Ok(Step::NeedOutput),
            Verdict::Run if by_message_only && !readiness.mail && is_first && context.is_stopping() => {
                self.finish(context)
            }
            // It said that it waits for a message, and none has come.
            Verdict::Run if by_message_only && !readiness.mail && self.last == Step::NeedInput => {
                Ok(Step::NeedInput)
            }
            Verdict::Run => {
                self.calls += 1;
                self.last = self.block.work(context)?;
                self.had_mail |= readiness.mail;
                self.drives_itself |= self.last == Step::Ran && !self.had_mail;
                match self.last {
                    // What it took may have been the last there will be: nobody would wake it to hear that.
                    Step::NeedInput if readiness.mail && !self.has_mail() => Ok(Step::Ran),
                    Step::NeedInput if readiness.is_ended() || readiness.all_finished() => {
                        self.finish(context)
                    }
                    step => Ok(step),
                }
            }
            Verdict::Finish => self.finish(context),
        }
    }

    fn has_mail(&self) -> bool {
        let mut readiness = Readiness::default();
        self.block.poll(&mut readiness);
        readiness.mail
    }

    fn finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.calls += 1;
        match self.block.finish(context)? {
            // There is no more input to wait for.
            Step::NeedInput => Ok(Step::Done),
            step => Ok(step),
        }
    }
}

impl<W: Work> Runnable for General<W> {
    fn spec(&self) -> BlockSpec {
        BlockSpec { level: Level::General, ratio: None, in_place: false, blocking: self.block.blocking() }
    }

    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        self.block.visit(visitor);
    }

    fn run(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut ran = false;
        for _ in 0..Self::CALLS_PER_TURN {
            match self.step(context)? {
                Step::Ran => ran = true,
                Step::Done => return Ok(Step::Done),
                _ if ran => return Ok(Step::Ran),
                step => return Ok(step),
            }
            // What a source gives is to be taken first: it could go on for ever.
            if context.is_stopping() || self.is_source {
                break;
            }
        }
        Ok(Step::Ran)
    }

    fn calls(&self) -> u64 {
        self.calls
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::message::MsgOut;
    use std::sync::{Mutex, atomic::AtomicBool};

    /// Takes all mail and says that it needs more.
    #[derive(crate::Block)]
    struct Listen {
        #[port]
        news: MsgIn,
    }

    impl Work for Listen {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            while self.news.recv().is_some() {}
            Ok(Step::NeedInput)
        }
    }

    #[test]
    fn a_block_that_takes_the_last_message_hears_that_it_was_the_last() {
        let (mut sender, listen) = (MsgOut::new(), Listen { news: MsgIn::new() });
        sender.connect(listen.news.queue());
        sender.send(1).unwrap();
        sender.finish();
        let (stopping, parker, verdict) =
            (AtomicBool::new(false), crate::park::Parker::new(), Mutex::new(None));
        let mut context =
            Context { names: &[], current: 0, stopping: &stopping, parker: &parker, verdict: &verdict };
        let mut runnable = AnyBlock::new(listen).0;
        // A worker that is told NeedInput may go to sleep, and nobody is left to wake it.
        assert_eq!(runnable.run(&mut context).unwrap(), Step::Done);
    }
}
