//! Complex samples to signed bytes, interleaved IQ.

use superhet_kernels as kernels;
use superhet_runtime::{C32, Pure, declare};

use crate::elementwise::Elementwise;

/// Complex samples to signed bytes, interleaved IQ: each part is `128 · x`.
///
/// Rounds half to even, saturates to −128..=127; NaN becomes 0.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | full scale = 1.0 |
/// | out `out` | `cs8` | codes [i, q], −128..=127 |
///
/// ```
/// use superhet_blocks::convert::C32ToCs8;
/// use superhet_runtime::{C32, harness};
///
/// let y = harness::run(C32ToCs8, &[C32::new(-1.0, 0.5)]);
/// assert_eq!(y, [[-128, 64]]);
/// ```
#[declare(
    category = "convert",
    summary = "Complex samples to signed bytes, interleaved IQ: each part is 128 · x.",
    ports(input("in", "C32", "full scale = 1.0"), output("out", "cs8", "codes [i, q], −128..=127"))
)]
#[derive(Clone, Copy, Debug, Default)]
pub struct C32ToCs8;

impl Pure for C32ToCs8 {
    type In = C32;
    type Out = [i8; 2];

    fn map(&self, x: &[C32], y: &mut [[i8; 2]]) {
        kernels::c32_to_i8(y, x);
    }
}

impl Elementwise for C32ToCs8 {
    type In = C32;
    type Out = [i8; 2];

    #[inline(always)]
    fn apply(&self, x: C32) -> [i8; 2] {
        kernels::item::c32_to_i8(x)
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
        let codes: Vec<[i8; 2]> = harness::run(C32ToCs8, &samples);
        assert_eq!(codes, [[127, -128], [127, 0], [-128, 127]]);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| C32ToCs8, &complex_noise(1000));
    }
}
