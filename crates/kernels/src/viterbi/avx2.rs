//! Viterbi steps for AVX2.
//!
//! ```text
//! for i in 0..32 { new[2 i], new[2 i + 1] = minima of old[i] and old[i + 32], each plus its cost }
//! ```
//!
//! 1. A vector holds 16 metrics: the old ones are four vectors, the 32 costs two, their complements two.
//! 2. Comparisons give the decisions of 32 new states at once: of the even ones, and of the odd ones.
//! 3. The new metrics come even and odd; unpacking interleaves them. All stay in registers.
//!
//! Gain over `scalar`: 0.26 instead of 0.06 Gitems/s; by hand for AVX-512 it was no faster
//! (`cargo bench -p superhet-kernels --features trials -- viterbi`, 8192 steps, Zen 4).

#![allow(unsafe_code, reason = "loads and stores of vectors of bytes")]

use super::{ALL_WRONG, BRANCHES, STATES, STEPS_TO_NORMALIZE, normalize};
use core::arch::x86_64::*;

#[target_feature(enable = "avx2,fma")]
pub(super) fn viterbi_k7(decisions: &mut [[u32; 2]], metrics: &mut [u16; STATES], symbols: &[[u8; 2]]) {
    let branches = BRANCHES.map(|branch| load_all::<2>(branch.as_chunks().0));
    let all_wrong = _mm256_set1_epi16(ALL_WRONG as i16);

    let decisions = decisions.chunks_mut(STEPS_TO_NORMALIZE);
    for (decisions, symbols) in decisions.zip(symbols.chunks(STEPS_TO_NORMALIZE)) {
        let mut old = load_all::<4>(metrics.as_chunks().0);
        for (decision, &[a, b]) in decisions.iter_mut().zip(symbols) {
            let (a, b) = (_mm256_set1_epi16(a.into()), _mm256_set1_epi16(b.into()));
            let mut new = old;
            let (mut even_chosen, mut odd_chosen) =
                ([_mm256_setzero_si256(); 2], [_mm256_setzero_si256(); 2]);
            for i in 0..2 {
                let (low, high) = (old[i], old[i + 2]);
                let cost = _mm256_add_epi16(
                    _mm256_xor_si256(a, branches[0][i]),
                    _mm256_xor_si256(b, branches[1][i]),
                );
                let other = _mm256_sub_epi16(all_wrong, cost);
                let even_low = _mm256_add_epi16(low, cost);
                let even = _mm256_min_epu16(even_low, _mm256_add_epi16(high, other));
                let odd_low = _mm256_add_epi16(low, other);
                let odd = _mm256_min_epu16(odd_low, _mm256_add_epi16(high, cost));
                // Where the lower state is as good it is the minimum, too: 0 decides for it, all ones against.
                even_chosen[i] = _mm256_cmpeq_epi16(even, even_low);
                odd_chosen[i] = _mm256_cmpeq_epi16(odd, odd_low);
                let (first, second) = (_mm256_unpacklo_epi16(even, odd), _mm256_unpackhi_epi16(even, odd));
                new[2 * i] = _mm256_permute2x128_si256::<0x20>(first, second);
                new[2 * i + 1] = _mm256_permute2x128_si256::<0x31>(first, second);
            }
            old = new;
            *decision = [!bits(even_chosen), !bits(odd_chosen)];
        }
        let quarters = metrics.as_chunks_mut::<16>().0;
        for i in 0..4 {
            store(&mut quarters[i], old[i]);
        }
        normalize(metrics);
    }
}

/// A bit for each of 32 numbers, which are 0 or all ones.
#[inline]
#[target_feature(enable = "avx2")]
fn bits([a, b]: [__m256i; 2]) -> u32 {
    let in_halves = _mm256_packs_epi16(a, b);
    _mm256_movemask_epi8(_mm256_permute4x64_epi64::<0b11_01_10_00>(in_halves)).cast_unsigned()
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_all<const N: usize>(x: &[[u16; 16]]) -> [__m256i; N] {
    // SAFETY: each `x[i]` is 32 readable bytes, and the unaligned load takes any address.
    std::array::from_fn(|i| unsafe { _mm256_loadu_si256(x[i].as_ptr().cast()) })
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(y: &mut [u16; 16], v: __m256i) {
    // SAFETY: `y` is 32 writable bytes, and the unaligned store takes any address.
    unsafe { _mm256_storeu_si256(y.as_mut_ptr().cast(), v) }
}
