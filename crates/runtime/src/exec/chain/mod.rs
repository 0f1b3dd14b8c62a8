//! Chains of blocks that several workers carry claims through at once, each in memory of its own.

mod carry;
mod memory;
pub(super) mod run;
mod shared;
mod space;
mod strip;
mod turns;
pub(super) mod versions;

pub(super) use carry::ChainWorker;
pub(super) use shared::{Link, Portion, SharedChain};
