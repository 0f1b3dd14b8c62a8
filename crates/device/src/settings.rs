//! How a device is used: the sizes that its user chooses, and which abilities of its driver count.

/// How a device is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The most items that are moved to the device at once, ≥ 1.
    pub batch: usize,
    /// How many batches of a stream are on their way at most, ≥ 2.
    pub depth: usize,
}

impl Default for Settings {
    /// 65,536 items at once, three batches on their way: one that moves, one that is worked on, one that is being filled.
    fn default() -> Self {
        Settings { batch: 1 << 16, depth: 3 }
    }
}

/// What of a driver's abilities is used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ways {
    /// Batches are captured and replayed.
    pub may_capture: bool,
    /// The host's streams lend what is copied.
    pub may_lend: bool,
}
