//! Real and imaginary parts changed for each other.

use superhet_runtime::{C32, declare};

use crate::elementwise::{Elementwise, pure_of_elementwise};

/// Changes the parts of complex samples for each other: `y[n] = im x[n] + j · re x[n]`, which mirrors the spectrum.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | `C32` | that of `in` |
///
/// ```
/// use superhet_blocks::convert::SwapIq;
/// use superhet_runtime::{C32, harness};
///
/// assert_eq!(harness::run(SwapIq, &[C32::new(1.0, 2.0)]), [C32::new(2.0, 1.0)]);
/// ```
#[declare(
    category = "convert",
    summary = "Changes the parts of complex samples for each other.",
    ports(input("in", "C32", "x"), output("out", "C32", "im x + j · re x"))
)]
#[derive(Clone, Copy, Debug, Default)]
pub struct SwapIq;

impl Elementwise for SwapIq {
    type In = C32;
    type Out = C32;

    #[inline(always)]
    fn apply(&self, x: C32) -> C32 {
        C32::new(x.im, x.re)
    }
    fn describe(&self) -> String {
        const { ENTRY.name }.to_owned()
    }
}

pure_of_elementwise!(SwapIq);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| SwapIq, &complex_noise(1000));
    }
}
