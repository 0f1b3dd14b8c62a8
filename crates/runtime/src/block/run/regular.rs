//! How a lane runs a pure or sync block: in place, or from its inputs to its outputs.

use super::body::{Asked, Body};
use super::sides::Sides;
use crate::block::erased::ErasedState;
use crate::block::parameters::NEVER;
use crate::block::ports::Ports;
use crate::block::runnable::{BlockSpec, Question, Runnable};
use crate::block::streams::Streams;
use crate::block::{Context, Failed, Step};
use crate::data::BlockError;
use crate::stream::visit::PortVisitor;

/// A pure or sync block with its ports.
pub(in crate::block) struct Regular<B: Body> {
    body: B,
    sides: Sides<B::In, B::Out>,
}

impl<B: Body> Regular<B> {
    pub fn new(body: B) -> Self {
        Regular { sides: Sides::new(body.shape(), body.seen()), body }
    }

    /// Whether changes of parameters wait.
    #[inline(always)]
    fn has_changes(body: &B) -> bool {
        B::HAS_PARAMETERS && body.next_change() != NEVER
    }

    /// Applies the changes of parameters whose time has come; how many turns there are until the next one.
    #[cold]
    #[inline(never)]
    fn change(&mut self) -> Result<usize, BlockError> {
        let (position, step) = self.sides.position();
        if self.body.next_change() <= position {
            self.body.change(position)?;
            self.sides.say_shift(self.body.shape().shift);
        }
        Ok(turns_between(position, self.body.next_change(), step))
    }

    /// How many of `turns` turns, which are there, come before the next change of parameters. Those whose time has come are applied:
    /// so a change that was asked for before an item was there holds for this item.
    #[inline(always)]
    fn until_change(&mut self, turns: usize) -> Result<usize, BlockError> {
        if Self::has_changes(&self.body) { Ok(self.change()?.min(turns)) } else { Ok(turns) }
    }

    /// What to do where no turn can be taken: changes whose item is the next one take effect all the same.
    #[inline(always)]
    fn rest(&mut self, step: Step) -> Result<Step, BlockError> {
        if Self::has_changes(&self.body) {
            self.change()?;
        }
        Ok(step)
    }

    /// Works on what is there, if the plan has made this an in-place block.
    #[inline(always)]
    fn run_in_place(&mut self) -> Option<Result<Step, BlockError>> {
        let mut input = B::In::in_place(&mut self.sides.inputs)?;
        let mut n = input.end.available().min(input.limit);
        if n == 0 {
            let step = self.sides.without_input();
            return Some(self.rest(step));
        }
        if Self::has_changes(&self.body) {
            match self.change() {
                Ok(turns) => n = n.min(turns),
                Err(error) => return Some(Err(error)),
            }
            input = B::In::in_place(&mut self.sides.inputs)?;
        }
        if input.end.has_tags(n) {
            self.sides.propagate_tags(Some(n));
            input = B::In::in_place(&mut self.sides.inputs)?;
        }
        self.sides.calls += 1;
        self.body.map_in_place(B::Out::in_place_span(&mut input, n)?);
        input.end.consume(n);
        Some(Ok(Step::Ran))
    }

    /// As `take_turns`. Not in one function with `run_in_place`: that one would save the registers that only this one
    /// needs.
    #[inline(never)]
    fn run_apart(&mut self) -> Result<Step, BlockError> {
        self.take_turns()
    }

    /// Takes the turns that are there, or what a stream has ended with, less than a turn.
    #[inline(always)]
    fn take_turns(&mut self) -> Result<Step, BlockError> {
        let (taken, given) = match self.sides.turns() {
            Ok(turns) => {
                let turns = self.until_change(turns)?;
                self.sides.taken_and_given(turns)
            }
            Err(Step::Done) if self.sides.shape.ends_anywhere => match self.sides.rest() {
                Ok(rest) => {
                    self.rest(Step::Ran)?;
                    rest
                }
                Err(step) => return Ok(step),
            },
            Err(step) => return self.rest(step),
        };
        let sides = &mut self.sides;
        if B::In::has_tags(&sides.inputs, taken) {
            sides.propagate_tags(Some(taken));
        }
        sides.calls += 1;
        self.body.map(B::In::windows(&sides.inputs, taken), B::Out::spans(&mut sides.outputs, given));
        B::In::consume(&mut sides.inputs, taken);
        B::Out::produce(&mut sides.outputs, given);
        Ok(Step::Ran)
    }

    /// Whether a change of parameters holds from one of the next `n` items but the first.
    #[inline(always)]
    fn changes_within(&mut self, n: usize) -> Result<bool, BlockError> {
        Ok(Self::has_changes(&self.body) && self.change()? < n)
    }

    #[inline(always)]
    fn pass_part(&mut self, x: Option<&[u8]>, y: Option<&mut [u8]>, n: usize) {
        let sides = &mut self.sides;
        let (taken, given) = (if B::In::PORTS == 0 { 0 } else { n }, if B::Out::PORTS == 0 { 0 } else { n });
        if B::In::has_tags(&sides.inputs, taken) {
            sides.propagate_tags(Some(taken));
        }
        sides.calls += 1;
        let (is_brought, is_taken) = (x.is_some(), y.is_some());
        let x = match x {
            Some(x) => B::In::slices_of(x),
            None => Some(B::In::windows(&sides.inputs, taken)),
        };
        let y = match y {
            Some(y) => B::Out::slices_of_mut(y),
            None => Some(B::Out::spans(&mut sides.outputs, given)),
        };
        if let (Some(x), Some(y)) = (x, y) {
            self.body.map(x, y);
        }
        match is_brought {
            true => B::In::inputs_go_past(&mut sides.inputs, taken),
            false => B::In::consume(&mut sides.inputs, taken),
        }
        match is_taken {
            true => B::Out::outputs_go_past(&mut sides.outputs, given),
            false => B::Out::produce(&mut sides.outputs, given),
        }
    }

    #[inline(always)]
    fn pass_part_in_place(&mut self, y: &mut [u8], n: usize) {
        let sides = &mut self.sides;
        if B::In::has_tags(&sides.inputs, n) {
            sides.propagate_tags(Some(n));
        }
        sides.calls += 1;
        if let Some(y) = B::Out::slices_of_mut(y) {
            self.body.map_in_place(y);
        }
        B::In::inputs_go_past(&mut sides.inputs, n);
        B::Out::outputs_go_past(&mut sides.outputs, n);
    }
}

/// How many turns of `step` items come before the next change; both are whole steps.
fn turns_between(position: u64, next_change: u64, step: usize) -> usize {
    usize::try_from(next_change.saturating_sub(position) / step as u64).unwrap_or(usize::MAX).max(1)
}

/// Answers for a block, of which a segment can bring the items or not.
fn answer(body: &dyn Asked, passes: bool, question: Question<'_>) {
    match question {
        Question::Probe(seconds) => *seconds = body.probe(),
        Question::Link(link) => *link = body.link(),
        Question::LinkShape(shape) => *shape = body.link_shape(),
        Question::LinkChanges(changes) => *changes = body.link_changes(),
        Question::Passes(answer) => *answer = passes,
        Question::Runner(_) | Question::Domain(_) => {}
    }
}

/// As `pass`, from change to change, for items of so many bytes.
#[cold]
#[inline(never)]
fn pass_parts(
    block: &mut dyn Runnable,
    x: Option<&[u8]>,
    mut y: Option<&mut [u8]>,
    n: usize,
    (taken, given): (usize, usize),
) -> Result<(), BlockError> {
    let mut done = 0;
    while done < n {
        let end = done + block.take_changes()?.min(n - done);
        let x = x.map(|x| &x[done * taken..end * taken]);
        let y = y.as_deref_mut().map(|y| &mut y[done * given..end * given]);
        block.pass(x, y, end - done)?;
        done = end;
    }
    Ok(())
}

/// As `pass_in_place`, from change to change, for items of so many bytes.
#[cold]
#[inline(never)]
fn pass_parts_in_place(
    block: &mut dyn Runnable,
    y: &mut [u8],
    n: usize,
    given: usize,
) -> Result<(), BlockError> {
    let mut done = 0;
    while done < n {
        let end = done + block.take_changes()?.min(n - done);
        block.pass_in_place(&mut y[done * given..end * given], end - done)?;
        done = end;
    }
    Ok(())
}

impl<B: Body> Runnable for Regular<B> {
    fn spec(&self) -> BlockSpec {
        self.sides.spec(B::LEVEL, B::IN_PLACE)
    }

    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        self.sides.visit(&mut |visitor| self.body.visit_parameters(visitor), visitor);
    }

    fn run(&mut self, context: &mut Context<'_>) -> Result<Step, Failed> {
        if B::Out::is_unwanted(&self.sides.outputs) {
            return Ok(Step::Done);
        }
        let in_place = if B::IN_PLACE { self.run_in_place() } else { None };
        let step = match in_place {
            Some(step) => step,
            None if B::IN_PLACE => self.run_apart(),
            None => self.take_turns(),
        };
        step.map_err(|error| context.failed(error))
    }

    fn calls(&self) -> u64 {
        self.sides.calls
    }

    fn answer(&self, question: Question<'_>) {
        answer(&self.body, B::IS_LINK && self.sides.passes(), question);
    }

    fn state(&mut self) -> Option<&mut dyn ErasedState> {
        self.body.state()
    }

    fn takes(&self) -> usize {
        if B::IS_LINK { self.sides.takes() } else { 0 }
    }

    fn gives(&self) -> usize {
        if B::IS_LINK { self.sides.gives() } else { 0 }
    }

    fn pass(&mut self, x: Option<&[u8]>, y: Option<&mut [u8]>, n: usize) -> Result<(), BlockError> {
        if B::IS_LINK {
            if self.changes_within(n)? {
                return pass_parts(self, x, y, n, Sides::<B::In, B::Out>::item_bytes());
            }
            self.pass_part(x, y, n);
        }
        Ok(())
    }

    fn pass_in_place(&mut self, y: &mut [u8], n: usize) -> Result<(), BlockError> {
        if B::IS_LINK && B::IN_PLACE {
            if self.changes_within(n)? {
                return pass_parts_in_place(self, y, n, Sides::<B::In, B::Out>::item_bytes().1);
            }
            self.pass_part_in_place(y, n);
        }
        Ok(())
    }

    fn take_changes(&mut self) -> Result<usize, BlockError> {
        if B::HAS_PARAMETERS { self.change() } else { Ok(usize::MAX) }
    }

    fn recall(&mut self) {
        self.body.recall();
    }

    fn set_base(&mut self, inputs: &[u64], outputs: &[u64]) {
        let first = self.sides.set_base(inputs, outputs);
        self.body.begin_at(first);
    }
}
