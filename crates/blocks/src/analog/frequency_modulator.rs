//! Frequency modulation.

use std::f64::consts::TAU;

use superhet_runtime::{C32, SyncBlock, declare};

use crate::error::{Error, check};
use crate::transforms::with_floats;

/// Frequency modulation: `y[n] = exp(j φ[n])`, `φ[n] = φ[n − 1] + sensitivity · x[n]`, from 0.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | any |
/// | out `out` | `C32` | magnitude 1 |
/// | in `set` | messages | new values of `sensitivity` |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `sensitivity` | radians per sample, for an input of 1 | finite: `2π · deviation_hz / rate_hz`; can be changed while the block runs |
///
/// The phase is a whole number of 2⁻⁵⁶ turns, so that it never loses precision. An input that is not finite gives NaN, and leaves
/// the phase as it is.
///
/// ```
/// use superhet_blocks::analog::FrequencyModulator;
/// use superhet_runtime::{C32, harness};
///
/// let y: Vec<C32> = harness::run(FrequencyModulator::new(std::f64::consts::FRAC_PI_2)?, &[1.0f32, 1.0]);
/// assert!((y[0] - C32::I).norm() < 1e-6 && (y[1] + C32::ONE).norm() < 1e-6);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FrequencyModulator {
    sensitivity: f64,
    /// In steps of a turn; whole turns fall off its upper end.
    phase: i64,
}

/// How many steps of the phase make a turn.
const STEPS_PER_TURN: f64 = (1u64 << 56) as f64;
/// The phase, shifted by so much, is a fraction of a turn from −1/2 to 1/2 in all 64 bits.
const WHOLE_TURNS: u32 = 8;
const RADIANS: f64 = TAU / 18_446_744_073_709_551_616.0;

#[declare(
    category = "analog",
    summary = "Frequency modulation.",
    ports(input("in", "f32", "x"), output("out", "C32", "a carrier whose frequency is x"))
)]
impl FrequencyModulator {
    /// Turns by `sensitivity` radians per sample for an input of 1.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it is finite.
    pub fn new(
        /// How far an input of 1 turns: 2π · deviation in Hz / sample rate.
        #[param(live, unit = "radians/sample", default = 1.0)]
        sensitivity: f64,
    ) -> Result<Self, Error> {
        check(sensitivity.is_finite(), "sensitivity", "a finite number", sensitivity)?;
        Ok(FrequencyModulator { sensitivity, phase: 0 })
    }
}

#[declare]
impl SyncBlock for FrequencyModulator {
    type In = f32;
    type Out = C32;

    fn process(&mut self, x: &[f32], y: &mut [C32]) {
        with_floats(x.len(), |phases| {
            let turns_per_input = self.sensitivity / TAU;
            for (phase, x) in phases.iter_mut().zip(x) {
                let mut turns = turns_per_input * f64::from(*x);
                // A step of more turns does not fit.
                if turns.is_nan() || turns.abs() >= 100.0 {
                    turns %= 1.0;
                    if turns.is_nan() {
                        *phase = f32::NAN;
                        continue;
                    }
                }
                self.phase = self.phase.wrapping_add((turns * STEPS_PER_TURN) as i64);
                *phase = ((self.phase << WHOLE_TURNS) as f64 * RADIANS) as f32;
            }
            crate::turns::expj(y, phases);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::{C64, harness};

    #[test]
    fn values_are_those_of_the_definition() {
        let x = noise(10_000);
        let y: Vec<C32> = harness::run(FrequencyModulator::new(-2.5).unwrap(), &x);
        let mut phase = 0.0;
        for (x, y) in x.iter().zip(y) {
            phase -= 2.5 * f64::from(*x);
            assert!((C64::new(y.re.into(), y.im.into()) - C64::cis(phase)).norm() < 1e-6);
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| FrequencyModulator::new(0.7).unwrap(), &noise(1000));
        assert!(FrequencyModulator::new(f64::NAN).is_err());
        let y: Vec<C32> = harness::run(FrequencyModulator::new(1.0).unwrap(), &[f32::INFINITY, 0.0]);
        assert!(y[0].re.is_nan() && y[1] == C32::ONE);
    }
}
