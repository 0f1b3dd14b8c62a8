//! Parameters: what can be changed of a pure or sync block while it runs.
//!
//! ```text
//! set_at("amp.gain", 2.0, 1000)          {"gain": 2.0, "at": 1000} on the message port amp.set
//!               └──────────────┬─────────────────┘
//!                     mailbox of the block: changes by the item at which they shall take effect
//!                              │ read between calls of the block's code, never during one
//!        ┌─────────────────────┴──────────────────────┐
//!  a lane: the call before item 1000 ends there    a chain shared between workers: claims know their versions
//! ```
//!
//! Nobody ever writes to a block that runs. A change of a pure block makes a new *version* of it, when and where the
//! change is asked for; which version works on which item of the block's input depends on the items alone, and so does
//! the output, however many workers there are. A change of a sync block is applied by its worker between two calls.
//!
//! When a change takes effect is said at [`Parameters`](crate::parameter::Parameters).

mod desk;
mod knobs;
mod mailbox;

pub use desk::Desk;
pub(crate) use knobs::Knobs;
pub(crate) use mailbox::{LinkChanges, NEVER, Told, block_of, changed_shape, of_another_block};
