//! A graph that is changed while it runs: by its user, or dealt anew by what its blocks cost.

mod drain;
pub(crate) mod edit;
pub(super) mod gate;
mod settle;
pub(super) mod site;
pub(super) mod trial;
