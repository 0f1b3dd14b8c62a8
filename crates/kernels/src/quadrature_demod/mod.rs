//! Quadrature demodulation: the frequency of a signal, from the phase between neighbours.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::C32;
use crate::dispatch::kernel;

kernel! {
    /// Quadrature demodulation: `y[n] = gain · arg(x[n + 1] · conj(x[n]))`, the angle in radians within ±π.
    ///
    /// With `gain = rate_hz / 2π` the output is the momentary frequency in Hz.
    ///
    /// A zero sample gives 0, a NaN gives NaN, and so may an infinity or products that overflow. Products below
    /// 1e-38 lose digits: scale such signals up first.
    ///
    /// **Accuracy**: `|error| ≤ 1e-6 · |gain|`.
    ///
    /// # Panics
    ///
    /// Unless `x.len() == y.len() + 1`.
    ///
    /// ```
    /// use superhet_kernels::{C32, quadrature_demod};
    /// let iq = [C32::new(1.0, 0.0), C32::new(0.0, 1.0), C32::new(-1.0, 0.0)]; // a quarter turn per sample
    /// let mut y = [0.0; 2];
    /// quadrature_demod(&mut y, &iq, 2.0 / std::f32::consts::PI);
    /// assert!(y.iter().all(|y| (y - 1.0).abs() < 1e-6));
    /// ```
    pub fn quadrature_demod(y: &mut [f32], x: &[C32], gain: f32);
    check one_longer(y, x);
    work |n| { x: n + 1 }
    table QUADRATURE_DEMOD { x86_64: avx512, avx2; }
}

fn one_longer(y: &[f32], x: &[C32]) {
    assert!(
        x.len() == y.len() + 1,
        "quadrature_demod needs x.len() == y.len() + 1, got {} and {}",
        x.len(),
        y.len()
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Guarded, Item, Noise, Want, wide};

    const GAIN: f32 = 0.8;

    fn reference(x: &[C32]) -> f64 {
        (wide(x[1]) * wide(x[0]).conj()).arg()
    }

    /// Runs a variant on all of `x`.
    fn run(variant: fn(&mut [f32], &[C32], f32), x: &[C32], gain: f32) -> Vec<f32> {
        let mut y = vec![f32::JUNK; x.len() - 1];
        variant(&mut y, x, gain);
        y
    }

    #[test]
    fn every_variant_demodulates_wherever_the_signal_is_cut() {
        let signal: Vec<C32> = Noise::new(1).signal(check::LONGEST + 1);
        let whole = run(QUADRATURE_DEMOD.variant("scalar").unwrap(), &signal, GAIN);
        for (y, x) in whole.iter().zip(signal.windows(2)) {
            Want::within(GAIN as f64 * reference(x), GAIN as f64 * 1e-6).check(*y, "quadrature_demod");
        }
        for (name, variant) in QUADRATURE_DEMOD.variants() {
            for (len, shift) in check::cases() {
                let cut = (3 * shift).min(check::LONGEST - len);
                let x = Guarded::copy(&signal[cut..=cut + len], (5 * shift) % 18);
                let mut y = Guarded::junk(len, shift);
                variant(y.items_mut(), x.items(), GAIN);
                y.check_guards(name);
                assert_eq!(y.items(), &whole[cut..][..len], "{name}, {len} items, shift {shift}");
            }
        }
    }

    #[test]
    fn every_angle_is_within_a_microradian() {
        let circle: Vec<C32> = (0..100_003)
            .flat_map(|n| {
                let radius = [1e-9f32, 0.3, 1.0, 1e9][n % 4];
                [C32::new(1.0, 0.0), C32::from_polar(radius, n as f32 * 1e-4)]
            })
            .collect();
        for (name, variant) in QUADRATURE_DEMOD.variants() {
            let y = run(variant, &circle, 1.0);
            for (y, x) in y.iter().zip(circle.windows(2)) {
                Want::within(reference(x), 1e-6).check(*y, &format!("{name} between {} and {}", x[0], x[1]));
            }
        }
    }

    #[test]
    fn axes_diagonals_zeros_and_nans_are_as_they_should() {
        use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};
        let angles = [
            (C32::new(1.0, 0.0), 0.0),
            (C32::new(1.0, 1.0), FRAC_PI_4),
            (C32::new(0.0, 1.0), FRAC_PI_2),
            (C32::new(-1.0, 1.0), PI - FRAC_PI_4),
            (C32::new(-1.0, 0.0), PI),
            (C32::new(-1.0, -1.0), FRAC_PI_4 - PI),
            (C32::new(0.0, -1.0), -FRAC_PI_2),
            (C32::new(1.0, -1.0), -FRAC_PI_4),
            (C32::ZERO, 0.0),
            (C32::new(f32::NAN, 1.0), f32::NAN),
            (C32::new(1.0, f32::NAN), f32::NAN),
        ];
        for (name, variant) in QUADRATURE_DEMOD.variants() {
            for (x, angle) in angles {
                // Long enough for whole vectors: each second output is the angle of `x` itself.
                let pairs: Vec<C32> = [C32::new(1.0, 0.0), x].repeat(33);
                for y in run(variant, &pairs, 1.0).into_iter().step_by(2) {
                    let near = (y - angle).abs() <= 1e-6 || (y.is_nan() && angle.is_nan());
                    assert!(near, "{name}: the angle of {x} is {y}, want {angle}");
                }
            }
        }
    }
}
