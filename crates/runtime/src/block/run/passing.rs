//! A block that passes items on, for where the runtime needs one: pure and in place, of whatever items a port has.

use std::sync::Arc;

use crate::block::erased::{ErasedPure, LinkShape};
use crate::block::probe::time_copy;
use crate::block::runnable::{BlockSpec, Level, Question, Runnable};
use crate::block::watcher::Seen;
use crate::block::{Context, Failed, Step};
use crate::data::{Base, Ratio, TagPolicy};
use crate::stream::buffer::Runner;
use crate::stream::port::{PortSpec, Twins};
use crate::stream::readiness::Verdict;
use crate::stream::visit::PortVisitor;

/// The block with its ports.
pub(in crate::block) struct Passing {
    ports: Box<dyn Twins>,
    item_bytes: usize,
    calls: u64,
}

impl Passing {
    /// A block for the items of a port like this.
    pub fn new(port: &PortSpec) -> Self {
        Passing { ports: port.twins(), item_bytes: port.item.size(), calls: 0 }
    }
}

impl Runnable for Passing {
    fn spec(&self) -> BlockSpec {
        BlockSpec { level: Level::Pure, ratio: Some(Ratio::ONE), in_place: true, blocking: false }
    }

    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        // As for any pure block: whoever changes a graph may be a block of a user.
        let _as_runtime = Runner::RUNTIME.enter();
        visitor.input("in", self.ports.input());
        visitor.output("out", self.ports.output());
    }

    fn run(&mut self, _: &mut Context<'_>) -> Result<Step, Failed> {
        Ok(match self.ports.pass() {
            Verdict::Run => {
                self.calls += 1;
                Step::Ran
            }
            Verdict::NeedInput => Step::NeedInput,
            Verdict::NeedOutput => Step::NeedOutput,
            Verdict::Finish | Verdict::Unwanted => Step::Done,
        })
    }

    fn calls(&self) -> u64 {
        self.calls
    }

    fn answer(&self, question: Question<'_>) {
        let link = CopyItems { item_bytes: self.item_bytes };
        match question {
            Question::Probe(seconds) => *seconds = Some(time_copy(self.item_bytes)),
            Question::Link(answer) => *answer = Some(Arc::new(link)),
            Question::LinkShape(shape) => *shape = Some(link.link_shape()),
            _ => {}
        }
    }
}

/// The block as a link of a chain.
struct CopyItems {
    item_bytes: usize,
}

impl ErasedPure for CopyItems {
    fn link_shape(&self) -> LinkShape {
        LinkShape {
            ratio: Ratio::ONE,
            history: 0,
            delay: 0,
            tags: TagPolicy::AllToAll,
            in_bytes: self.item_bytes,
            out_bytes: self.item_bytes,
            in_place: true,
            has_state: false,
            ends_anywhere: false,
            base: Base::default(),
            seen: Seen::default(),
        }
    }

    fn map(&self, x: &[u8], y: &mut [u8]) {
        y.copy_from_slice(x);
    }

    fn map_in_place(&self, _: &mut [u8]) {}
}
