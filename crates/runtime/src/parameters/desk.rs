//! Parameters of blocks that are run by somebody else than the runtime: those of a device.

use std::sync::Arc;

use super::mailbox::{Mailbox, OfNames};
use super::{PORT, Parameters};
use crate::block::Ratio;
use crate::error::BlockError;
use crate::graph::PortVisitor;
use crate::message::MsgIn;
use crate::value::Value;

/// Where changes of a block's parameters wait for their items, for a [`Domain`](crate::Domain) that runs the block.
///
/// It shows what the block of a lane shows: a message input `set`, and parameters by their names.
pub struct Desk {
    mailbox: Arc<Mailbox<OfNames>>,
    parameters: Parameters,
    port: MsgIn,
}

impl Desk {
    /// The desk of a block with these parameters and this ratio; `None` where it has no parameters.
    pub fn new(names: &'static [&'static str], ratio: Ratio, is_source: bool) -> Option<Self> {
        if names.is_empty() {
            return None;
        }
        let step = if is_source { ratio.interpolation } else { ratio.decimation };
        let mailbox = Arc::new(Mailbox::new(names, (), step));
        let parameters = Parameters::new(mailbox.clone());
        Some(Desk { mailbox, port: MsgIn::changing(parameters.clone()), parameters })
    }

    /// Shows the message input, under a name that begins with `prefix`, and the parameters.
    pub fn visit(&mut self, prefix: &str, visitor: &mut dyn PortVisitor) {
        visitor.message_input(&format!("{prefix}{PORT}"), &mut self.port);
        visitor.parameters(&self.parameters);
    }

    /// The first item for which a change waits; `u64::MAX` if none does.
    pub fn next(&self) -> u64 {
        self.mailbox.next()
    }

    /// Tells those who ask what the parameters are.
    pub fn tell(&self, values: Vec<(&'static str, Value)>) {
        self.mailbox.tell(values);
    }

    /// Applies the changes whose items have come by `position`, the next item to be taken: `set` sets one parameter of the
    /// block, `told` says what all are then. Whoever has asked for a change that is refused hears it.
    pub fn apply<W: ?Sized>(
        &self,
        position: u64,
        block: &mut W,
        set: impl Fn(&mut W, &str, &Value) -> Result<(), BlockError>,
        told: impl Fn(&W) -> Vec<(&'static str, Value)>,
    ) {
        for due in self.mailbox.take(position, position + 1) {
            let outcome = due.changes.iter().try_for_each(|(name, value)| set(block, name, value));
            let outcome = outcome.map(|()| due.from).map_err(|error| {
                let refused = self.mailbox.refused(&due.changes, &error);
                tracing::warn!("{refused}");
                refused
            });
            self.tell(told(block));
            due.receipt.resolve(outcome);
        }
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.parameters.close();
    }
}
