//! Message ports: bounded queues of values between blocks, and from outside.

mod ports;
mod queue;

pub use ports::{MsgIn, MsgOut};
pub(crate) use queue::Queue;
pub use queue::{QueueFull, WhenFull};

#[cfg(all(test, not(loom)))]
mod tests;

#[cfg(all(test, loom))]
mod loom_tests;
