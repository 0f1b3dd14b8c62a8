//! Two branches that are not alike.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{C32, InPlace, Pure, declare};

use crate::error::{Error, check};

/// The imbalance of a mixer into or out of two branches, whose gains differ by `g = 10^(magnitude_db / 20)` and whose angle is
/// 90° and `phase_deg` more.
///
/// Of a receiver: `y = I + j g (Q cos φ − I sin φ)`; of a transmitter: `y = (I − g Q sin φ) + j g Q cos φ`. Either way
/// `y = K₁ x + K₂ x*` with `K₂ = (1 − g exp(jφ)) / 2`, and `K₁ = (1 + g exp(−jφ)) / 2` of a receiver, `(1 + g exp(jφ)) / 2` of a
/// transmitter: an image comes up, weaker than the signal by `|K₁|² / |K₂|²`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | `C32` | that of `in` |
///
/// **Source**: M. Valkama, M. Renfors and V. Koivunen, "Advanced methods for I/Q imbalance compensation in communication
/// receivers", IEEE Trans. Signal Processing 49 (10), 2001, section II.
///
/// ```
/// use superhet_blocks::channels::IqImbalance;
/// use superhet_runtime::{C32, harness};
///
/// let y: Vec<C32> = harness::run(IqImbalance::new(20.0, 0.0, false)?, &[C32::new(1.0, 1.0)]);
/// assert_eq!(y, [C32::new(1.0, 10.0)]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct IqImbalance {
    magnitude_db: f64,
    phase_deg: f64,
    transmit: bool,
}

#[declare(
    category = "channels",
    summary = "The imbalance of a mixer's two branches, in gain and angle.",
    ports(input("in", "C32", "x"), output("out", "C32", "x with its image"))
)]
impl IqImbalance {
    /// A mixer with this imbalance.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a number is out of its range.
    pub fn new(
        /// By how much the gain of Q exceeds that of I.
        #[param(live, unit = "dB", kind = Kind::Float(-100.0, 100.0), default = 0.0)]
        magnitude_db: f64,
        /// By how much the angle between the branches exceeds 90°.
        #[param(live, unit = "degrees", kind = Kind::Float(-360.0, 360.0), default = 0.0)]
        phase_deg: f64,
        /// Whether it is a transmitter's; false: a receiver's.
        #[param(live, default = false)]
        transmit: bool,
    ) -> Result<Self, Error> {
        check(magnitude_db.abs() <= 100.0, "magnitude_db", "a number within ±100", magnitude_db)?;
        check(phase_deg.abs() <= 360.0, "phase_deg", "a number within ±360", phase_deg)?;
        Ok(IqImbalance { magnitude_db, phase_deg, transmit })
    }

    /// What becomes of a sample.
    fn change(&self) -> impl Fn(C32) -> C32 + use<> {
        let gain = 10f64.powf(self.magnitude_db / 20.0);
        let (sin, cos) = self.phase_deg.to_radians().sin_cos();
        let (cross, straight) = ((gain * sin) as f32, (gain * cos) as f32);
        let (to_i, to_q) = if self.transmit { (cross, 0.0) } else { (0.0, cross) };
        move |x| C32::new(x.re - to_i * x.im, straight * x.im - to_q * x.re)
    }
}

#[declare]
impl Pure for IqImbalance {
    type In = C32;
    type Out = C32;
    const IN_PLACE: Option<InPlace<Self>> = Some(|block, x| {
        let change = block.change();
        x.iter_mut().for_each(|x| *x = change(*x));
    });

    fn map(&self, x: &[C32], y: &mut [C32]) {
        let change = self.change();
        x.iter().zip(y).for_each(|(x, y)| *y = change(*x));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    #[test]
    fn a_sample_and_its_image_come_as_the_formula_says() {
        let x = complex_noise(50);
        for transmit in [false, true] {
            let (gain, phase) = (10f32.powf(1.5 / 20.0), (-7f32).to_radians());
            let y: Vec<C32> = harness::run(IqImbalance::new(1.5, -7.0, transmit).unwrap(), &x);
            let sign = if transmit { 1.0 } else { -1.0 };
            let straight = (C32::ONE + C32::from_polar(gain, sign * phase)) * 0.5;
            let image = (C32::ONE - C32::from_polar(gain, phase)) * 0.5;
            for (x, y) in x.iter().zip(&y) {
                assert!((straight * x + image * x.conj() - y).norm() < 1e-6, "{transmit}");
            }
        }
    }

    #[test]
    fn no_imbalance_changes_nothing_and_too_much_is_refused() {
        let x = complex_noise(20);
        assert_eq!(harness::run(IqImbalance::new(0.0, 0.0, false).unwrap(), &x), x);
        assert!(
            IqImbalance::new(101.0, 0.0, false).is_err() && IqImbalance::new(0.0, f64::NAN, true).is_err()
        );
    }
}
