//! Parameters of blocks that are run by somebody else than the runtime: those of a device.

use super::knobs::Knobs;
use super::mailbox::Told;
use crate::data::{BlockError, Ratio, Value};
use crate::stream::settable::PORT;
use crate::stream::visit::PortVisitor;

/// Where changes of a block's parameters wait for their items, for a [`Domain`](crate::domain::Domain) that runs the block.
///
/// It shows what the block of a lane shows: a message input `set`, and parameters by their names.
pub struct Desk(Knobs);

impl Desk {
    /// The desk of a block with these parameters, of which some had other names before, and this ratio; `None` where it has
    /// no parameters.
    pub fn new(
        names: &'static [&'static str],
        formerly: &'static [(&'static str, &'static str)],
        ratio: Ratio,
        is_source: bool,
    ) -> Option<Self> {
        Knobs::new(names, formerly, None, ratio, is_source).map(Desk)
    }

    /// The name of the message input of a block that stands alone.
    pub const PORT: &str = PORT;

    /// Shows the message input under this name, and the parameters.
    pub fn visit(&mut self, port: &str, visitor: &mut dyn PortVisitor) {
        self.0.visit(port, visitor);
    }

    /// The first item for which a change waits; `u64::MAX` if none does.
    pub fn next(&self) -> u64 {
        self.0.mailbox.next()
    }

    /// Tells those who ask what the parameters are.
    pub fn tell(&self, values: Vec<(&'static str, Value)>) {
        self.0.mailbox.tell(values);
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
        // A device goes on after any change, so there is no error.
        let _ = self.0.apply(position, &mut |change| match change {
            Some((name, value)) => (Told::new(), set(block, name, value)),
            None => (told(block), Ok(())),
        });
    }
}
