//! Recursive filter with a single pole: an exponential mean.

use superhet_runtime::catalog::{Entry, Kind, input, optional, output, required, set_port};
use superhet_runtime::{BlockError, SyncBlock, Value, no_parameter};

use super::iir_filter::Filtered;
use crate::error::{Error, check};
use crate::item::{SAMPLE_ITEM, block_of_sample, float_of};

/// Exponential mean: `y[n] = α · x[n] + (1 − α) · y[n − vector]`, zero before the first item, computed in double precision.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` or `f32` | any |
/// | out `out` | the same | that of `in` |
/// | in `set` | messages | new values of `alpha` |
///
/// | parameter | range |
/// |---|---|
/// | `alpha` | 0 to 1; can be changed while the block runs |
/// | `vector` | 1 to 2²⁰: so many means of every `vector`-th item |
///
/// ```
/// use superhet_blocks::filters::SinglePoleIirFilter;
/// use superhet_runtime::harness;
///
/// let mean = SinglePoleIirFilter::<f32>::new(0.5, 1)?;
/// assert_eq!(harness::run::<f32, f32, _, _>(mean, &[1.0, 1.0, 0.0]), [0.5, 0.75, 0.375]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SinglePoleIirFilter<T: Filtered<f64>> {
    alpha: f64,
    means: Vec<T::Wide>,
    next: usize,
}

/// The longest vector.
const LONGEST: usize = 1 << 20;

fn check_alpha(alpha: f64) -> Result<(), Error> {
    check((0.0..=1.0).contains(&alpha), "alpha", "from 0 to 1", alpha)
}

impl<T: Filtered<f64>> SinglePoleIirFilter<T> {
    /// A filter that takes the part `alpha` of what is new, for vectors of so many items.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a number out of its range.
    pub fn new(alpha: f64, vector: usize) -> Result<Self, Error> {
        check_alpha(alpha)?;
        check((1..=LONGEST).contains(&vector), "vector", "a whole number from 1 to 1048576", vector as f64)?;
        Ok(SinglePoleIirFilter { alpha, means: vec![T::Wide::default(); vector], next: 0 })
    }
}

impl<T: Filtered<f64>> SyncBlock for SinglePoleIirFilter<T> {
    type In = T;
    type Out = T;
    const PARAMETERS: &'static [&'static str] = &["alpha"];

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        if name != "alpha" {
            return Err(no_parameter(name, Self::PARAMETERS));
        }
        let alpha = float_of("alpha", value)?;
        check_alpha(alpha)?;
        self.alpha = alpha;
        Ok(())
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        (name == "alpha").then(|| self.alpha.into())
    }

    fn process(&mut self, x: &[T], y: &mut [T]) {
        let (alpha, rest) = (self.alpha, 1.0 - self.alpha);
        if let [mean] = &mut self.means[..] {
            for (x, y) in x.iter().zip(y) {
                *mean = x.widen() * alpha + *mean * rest;
                *y = T::narrow(*mean);
            }
            return;
        }
        for (x, y) in x.iter().zip(y) {
            let mean = &mut self.means[self.next];
            *mean = x.widen() * alpha + *mean * rest;
            *y = T::narrow(*mean);
            self.next = if self.next + 1 == self.means.len() { 0 } else { self.next + 1 };
        }
    }
}

/// How files and the command line find [`SinglePoleIirFilter`].
pub const ENTRY: Entry = Entry {
    name: "single_pole_iir_filter",
    category: "filters",
    summary: "Exponential mean: y[n] = alpha · x[n] + (1 − alpha) · y[n − 1].",
    params: &[
        SAMPLE_ITEM,
        required("alpha", Kind::Float(0.0, 1.0), "", "How much of what is new is taken."),
        optional(
            "vector",
            Kind::Integer(1, LONGEST as i64),
            "items",
            "1",
            "So many means, one for each place of a vector.",
        ),
    ],
    ports: &[
        input("in", "item", "x"),
        output("out", "item", "the mean of x"),
        set_port("new values of alpha"),
    ],
    make: |params| {
        let (alpha, vector) = (params.float("alpha"), params.count("vector"));
        Ok(block_of_sample!(params, T => SinglePoleIirFilter::<T>::new(alpha, vector)?))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, noise};
    use superhet_runtime::{C32, harness};

    #[test]
    fn a_vector_has_a_mean_for_each_place() {
        let mean = SinglePoleIirFilter::<f32>::new(0.5, 2).unwrap();
        let y: Vec<f32> = harness::run(mean, &[1.0f32, 8.0, 1.0, 0.0, 0.0]);
        assert_eq!(y, [0.5, 4.0, 0.75, 2.0, 0.375]);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| SinglePoleIirFilter::<f32>::new(0.1, 3).unwrap(), &noise(500));
        harness::assert_cut_invariant(
            || SinglePoleIirFilter::<C32>::new(0.1, 1).unwrap(),
            &complex_noise(500),
        );
    }

    #[test]
    fn an_alpha_out_of_range_is_refused() {
        assert!(SinglePoleIirFilter::<f32>::new(1.5, 1).is_err());
        let mut filter = SinglePoleIirFilter::<f32>::new(0.5, 1).unwrap();
        assert!(filter.set_parameter("alpha", &(-0.1).into()).is_err());
        assert!(filter.set_parameter("alpha", &0.25.into()).is_ok());
    }
}
