//! Which addresses were heard lately.

use std::collections::HashMap;

/// How long an address counts as known after its last proof, in seconds.
const WINDOW_SECONDS: u64 = 60;

/// Addresses that a DF11, DF17 or DF18 with an intact parity announced within the last 60 s of the stream.
///
/// Time is counted in samples, so the same recording always gives the same messages.
#[derive(Debug)]
pub(super) struct KnownAddresses {
    window: u64,
    last_seen: HashMap<u32, u64>,
    /// Number of addresses at which the forgotten ones are next thrown out.
    sweep_at: usize,
}

impl KnownAddresses {
    /// The fewest addresses worth a sweep.
    const SMALLEST_SWEEP: usize = 1024;

    pub fn new(rate_hz: u64) -> Self {
        Self { window: rate_hz * WINDOW_SECONDS, last_seen: HashMap::new(), sweep_at: Self::SMALLEST_SWEEP }
    }

    /// Notes that `address` was proven at sample `index`.
    pub fn insert(&mut self, address: u32, index: u64) {
        self.last_seen.insert(address, index);
        if self.last_seen.len() >= self.sweep_at {
            let window = self.window;
            self.last_seen.retain(|_, seen| index.saturating_sub(*seen) <= window);
            self.sweep_at = (2 * self.last_seen.len()).max(Self::SMALLEST_SWEEP);
        }
    }

    /// Whether `address` was proven in the window that ends at sample `index`.
    pub fn contains(&self, address: u32, index: u64) -> bool {
        self.last_seen.get(&address).is_some_and(|&seen| index.saturating_sub(seen) <= self.window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_forgotten_after_sixty_seconds_of_samples() {
        let mut known = KnownAddresses::new(10);
        known.insert(7, 100);
        assert!(known.contains(7, 700));
        assert!(!known.contains(7, 701));
        assert!(!known.contains(8, 100));
    }

    #[test]
    fn a_flood_of_addresses_does_not_stay_in_memory() {
        let mut known = KnownAddresses::new(1);
        for address in 0..100_000 {
            known.insert(address, u64::from(address));
        }
        assert!(known.last_seen.len() <= KnownAddresses::SMALLEST_SWEEP);
        assert!(known.contains(99_999, 100_000));
    }
}
