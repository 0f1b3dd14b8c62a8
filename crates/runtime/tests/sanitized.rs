//! Whole graphs under every scheduler, while they change, and with blocks that mean harm: the sanitizers of addresses and of threads
//! run these, too.

#![forbid(unsafe_code)]

mod common;
mod hostile_blocks;
mod parameters;
mod reconfigure;
mod same_output;
