//! Signed 16-bit integers to signed bytes.

use superhet_kernels as kernels;
use superhet_runtime::{Pure, declare};

/// Signed 16-bit integers to signed bytes, their high bytes: `y[n] = ⌊x[n] / 256⌋`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `i16` | code |
/// | out `out` | `i8` | code |
///
/// ```
/// use superhet_blocks::convert::ShortToChar;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run(ShortToChar, &[256, -257]), [1, -2]);
/// ```
#[declare(
    category = "convert",
    summary = "Signed 16-bit integers to signed bytes, their high bytes: y[n] = ⌊x[n] / 256⌋.",
    ports(input("in", "i16", "codes"), output("out", "i8", "codes"))
)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ShortToChar;

impl Pure for ShortToChar {
    type In = i16;
    type Out = i8;

    fn map(&self, x: &[i16], y: &mut [i8]) {
        kernels::i16_to_i8(y, x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::harness;

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| ShortToChar, &(i16::MIN..=i16::MAX).step_by(3).collect::<Vec<_>>());
    }
}
