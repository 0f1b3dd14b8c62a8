//! AM: the envelope without its mean.

use superhet_kernels as kernels;
use superhet_runtime::{C32, SyncBlock, declare};

use crate::error::{Error, check, check_positive};

/// AM demodulation by envelope: the magnitude minus its running mean.
///
/// `e[n] = |x[n]|`, `m[n] = m[n − 1] + a · (e[n] − m[n − 1])`, `y[n] = e[n] − m[n]`, with `a = 1 − exp(−2π ·
/// cutoff_hz / rate_hz)`: a one-pole high-pass that takes the carrier away and keeps the sound above `cutoff_hz`. The
/// mean starts at the first magnitude.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | `f32` | that of `in`, without mean |
/// | in `set` | messages | new values of `cutoff_hz` |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `rate_hz` | samples a second | > 0 |
/// | `cutoff_hz` | Hz, −3 dB (where it is far below the rate) | ≥ 0, below `rate_hz` / 2; 0 takes the first magnitude as mean for ever; can be changed while the block runs |
///
/// A magnitude that is not finite passes, and the mean does not take it.
///
/// ```
/// use superhet_blocks::demod::AmDemod;
/// use superhet_runtime::{C32, harness};
///
/// // A carrier of 1 that swings between 0.5 and 1.5.
/// let iq: Vec<C32> = (0..48_000).map(|n| C32::new(1.0 + 0.5 * (n as f32 * 0.2).sin(), 0.0)).collect();
/// let y: Vec<f32> = harness::run(AmDemod::new(48_000.0, 20.0)?, &iq);
/// let peak = y[24_000..].iter().fold(0.0f32, |peak, y| peak.max(y.abs()));
/// assert!((peak - 0.5).abs() < 0.01);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct AmDemod {
    rate_hz: f64,
    cutoff_hz: f64,
    a: f64,
    /// In double precision, because `a` may be so small that a single one would not move.
    mean: Option<f64>,
}

#[declare(
    category = "demod",
    summary = "AM demodulation by envelope: the magnitude minus its running mean.",
    ports(
        input("in", "C32", "the signal; its carrier need not be at 0 Hz"),
        output("out", "f32", "the sound, in the unit of the input")
    )
)]
impl AmDemod {
    /// A demodulator for `rate_hz` samples a second that keeps what is above `cutoff_hz`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a rate that is not positive, or a corner that is not below half of it.
    pub fn new(
        /// The sample rate, > 0.
        #[param(unit = "samples/s", range = 0.0..)]
        rate_hz: f64,
        /// What is below is taken for the carrier; less than half of the rate.
        #[param(live, formerly = "corner_hz", set = set_corner, unit = "Hz", range = 0.0.., default = 20.0)]
        cutoff_hz: f64,
    ) -> Result<Self, Error> {
        check_positive("rate_hz", rate_hz)?;
        let fits = (0.0..rate_hz / 2.0).contains(&cutoff_hz);
        check(fits, "cutoff_hz", "at least 0 and less than half of rate_hz", cutoff_hz)?;
        let a = -(-std::f64::consts::TAU * cutoff_hz / rate_hz).exp_m1();
        Ok(AmDemod { rate_hz, cutoff_hz, a, mean: None })
    }

    fn set_corner(&mut self, cutoff_hz: f64) -> Result<(), Error> {
        *self = AmDemod { mean: self.mean, ..AmDemod::new(self.rate_hz, cutoff_hz)? };
        Ok(())
    }
}

#[declare]
impl SyncBlock for AmDemod {
    type In = C32;
    type Out = f32;
    fn process(&mut self, x: &[C32], y: &mut [f32]) {
        kernels::magnitude(y, x);
        for y in y.iter_mut() {
            let magnitude = f64::from(*y);
            if magnitude.is_finite() {
                let mean = self.mean.get_or_insert(magnitude);
                *mean += self.a * (magnitude - *mean);
            }
            *y = (magnitude - self.mean.unwrap_or(0.0)) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    #[test]
    fn values_follow_the_formula() {
        let x = complex_noise(1000);
        let a = 1.0 - (-std::f64::consts::TAU * 50.0 / 8000.0).exp();
        let mut mean = f64::from(x[0].norm());
        let y: Vec<f32> = harness::run(AmDemod::new(8000.0, 50.0).unwrap(), &x);
        for (x, y) in x.iter().zip(y) {
            let magnitude = f64::from(x.norm());
            mean += a * (magnitude - mean);
            assert!((f64::from(y) - (magnitude - mean)).abs() < 1e-6);
        }
    }

    #[test]
    fn a_constant_carrier_gives_silence_from_the_first_sample_on() {
        let carrier: Vec<C32> = (0..1000).map(|n| C32::from_polar(0.25, n as f32)).collect();
        let y: Vec<f32> = harness::run(AmDemod::new(8000.0, 20.0).unwrap(), &carrier);
        assert!(y.iter().all(|y| y.abs() < 1e-6));
    }

    #[test]
    fn one_nan_or_infinity_does_not_spoil_what_follows() {
        let mut x = vec![C32::new(1.0, 0.0); 100];
        (x[10].re, x[20].im) = (f32::NAN, f32::INFINITY);
        let y: Vec<f32> = harness::run(AmDemod::new(8000.0, 20.0).unwrap(), &x);
        assert!(y[10].is_nan() && y[20] == f32::INFINITY);
        assert!(y.iter().enumerate().all(|(n, y)| n == 10 || n == 20 || *y == 0.0));
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| AmDemod::new(8000.0, 20.0).unwrap(), &complex_noise(1000));
    }

    #[test]
    fn a_corner_at_half_the_rate_is_refused() {
        let error = AmDemod::new(8000.0, 4000.0).unwrap_err().to_string();
        assert_eq!(error, "cutoff_hz = 4000: expected at least 0 and less than half of rate_hz");
        assert!(AmDemod::new(0.0, 0.0).is_err());
    }
}
