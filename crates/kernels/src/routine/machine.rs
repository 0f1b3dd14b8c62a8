//! How a processor computes: with fused multiply-adds, or without.

use super::Line;
use super::lines;
use crate::C32;

/// How a processor computes, and the functions of one item that loops with a state ask for. Each needs to wait for little.
pub trait Machine: Copy {
    /// Whether a product and a sum are rounded once.
    const FUSED: bool;

    /// `a · b + c`, rounded once or twice.
    #[inline(always)]
    fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
        if Self::FUSED { a.mul_add(b, c) } else { a * b + c }
    }

    /// As [`multiply_add`](Machine::multiply_add), in double precision.
    #[inline(always)]
    fn multiply_add_f64(a: f64, b: f64, c: f64) -> f64 {
        if Self::FUSED { a.mul_add(b, c) } else { a * b + c }
    }

    /// `x` without its fraction, within ±2⁶²; of others any number.
    #[inline(always)]
    fn whole(x: f32) -> i64 {
        #[cfg(target_arch = "x86_64")]
        {
            crate::x86::whole(x)
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            x as i64
        }
    }

    /// Sums of products with rows of taps, which are laid out in lines for windows of as many numbers as `x` has ([`Line::row`]). With
    /// `PARTS = 2` numbers are pairs, like those of complex samples: the sums of the first ones and of the second ones. With `PARTS = 1` the
    /// sums of all, and 0.
    ///
    /// # Panics
    ///
    /// If a row has more or fewer lines than there are in `x`.
    #[inline(always)]
    fn sums<const PARTS: usize, const ROWS: usize>(x: &[f32], rows: [&[Line]; ROWS]) -> [(f32, f32); ROWS] {
        lines::sums::<Self, PARTS, ROWS>(x, rows)
    }

    /// The whole number next to `x`, within ±2²²: a sum and a difference.
    #[inline(always)]
    fn nearest(x: f32) -> f32 {
        const WHOLE: f32 = 1.5 * (1 << 23) as f32;
        (x + WHOLE) - WHOLE
    }

    /// `exp(j · phase)` to 2e-7 within ±40 radians, and to 2e-6 within ±10⁵.
    ///
    /// Quarters of a turn are taken off, and the polynomials of sine and cosine, which both are odd or even, changed places.
    ///
    /// # Source
    /// S. Moshier, Cephes library, single precision: the coefficients.
    #[inline(always)]
    fn expj(phase: f32) -> C32 {
        const WHOLE: f32 = 1.5 * (1 << 23) as f32;
        let shifted = Self::multiply_add(phase, std::f32::consts::FRAC_2_PI, WHOLE);
        let quarters = shifted - WHOLE;
        let r = if Self::FUSED {
            let r = Self::multiply_add(quarters, -std::f32::consts::FRAC_PI_2, phase);
            Self::multiply_add(quarters, 4.371_139e-8, r)
        } else {
            // The products with the first two parts of a quarter are exact.
            ((phase - quarters * 1.570_312_5) - quarters * 4.837_513e-4) - quarters * 7.549_79e-8
        };
        let square = r * r;
        let sine = Self::multiply_add(square, -1.951_529_6e-4, 8.332_161e-3);
        let sine = Self::multiply_add(square, sine, -1.666_665_5e-1);
        let sine = Self::multiply_add(square * r, sine, r);
        let cosine = Self::multiply_add(square, 2.443_315_7e-5, -1.388_731_6e-3);
        let cosine = Self::multiply_add(square, cosine, 4.166_664_6e-2);
        let cosine = Self::multiply_add(square * square, cosine, Self::multiply_add(square, -0.5, 1.0));
        let bits = shifted.to_bits();
        let (re, im) = if bits & 1 == 0 { (cosine, sine) } else { (sine, cosine) };
        // Of quarters 1 and 2 the real part changes its sign, of 2 and 3 the imaginary one.
        let of_re = (bits.wrapping_add(1) & 2) << 30;
        let of_im = (bits & 2) << 30;
        C32::new(f32::from_bits(re.to_bits() ^ of_re), f32::from_bits(im.to_bits() ^ of_im))
    }
}

/// A processor with fused multiply-adds.
#[derive(Clone, Copy, Debug)]
pub struct Fused;

/// Any processor: products and sums are rounded one by one.
#[derive(Clone, Copy, Debug)]
pub struct Rounded;

impl Machine for Fused {
    const FUSED: bool = true;
}

impl Machine for Rounded {
    const FUSED: bool = false;
}
