//! The convolutional code: its shift register, and the trellis that decodes it.

use superhet_kernels as kernels;

/// The bits of the shift register before the newest.
pub const MEMORY: usize = 6;
/// The register's bits, the newest lowest, that the polynomials 0o171 and 0o133 select.
pub const SELECTED: [i64; 2] = [79, 109];

/// The convolutional encoder: a shift register.
#[derive(Clone, Debug, Default)]
pub struct Register(u8);

impl Register {
    /// In the state that these bits, each 0 or 1, lead to.
    pub fn after(bits: &[u8]) -> Self {
        Register(bits.iter().fold(0, |register, bit| register << 1 | bit & 1))
    }

    /// The two bits that are sent for a bit: the parities of 0o171 and of 0o133.
    #[inline(always)]
    pub fn next(&mut self, bit: u8) -> [u8; 2] {
        self.0 = self.0 << 1 & 0x7f | bit & 1;
        SELECTED.map(|selected| ((self.0 & selected as u8).count_ones() & 1) as u8)
    }
}

/// The Viterbi algorithm, step by step, with decisions to trace back.
#[derive(Clone, Debug)]
pub struct Trellis {
    metrics: [u16; 64],
    decisions: Vec<[u32; 2]>,
}

/// A start that is as good as impossible.
const UNLIKELY: u16 = 4000;

impl Trellis {
    /// In state 0 for sure, or in any.
    pub fn new(in_zero: bool) -> Self {
        let mut trellis = Trellis { metrics: [0; 64], decisions: Vec::new() };
        trellis.restart(in_zero);
        trellis
    }

    /// Begins anew, in state 0 for sure, or in any.
    pub fn restart(&mut self, in_zero: bool) {
        self.metrics = std::array::from_fn(|state| if in_zero && state > 0 { UNLIKELY } else { 0 });
        self.decisions.clear();
    }

    /// Takes symbols of 0o171 and 0o133: 0 is a sure zero, 255 a sure one.
    pub fn take(&mut self, symbols: &[[u8; 2]]) {
        let first = self.decisions.len();
        self.decisions.resize(first + symbols.len(), [0; 2]);
        kernels::viterbi_k7(&mut self.decisions[first..], &mut self.metrics, symbols);
    }

    /// How many steps there are decisions of.
    pub fn len(&self) -> usize {
        self.decisions.len()
    }

    /// The most likely state now.
    pub fn best(&self) -> usize {
        let states = self.metrics.iter().enumerate().min_by_key(|(_, metric)| **metric);
        states.map_or(0, |(state, _)| state)
    }

    /// The bits of the first steps, on the way that ends in `state` now.
    pub fn trace(&self, mut state: usize, bits: &mut [u8]) {
        for (step, decision) in self.decisions.iter().enumerate().rev() {
            if let Some(bit) = bits.get_mut(step) {
                *bit = (state & 1) as u8;
            }
            let oldest = decision[state & 1] >> (state >> 1) & 1;
            state = state >> 1 | (oldest as usize) << 5;
        }
    }

    /// Forgets the first steps.
    pub fn forget(&mut self, steps: usize) {
        self.decisions.drain(..steps);
    }
}
