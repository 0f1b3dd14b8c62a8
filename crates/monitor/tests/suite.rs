//! A dashboard as its viewers see it, over sockets of this machine.

#![forbid(unsafe_code)]

mod common;

mod control;
mod doors;
mod metrics;
mod taps;
mod viewers;
