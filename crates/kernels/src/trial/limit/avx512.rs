//! The same loop with the vectors of AVX-512.

use super::{LINE, RUN, Stream};

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn pass(
    streams: &mut [(Stream<'_>, usize)],
    blocks: usize,
    times: usize,
    key: u8,
) -> [[u8; LINE]; RUN] {
    super::scalar::pass(streams, blocks, times, key)
}
