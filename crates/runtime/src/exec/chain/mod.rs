//! Chains of pure blocks that all workers run at once, each on a strip of its own.

pub(super) mod run;
pub(super) mod shared;
mod space;
mod strip;
pub(super) mod versions;
