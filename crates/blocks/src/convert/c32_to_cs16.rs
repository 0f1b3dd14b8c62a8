//! Complex samples to signed 16-bit integers, interleaved IQ.

use superhet_kernels as kernels;
use superhet_runtime::{C32, Pure, declare};

use crate::elementwise::Elementwise;

/// Complex samples to signed 16-bit integers, interleaved IQ: each part is `32768 · x`.
///
/// Rounds half to even, saturates to −32768..=32767; NaN becomes 0.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | full scale = 1.0 |
/// | out `out` | `cs16` | codes [i, q], −32768..=32767 |
///
/// ```
/// use superhet_blocks::convert::C32ToCs16;
/// use superhet_runtime::{C32, harness};
///
/// let y = harness::run(C32ToCs16, &[C32::new(-1.0, 0.5)]);
/// assert_eq!(y, [[-32768, 16384]]);
/// ```
#[declare(
    category = "convert",
    summary = "Complex samples to signed 16-bit integers, interleaved IQ: each part is 32768 · x.",
    ports(input("in", "C32", "full scale = 1.0"), output("out", "cs16", "codes [i, q], −32768..=32767"))
)]
#[derive(Clone, Copy, Debug, Default)]
pub struct C32ToCs16;

impl Pure for C32ToCs16 {
    type In = C32;
    type Out = [i16; 2];

    fn map(&self, x: &[C32], y: &mut [[i16; 2]]) {
        kernels::c32_to_i16(y, x);
    }
}

impl Elementwise for C32ToCs16 {
    type In = C32;
    type Out = [i16; 2];

    #[inline(always)]
    fn apply(&self, x: C32) -> [i16; 2] {
        kernels::item::c32_to_i16(x)
    }
    fn describe(&self) -> String {
        const { ENTRY.name }.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    #[test]
    fn what_is_out_of_range_saturates_and_nan_is_the_middle() {
        let samples =
            [C32::new(f32::INFINITY, -1.5), C32::new(1.5, f32::NAN), C32::new(f32::NEG_INFINITY, 1.0)];
        let codes: Vec<[i16; 2]> = harness::run(C32ToCs16, &samples);
        assert_eq!(codes, [[32767, -32768], [32767, 0], [-32768, 32767]]);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| C32ToCs16, &complex_noise(1000));
    }
}
