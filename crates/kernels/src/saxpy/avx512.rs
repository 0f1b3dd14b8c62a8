//! saxpy for AVX-512, as for AVX2: every store of the main loop on a cache line.
//!
//! On a Zen 5 it is as fast as with AVX2, at a store of 64 bytes per cycle, and needs half the instructions: there the loop of
//! AVX2 is half as fast where it lies badly in memory (32 instead of 64 Gitems/s in place, two builds of the same code,
//! `superhet bench chain --workers 1`).

use crate::x86::{load16, store16};
use core::arch::x86_64::*;

super::vectors::by_vectors!(
    "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma", __m512, 16:
    _mm512_set1_ps, load16, store16, _mm512_mul_ps, _mm512_add_ps
);
