//! What a block with parameters has for them.

use std::sync::Arc;

use super::mailbox::{Changeable, Due, Mailbox, Told, Version};
use crate::data::{BlockError, Ratio, Value};
use crate::stream::message::MsgIn;
use crate::stream::settable::{Formerly, Parameters};
use crate::stream::visit::PortVisitor;

/// The mailbox of a block, its parameters as others see them, and its message input for changes.
pub(crate) struct Knobs {
    pub mailbox: Arc<Mailbox>,
    parameters: Parameters,
    port: MsgIn,
}

/// What makes a change of a block and says what it is then: see [`Knobs::apply`].
pub(crate) type Applies<'a> = dyn FnMut(Option<(&str, &Value)>) -> (Told, Result<(), BlockError>) + 'a;

impl Knobs {
    /// What a block with these parameters and this ratio has, which as a source counts what it gives; `None` where it has
    /// no parameters.
    pub fn new(
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
        let mailbox = Arc::new(Mailbox::new(names, formerly, version, step));
        let parameters = Parameters::new(mailbox.clone());
        Some(Knobs { mailbox, port: MsgIn::changing(parameters.clone()), parameters })
    }

    /// What a pure block with these parameters has, as `new` says.
    #[inline(never)]
    pub fn of_pure(
        block: Arc<dyn Changeable>,
        names: &'static [&'static str],
        formerly: Formerly,
        is_source: bool,
    ) -> Option<Self> {
        let ratio = block.shape_now().ratio;
        Knobs::new(names, formerly, Some(block), ratio, is_source)
    }

    /// Shows the message input under this name, and the parameters.
    pub fn visit(&mut self, port: &str, visitor: &mut dyn PortVisitor) {
        visitor.message_input(port, &mut self.port);
        visitor.parameters(&self.parameters);
    }

    /// Takes the changes whose items have come by `position`, and says that they hold: the version that the last one has made.
    pub fn take_version(&self, position: u64) -> Option<Version> {
        let mut newest = None;
        for due in self.mailbox.take(position, position + 1) {
            due.receipt.resolve(Ok(due.from));
            newest = Some(due.version);
        }
        newest
    }

    /// Applies the changes whose items have come by `position`. `block` makes a change; without one it says what the parameters
    /// are, and whether the block is one that can go on. It is compiled once for all blocks.
    ///
    /// # Errors
    /// Why the block cannot go on.
    pub fn apply(&self, position: u64, block: &mut Applies<'_>) -> Result<(), BlockError> {
        for due in self.mailbox.take(position, position + 1) {
            let outcome = due.changes.iter().try_for_each(|(name, value)| block(Some((name, value))).1);
            let (told, can_go_on) = block(None);
            self.settle(&due, outcome, told);
            can_go_on?;
        }
        Ok(())
    }

    /// Says what has become of a change, and what the parameters are now.
    fn settle(&self, due: &Due, outcome: Result<(), BlockError>, told: Told) {
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
