//! Shift in frequency.

use superhet_kernels as kernels;
use superhet_runtime::{C32, InPlaceState, Shape, SyncBlock, declare};

use crate::error::{Error, check};

/// Turns each sample further: `y[n] = x[n] · exp(j · n · increment)`, a shift in frequency by `increment / 2π` of the
/// sample rate; in place where the plan can.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | `C32` | that of `in` |
/// | in `set` | messages | new values of `increment_rad` |
///
/// The phase is exact: nothing drifts, however long it runs.
///
/// **Accuracy**: that of [`Rotator`](kernels::Rotator), `|error| ≤ 2⁻²⁰ · |x|`.
///
/// ```
/// use superhet_blocks::math::Rotator;
/// use superhet_runtime::{C32, harness};
///
/// let up_by_a_quarter = Rotator::new(std::f64::consts::FRAC_PI_2)?;
/// let y: Vec<C32> = harness::run(up_by_a_quarter, &[C32::ONE; 3]);
/// assert!((y[1] - C32::I).norm() < 1e-6 && (y[2] + C32::ONE).norm() < 1e-6);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Rotator {
    rotator: kernels::Rotator,
    increment_rad: f64,
}

#[declare(
    category = "math",
    summary = "Shift in frequency: y[n] = x[n] · exp(j · n · increment).",
    ports(input("in", "C32", "x"), output("out", "C32", "x, shifted"))
)]
impl Rotator {
    /// Turns by so many radians from item to item, from phase 0.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `increment_rad` is finite.
    pub fn new(
        /// The angle from item to item: 2π · shift in Hz / sample rate.
        #[param(live, unit = "radians", set = set_increment)]
        increment_rad: f64,
    ) -> Result<Self, Error> {
        check_increment(increment_rad)?;
        Ok(Rotator { rotator: kernels::Rotator::new(increment_rad), increment_rad })
    }

    /// The phase goes on without a jump.
    fn set_increment(&mut self, increment_rad: f64) -> Result<(), Error> {
        check_increment(increment_rad)?;
        self.rotator.set_increment(increment_rad);
        self.increment_rad = increment_rad;
        Ok(())
    }
}

fn check_increment(increment_rad: f64) -> Result<(), Error> {
    check(increment_rad.is_finite(), "increment_rad", "a finite number", increment_rad)
}

#[declare]
impl SyncBlock for Rotator {
    type In = C32;
    type Out = C32;
    const IN_PLACE: Option<InPlaceState<Self>> = Some(|block, x| block.rotator.rotate_in_place(x));
    fn shape(&self) -> Shape {
        Shape { shift: Some(-self.increment_rad / std::f64::consts::TAU), ..Shape::default() }
    }

    fn process(&mut self, x: &[C32], y: &mut [C32]) {
        self.rotator.rotate(y, x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_runtime::{Value, harness};

    #[test]
    fn a_tone_moves_by_the_increment() {
        let tone = |increment: f64| -> Vec<C32> {
            let sample = |n: i32| superhet_runtime::C64::cis(f64::from(n) * increment);
            (0..3000).map(sample).map(|x| C32::new(x.re as f32, x.im as f32)).collect()
        };
        let y: Vec<C32> = harness::run(Rotator::new(-0.25).unwrap(), &tone(0.1));
        assert!(y.iter().zip(tone(-0.15)).all(|(y, wanted)| (y - wanted).norm() < 1e-5));
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| Rotator::new(0.3).unwrap(), &complex_noise(3000));
    }

    #[test]
    fn an_increment_that_is_not_finite_is_refused() {
        let error = Rotator::new(f64::NAN).unwrap_err().to_string();
        assert_eq!(error, "increment_rad = NaN: expected a finite number");
        let mut rotator = Rotator::new(0.1).unwrap();
        assert!(rotator.set_parameter("increment_rad", &Value::from(f64::INFINITY)).is_err());
        assert!(rotator.set_parameter("increment", &Value::from(0.1)).is_err());
        assert!(rotator.set_parameter("increment_rad", &Value::from(0.2)).is_ok());
    }

    #[test]
    fn the_phase_of_a_long_stream_is_exact() {
        let y: Vec<C32> = harness::run(Rotator::new(0.1).unwrap(), &vec![C32::ONE; 200_000]);
        for n in (0..200_000).step_by(1009) {
            let wanted = superhet_runtime::C64::cis(0.1 * n as f64);
            let error = f64::from(y[n].re) - wanted.re + (f64::from(y[n].im) - wanted.im);
            assert!(error.abs() < 1e-6, "{n}: {error}");
        }
    }
}
