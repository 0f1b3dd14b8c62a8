//! Recursive filter with a single pole: an exponential mean.
//!
//! A single mean goes through `recursion.rs`, which says what bounds it; means of vectors item by item, where those of one vector
//! do not wait for each other.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, BlockError, SyncBlock, Value, declare, parameter::no_parameter};

use super::iir_filter::{Filtered, all_finite};
use super::recursion::{CHUNK, Recursion};
use crate::error::{Error, check};
use crate::item::{block_of_sample, float_of};

/// Exponential mean: `y[n] = α · x[n] + (1 − α) · y[n − vector]`, zero before the first item, computed in double precision.
///
/// An item that is not finite gives what the equation says, once, and the mean does not take it.
///
/// **Accuracy**: `|error| ≤ 2⁻²⁴ · |y| + 2⁻⁴⁹ · max |x|`.
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
/// | `length` | 1 to 2²⁰: so many means of every `length`-th item |
///
/// ```
/// use superhet_blocks::filters::SinglePoleIirFilter;
/// use superhet_runtime::harness;
///
/// let mean = SinglePoleIirFilter::<f32>::new(0.5, 1)?;
/// assert_eq!(harness::run(mean, &[1.0, 1.0, 0.0]), [0.5, 0.75, 0.375]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SinglePoleIirFilter<T: Filtered<f64>> {
    alpha: f64,
    means: Vec<T::Wide>,
    next: usize,
    /// The means before the call.
    before: Vec<T::Wide>,
    /// In the place of a single mean: the filter of each part of a sample, in groups.
    groups: Vec<Recursion>,
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
        check((1..=LONGEST).contains(&vector), "length", "a whole number from 1 to 1048576", vector as f64)?;
        let means = vec![T::Wide::default(); vector];
        let mut filter =
            SinglePoleIirFilter { alpha, means, next: 0, before: Vec::new(), groups: Vec::new() };
        filter.group();
        Ok(filter)
    }

    /// Goes on in groups, if there is a single mean.
    fn group(&mut self) {
        let [mean] = self.means[..] else { return };
        let part = |part: usize| {
            let mut group = Recursion::new(&[self.alpha], &[1.0 - self.alpha])?;
            group.set_past(std::iter::empty(), [T::parts(mean)[part]].into_iter());
            Some(group)
        };
        self.groups = (0..T::PARTS).map_while(part).collect();
    }

    /// The single mean.
    fn mean(&self) -> T::Wide {
        let last =
            |part: usize| self.groups.get(part).and_then(|group| group.outputs().next()).unwrap_or(0.0);
        T::of_parts([last(0), last(1)])
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
        if !self.groups.is_empty() {
            self.means[0] = self.mean();
            self.group();
        }
        Ok(())
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        (name == "alpha").then(|| self.alpha.into())
    }

    fn process(&mut self, x: &[T], y: &mut [T]) {
        if !self.groups.is_empty() {
            for (x, y) in x.chunks(CHUNK).zip(y.chunks_mut(CHUNK)) {
                self.filter_groups(x, y);
            }
            return;
        }
        self.before.clone_from(&self.means);
        let next = self.next;
        self.filter::<false>(x, y);
        // Once a mean is not finite it stays so: a look at the end of the call tells.
        if self.means.iter().any(|mean| !T::is_finite(*mean)) {
            std::mem::swap(&mut self.means, &mut self.before);
            self.next = next;
            self.filter::<true>(x, y);
        }
    }
}

impl<T: Filtered<f64>> SinglePoleIirFilter<T> {
    /// Filters at most [`CHUNK`] items in groups, which begin anew behind one that is not finite.
    fn filter_groups(&mut self, mut x: &[T], mut y: &mut [T]) {
        while !x.is_empty() {
            let finite = if all_finite(x) {
                x.len()
            } else {
                x.iter().position(|x| !T::is_finite(x.widen())).unwrap_or(x.len())
            };
            if finite > 0 {
                self.filter_finite(&x[..finite], &mut y[..finite]);
            }
            (x, y) = (&x[finite..], &mut y[finite..]);
            if let ([bad, ..], [output, ..]) = (x, &mut *y) {
                *output = T::narrow(bad.widen() * self.alpha + self.mean() * (1.0 - self.alpha));
                self.groups.iter_mut().for_each(Recursion::restart);
                (x, y) = (&x[1..], &mut y[1..]);
            }
        }
    }

    fn filter_finite(&mut self, x: &[T], y: &mut [T]) {
        let [first, others @ ..] = &mut self.groups[..] else { return };
        let mut other = others.first_mut();
        let other_room = other.as_mut().map_or(&mut [][..], |other| other.room(x.len()));
        T::split(x, [first.room(x.len()), other_room]);
        // A mean of finite floats is finite.
        let mut none = Vec::new();
        T::join(y, [first.run(&mut none), other.map_or(&[][..], |other| other.run(&mut Vec::new()))]);
    }

    /// Filters items; where `CAREFUL`, means do not take what would make them not finite.
    fn filter<const CAREFUL: bool>(&mut self, x: &[T], y: &mut [T]) {
        let (alpha, rest) = (self.alpha, 1.0 - self.alpha);
        let advance = |mean: &mut T::Wide, x: &T| {
            let next = x.widen() * alpha + *mean * rest;
            if !CAREFUL || T::is_finite(next) {
                *mean = next;
            }
            T::narrow(next)
        };
        if let [mean] = &mut self.means[..] {
            x.iter().zip(y).for_each(|(x, y)| *y = advance(mean, x));
            return;
        }
        for (x, y) in x.iter().zip(y) {
            *y = advance(&mut self.means[self.next], x);
            self.next = if self.next + 1 == self.means.len() { 0 } else { self.next + 1 };
        }
    }
}

#[declare(
    category = "filters",
    summary = "Exponential mean: y[n] = alpha · x[n] + (1 − alpha) · y[n − 1].",
    ports(input("in", "item", "x"), output("out", "item", "the mean of x"), set_port("new values of alpha"))
)]
fn single_pole_iir_filter(
    /// The type of the items.
    #[param(kind = Kind::Choice(&["C32", "f32"]), default = "C32")]
    item: &str,
    /// How much of what is new is taken.
    #[param(range = 0.0..=1.0)]
    alpha: f64,
    /// So many means, one for each place of a vector.
    #[param(formerly = "vector", unit = "items", range = 1..=LONGEST, default = 1)]
    length: usize,
) -> Result<AnyBlock, BlockError> {
    Ok(block_of_sample!(item, T => SinglePoleIirFilter::<T>::new(alpha, length)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, noise};
    use proptest::strategy::Strategy;
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

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config { cases: 100, failure_persistence: None, ..Default::default() })]

        #[test]
        fn means_are_those_of_the_equation(
            alpha in proptest::prop_oneof![0.0f64..=1.0, (0.0f64..12.0).prop_map(|power| 10f64.powf(-power))],
            gain in -30.0f64..30.0,
            bad in proptest::collection::vec(0usize..1500, 0..4),
        ) {
            let mut x: Vec<f32> = noise(1500).iter().map(|x| x * 10f64.powf(gain) as f32).collect();
            let largest = x.iter().fold(0f64, |most, x| most.max(f64::from(x.abs())));
            for (place, n) in bad.into_iter().enumerate() {
                x[n] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY][place % 3];
            }
            let filter = || SinglePoleIirFilter::<f32>::new(alpha, 1).unwrap();
            let y: Vec<f32> = harness::run(filter(), &x);
            let mut mean = 0.0;
            for (x, y) in x.iter().zip(y) {
                let next = alpha * f64::from(*x) + (1.0 - alpha) * mean;
                if next.is_finite() {
                    mean = next;
                    let bound = 2f64.powi(-24) * mean.abs() + 2f64.powi(-49) * largest + 1e-45;
                    proptest::prop_assert!((f64::from(y) - mean).abs() <= bound, "{y}, wanted {mean}");
                } else {
                    proptest::prop_assert!(!y.is_finite());
                }
            }
            harness::assert_cut_invariant(filter, &x);
        }
    }

    #[test]
    fn an_alpha_that_is_changed_holds_for_the_same_mean() {
        for vector in [1, 2] {
            let mut filter = SinglePoleIirFilter::<C32>::new(0.5, vector).unwrap();
            let mut y = [C32::ZERO; 6];
            filter.process(&[C32::ONE; 6], &mut y);
            let last = y[5];
            filter.set_parameter("alpha", &0.25.into()).unwrap();
            filter.process(&[C32::I; 6], &mut y);
            assert!((y[0] - (last * 0.75 + C32::I * 0.25)).norm() < 1e-6, "{vector}");
        }
    }

    #[test]
    fn an_alpha_out_of_range_is_refused() {
        assert!(SinglePoleIirFilter::<f32>::new(1.5, 1).is_err());
        let mut filter = SinglePoleIirFilter::<f32>::new(0.5, 1).unwrap();
        assert!(filter.set_parameter("alpha", &(-0.1).into()).is_err());
        assert!(filter.set_parameter("alpha", &0.25.into()).is_ok());
    }

    #[test]
    fn an_item_that_is_not_finite_stays_out_of_the_mean() {
        let mut x = vec![C32::ONE; 300];
        (x[100], x[121]) = (C32::new(f32::NAN, 1.0), C32::new(1.0, f32::INFINITY));
        for (alpha, vector) in [(0.1, 1), (1.0, 1), (0.1, 3)] {
            let make = || SinglePoleIirFilter::<C32>::new(alpha, vector).unwrap();
            let y: Vec<C32> = harness::run(make(), &x);
            let spoilt: Vec<usize> = (0..300).filter(|n| !y[*n].is_finite()).collect();
            assert_eq!(spoilt, [100, 121]);
            assert!((y[299] - C32::ONE).norm() < 1e-3, "{}", y[299]);
        }
    }
}
