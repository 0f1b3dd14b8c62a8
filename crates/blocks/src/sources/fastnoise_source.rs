//! Noise from a pool.

use superhet_runtime::catalog::{Entry, Kind, optional, output, set_port};
use superhet_runtime::{BlockError, C32, SyncBlock, Value, no_parameter};

use super::noise_source::{AMPLITUDE, DISTRIBUTION, ITEM, Noise, NoiseItem, SEED, check_amplitude, noise_of};
use super::random::Random;
use crate::error::{Error, check};
use crate::item::{block_of_item, float_of};

/// As [`NoiseSource`](super::NoiseSource), drawn from a pool of `samples` items that is filled once: faster, and good where the
/// same values may come again.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | `C32`, `f32`, `i16` or `i32` | that of `amplitude` |
/// | in `set` | messages | new values of `amplitude`, `distribution` |
///
/// | parameter | range |
/// |---|---|
/// | `samples` | 1 to 2²⁴ |
/// | others | as those of `NoiseSource` |
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

impl<T: NoiseItem> FastnoiseSource<T> {
    /// Noise of a distribution, times `amplitude`, from a pool of `samples` items.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the amplitude is finite and the pool has 1 to 2²⁴ items.
    pub fn new(noise: Noise, amplitude: f64, seed: u64, samples: usize) -> Result<Self, Error> {
        check_amplitude(amplitude)?;
        check((1..=MOST).contains(&samples), "samples", "a whole number from 1 to 16777216", samples as f64)?;
        let pool = vec![T::zeroed(); samples];
        // Which item comes next has nothing to do with what the items are.
        let random = Random::new(!seed);
        let mut source = FastnoiseSource { noise, amplitude, seed, pool, random };
        source.fill();
        Ok(source)
    }

    fn fill(&mut self) {
        let (noise, amplitude, mut random) = (self.noise, self.amplitude as f32, Random::new(self.seed));
        self.pool.fill_with(|| T::draw(noise, amplitude, &mut random));
    }
}

impl<T: NoiseItem> SyncBlock for FastnoiseSource<T> {
    type In = ();
    type Out = T;
    const PARAMETERS: &'static [&'static str] = &["amplitude", "distribution"];

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match name {
            "amplitude" => {
                let amplitude = float_of("amplitude", value)?;
                check_amplitude(amplitude)?;
                self.amplitude = amplitude;
            }
            "distribution" => self.noise = noise_of(value)?,
            _ => return Err(no_parameter(name, Self::PARAMETERS)),
        }
        self.fill();
        Ok(())
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        (name == "amplitude").then(|| self.amplitude.into())
    }

    fn process(&mut self, _: (), y: &mut [T]) {
        let items = self.pool.len() as u64;
        for y in y {
            *y = self.pool[self.random.below(items) as usize];
        }
    }
}

/// How files and the command line find [`FastnoiseSource`].
pub const ENTRY: Entry = Entry {
    name: "fastnoise_source",
    category: "sources",
    summary: "Noise from a pool that is filled once.",
    params: &[
        ITEM,
        DISTRIBUTION,
        AMPLITUDE,
        SEED,
        optional("samples", Kind::Integer(1, MOST as i64), "items", "16384", "How large the pool is."),
    ],
    ports: &[output("out", "item", "the noise"), set_port("new values of amplitude and distribution")],
    make: |params| {
        let noise = Noise::from_name(params.text("distribution")).unwrap_or_default();
        let (amplitude, seed) = (params.float("amplitude"), params.integer("seed") as u64);
        let samples = params.count("samples");
        Ok(block_of_item!(params, T => FastnoiseSource::<T>::new(noise, amplitude, seed, samples)?;
            "C32" = C32, "f32" = f32, "i16" = i16, "i32" = i32))
    },
};

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
