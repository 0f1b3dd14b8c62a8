//! Who sleeps and who wakes whom.

mod park;
pub(crate) mod sync;

pub(crate) use park::Parker;
