//! Oscillators whose frequency a stream says.
//!
//! Phases wait for each other for an addition in double precision; the oscillation at them is taken a chunk at a time.

use std::f64::consts::TAU;
use std::marker::PhantomData;

use superhet_kernels as kernels;
use superhet_runtime::{C32, Item, SyncBlock, declare};

use crate::error::{Error, check, check_positive};

/// What an oscillator gives.
pub trait Oscillation: Item {
    /// The items at phases in radians.
    fn at(y: &mut [Self], phases: &[f32], amplitude: f32);
}

impl Oscillation for f32 {
    fn at(y: &mut [f32], phases: &[f32], amplitude: f32) {
        kernels::cos(y, phases);
        y.iter_mut().for_each(|y| *y *= amplitude);
    }
}

impl Oscillation for C32 {
    fn at(y: &mut [C32], phases: &[f32], amplitude: f32) {
        // They are within a turn.
        crate::turns::expj(y, phases);
        y.iter_mut().for_each(|y| *y *= amplitude);
    }
}

/// Items of a chunk.
const CHUNK: usize = 256;

/// An oscillator whose frequency a stream says: `y[n] = A · exp(iφ[n])`, or its real part, with
/// `φ[n + 1] = φ[n] + sensitivity / rate · x[n]` from `φ[0] = 0` on.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | what `sensitivity` is per |
/// | out `out` | `C32` or `f32` | that of `amplitude` |
///
/// What is not finite in the stream leaves the phase as it is.
///
/// **Accuracy**: `|error| ≤ 10⁻⁶ · amplitude`.
///
/// ```
/// use superhet_blocks::analog::Vco;
/// use superhet_runtime::harness;
///
/// // A quarter turn for each sample.
/// let vco = Vco::<f32>::new(4.0, std::f64::consts::TAU, 2.0)?;
/// let y: Vec<f32> = harness::run(vco, &[1.0f32; 4]);
/// assert!(y.iter().zip([2.0, 0.0, -2.0, 0.0]).all(|(y, wanted)| (y - wanted).abs() < 1e-6));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Vco<T> {
    /// Radians per sample and unit of the input.
    step: f64,
    amplitude: f32,
    phase: f64,
    item: PhantomData<fn() -> T>,
}

#[declare(
    category = "analog",
    summary = "An oscillator whose frequency a stream says.",
    items(C32, f32),
    ports(input("in", "f32", "x"), output("out", "item", "the oscillation"))
)]
impl<T: Oscillation> Vco<T> {
    /// An oscillator for so many samples per second.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the rate is finite and more than 0, and the others are finite.
    pub fn new(
        /// Samples per second.
        #[param(unit = "Hz")]
        rate_hz: f64,
        /// How fast the phase moves for an input of 1.
        #[param(unit = "rad/s", default = 1.0)]
        sensitivity: f64,
        /// The amplitude.
        #[param(default = 1.0)]
        amplitude: f32,
    ) -> Result<Self, Error> {
        check_positive("rate_hz", rate_hz)?;
        let step = sensitivity / rate_hz;
        check(step.is_finite(), "sensitivity", "a finite number, also by rate_hz", sensitivity)?;
        check(amplitude.is_finite(), "amplitude", "a finite number", amplitude)?;
        Ok(Vco { step, amplitude, phase: 0.0, item: PhantomData })
    }
}

impl<T: Oscillation> SyncBlock for Vco<T> {
    type In = f32;
    type Out = T;

    fn process(&mut self, x: &[f32], y: &mut [T]) {
        let mut phases = [0.0; CHUNK];
        for (x, y) in x.chunks(CHUNK).zip(y.chunks_mut(CHUNK)) {
            let mut phase = self.phase;
            for (at, x) in phases.iter_mut().zip(x) {
                *at = phase as f32;
                let next = phase + self.step * f64::from(*x);
                phase = if next.abs() < TAU { next } else { around(phase, next) };
            }
            self.phase = phase;
            T::at(y, &phases[..x.len()], self.amplitude);
        }
    }
}

/// The phase behind `phase` where the sum is `next`: within a turn, and finite.
#[cold]
#[inline(never)]
fn around(phase: f64, next: f64) -> f64 {
    if next.is_finite() { next % TAU } else { phase }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    #[test]
    fn the_phase_is_the_sum_of_what_came_before() {
        let x = noise(5000);
        let y: Vec<C32> = harness::run(Vco::<C32>::new(10.0, 3.0, 2.0).unwrap(), &x);
        let mut phase = 0.0f64;
        for (y, x) in y.iter().zip(&x) {
            let wanted = C32::new(2.0 * phase.cos() as f32, 2.0 * phase.sin() as f32);
            assert!((y - wanted).norm() < 1e-5);
            phase += 0.3 * f64::from(*x);
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut_and_no_number_does_no_harm() {
        let mut x = noise(1000);
        (x[10], x[20]) = (f32::NAN, f32::INFINITY);
        harness::assert_cut_invariant(|| Vco::<f32>::new(10.0, 3.0, 1.0).unwrap(), &x);
        let y: Vec<f32> = harness::run(Vco::<f32>::new(10.0, 3.0, 1.0).unwrap(), &x);
        assert!(y.iter().all(|y| y.is_finite()));
        assert!(Vco::<f32>::new(0.0, 1.0, 1.0).is_err() && Vco::<f32>::new(1.0, f64::NAN, 1.0).is_err());
    }
}
