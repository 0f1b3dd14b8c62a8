//! A small generator of random numbers.

/// SplitMix64.
///
/// Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
#[derive(Debug)]
pub(super) struct Random(u64);

impl Random {
    /// A generator that gives the same numbers for the same seed.
    pub(super) fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// A number below `end`, which is above 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        (mixed % end as u64) as usize
    }
}
