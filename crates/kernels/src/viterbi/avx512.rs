//! Viterbi steps for AVX-512.
//!
//! ```text
//! for i in 0..32 { new[2 i], new[2 i + 1] = minima of old[i] and old[i + 32], each plus its cost }
//! ```
//!
//! 1. A vector holds 32 metrics: the old ones are two vectors, the 32 costs one, their complements one.
//! 2. A comparison gives the 32 decisions of the even new states at once, another those of the odd ones.
//! 3. The new metrics come even and odd; two permutations interleave them. All stay in registers.
//!
//! Gain over AVX2: X.

use super::{ALL_WRONG, BRANCHES, STATES, STEPS_TO_NORMALIZE, normalize};
use core::arch::x86_64::*;

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn viterbi_k7(decisions: &mut [[u32; 2]], metrics: &mut [u16; STATES], symbols: &[[u8; 2]]) {
    let [first, second] = BRANCHES;
    let (first, second) = (load(&first), load(&second));
    let all_wrong = _mm512_set1_epi16(ALL_WRONG as i16);
    let interleave_low: [u16; 32] = std::array::from_fn(|n| (n / 2 + n % 2 * 32) as u16);
    let (low_order, high_order) = (load(&interleave_low), load(&interleave_low.map(|n| n + 16)));

    let decisions = decisions.chunks_mut(STEPS_TO_NORMALIZE);
    for (decisions, symbols) in decisions.zip(symbols.chunks(STEPS_TO_NORMALIZE)) {
        let halves = metrics.as_chunks_mut::<32>().0;
        let (mut low, mut high) = (load(&halves[0]), load(&halves[1]));
        for (decision, &[a, b]) in decisions.iter_mut().zip(symbols) {
            let cost = _mm512_add_epi16(
                _mm512_xor_si512(_mm512_set1_epi16(a.into()), first),
                _mm512_xor_si512(_mm512_set1_epi16(b.into()), second),
            );
            let other = _mm512_sub_epi16(all_wrong, cost);
            let (even_low, even_high) = (_mm512_add_epi16(low, cost), _mm512_add_epi16(high, other));
            let (odd_low, odd_high) = (_mm512_add_epi16(low, other), _mm512_add_epi16(high, cost));
            *decision =
                [_mm512_cmplt_epu16_mask(even_high, even_low), _mm512_cmplt_epu16_mask(odd_high, odd_low)];
            let (even, odd) = (_mm512_min_epu16(even_low, even_high), _mm512_min_epu16(odd_low, odd_high));
            low = _mm512_permutex2var_epi16(even, low_order, odd);
            high = _mm512_permutex2var_epi16(even, high_order, odd);
        }
        store(&mut halves[0], low);
        store(&mut halves[1], high);
        normalize(metrics);
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(x: &[u16; 32]) -> __m512i {
    // SAFETY: `x` is 64 readable bytes, and the unaligned load takes any address.
    unsafe { _mm512_loadu_si512(x.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(y: &mut [u16; 32], v: __m512i) {
    // SAFETY: `y` is 64 writable bytes, and the unaligned store takes any address.
    unsafe { _mm512_storeu_si512(y.as_mut_ptr().cast(), v) }
}
