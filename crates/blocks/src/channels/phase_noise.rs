//! An oscillator that is not pure.

use std::f64::consts::{PI, TAU};

use superhet_kernels::item::expj;
use superhet_runtime::catalog::Kind;
use superhet_runtime::{C32, InPlaceState, SyncBlock, declare};

use crate::error::{Error, check, check_positive};
use crate::sources::random::Random;

/// Phase noise of an oscillator: `y[n] = x[n] · exp(j (w[n] + v[n]))`, radians.
///
/// `w` is a Wiener process, as a free oscillator has it: from 0 on, each step is Gaussian with the variance `2π · linewidth_hz / rate_hz`. A tone
/// becomes a line of Lorentz's shape, `linewidth_hz` wide at half its height. `v` is stationary, as a locked
/// oscillator has it: Gaussian noise of the root mean square `rms_rad` behind a low-pass filter with one pole,
/// `v[n] = a · v[n − 1] + rms_rad · √(1 − a²) · g[n]`, `a = exp(−2π · bandwidth_hz / rate_hz)`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | `C32` | that of `in` |
///
/// **Accuracy**: the turn is that of a phase in single precision within ±π, to 2⁻²⁰.
///
/// **Source**: A. Demir, A. Mehrotra and J. Roychowdhury, "Phase noise in oscillators: a unifying theory and numerical methods for
/// characterization", IEEE Trans. Circuits and Systems I 47 (5), 2000.
///
/// ```
/// use superhet_blocks::channels::PhaseNoise;
/// use superhet_runtime::{C32, harness};
///
/// let locked = PhaseNoise::new(48e3, 0.0, 0.1, 1e3, 1)?;
/// let y: Vec<C32> = harness::run(locked, &[C32::ONE; 20_000]);
/// let power = y.iter().map(|y| y.arg().powi(2)).sum::<f32>() / 20_000.0;
/// assert!((power.sqrt() - 0.1).abs() < 0.01);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PhaseNoise {
    /// The root mean square of a step of the Wiener process.
    step: f64,
    rms_rad: f64,
    pole: f64,
    walked: f64,
    /// The stationary part, in `rms_rad`; none before the first item.
    stationary: Option<f64>,
    random: Random,
}

#[declare(
    category = "channels",
    summary = "Phase noise of an oscillator: free, with a line width, or locked, with a level and a bandwidth.",
    ports(input("in", "C32", "x"), output("out", "C32", "x, turned"))
)]
impl PhaseNoise {
    /// An oscillator with this line width and this level.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a number is out of its range.
    pub fn new(
        /// Samples per second.
        #[param(unit = "Hz", default = 1.0)]
        rate_hz: f64,
        /// The width at half its height of the line of a free oscillator.
        #[param(unit = "Hz", kind = Kind::Float(0.0, 1e12), default = 0.0)]
        linewidth_hz: f64,
        /// The root mean square of the phase of a locked oscillator.
        #[param(unit = "radians", kind = Kind::Float(0.0, 1e3), default = 0.0)]
        rms_rad: f64,
        /// The bandwidth of its noise, to the half of the power.
        #[param(unit = "Hz", kind = Kind::Float(0.0, 1e12), default = 0.1)]
        bandwidth_hz: f64,
        /// The same seed gives the same noise.
        #[param(default = 0)]
        seed: i64,
    ) -> Result<Self, Error> {
        check_positive("rate_hz", rate_hz)?;
        let step = (TAU * linewidth_hz / rate_hz).sqrt();
        check(linewidth_hz >= 0.0 && step.is_finite(), "linewidth_hz", "a number from 0 on", linewidth_hz)?;
        check((0.0..=1e3).contains(&rms_rad), "rms_rad", "a number from 0 to 1000", rms_rad)?;
        let pole = (-TAU * bandwidth_hz / rate_hz).exp();
        check((0.0..=1.0).contains(&pole), "bandwidth_hz", "a number from 0 on", bandwidth_hz)?;
        let random = Random::new(seed as u64);
        Ok(PhaseNoise { step, rms_rad, pole, walked: 0.0, stationary: None, random })
    }

    /// The phase of the next item.
    fn next(&mut self) -> f64 {
        let [walk, noise] = self.random.normal().map(f64::from);
        let phase = self.walked;
        let walked = phase + self.step * walk;
        self.walked = walked - TAU * (walked / TAU).round();
        let stationary = match self.stationary {
            None => noise,
            Some(last) => self.pole * last + (1.0 - self.pole * self.pole).sqrt() * noise,
        };
        self.stationary = Some(stationary);
        let phase = phase + self.rms_rad * stationary;
        if phase.abs() > PI { phase - TAU * (phase / TAU).round() } else { phase }
    }
}

impl SyncBlock for PhaseNoise {
    type In = C32;
    type Out = C32;
    const IN_PLACE: Option<InPlaceState<Self>> =
        Some(|block, x| x.iter_mut().for_each(|x| *x *= expj(block.next() as f32)));

    fn process(&mut self, x: &[C32], y: &mut [C32]) {
        x.iter().zip(y).for_each(|(x, y)| *y = x * expj(self.next() as f32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    fn phases(mut noise: PhaseNoise, n: usize) -> Vec<f64> {
        (0..n).map(|_| noise.next()).collect()
    }

    #[test]
    fn a_free_oscillator_walks() {
        // The spectrum of a line of Lorentz's shape is that of an autocorrelation exp(−π · linewidth · |t|).
        let (rate, width, n) = (1e4, 20.0, 200_000);
        let phases = phases(PhaseNoise::new(rate, width, 0.0, 1.0, 5).unwrap(), n);
        for lag in [1, 20, 100] {
            let pairs = phases.iter().zip(&phases[lag..]);
            let got = pairs.map(|(a, b)| (b - a).cos()).sum::<f64>() / (n - lag) as f64;
            let wanted = (-PI * width * lag as f64 / rate).exp();
            assert!((got - wanted).abs() < 0.02, "{lag}: {got}, wanted {wanted}");
        }
        assert_eq!(phases[0], 0.0);
    }

    #[test]
    fn a_locked_oscillator_has_its_level_and_its_bandwidth() {
        let (rate, rms, bandwidth, n) = (1e4, 0.05, 300.0, 200_000);
        let phases = phases(PhaseNoise::new(rate, 0.0, rms, bandwidth, 6).unwrap(), n);
        for lag in [0, 1, 5] {
            let got = phases.iter().zip(&phases[lag..]).map(|(a, b)| a * b).sum::<f64>() / (n - lag) as f64;
            let wanted = rms * rms * (-TAU * bandwidth / rate * lag as f64).exp();
            assert!((got - wanted).abs() < 0.05 * rms * rms, "{lag}: {got}, wanted {wanted}");
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(
            || PhaseNoise::new(1.0, 0.01, 0.1, 0.2, 3).unwrap(),
            &complex_noise(500),
        );
        let y: Vec<C32> = harness::run(PhaseNoise::new(1.0, 0.0, 0.0, 0.1, 3).unwrap(), &[C32::I; 5]);
        assert_eq!(y, [C32::I; 5]);
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        for [rate, width, rms, bandwidth] in
            [[0.0, 0.0, 0.0, 1.0], [1.0, -1.0, 0.0, 1.0], [1.0, 0.0, f64::NAN, 1.0], [1.0, 0.0, 0.1, -1.0]]
        {
            assert!(PhaseNoise::new(rate, width, rms, bandwidth, 0).is_err());
        }
    }
}
