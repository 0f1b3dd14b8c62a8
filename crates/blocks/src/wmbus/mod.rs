//! Wireless M-Bus: frames of meters, EN 13757-4.

mod frame;
mod header;
pub mod wmbus_deframer;

pub use frame::{Format, Frame};
pub use wmbus_deframer::{Chips, WmbusDeframer};
