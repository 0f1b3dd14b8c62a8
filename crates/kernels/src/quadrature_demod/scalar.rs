//! The definition of quadrature demodulation.

use crate::C32;
use std::f32::consts::{FRAC_PI_2, PI};

/// Coefficients of `atan(t) ≈ t · Σ c[k] · t²ᵏ` on 0..=1: a minimax fit of our own (Lawson's iteration on Chebyshev
/// points), rounded to f32. The tests hold the whole angle to 1e-6.
#[allow(clippy::excessive_precision, reason = "the digits name the f32 exactly")]
const ATAN: [f32; 8] =
    [0.99999934, -0.3332986, 0.19946566, -0.13908629, 0.09642196, -0.0559123, 0.021862939, -0.004054562];

/// The angle of `re + j · im` in -π..=π, without branches.
///
/// 1. `t = min / max` of the absolute parts lies in 0..=1: the first octant.
/// 2. A polynomial gives its arc tangent.
/// 3. Selects unfold the octant: about the diagonal, about the imaginary axis, about the real axis.
///
/// A NaN in either part goes through the comparisons into `t`, and a zero divided by 1 is the angle of zero.
#[inline(always)]
fn angle(re: f32, im: f32) -> f32 {
    let (across, up) = (re.abs(), im.abs());
    let steep = up > across;
    let smaller = if steep { across } else { up };
    let larger = if steep { up } else { across };
    let t = smaller / if larger == 0.0 { 1.0 } else { larger };

    let square = t * t;
    let mut sum = ATAN[7];
    for k in (0..7).rev() {
        sum = sum * square + ATAN[k];
    }
    let angle = sum * t;

    let angle = if steep { FRAC_PI_2 - angle } else { angle };
    let angle = if re < 0.0 { PI - angle } else { angle };
    angle.copysign(im)
}

#[inline(always)]
pub(super) fn quadrature_demod(y: &mut [f32], x: &[C32], gain: f32) {
    // Both inputs get the length of the output: LLVM then sees that no index can be out of bounds.
    let (now, next) = (&x[..y.len()], &x[x.len() - y.len()..]);
    for ((y, now), next) in y.iter_mut().zip(now).zip(next) {
        let re = next.re * now.re + next.im * now.im;
        let im = next.im * now.re - next.re * now.im;
        *y = gain * angle(re, im);
    }
}
