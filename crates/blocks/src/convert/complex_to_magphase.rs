//! Magnitudes and angles of complex samples.

use superhet_kernels as kernels;
use superhet_runtime::{C32, Pure, declare};

/// Magnitudes and angles of complex samples: `√(re² + im²)` and `atan2(im, re)`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out0` | `f32` | the magnitude: that of `in`, ≥ 0 |
/// | out `out1` | `f32` | the angle: radians, −π to π |
///
/// ```
/// use superhet_blocks::convert::ComplexToMagphase;
/// use superhet_runtime::{C32, Pure};
///
/// let (mut magnitude, mut angle) = ([0.0], [0.0]);
/// ComplexToMagphase.map(&[C32::new(0.0, 2.0)], (&mut magnitude, &mut angle));
/// assert_eq!(magnitude, [2.0]);
/// assert!((angle[0] - std::f32::consts::FRAC_PI_2).abs() < 1e-6);
/// ```
#[declare(
    category = "convert",
    summary = "Magnitudes and angles of complex samples.",
    ports(
        input("in", "C32", "x"),
        output("out0", "f32", "|x|"),
        output("out1", "f32", "the angle of x in radians, −π to π")
    )
)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ComplexToMagphase;

impl Pure for ComplexToMagphase {
    type In = C32;
    type Out = (f32, f32);

    fn map(&self, x: &[C32], (magnitude, angle): (&mut [f32], &mut [f32])) {
        kernels::magnitude(magnitude, x);
        kernels::complex_to_arg(angle, x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gives_many, complex_noise};

    #[test]
    fn values_are_right_wherever_the_stream_is_cut() {
        let x = complex_noise(1000);
        let (mut magnitude, mut angle) = (vec![0.0; 1000], vec![0.0; 1000]);
        kernels::magnitude(&mut magnitude, &x);
        kernels::complex_to_arg(&mut angle, &x);
        assert_gives_many(|| ComplexToMagphase, &x, &[magnitude, angle]);
    }
}
