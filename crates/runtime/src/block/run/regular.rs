//! How a lane runs a pure or sync block: in place, or from its inputs to its outputs.

use std::sync::Arc;

use super::body::Body;
use super::tag_path::TagPath;
use crate::block::erased::{ErasedPure, ErasedState, Shape, is_link};
use crate::block::parameters::{LinkChanges, NEVER};
use crate::block::ports::Ports;
use crate::block::runnable::{BlockSpec, Runnable};
use crate::block::streams::Streams;
use crate::block::{Context, Failed, Step};
use crate::data::{Base, BlockError, ItemType, Ratio};
use crate::stream::buffer::Runner;
use crate::stream::visit::PortVisitor;

/// A pure or sync block with its ports.
pub(in crate::block) struct Regular<B: Body> {
    body: B,
    inputs: <B::In as Ports>::Inputs,
    outputs: <B::Out as Ports>::Outputs,
    ratio: Ratio,
    /// Spans of any length will do: as many items out as in, wherever they lie.
    takes_any: bool,
    tag_path: TagPath,
    calls: u64,
}

impl<B: Body> Regular<B> {
    pub fn new(body: B) -> Self {
        let ratio = body.ratio();
        let (align, history) = (body.align(), body.history());
        Regular {
            inputs: B::In::inputs(history, ratio.decimation, align),
            outputs: B::Out::outputs(ratio.interpolation, align),
            ratio,
            takes_any: ratio == Ratio::ONE && align <= 1,
            tag_path: TagPath::new(ratio, body.shift()),
            body,
            calls: 0,
        }
    }

    /// Whether changes of parameters wait.
    #[inline(always)]
    fn has_changes(body: &B) -> bool {
        B::HAS_PARAMETERS && body.next_change() != NEVER
    }

    /// Applies the changes of parameters whose time has come; how many turns there are until the next one.
    fn change(&mut self) -> Result<usize, BlockError> {
        let (position, step) = match B::In::PORTS {
            0 => (B::Out::produced(&self.outputs), self.ratio.interpolation),
            _ => (B::In::consumed(&self.inputs), self.ratio.decimation),
        };
        if self.body.next_change() <= position {
            self.body.change(position)?;
            self.say_shift();
        }
        // Both are whole steps.
        let turns = self.body.next_change().saturating_sub(position) / step as u64;
        Ok(usize::try_from(turns).unwrap_or(usize::MAX).max(1))
    }

    /// Says the centre behind the block anew, where a parameter has moved it.
    fn say_shift(&mut self) {
        let index = B::Out::produced(&self.outputs);
        self.tag_path.say_shift(self.body.shift(), index, B::Out::write_ends(&mut self.outputs));
    }

    /// What to do where no turn can be taken: with `LOOK`, changes whose item is the next one take effect all the same.
    #[inline(always)]
    fn rest<const LOOK: bool>(&mut self, step: Step) -> Result<Step, BlockError> {
        if LOOK && Self::has_changes(&self.body) {
            self.change()?;
        }
        Ok(step)
    }

    /// Takes at most `turns` turns, which are there, where changes of parameters wait.
    #[cold]
    fn run_changing(&mut self, turns: usize) -> Result<Step, BlockError> {
        let most = self.change()?.min(turns);
        let in_place = if B::IN_PLACE { self.run_in_place::<false>(most) } else { None };
        in_place.unwrap_or_else(|| self.run_apart::<false>(most))
    }

    /// Works on at most `most` items of what is there, if the plan has made this an in-place block.
    ///
    /// With `LOOK` it looks for changes of parameters, as all that follow: once it is known what is there. So a change that was
    /// asked for before an item was there holds for this item.
    #[inline(always)]
    fn run_in_place<const LOOK: bool>(&mut self, most: usize) -> Option<Result<Step, BlockError>> {
        let mut input = B::In::in_place(&mut self.inputs)?;
        let n = input.end.available().min(input.limit).min(most);
        if n == 0 {
            let step = self.without_input();
            return Some(self.rest::<LOOK>(step));
        }
        if LOOK && Self::has_changes(&self.body) {
            return Some(self.run_changing(n));
        }
        if input.end.has_tags(n) {
            self.propagate_tags(Some(n));
            input = B::In::in_place(&mut self.inputs)?;
        }
        self.calls += 1;
        self.body.map_in_place(B::Out::in_place_span(&mut input, n)?);
        input.end.consume(n);
        Some(Ok(Step::Ran))
    }

    /// As `take_turns`. Not in one function with `run_in_place`: that one would save the registers that only this one
    /// needs.
    #[inline(never)]
    fn run_apart<const LOOK: bool>(&mut self, most: usize) -> Result<Step, BlockError> {
        self.take_turns::<LOOK>(most)
    }

    /// Takes at most `most` turns of what is there.
    #[inline(always)]
    fn take_turns<const LOOK: bool>(&mut self, most: usize) -> Result<Step, BlockError> {
        let turns = match self.turns() {
            Ok(turns) => turns.min(most),
            Err(Step::Done) if B::ENDS_ANYWHERE => return self.take_rest(),
            Err(step) => return self.rest::<LOOK>(step),
        };
        if LOOK && Self::has_changes(&self.body) {
            return self.run_changing(turns);
        }
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

    /// Whether a segment can bring its items.
    const PASSES: bool = is_link::<B::In, B::Out>();

    /// As `pass`, where changes of parameters may wait.
    #[cold]
    fn pass_changing(
        &mut self,
        x: Option<&[u8]>,
        mut y: Option<&mut [u8]>,
        n: usize,
        in_place: bool,
    ) -> Result<(), BlockError> {
        let size = |item: Option<ItemType>| item.map_or(0, |item| item.size());
        let (taken, given) = (size(B::In::single()), size(B::Out::single()));
        let mut done = 0;
        while done < n {
            let part = self.change()?.min(n - done);
            let items = done..done + part;
            let x = x.map(|x| &x[items.start * taken..items.end * taken]);
            let y = y.as_deref_mut().map(|y| &mut y[items.start * given..items.end * given]);
            match y {
                Some(y) if in_place => self.pass_part_in_place(y, part),
                y => self.pass_part(x, y, part),
            }
            done += part;
        }
        Ok(())
    }

    #[inline(always)]
    fn pass_part(&mut self, x: Option<&[u8]>, y: Option<&mut [u8]>, n: usize) {
        let (taken, given) = (if B::In::PORTS == 0 { 0 } else { n }, if B::Out::PORTS == 0 { 0 } else { n });
        if B::In::has_tags(&self.inputs, taken) {
            self.propagate_tags(Some(taken));
        }
        self.calls += 1;
        let (is_brought, is_taken) = (x.is_some(), y.is_some());
        let x = match x {
            Some(x) => B::In::slices_of(x),
            None => Some(B::In::windows(&self.inputs, taken)),
        };
        let y = match y {
            Some(y) => B::Out::slices_of_mut(y),
            None => Some(B::Out::spans(&mut self.outputs, given)),
        };
        if let (Some(x), Some(y)) = (x, y) {
            self.body.map(x, y);
        }
        match is_brought {
            true => B::In::inputs_go_past(&mut self.inputs, taken),
            false => B::In::consume(&mut self.inputs, taken),
        }
        match is_taken {
            true => B::Out::outputs_go_past(&mut self.outputs, given),
            false => B::Out::produce(&mut self.outputs, given),
        }
    }

    #[inline(always)]
    fn pass_part_in_place(&mut self, y: &mut [u8], n: usize) {
        if B::In::has_tags(&self.inputs, n) {
            self.propagate_tags(Some(n));
        }
        self.calls += 1;
        if let Some(y) = B::Out::slices_of_mut(y) {
            self.body.map_in_place(y);
        }
        B::In::inputs_go_past(&mut self.inputs, n);
        B::Out::outputs_go_past(&mut self.outputs, n);
    }

    /// Takes what the stream has ended with, less than a turn.
    #[cold]
    fn take_rest(&mut self) -> Result<Step, BlockError> {
        let rest = B::In::available(&self.inputs, true);
        let given = self.ratio.given_of_rest(rest);
        if rest == 0 {
            return Ok(Step::Done);
        }
        if B::Out::room(&self.outputs, true) < given {
            return Ok(Step::NeedOutput);
        }
        if Self::has_changes(&self.body) {
            self.change()?;
        }
        self.calls += 1;
        self.body.map(B::In::windows(&self.inputs, rest), B::Out::spans(&mut self.outputs, given));
        B::In::consume(&mut self.inputs, rest);
        B::Out::produce(&mut self.outputs, given);
        Ok(Step::Done)
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
        let any = self.takes_any;
        let (available, room) = (B::In::available(&self.inputs, any), B::Out::room(&self.outputs, any));
        let (taken, given) = if any {
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
        let (inputs, outputs) = (B::In::read_ends(&mut self.inputs), B::Out::write_ends(&mut self.outputs));
        self.tag_path.hand_on(n, (self.body.tags(), self.body.delay()), inputs, outputs);
    }
}

impl<B: Body> Runnable for Regular<B> {
    fn spec(&self) -> BlockSpec {
        let types_match = B::In::single().is_some() && B::In::single() == B::Out::single();
        BlockSpec {
            level: B::LEVEL,
            ratio: Some(self.ratio),
            in_place: B::IN_PLACE && types_match && self.ratio == Ratio::ONE && self.body.history() == 0,
            blocking: false,
        }
    }

    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        // Whatever block of a user builds or changes a graph in its own work.
        let _as_runtime = Runner::RUNTIME.enter();
        B::In::visit_inputs(&mut self.inputs, visitor);
        self.body.visit_parameters(visitor);
        B::Out::visit_outputs(&mut self.outputs, visitor);
    }

    fn run(&mut self, context: &mut Context<'_>) -> Result<Step, Failed> {
        if B::Out::is_unwanted(&self.outputs) {
            return Ok(Step::Done);
        }
        let in_place = if B::IN_PLACE { self.run_in_place::<true>(usize::MAX) } else { None };
        let step = match in_place {
            Some(step) => step,
            None if B::IN_PLACE => self.run_apart::<true>(usize::MAX),
            None => self.take_turns::<true>(usize::MAX),
        };
        step.map_err(|error| context.failed(error))
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

    fn shape(&self) -> Option<Shape> {
        self.body.shape()
    }

    fn state(&mut self) -> Option<&mut dyn ErasedState> {
        self.body.state()
    }

    fn passes(&self) -> bool {
        Self::PASSES && self.takes_any && self.body.history() == 0
    }

    fn takes(&self) -> usize {
        if Self::PASSES { B::In::available(&self.inputs, true).min(B::Out::limit(&self.outputs)) } else { 0 }
    }

    fn gives(&self) -> usize {
        let is_wanted = Self::PASSES && !B::Out::is_unwanted(&self.outputs);
        if is_wanted { B::Out::room(&self.outputs, true) } else { 0 }
    }

    fn pass(&mut self, x: Option<&[u8]>, y: Option<&mut [u8]>, n: usize) -> Result<(), BlockError> {
        if Self::PASSES {
            if Self::has_changes(&self.body) {
                return self.pass_changing(x, y, n, false);
            }
            self.pass_part(x, y, n);
        }
        Ok(())
    }

    fn pass_in_place(&mut self, y: &mut [u8], n: usize) -> Result<(), BlockError> {
        if Self::PASSES && B::IN_PLACE {
            if Self::has_changes(&self.body) {
                return self.pass_changing(None, Some(y), n, true);
            }
            self.pass_part_in_place(y, n);
        }
        Ok(())
    }

    fn link_changes(&self) -> Option<Arc<dyn LinkChanges>> {
        self.body.link_changes()
    }

    fn recall(&mut self) {
        self.body.recall();
    }

    fn set_base(&mut self, inputs: &[u64], outputs: &[u64]) {
        let first = |ports: &[u64]| ports.first().copied().unwrap_or(0);
        let others = |ports: &[u64]| ports.get(1..).unwrap_or_default().to_vec();
        self.tag_path.base = Base { input: first(inputs), output: first(outputs) };
        self.tag_path.others = (others(inputs), others(outputs));
        self.body.begin_at(first(if B::In::PORTS == 0 { outputs } else { inputs }));
    }
}
