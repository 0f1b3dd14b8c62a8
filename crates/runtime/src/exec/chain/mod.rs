//! Chains of pure blocks that all workers run at once, each on a strip of its own.

pub(super) mod farm;
pub(super) mod run;
mod space;
mod strip;
pub(super) mod versions;
