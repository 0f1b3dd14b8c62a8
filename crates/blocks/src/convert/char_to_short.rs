//! Signed bytes to signed 16-bit integers of the same full scale.

use superhet_kernels as kernels;
use superhet_runtime::{Pure, declare};

/// Signed bytes to signed 16-bit integers of the same full scale: `y[n] = 256 · x[n]`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `i8` | code |
/// | out `out` | `i16` | code |
///
/// ```
/// use superhet_blocks::convert::CharToShort;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run(CharToShort, &[1, -2]), [256, -512]);
/// ```
#[declare(
    category = "convert",
    summary = "Signed bytes to signed 16-bit integers of the same full scale: y[n] = 256 · x[n].",
    ports(input("in", "i8", "codes"), output("out", "i16", "codes"))
)]
#[derive(Clone, Copy, Debug, Default)]
pub struct CharToShort;

impl Pure for CharToShort {
    type In = i8;
    type Out = i16;

    fn map(&self, x: &[i8], y: &mut [i16]) {
        kernels::i8_to_i16(y, x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::harness;

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| CharToShort, &(i8::MIN..=i8::MAX).step_by(3).collect::<Vec<_>>());
    }
}
