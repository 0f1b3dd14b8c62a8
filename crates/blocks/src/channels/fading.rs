//! A path that fades.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{C32, SyncBlock, declare};

use super::fader::{Fader, MOST_WAVES};
use crate::error::Error;
use crate::sources::random::Random;

/// Flat fading: `y[n] = h[n] · x[n]`, with `h` of mean power 1 and the spectrum of a receiver that moves among waves from all
/// directions. Its magnitude has the distribution of Rayleigh, or with a `k_factor` that of Rice.
///
/// `h[n] = √(1 / (1 + K)) · Σₖ exp(j (2π f n cos αₖ + φₖ)) / √N + √(K / (1 + K)) · exp(j (2π f n cos α₀ + φ₀))`, where `f` is
/// `max_doppler`, `N` is `waves`, and `seed` says the phases and directions: `αₖ` lies in the `k`th `N`th of a turn.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | `C32` | that of `in` |
///
/// **Source**: C. Xiao, Y. R. Zheng and N. C. Beaulieu, "Novel sum-of-sinusoids simulation models for Rayleigh and Rician fading
/// channels", IEEE Trans. Wireless Communications 5 (12), 2006.
///
/// ```
/// use superhet_blocks::channels::Fading;
/// use superhet_runtime::{C32, harness};
///
/// let y: Vec<C32> = harness::run(Fading::new(0.05, 0.0, 16, 1)?, &[C32::ONE; 20_000]);
/// let power = y.iter().map(|y| y.norm_sqr()).sum::<f32>() / 20_000.0;
/// assert!((power - 1.0).abs() < 0.1);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Fading {
    fader: Fader,
}

#[declare(
    category = "channels",
    summary = "Flat fading of the distribution of Rayleigh or Rice.",
    ports(input("in", "C32", "x"), output("out", "C32", "what arrives"))
)]
impl Fading {
    /// A path that fades.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a number is out of its range.
    pub fn new(
        /// The largest Doppler shift: speed / wavelength / sample rate.
        #[param(unit = "turns/sample", kind = Kind::Float(0.0, 0.5))]
        max_doppler: f64,
        /// Power of the strongest wave / power of all others, not in dB; 0: Rayleigh.
        #[param(kind = Kind::Float(0.0, 1e6), default = 0.0)]
        k_factor: f64,
        /// How many waves arrive beside the strongest.
        #[param(kind = Kind::Integer(1, MOST_WAVES as i64), default = 16)]
        waves: usize,
        /// The same seed gives the same fading.
        #[param(default = 0)]
        seed: i64,
    ) -> Result<Self, Error> {
        Ok(Fading { fader: Fader::new(waves, max_doppler, k_factor, &mut Random::new(seed as u64))? })
    }
}

impl SyncBlock for Fading {
    type In = C32;
    type Out = C32;

    fn process(&mut self, x: &[C32], y: &mut [C32]) {
        x.iter().zip(y).for_each(|(x, y)| *y = x * self.fader.gain());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| Fading::new(0.1, 3.0, 8, 5).unwrap(), &complex_noise(1000));
    }

    #[test]
    fn seeds_differ_and_numbers_out_of_range_are_refused() {
        let run = |seed| harness::run(Fading::new(0.1, 0.0, 8, seed).unwrap(), &[C32::ONE; 9]);
        assert!(run(1) == run(1) && run(1) != run(2));
        assert!(Fading::new(0.6, 0.0, 8, 1).is_err() && Fading::new(0.1, -1.0, 8, 1).is_err());
        assert!(Fading::new(0.1, 0.0, 0, 1).is_err() && Fading::new(f64::NAN, 0.0, 8, 1).is_err());
    }
}
