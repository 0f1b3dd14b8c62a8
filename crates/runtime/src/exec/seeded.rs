//! Spans of random length, for tests.

use crate::stream::port::{AnyIn, AnyOut, PortSpec};
use crate::stream::visit::PortVisitor;

/// Draws the limits of all spans at random; the same seed gives the same limits.
pub(super) struct Seeded {
    state: u64,
    strip: usize,
}

impl Seeded {
    pub fn new(seed: u64, strip: usize) -> Self {
        Seeded { state: seed, strip }
    }

    /// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
    fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A limit between the least that the port needs and the longest that it may get.
    fn limit(&mut self, spec: &PortSpec) -> usize {
        let (least, most) = (spec.limit(1), spec.limit(self.strip));
        least + (self.draw() % (most - least + 1) as u64) as usize
    }
}

impl PortVisitor for Seeded {
    fn input(&mut self, _: &str, port: &mut dyn AnyIn) {
        *port.raw().limit = self.limit(&port.spec().clone());
    }
    fn output(&mut self, _: &str, port: &mut dyn AnyOut) {
        *port.raw().limit = self.limit(&port.spec().clone());
    }
}
