//! The counters of a simulated device.

/// What a simulated device has counted. Calls count even if they failed or were skipped, bytes only if they were moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Calls of `allocate`.
    pub allocations: u64,
    /// Calls of `write` and `read`: what the host copied into and out of staging memory.
    pub staged: u64,
    /// Calls of `upload`.
    pub uploads: u64,
    /// Calls of `download`.
    pub downloads: u64,
    /// Calls of `copy`.
    pub copies: u64,
    /// Calls of `zero`.
    pub zeros: u64,
    /// Calls of `launch`.
    pub launches: u64,
    /// Calls of `record`.
    pub records: u64,
    /// Calls of `wait`.
    pub waits: u64,
    /// Calls of `is_done`.
    pub polls: u64,
    /// Captures that were begun.
    pub captures: u64,
    /// Replays of what was captured; what they enqueue is counted besides.
    pub replays: u64,
    /// Calls of `synchronize` and `drain`: how often the host waited.
    pub synchronisations: u64,
    /// Bytes from the host to the device.
    pub uploaded_bytes: u64,
    /// Bytes from the device to the host.
    pub downloaded_bytes: u64,
    /// Bytes copied on the device.
    pub copied_bytes: u64,
    /// Blocks of device memory that are not free yet.
    pub live_memories: u64,
    /// Blocks of staging memory that are not free yet.
    pub live_stagings: u64,
    /// Bytes of both.
    pub live_bytes: usize,
    /// Accesses that were refused because they broke a rule.
    pub mistakes: u64,
}
