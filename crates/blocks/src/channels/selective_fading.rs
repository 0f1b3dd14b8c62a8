//! Several paths that fade.

use superhet_runtime::{AnyBlock, BlockError, C32, C64, Shape, SyncBlock, declare};

use super::fader::{Fader, MOST_WAVES};
use crate::error::{Error, check};
use crate::item::{Seed, counts_of, from_numbers};
use crate::sources::random::Random;

/// Fading that differs with frequency: several paths with delays of their own, each of which fades by itself as
/// [`Fading`](super::Fading) does: `y[n] = Σᵢ 10^(pᵢ / 20) · hᵢ[n] · x[n − dᵢ]`, with zeros before the first item.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | `C32` | that of `in` |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `delays` | samples | one for each path, 1 to 64 of them, whole numbers from 0 to 2²⁰ |
/// | `powers_db` | dB | as many; the mean power of each path |
/// | `max_doppler` | turns per sample | 0 to 0.5 |
/// | `k_factor` | | of the first path, 0 to 10⁶; the others have that of Rayleigh, 0 |
/// | `waves` | | waves of each path, 1 to 1024 |
///
/// **Source**: the tapped delay line of P. A. Bello, "Characterization of randomly time-variant linear channels", IEEE Trans.
/// Communications Systems 11 (4), 1963.
///
/// ```
/// use superhet_blocks::channels::SelectiveFading;
/// use superhet_runtime::{C32, harness};
///
/// // Two paths that stay as they are, the second 10 dB weaker.
/// let mut x = [C32::ZERO; 8];
/// x[0] = C32::ONE;
/// let y: Vec<C32> = harness::run(SelectiveFading::new(&[0, 3], &[0.0, -10.0], 0.0, 0.0, 16, 1)?, &x);
/// assert!(y.iter().enumerate().all(|(n, y)| (*y != C32::ZERO) == (n == 0 || n == 3)));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SelectiveFading {
    paths: Vec<Path>,
    history: usize,
}

#[derive(Clone, Debug)]
struct Path {
    delay: usize,
    gain: f32,
    fader: Fader,
}

/// The longest delay, in samples.
const LONGEST: usize = 1 << 20;
/// The most paths.
const MOST_PATHS: usize = 64;

impl SelectiveFading {
    /// Paths with these delays in samples and mean powers in dB.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Element`] or [`Error::OutOfRange`] where a list or a number is not as the table says.
    pub fn new(
        delays: &[usize],
        powers_db: &[f64],
        max_doppler: f64,
        k_factor: f64,
        waves: usize,
        seed: u64,
    ) -> Result<Self, Error> {
        if delays.is_empty() {
            return Err(Error::Empty { parameter: "delays", wanted: "1 to 64 delays" });
        }
        check(delays.len() <= MOST_PATHS, "the number of delays", "at most 64", delays.len() as f64)?;
        let fits = powers_db.len() == delays.len();
        check(fits, "the number of powers_db", "as many as delays", powers_db.len() as f64)?;
        let mut random = Random::new(seed);
        let mut paths = Vec::new();
        for (place, (delay, power)) in delays.iter().zip(powers_db).enumerate() {
            let wrong = |parameter, wanted, got| Error::Element { parameter, place, wanted, got };
            if *delay > LONGEST {
                return Err(wrong("delays", "a whole number from 0 to 1048576", delay.to_string()));
            }
            let gain = 10f64.powf(power / 20.0) as f32;
            if !gain.is_finite() {
                return Err(wrong("powers_db", "a power in dB, at most 700", power.to_string()));
            }
            let k_factor = if place == 0 { k_factor } else { 0.0 };
            paths.push(Path {
                delay: *delay,
                gain,
                fader: Fader::new(waves, max_doppler, k_factor, &mut random)?,
            });
        }
        let history = paths.iter().map(|path| path.delay).max().unwrap_or_default();
        Ok(SelectiveFading { paths, history })
    }
}

impl SyncBlock for SelectiveFading {
    type In = C32;
    type Out = C32;

    fn shape(&self) -> Shape {
        Shape { history: self.history, ..Shape::default() }
    }

    fn process(&mut self, x: &[C32], y: &mut [C32]) {
        y.fill(C32::ZERO);
        for path in &mut self.paths {
            let delayed = &x[self.history - path.delay..];
            for (y, x) in y.iter_mut().zip(delayed) {
                *y += x * (path.fader.gain() * path.gain);
            }
        }
    }
}

#[declare(
    category = "channels",
    summary = "Several paths with delays and powers, each of which fades by itself.",
    ports(input("in", "C32", "x"), output("out", "C32", "what arrives"))
)]
fn selective_fading(
    /// The delay of each path, a whole number.
    #[param(unit = "samples")]
    delays: Vec<C64>,
    /// The mean power of each path.
    #[param(unit = "dB")]
    powers_db: Vec<C64>,
    /// The largest Doppler shift: speed / wavelength / sample rate.
    #[param(unit = "turns/sample", range = 0.0..=0.5)]
    max_doppler: f64,
    /// Of the first path: power of the strongest wave / power of all others, not in dB.
    #[param(range = 0.0..=1e6, default = 0.0)]
    k_factor: f64,
    /// How many waves arrive on each path beside the strongest.
    #[param(range = 1..=MOST_WAVES, default = 16)]
    waves: usize,
    /// The same seed gives the same fading.
    #[param(by = Seed, default = 0)]
    seed: u64,
) -> Result<AnyBlock, BlockError> {
    let delays = counts_of("delays", &delays)?;
    let powers = from_numbers::<f32>("powers_db", &powers_db)?;
    let powers: Vec<f64> = powers.into_iter().map(f64::from).collect();
    Ok(AnyBlock::new(SelectiveFading::new(&delays, &powers, max_doppler, k_factor, waves, seed)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    #[test]
    fn paths_have_their_delays_and_powers_and_fade_by_themselves() {
        let (seeds, delays, powers) = (400, [0, 2, 7], [0.0, -3.0, -10.0]);
        let (mut mean, mut correlation) = ([0.0; 3], 0.0);
        let mut x = [C32::ZERO; 10];
        x[0] = C32::ONE;
        for seed in 0..seeds {
            let block = SelectiveFading::new(&delays, &powers, 0.0, 0.0, 16, seed).unwrap();
            let y: Vec<C32> = harness::run(block, &x);
            for (mean, delay) in mean.iter_mut().zip(delays) {
                *mean += f64::from(y[delay].norm_sqr()) / seeds as f64;
            }
            correlation += f64::from((y[0] * y[2].conj()).re) / seeds as f64;
        }
        for (mean, power) in mean.iter().zip(powers) {
            assert!((10.0 * mean.log10() - power).abs() < 0.7, "{mean}, {power} dB");
        }
        assert!(correlation.abs() < 0.1, "{correlation}");
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let make = || SelectiveFading::new(&[5, 0, 33], &[0.0, -1.0, -2.0], 0.01, 2.0, 8, 7).unwrap();
        harness::assert_cut_invariant(make, &complex_noise(1000));
    }

    #[test]
    fn lists_that_do_not_fit_are_refused() {
        let new = |delays: &[usize], powers: &[f64]| SelectiveFading::new(delays, powers, 0.1, 0.0, 8, 1);
        assert!(new(&[], &[]).is_err() && new(&[1], &[]).is_err() && new(&[1 << 30], &[0.0]).is_err());
        assert!(new(&[1], &[f64::NAN]).is_err() && new(&[1; 65], &[0.0; 65]).is_err());
        assert!(new(&[1], &[0.0]).is_ok());
    }
}
