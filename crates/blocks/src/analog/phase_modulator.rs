//! Phase modulation.

use superhet_kernels as kernels;
use superhet_runtime::{C32, Pure, declare};

use super::gain::finite;
use crate::error::Error;
use crate::transforms::with_floats;

/// Phase modulation: `y[n] = exp(j · sensitivity · x[n])`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | any |
/// | out `out` | `C32` | magnitude 1 |
/// | in `set` | messages | new values of `sensitivity` |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `sensitivity` | radians for an input of 1 | finite; can be changed while the block runs |
///
/// Phases beyond ±2³⁰ radians give NaN.
///
/// ```
/// use superhet_blocks::analog::PhaseModulator;
/// use superhet_runtime::{C32, harness};
///
/// let y: Vec<C32> = harness::run(PhaseModulator::new(0.5)?, &[0.0f32, std::f32::consts::PI]);
/// assert!((y[0] - C32::ONE).norm() < 1e-6 && (y[1] - C32::I).norm() < 1e-6);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PhaseModulator {
    sensitivity: f32,
}

#[declare(
    category = "analog",
    summary = "Phase modulation: y[n] = exp(j · sensitivity · x[n]).",
    ports(input("in", "f32", "x"), output("out", "C32", "a carrier whose phase is x"))
)]
impl PhaseModulator {
    /// Turns by `sensitivity` radians for an input of 1.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it is finite.
    pub fn new(
        /// How far an input of 1 turns.
        #[param(live, unit = "radians", default = 1.0)]
        sensitivity: f64,
    ) -> Result<Self, Error> {
        Ok(PhaseModulator { sensitivity: finite("sensitivity", sensitivity)? })
    }
}

#[declare]
impl Pure for PhaseModulator {
    type In = f32;
    type Out = C32;
    fn map(&self, x: &[f32], y: &mut [C32]) {
        with_floats(x.len(), |phases| {
            kernels::multiply_const_f32(phases, x, self.sensitivity);
            kernels::expj(y, phases);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    #[test]
    fn values_follow_the_formula_and_do_not_depend_on_where_the_input_is_cut() {
        let x = noise(1000);
        let y: Vec<C32> = harness::run(PhaseModulator::new(3.0).unwrap(), &x);
        assert!(y.iter().zip(&x).all(|(y, x)| (y - C32::cis(3.0 * x)).norm() < 1e-6));
        harness::assert_cut_invariant(|| PhaseModulator::new(3.0).unwrap(), &x);
    }
}
