//! Noise.

use superhet_runtime::catalog::Choice;
use superhet_runtime::{C32, Item, SyncBlock, declare};

use super::random::Random;
use crate::error::{Error, check};
use crate::item::Seed;

/// How noise is distributed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Choice)]
pub enum Noise {
    /// From −1 to 1, all equally likely.
    Uniform,
    /// Normal, with variance 1.
    #[default]
    Gaussian,
    /// Two-sided exponential, with a mean magnitude of 1.
    Laplacian,
    /// 0, but for one item of some 600: of an exponential distribution what is beyond 9.
    Impulse,
}

impl Noise {
    /// Two independent numbers.
    #[inline]
    pub(super) fn two(self, random: &mut Random) -> [f32; 2] {
        match self {
            Noise::Uniform => random.two().map(|x| 2.0 * x - 1.0),
            Noise::Gaussian => random.normal(),
            Noise::Laplacian => random.two().map(|x| {
                let x = x - 0.5 + f32::EPSILON / 4.0;
                -x.signum() * superhet_kernels::item::ln(1.0 - 2.0 * x.abs())
            }),
            Noise::Impulse => random.two().map(|x| {
                let x = -std::f32::consts::SQRT_2 * superhet_kernels::item::ln(1.0 - x);
                if x > 9.0 { x } else { 0.0 }
            }),
        }
    }
}

/// Items that noise can be of.
pub trait NoiseItem: Item {
    /// The item of noise, scaled by `amplitude`.
    #[inline]
    fn draw(noise: Noise, amplitude: f32, random: &mut Random) -> Self {
        Self::of_two(noise.two(random), amplitude)
    }
    /// The item that two independent numbers make, scaled by `amplitude`.
    fn of_two(two: [f32; 2], amplitude: f32) -> Self;
}

impl NoiseItem for f32 {
    #[inline]
    fn of_two(two: [f32; 2], amplitude: f32) -> Self {
        two[0] * amplitude
    }
}

impl NoiseItem for C32 {
    #[inline]
    fn of_two([re, im]: [f32; 2], amplitude: f32) -> Self {
        C32::new(re, im) * (amplitude * std::f32::consts::FRAC_1_SQRT_2)
    }
}

macro_rules! whole {
    ($($item:ty),+) => {$(
        impl NoiseItem for $item {
            #[inline]
            fn of_two(two: [f32; 2], amplitude: f32) -> Self {
                f32::of_two(two, amplitude) as $item
            }
        }
    )+};
}

whole!(i16, i32);

/// Noise, always the same for one seed.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | `C32`, `f32`, `i16` or `i32` | that of `amplitude` |
/// | in `set` | messages | new values of `amplitude`, `distribution` |
///
/// Real and imaginary part are independent, each of `amplitude / √2`: Gaussian noise has the power `amplitude²`, real or
/// complex. Whole numbers are cut off towards 0. The numbers are not those of GNU Radio; their distributions are.
///
/// ```
/// use superhet_blocks::{flow::Head, sinks::VectorSink, sources::{Noise, NoiseSource}};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let source = graph.add("source", NoiseSource::<f32>::new(Noise::Gaussian, 2.0, 1)?);
/// let head = graph.add("head", Head::<f32>::new(10_000));
/// let sink = VectorSink::<f32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, head.input);
/// graph.connect(head.output, sink.input);
/// graph.run()?;
/// let power = items.take().iter().map(|x| x * x).sum::<f32>() / 10_000.0;
/// assert!((power - 4.0).abs() < 0.3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct NoiseSource<T> {
    noise: Noise,
    amplitude: f64,
    random: Random,
    item: std::marker::PhantomData<fn() -> T>,
}

pub(super) fn check_amplitude(amplitude: f64) -> Result<(), Error> {
    check((amplitude as f32).is_finite(), "amplitude", "a finite number", amplitude)
}

#[declare(
    category = "sources",
    summary = "Noise: uniform, Gaussian, Laplacian or of impulses.",
    items(C32, f32, i16, i32),
    ports(output("out", "item", "the noise"), set_port("new values of amplitude and distribution"))
)]
impl<T: NoiseItem> NoiseSource<T> {
    /// Noise of a distribution, times `amplitude`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the amplitude is finite.
    pub fn new(
        /// How the noise is distributed.
        #[param(live, name = "distribution", check = Ok::<Noise, Error>, default = "gaussian")]
        noise: Noise,
        /// What the noise is multiplied by.
        #[param(live, check = check_amplitude, default = 1.0)]
        amplitude: f64,
        /// The same seed gives the same numbers.
        #[param(by = Seed, default = 0)]
        seed: u64,
    ) -> Result<Self, Error> {
        check_amplitude(amplitude)?;
        Ok(NoiseSource { noise, amplitude, random: Random::new(seed), item: std::marker::PhantomData })
    }
}

#[declare]
impl<T: NoiseItem> SyncBlock for NoiseSource<T> {
    type In = ();
    type Out = T;

    fn process(&mut self, _: (), y: &mut [T]) {
        let (noise, amplitude) = (self.noise, self.amplitude as f32);
        if noise == Noise::Gaussian {
            let mut pairs = [[0.0; 2]; 128];
            for y in y.chunks_mut(128) {
                let pairs = &mut pairs[..y.len()];
                self.random.normals(pairs);
                y.iter_mut().zip(&*pairs).for_each(|(y, pair)| *y = T::of_two(*pair, amplitude));
            }
            return;
        }
        for y in y {
            *y = T::draw(noise, amplitude, &mut self.random);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn drawn<T: NoiseItem>(source: &mut impl SyncBlock<In = (), Out = T>, n: usize) -> Vec<T> {
        let mut y = vec![T::zeroed(); n];
        for y in y.chunks_mut(777) {
            source.process((), y);
        }
        y
    }

    #[test]
    fn moments_are_those_of_the_distributions() {
        // Variance and mean magnitude of GNU Radio's sources with the amplitude 10.
        for (noise, power, magnitude) in
            [(Noise::Uniform, 33.3, 5.0), (Noise::Gaussian, 100.0, 7.98), (Noise::Laplacian, 200.0, 10.0)]
        {
            let n = 200_000;
            let y = drawn(&mut NoiseSource::<f32>::new(noise, 10.0, 7).unwrap(), n);
            let mean = |f: &dyn Fn(f32) -> f32| y.iter().map(|y| f64::from(f(*y))).sum::<f64>() / n as f64;
            assert!(mean(&|y| y).abs() < 0.1, "{noise:?}");
            assert!((mean(&|y| y * y) / power - 1.0).abs() < 0.03, "{noise:?}");
            assert!((mean(&|y| y.abs()) / magnitude - 1.0).abs() < 0.01, "{noise:?}");
            let y = drawn(&mut NoiseSource::<C32>::new(noise, 10.0, 7).unwrap(), n);
            let both: f64 = y.iter().map(|y| f64::from(y.norm_sqr())).sum::<f64>() / n as f64;
            assert!((both / power - 1.0).abs() < 0.03, "{noise:?}");
        }
        let y = drawn(&mut NoiseSource::<i16>::new(Noise::Uniform, 10.0, 7).unwrap(), 10_000);
        assert!(y.iter().all(|y| y.abs() <= 9) && y.contains(&9) && y.contains(&-9));
        let y = drawn(&mut NoiseSource::<f32>::new(Noise::Impulse, 1.0, 7).unwrap(), 100_000);
        let impulses = y.iter().filter(|y| **y != 0.0).count();
        assert!((100..250).contains(&impulses), "{impulses}");
    }

    #[test]
    fn a_seed_gives_the_same_numbers_wherever_the_stream_is_cut() {
        let mut whole = vec![C32::ZERO; 5000];
        NoiseSource::<C32>::new(Noise::Gaussian, 1.0, 3).unwrap().process((), &mut whole);
        assert_eq!(drawn(&mut NoiseSource::<C32>::new(Noise::Gaussian, 1.0, 3).unwrap(), 5000), whole);
        assert_ne!(drawn(&mut NoiseSource::<C32>::new(Noise::Gaussian, 1.0, 4).unwrap(), 5000), whole);
        assert!(whole.iter().all(|x| x.is_finite()));
    }

    #[test]
    fn settings_that_are_none_are_refused() {
        assert!(NoiseSource::<f32>::new(Noise::Uniform, f64::INFINITY, 0).is_err());
        let mut source = NoiseSource::<f32>::new(Noise::Uniform, 1.0, 0).unwrap();
        assert!(source.set_parameter("distribution", &"pink".into()).is_err());
        assert!(source.set_parameter("distribution", &"laplacian".into()).is_ok());
    }
}
