//! saxpy for AVX2, with every store of the main loop on a 32-byte line.
//!
//! Gain over `scalar`: 29 instead of 14 Gitems/s, a store of 32 bytes per cycle, which is the limit of a Zen 4
//! (`cargo bench -p superhet-kernels --features trials -- saxpy`, 2048 items).
//!
//! On a Zen 4 it is not faster with AVX-512 in caches, and slower beyond them.

use crate::x86::{load8, store8};
use core::arch::x86_64::*;

super::vectors::by_vectors!("avx2,fma", __m256, 8: _mm256_set1_ps, load8, store8, _mm256_mul_ps, _mm256_add_ps);
