//! Logarithms.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::dispatch::kernel;

kernel! {
    /// Natural logarithms: `y[n] = ln x[n]`.
    ///
    /// −∞ for zeros of both signs, ∞ for ∞, NaN for negative numbers and NaN.
    ///
    /// **Accuracy**: 2 units in the last place, about 1 and for subnormal numbers too.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::ln(&mut y, &[1.0, std::f32::consts::E]);
    /// assert_eq!(y, [0.0, 1.0]);
    /// ```
    pub fn ln(y: &mut [f32], x: &[f32]);
    same_length(y, x);
    table LN { x86_64: avx512, avx2; }
}

kernel! {
    /// Binary logarithms: `y[n] = log₂ x[n]`.
    ///
    /// −∞ for zeros of both signs, ∞ for ∞, NaN for negative numbers and NaN.
    ///
    /// **Accuracy**: 2 units in the last place, about 1 and for subnormal numbers too.
    ///
    /// Powers of two give their exponents exactly.
    ///
    /// ```
    /// let mut y = [0.0; 3];
    /// superhet_kernels::log2(&mut y, &[1.0, 8.0, 0.25]);
    /// assert_eq!(y, [0.0, 3.0, -2.0]);
    /// ```
    pub fn log2(y: &mut [f32], x: &[f32]);
    same_length(y, x);
    table LOG2 { x86_64: avx512, avx2; }
}

kernel! {
    /// Decimal logarithms: `y[n] = log₁₀ x[n]`.
    ///
    /// −∞ for zeros of both signs, ∞ for ∞, NaN for negative numbers and NaN.
    ///
    /// **Accuracy**: 2 units in the last place, about 1 and for subnormal numbers too.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::log10(&mut y, &[1.0, 1000.0]);
    /// assert_eq!(y, [0.0, 3.0]);
    /// ```
    pub fn log10(y: &mut [f32], x: &[f32]);
    same_length(y, x);
    table LOG10 { x86_64: avx512, avx2; }
}

kernel! {
    /// Binary logarithms to five digits: `y[n] ≈ log₂ x[n]`.
    ///
    /// −∞ for zeros of both signs, ∞ for ∞, NaN for negative numbers and NaN.
    ///
    /// **Accuracy**: 5e-6 or 1.1e-5 of the result, whichever is less, and half a unit in the last place; for subnormal numbers
    /// too. Powers of two give their exponents exactly.
    ///
    /// The variant `scalar` is slower than [`log2`](fn@log2) on x86 ([`item::log2_fast`](crate::item::log2_fast)).
    ///
    /// ```
    /// let mut y = [0.0; 3];
    /// superhet_kernels::log2_fast(&mut y, &[1.0, 8.0, 10.0]);
    /// assert_eq!(y[..2], [0.0, 3.0]);
    /// assert!((y[2] - 3.321928).abs() < 1e-5);
    /// ```
    pub fn log2_fast(y: &mut [f32], x: &[f32]);
    same_length(y, x);
    table LOG2_FAST { x86_64: avx512, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want};
    use crate::dispatch::Op;

    type Logarithm = fn(&mut [f32], &[f32]);
    type Reference = fn(f64) -> f64;

    const LOGARITHMS: [(&Op<Logarithm>, Reference); 3] =
        [(&LN, f64::ln), (&LOG2, f64::log2), (&LOG10, f64::log10)];

    #[test]
    fn every_variant_gives_logarithms() {
        for (op, reference) in LOGARITHMS {
            check::unary(op, |run, y, x| run(y, x), |x: f32| Want::ulps(reference(x as f64), 2.0));
        }
    }

    #[test]
    fn logarithms_are_as_accurate_as_stated() {
        let borders = (-149..128).map(|n| f64::from(n).exp2() * std::f64::consts::SQRT_2);
        let powers = (-149..128).map(|n| f64::from(n).exp2());
        let dense = (0..200_000).map(|n| 0.5 + n as f32 * 1e-5);
        let x: Vec<f32> = check::all_magnitudes()
            .chain(check::around(borders))
            .chain(check::around(powers))
            .chain(dense)
            .collect();
        for (op, reference) in LOGARITHMS {
            check::sweep(op, &x, |run, y, x| run(y, x), |x: f32| Want::ulps(reference(x as f64), 2.0));
        }
    }

    #[test]
    fn fast_logarithms_are_as_accurate_as_stated() {
        let log2_of = |x: f32| {
            let log2 = (x as f64).log2();
            Want::ulps(log2, 0.5).give_or_take(5e-6_f64.min(1.1e-5 * log2.abs()))
        };
        check::unary(&LOG2_FAST, |run, y, x| run(y, x), log2_of);
        let borders = (-149..128).map(|n| f64::from(n).exp2() * 1.5);
        let powers = (-149..128).map(|n| f64::from(n).exp2());
        let dense = (0..400_000).map(|n| 0.5 + n as f32 * 5e-6);
        let x: Vec<f32> = check::all_magnitudes()
            .chain(check::around(borders))
            .chain(check::around(powers))
            .chain(dense)
            .collect();
        check::sweep(&LOG2_FAST, &x, |run, y, x| run(y, x), log2_of);
    }

    #[test]
    fn powers_of_two_give_their_exponents() {
        for exponent in -149..128 {
            for log2 in [log2, log2_fast] {
                let mut y = [0.0];
                log2(&mut y, &[f64::from(exponent).exp2() as f32]);
                assert_eq!(y, [exponent as f32]);
            }
        }
    }
}
