//! Whole graphs: what users of this field suffer from, and what this runtime does instead. The list is in `docs/pains.md`.

#[path = "../common/mod.rs"]
mod common;

mod blocks;
mod ends;
mod failures;
mod gaps;
mod idle;
mod large;
mod latency;
mod ports;
mod queues;
mod rates;
mod reports;
mod setters;
