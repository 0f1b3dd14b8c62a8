//! What is counted while a device works.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that only grows, written by one thread at a time.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    pub(crate) fn add(&self, amount: u64) {
        self.0.fetch_add(amount, Ordering::Relaxed);
    }

    /// The number.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What the blocks of a device have done.
#[derive(Debug, Default)]
pub struct Counters {
    /// Batches that came from the host.
    pub uploads: Count,
    /// Batches that went to the host.
    pub downloads: Count,
    /// Bytes that came from the host.
    pub uploaded_bytes: Count,
    /// Bytes that went to the host.
    pub downloaded_bytes: Count,
    /// Copies within the device that blocks asked for.
    pub copies: Count,
    /// Copies within the device that carry what a reader has not taken yet, or its history, to the next batch.
    pub carries: Count,
    /// Kernels that were run.
    pub launches: Count,
    /// Times that a batch's way through all blocks was captured.
    pub captures: Count,
    /// Batches that went through all blocks by one replay.
    pub replays: Count,
    /// Runs of blocks.
    pub runs: Count,
    /// How often the host has waited for the device.
    pub host_waits: Count,
}

impl Counters {
    /// Counts the work on the device that `other` has counted.
    pub(crate) fn add_work(&self, other: &Counters) {
        self.copies.add(other.copies.get());
        self.carries.add(other.carries.get());
        self.launches.add(other.launches.get());
    }

    /// Counts `bytes` that went to the device and back, and how often the host has waited for that: for blocks of the host
    /// that use a device by themselves.
    pub fn count_round_trip(&self, bytes: u64, host_waits: u64) {
        self.uploads.add(1);
        self.downloads.add(1);
        self.uploaded_bytes.add(bytes);
        self.downloaded_bytes.add(bytes);
        self.host_waits.add(host_waits);
    }
}
