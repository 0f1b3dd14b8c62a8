//! Random numbers: the same for one seed, wherever the stream is cut.

use superhet_kernels::item;
use superhet_runtime::C32;

/// xoshiro256++. Source: D. Blackman and S. Vigna, "Scrambled linear pseudorandom number generators", ACM Trans. Math.
/// Software 47 (4), 2021.
#[derive(Clone, Debug)]
pub struct Random([u64; 4]);

impl Random {
    /// Begins with a seed, any number.
    pub fn new(seed: u64) -> Self {
        // splitmix64, as its authors advise.
        let mut state = seed;
        Random(std::array::from_fn(|_| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        }))
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A whole number below `n`, all equally likely but for 2⁻³² · n.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// A number from 0 to less than 1, and another.
    #[inline]
    pub fn two(&mut self) -> [f32; 2] {
        let bits = self.bits();
        const STEP: f32 = 1.0 / (1u32 << 24) as f32;
        [(bits >> 40) as f32 * STEP, ((bits >> 8) & 0xff_ffff) as f32 * STEP]
    }

    /// As [`normal`](Self::normal), for many pairs at once: what waits for nothing is taken by kernels.
    pub fn normals(&mut self, pairs: &mut [[f32; 2]]) {
        const AT_ONCE: usize = 128;
        for pairs in pairs.chunks_mut(AT_ONCE) {
            let n = pairs.len();
            let (mut rest, mut angles) = ([0.0; AT_ONCE], [0.0; AT_ONCE]);
            for (rest, angle) in rest[..n].iter_mut().zip(&mut angles) {
                let [a, b] = self.two();
                (*rest, *angle) = (1.0 - a, b * std::f32::consts::TAU);
            }
            let (mut logarithms, mut turns) = ([0.0; AT_ONCE], [C32::ZERO; AT_ONCE]);
            superhet_kernels::ln(&mut logarithms[..n], &rest[..n]);
            superhet_kernels::expj(&mut turns[..n], &angles[..n]);
            for ((pair, logarithm), turn) in pairs.iter_mut().zip(&logarithms).zip(&turns) {
                let radius = (-2.0 * logarithm).sqrt();
                *pair = [radius * turn.re, radius * turn.im];
            }
        }
    }

    /// Two independent numbers of the normal distribution with variance 1 (G. E. P. Box and M. E. Muller, 1958).
    #[inline]
    pub fn normal(&mut self) -> [f32; 2] {
        let [a, b] = self.two();
        let radius = (-2.0 * item::ln(1.0 - a)).sqrt();
        let turn = item::expj(b * std::f32::consts::TAU);
        [radius * turn.re, radius * turn.im]
    }
}
