//! Noise from a pool.

use crate::item::Seed;
use superhet_runtime::{C32, SyncBlock, declare};

use super::noise_source::{Noise, NoiseItem, check_amplitude};
use super::random::Random;
use crate::error::{Error, check};

/// As [`NoiseSource`](super::NoiseSource), drawn from a pool of `samples` items that is filled once: faster, and good where the
/// same values may come again.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | `C32`, `f32`, `i16` or `i32` | that of `amplitude` |
/// | in `set` | messages | new values of `amplitude`, `distribution` |
///
/// ```
/// use superhet_blocks::sources::{FastnoiseSource, Noise};
/// use superhet_runtime::SyncBlock;
///
/// let mut y = [0.0f32; 100];
/// FastnoiseSource::<f32>::new(Noise::Uniform, 1.0, 7, 16)?.process((), &mut y);
/// assert!(y.iter().all(|y| y.abs() <= 1.0));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FastnoiseSource<T> {
    noise: Noise,
    amplitude: f64,
    seed: u64,
    pool: Vec<T>,
    random: Random,
}

/// The largest pool.
const MOST: usize = 1 << 24;

#[declare(
    category = "sources",
    summary = "Noise from a pool that is filled once.",
    items(C32, f32, i16, i32),
    ports(output("out", "item", "the noise"), set_port("new values of amplitude and distribution"))
)]
impl<T: NoiseItem> FastnoiseSource<T> {
    /// Noise of a distribution, times `amplitude`, from a pool of `samples` items.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the amplitude is finite and the pool has 1 to 2²⁴ items.
    pub fn new(
        /// How the noise is distributed.
        #[param(live, name = "distribution", set = set_noise, default = "gaussian")]
        noise: Noise,
        /// What the noise is multiplied by.
        #[param(live, set = set_amplitude, default = 1.0)]
        amplitude: f64,
        /// The same seed gives the same numbers.
        #[param(by = Seed, default = 0)]
        seed: u64,
        /// How large the pool is.
        #[param(unit = "items", range = 1..=MOST, default = 16384)]
        samples: usize,
    ) -> Result<Self, Error> {
        check_amplitude(amplitude)?;
        check((1..=MOST).contains(&samples), "samples", "a whole number from 1 to 16777216", samples as f64)?;
        let pool = vec![T::zeroed(); samples];
        // Which item comes next has nothing to do with what the items are.
        let random = Random::new(!seed);
        let mut source = FastnoiseSource { noise, amplitude, seed, pool, random };
        source.fill();
        Ok(source)
    }

    fn set_noise(&mut self, noise: Noise) -> Result<(), Error> {
        self.noise = noise;
        self.fill();
        Ok(())
    }

    fn set_amplitude(&mut self, amplitude: f64) -> Result<(), Error> {
        check_amplitude(amplitude)?;
        self.amplitude = amplitude;
        self.fill();
        Ok(())
    }

    fn fill(&mut self) {
        let (noise, amplitude, mut random) = (self.noise, self.amplitude as f32, Random::new(self.seed));
        self.pool.fill_with(|| T::draw(noise, amplitude, &mut random));
    }
}

#[declare]
impl<T: NoiseItem> SyncBlock for FastnoiseSource<T> {
    type In = ();
    type Out = T;

    fn process(&mut self, _: (), y: &mut [T]) {
        let items = self.pool.len() as u64;
        for y in y {
            *y = self.pool[self.random.below(items) as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_from_the_pool_and_have_its_power_wherever_the_stream_is_cut() {
        let source = || FastnoiseSource::<f32>::new(Noise::Gaussian, 2.0, 5, 1 << 14).unwrap();
        let mut whole = vec![0.0; 100_000];
        source().process((), &mut whole);
        let mut cut = vec![0.0; 100_000];
        let mut other = source();
        cut.chunks_mut(321).for_each(|y| other.process((), y));
        assert_eq!(whole, cut);
        let power = whole.iter().map(|y| f64::from(y * y)).sum::<f64>() / 1e5;
        assert!((power - 4.0).abs() < 0.2, "{power}");
        assert!(FastnoiseSource::<f32>::new(Noise::Gaussian, 2.0, 5, 0).is_err());
    }
}
