//! The messages of all receivers of a band in one stream.

use std::sync::Arc;

use superhet_runtime::{Block, BlockError, Context, MsgIn, MsgOut, Step, Value, Work};

use crate::decode::print::with;

/// Passes the messages of receivers on, each with its receiver's kind as the entry `kind`.
#[derive(Block)]
pub struct Merge {
    #[port("in")]
    inputs: Vec<MsgIn>,
    #[port("out")]
    output: MsgOut,
    /// The kind of each input's receiver.
    kinds: Vec<Arc<str>>,
}

impl Merge {
    /// For receivers of these kinds.
    pub fn new(kinds: &[&str]) -> Self {
        Merge {
            inputs: kinds.iter().map(|_| MsgIn::new()).collect(),
            output: MsgOut::new(),
            kinds: kinds.iter().map(|kind| Arc::from(*kind)).collect(),
        }
    }
}

impl Work for Merge {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        for (input, kind) in self.inputs.iter_mut().zip(&self.kinds) {
            while let Some(message) = input.recv() {
                self.output.send(with(&message, [("kind", Value::from(&**kind))]))?;
            }
        }
        Ok(Step::NeedInput)
    }
}
