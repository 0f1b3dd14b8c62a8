//! The definition of the sums of four phases over rows.

#[inline(always)]
pub(super) fn periods_f32(
    y: &mut [f32],
    rows: &[f32],
    taps: &[f32],
    first: usize,
    height: usize,
    stride: usize,
    shift: usize,
) {
    let lanes = y.len().div_ceil(4).max(1);
    for (phase, y) in y.chunks_mut(lanes).enumerate() {
        y.fill(0.0);
        for (j, taps) in taps.as_chunks::<4>().0.iter().enumerate() {
            let row = first + j;
            let row = &rows[row % height * stride + row / height * shift..][..y.len()];
            for (y, x) in y.iter_mut().zip(row) {
                *y += taps[phase] * x;
            }
        }
    }
}
