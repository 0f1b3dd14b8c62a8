//! Parking: how workers sleep, and how others wake them.

mod park;
pub(crate) mod sync;

pub(crate) use park::Parker;
