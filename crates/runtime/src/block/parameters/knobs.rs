//! What a block with parameters has for them.

use std::sync::Arc;

use super::mailbox::{Draft, Due, Mailbox, Told, Version};
use crate::data::{BlockError, Ratio};
use crate::stream::message::MsgIn;
use crate::stream::settable::{Formerly, Parameters};
use crate::stream::visit::PortVisitor;

/// The mailbox of a block, its parameters as others see them, and its message input for changes.
pub(crate) struct Knobs {
    pub mailbox: Arc<Mailbox>,
    parameters: Parameters,
    port: MsgIn,
}

impl Knobs {
    /// What a block with these parameters and this ratio has, which as a source counts what it gives; `None` where it has
    /// no parameters.
    pub fn new(
        draft: Draft,
        names: &'static [&'static str],
        formerly: Formerly,
        version: Version,
        ratio: Ratio,
        is_source: bool,
    ) -> Option<Self> {
        if names.is_empty() {
            return None;
        }
        let step = if is_source { ratio.interpolation } else { ratio.decimation };
        let mailbox = Arc::new(Mailbox::new(draft, names, formerly, version, step));
        let parameters = Parameters::new(mailbox.clone());
        Some(Knobs { mailbox, port: MsgIn::changing(parameters.clone()), parameters })
    }

    /// Shows the message input under this name, and the parameters.
    pub fn visit(&mut self, port: &str, visitor: &mut dyn PortVisitor) {
        visitor.message_input(port, &mut self.port);
        visitor.parameters(&self.parameters);
    }

    /// Says what has become of a change, and what the parameters are now.
    pub fn settle(&self, due: &Due, outcome: Result<(), BlockError>, told: Told) {
        let outcome = outcome.map(|()| due.from).map_err(|error| {
            let refused = self.mailbox.refused(&due.changes, &error);
            tracing::warn!("{refused}");
            refused
        });
        self.mailbox.tell(told);
        due.receipt.resolve(outcome);
    }
}

impl Drop for Knobs {
    fn drop(&mut self) {
        self.parameters.close();
    }
}
