//! Taps: blocks that are added to a stream of a running graph while somebody looks at it, and taken out afterwards.
//!
//! | file | has |
//! |---|---|
//! | `block.rs` | the blocks |
//! | `slot.rs` | what a viewer waits for: so many samples in one piece, or all of them |
//! | `log.rs` | tags and messages, for any number of viewers |
//! | `points.rs` | where there are taps, and for how many viewers |

pub(crate) mod block;
pub(crate) mod log;
pub(crate) mod points;
pub(crate) mod slot;
