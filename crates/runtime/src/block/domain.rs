//! Where samples live other than in the host's memory: what the runtime knows of devices.
//!
//! A block of a device is connected like any other: its ports have item types, and a stream between two blocks is a
//! stream wherever they live. When a graph is checked, the blocks of one domain that streams connect are joined into one
//! block, which their domain makes. So the schedulers see streams of host memory only; where those end and the device
//! begins, samples move, and nowhere else.
//!
//! ```text
//! source -> [a -> b] -> sink          a graph; a and b live on a device
//!             └─┬──┘
//! source -> device.a.in ⇒ device.b.out -> sink      as it is planned: one block with a thread of its own
//! ```

use std::any::Any;
use std::sync::Arc;

use super::runnable::{AnyBlock, BlockSpec, Level, Question, Runnable};
use super::{Context, Failed, Step};
use crate::data::{BlockError, Ratio};
use crate::stream::visit::PortVisitor;

pub use super::runnable::{Domain, Feed, Member};

/// A block that lives in a domain: pure or with a state, with a fixed ratio.
pub trait Resident: Send + 'static {
    /// Where it lives. Two blocks are neighbours if this is the same `Arc`.
    fn domain(&self) -> Arc<dyn Domain>;
    /// Items out for items in.
    fn ratio(&self) -> Ratio;
    /// Shows every port.
    fn visit(&mut self, visitor: &mut dyn PortVisitor);
    /// The block, for its domain.
    fn into_any(self: Box<Self>) -> Box<dyn Any + Send>;
}

/// An error of one of the blocks that a domain has joined: the graph's error then names that block.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct MemberError {
    /// The name of the block.
    pub block: String,
    /// What went wrong.
    #[source]
    pub error: BlockError,
}

/// A block that lives in a domain, until it is joined to others.
struct Apart<R> {
    block: Option<Box<R>>,
    domain: Arc<dyn Domain>,
    ratio: Ratio,
}

impl<R: Resident> Runnable for Apart<R> {
    fn spec(&self) -> BlockSpec {
        BlockSpec { level: Level::Sync, ratio: Some(self.ratio), in_place: false, blocking: false }
    }
    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        if let Some(block) = &mut self.block {
            block.visit(visitor);
        }
    }
    fn run(&mut self, context: &mut Context<'_>) -> Result<Step, Failed> {
        let sentence = format!("its samples live in {}, whose blocks were not joined", self.domain.name());
        Err(context.failed(sentence.into()))
    }
    fn calls(&self) -> u64 {
        0
    }
    fn answer(&self, question: Question<'_>) {
        if let Question::Domain(domain) = question {
            *domain = Some(self.domain.clone());
        }
    }
    fn take_resident(&mut self) -> Option<Box<dyn Any + Send>> {
        Some(self.block.take()?.into_any())
    }
}

impl AnyBlock {
    /// Wraps a block that lives in a domain.
    pub fn resident(block: impl Resident) -> Self {
        let (domain, ratio) = (block.domain(), block.ratio());
        AnyBlock(Box::new(Apart { block: Some(Box::new(block)), domain, ratio }))
    }
}
