//! Complex samples of magnitudes and angles.

use superhet_kernels as kernels;
use superhet_runtime::{C32, Pure, declare};

/// Complex samples of magnitudes and angles: `y[n] = magnitude[n] · exp(j · angle[n])`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in0` | `f32` | the magnitude: any |
/// | in `in1` | `f32` | the angle: radians |
/// | out `out` | `C32` | that of `in0` |
///
/// ```
/// use superhet_blocks::convert::MagphaseToComplex;
/// use superhet_runtime::{C32, Pure};
///
/// let mut y = [C32::ZERO];
/// MagphaseToComplex.map((&[2.0], &[std::f32::consts::FRAC_PI_2]), &mut y);
/// assert!((y[0] - C32::new(0.0, 2.0)).norm() < 1e-6);
/// ```
#[declare(
    category = "convert",
    summary = "Complex samples of magnitudes and angles.",
    ports(
        input("in0", "f32", "magnitudes"),
        input("in1", "f32", "angles in radians"),
        output("out", "C32", "magnitude · exp(j · angle)")
    )
)]
#[derive(Clone, Copy, Debug, Default)]
pub struct MagphaseToComplex;

impl Pure for MagphaseToComplex {
    type In = (f32, f32);
    type Out = C32;

    fn map(&self, (magnitude, angle): (&[f32], &[f32]), y: &mut [C32]) {
        kernels::expj(y, angle);
        kernels::multiply_c32_f32_in_place(y, magnitude);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cuts, noise, run_two};

    #[test]
    fn values_are_right_wherever_the_streams_are_cut() {
        let (magnitude, angle) = (noise(1000), noise(1200)[200..].to_vec());
        for options in cuts() {
            let y: Vec<C32> = run_two(MagphaseToComplex, &magnitude, &angle, &options);
            let near = |n: usize| (y[n] - C32::from_polar(magnitude[n], angle[n])).norm() < 1e-6;
            assert!(y.len() == 1000 && (0..1000).all(near));
        }
    }
}
