//! Chains of blocks that several workers carry claims through at once, each in memory of its own.

mod apart;
pub(super) mod begin;
mod carry;
mod claim;
mod link;
mod memory;
mod run;
mod shared;
mod space;
mod spans;
mod stage;
mod strip;
mod turns;
pub(super) mod versions;
mod worker;

pub(super) use claim::Portion;
pub(super) use link::Link;
pub(super) use shared::SharedChain;
pub(super) use worker::ChainWorker;
