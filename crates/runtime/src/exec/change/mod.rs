//! A graph that is changed while it runs: by its user, or partitioned anew by what its blocks cost.

mod drain;
pub(crate) mod edit;
pub(super) mod partition;
pub(super) mod safepoint;
mod settle;
pub(super) mod trial;
pub(super) mod worker_count;
