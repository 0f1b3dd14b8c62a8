//! The keys of the tags that the runtime itself gives and reads.

/// The key of the tag that says how many items there are per second from its item on.
pub(crate) const RATE_KEY: &str = "rx_rate";
/// The key of the tag that says the centre frequency in Hz from its item on.
pub(crate) const CENTRE_KEY: &str = "rx_freq";
/// The key of the tag behind a gap.
pub const GAP: &str = "gap";
/// The key of the tag on the first of the zeros that fill a gap.
pub const GAP_FILLED: &str = "gap_filled";
