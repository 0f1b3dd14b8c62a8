//! Sums over the last items.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{
    AnyBlock, BlockError, C32, C64, Item, Shape, SyncBlock, Value, declare, parameter::no_parameter,
};

use super::moving_sum::{MovingSum, Summable};
use crate::error::{Error, MOST_TO_ONE, check, check_to_one};
use crate::filters::fir_filter::TO_ONE;
use crate::item::{FromNumber, ToValue, block_of_number, from_number, from_value};

/// The sum over the last items or vectors, scaled: `y[n] = scale · (x[n] + x[n − 1] + … + x[n − count + 1])`.
///
/// With `scale` = 1 / `count` the mean. Before the stream there are zeros. Sums are in double precision, of 25 to 511 single floats
/// in single precision, a tree of sums; of whole numbers they are exact, and the result wraps. Those of single floats have the items of their window and nothing else: an item that is not
/// finite spoils `count` sums. Those of vectors are kept from one to the next; every 4096 vectors or `count`, whichever is
/// more, they are made anew, so that what is lost to rounding, or a NaN, does not stay.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32`, `f32`, `i32` or `i16` | any |
/// | out `out` | the same | that of `in`, times that of `scale` |
/// | in `set` | messages | new values of `count` and `scale` |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `count` | vectors | ≥ 1; can be changed while the block runs, the sum begins with zeros again then |
/// | `scale` | | any item; can be changed while the block runs |
/// | `length` | items | ≥ 1, the length of a vector; `count · length` ≤ 2²⁴ |
///
/// **Accuracy** of floats with `length` 1: `|error| ≤ 2⁻²³ · |y| + 2⁻⁴⁰ · |scale| · Σ |x|`, of 25 to 511 items `2⁻²⁰` in the place of
/// `2⁻⁴⁰`.
///
/// ```
/// use superhet_blocks::math::MovingAverage;
/// use superhet_runtime::harness;
///
/// let block = MovingAverage::new(3, 0.5f32, 1)?;
/// assert_eq!(harness::run(block, &[1.0, 2.0, 3.0, 4.0]), [0.5, 1.5, 3.0, 4.5]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MovingAverage<T: Summed> {
    count: usize,
    scale: T,
    length: usize,
    /// The last `count` vectors, as a ring; nothing where they are summed up by `quick`.
    past: Vec<T>,
    /// Where the oldest item lies.
    next: usize,
    /// The sum for each place of a vector.
    sums: Vec<T::Sum>,
    /// Vectors until the sums are made anew.
    left: usize,
    /// What sums up single floats in the place of all that.
    quick: T::Quick,
}

/// Items of which sums are kept.
pub trait Summed: Item + FromNumber {
    /// What the sum is kept in.
    type Sum: Copy + Default + Send + std::fmt::Debug;
    /// What sums up single items faster.
    type Quick: Quick<Self>;
    /// `sum + new − old`.
    fn slide(sum: Self::Sum, new: Self, old: Self) -> Self::Sum;
    /// `scale · sum`.
    fn scaled(sum: Self::Sum, scale: Self) -> Self;
    /// The value that says the item.
    fn said(self) -> Value;
}

/// What sums up single items faster than from item to item.
pub trait Quick<T>: Clone + Send + std::fmt::Debug {
    /// For sums of `count` vectors of `length` items.
    fn new(count: usize, length: usize) -> Self;
    /// Whether it can give the sums.
    fn is_there(&self) -> bool;
    /// Gives the sums times `scale`, where it can.
    fn run(&mut self, x: &[T], y: &mut [T], scale: T);
}

impl<T: Summable> Quick<T> for Option<MovingSum<T>> {
    fn new(count: usize, length: usize) -> Self {
        (length == 1).then(|| MovingSum::new(count))
    }
    fn is_there(&self) -> bool {
        self.is_some()
    }
    fn run(&mut self, x: &[T], y: &mut [T], scale: T) {
        if let Some(sums) = self {
            T::run_scaled(sums, x, y, scale);
        }
    }
}

/// Whole numbers are fast as they are.
impl<T> Quick<T> for () {
    fn new(_: usize, _: usize) {}
    fn is_there(&self) -> bool {
        false
    }
    fn run(&mut self, _: &[T], _: &mut [T], _: T) {}
}

impl Summed for f32 {
    type Sum = f64;
    type Quick = Option<MovingSum<f32>>;
    #[inline(always)]
    fn slide(sum: f64, new: f32, old: f32) -> f64 {
        sum + (f64::from(new) - f64::from(old))
    }
    #[inline(always)]
    fn scaled(sum: f64, scale: f32) -> f32 {
        sum as f32 * scale
    }
    fn said(self) -> Value {
        self.to_value()
    }
}

impl Summed for C32 {
    type Sum = C64;
    type Quick = Option<MovingSum<C32>>;
    #[inline(always)]
    fn slide(sum: C64, new: C32, old: C32) -> C64 {
        C64::new(f32::slide(sum.re, new.re, old.re), f32::slide(sum.im, new.im, old.im))
    }
    #[inline(always)]
    fn scaled(sum: C64, scale: C32) -> C32 {
        C32::new(sum.re as f32, sum.im as f32) * scale
    }
    fn said(self) -> Value {
        self.to_value()
    }
}

macro_rules! whole {
    ($($item:ty),+) => {$(
        impl Summed for $item {
            type Sum = $item;
            type Quick = ();
            #[inline(always)]
            fn slide(sum: $item, new: $item, old: $item) -> $item {
                sum.wrapping_add(new).wrapping_sub(old)
            }
            #[inline(always)]
            fn scaled(sum: $item, scale: $item) -> $item {
                sum.wrapping_mul(scale)
            }
            fn said(self) -> Value {
                self.to_value()
            }
        }
    )+};
}

whole!(i32, i16);

/// After how many vectors the sums are made anew, at least.
const ANEW: usize = 4096;

impl<T: Summed> MovingAverage<T> {
    /// Sums over the last `count` vectors of `length` items.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a parameter is.
    pub fn new(count: usize, scale: T, length: usize) -> Result<Self, Error> {
        check_to_one("count", count)?;
        let fits = length >= 1 && count.saturating_mul(length) <= MOST_TO_ONE;
        check(fits, "length", "at least 1, and count · length at most 16777216", length as f64)?;
        let quick = T::Quick::new(count, length);
        let past = if quick.is_there() { Vec::new() } else { vec![T::zeroed(); count * length] };
        let sums = vec![T::Sum::default(); length];
        Ok(MovingAverage { count, scale, length, past, next: 0, sums, left: ANEW.max(count), quick })
    }

    /// Adds the items of one place in the order of time.
    fn sum_anew(&mut self) {
        self.left = ANEW.max(self.count);
        for (place, sum) in self.sums.iter_mut().enumerate() {
            let (newer, older) = self.past.split_at(self.next);
            let items = older.iter().chain(newer).skip(place).step_by(self.length);
            *sum = items.fold(T::Sum::default(), |sum, &x| T::slide(sum, x, T::zeroed()));
        }
    }
}

impl<T: Summed> SyncBlock for MovingAverage<T> {
    type In = T;
    type Out = T;
    const PARAMETERS: &'static [&'static str] = &["count", "scale"];

    fn shape(&self) -> Shape {
        Shape {
            ratio: superhet_runtime::Ratio { interpolation: self.length, decimation: self.length },
            ..Shape::default()
        }
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match name {
            "scale" => self.scale = from_value("scale", value)?,
            "count" => {
                let count = usize::try_from(from_value::<i32>("count", value)?).unwrap_or(0);
                *self = MovingAverage::new(count, self.scale, self.length)?;
            }
            _ => return Err(no_parameter(name, Self::PARAMETERS)),
        }
        Ok(())
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        match name {
            "count" => Some(self.count.into()),
            "scale" => Some(self.scale.said()),
            _ => None,
        }
    }

    fn process(&mut self, mut x: &[T], mut y: &mut [T]) {
        if self.quick.is_there() {
            return self.quick.run(x, y, self.scale);
        }
        while !x.is_empty() {
            // So many lie in a row in the ring, before the sums are made anew.
            let most = (self.left * self.length).min(self.past.len() - self.next);
            let n = most.min(x.len());
            let past = &mut self.past[self.next..self.next + n];
            if let [sum] = &mut self.sums[..] {
                for ((past, x), y) in past.iter_mut().zip(x).zip(&mut *y) {
                    *sum = T::slide(*sum, *x, *past);
                    *past = *x;
                    *y = T::scaled(*sum, self.scale);
                }
            } else {
                let vectors = past.chunks_exact_mut(self.length);
                let items = x.chunks_exact(self.length).zip(y.chunks_exact_mut(self.length));
                for (past, (x, y)) in vectors.zip(items) {
                    for ((sum, past), (&x, y)) in self.sums.iter_mut().zip(past).zip(x.iter().zip(y)) {
                        *sum = T::slide(*sum, x, *past);
                        *past = x;
                        *y = T::scaled(*sum, self.scale);
                    }
                }
            }
            (x, y) = (&x[n..], &mut y[n..]);
            self.next = if self.next + n == self.past.len() { 0 } else { self.next + n };
            self.left -= n / self.length;
            if self.left == 0 {
                self.sum_anew();
            }
        }
    }
}

#[declare(
    category = "math",
    summary = "The sum over the last items or vectors, scaled.",
    ports(
        input("in", "item", "x"),
        output("out", "item", "the scaled sums: ⌊n / length⌋ · length items for n"),
        set_port("new values of count and scale")
    )
)]
fn moving_average(
    /// The type of the items.
    #[param(kind = Kind::Choice(&["C32", "f32", "i32", "i16"]), default = "C32")]
    item: &str,
    /// Over how many items or vectors the sum goes.
    #[param(kind = TO_ONE)]
    count: usize,
    /// What the sum is multiplied by, or its real part.
    #[param(default = 1.0)]
    scale: f64,
    /// The imaginary part; 0 where the items are not C32.
    #[param(default = 0.0)]
    scale_imag: f64,
    /// The length of a vector.
    #[param(unit = "items", kind = TO_ONE, default = 1)]
    length: usize,
) -> Result<AnyBlock, BlockError> {
    let scale = C64::new(scale, scale_imag);
    Ok(block_of_number!(item, T => {
        MovingAverage::<T>::new(count, from_number("scale", scale)?, length)?
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, noise};
    use superhet_runtime::harness;

    #[test]
    fn values_are_right() {
        let x = noise(10_000);
        for count in [1, 5, 5000] {
            let y: Vec<f32> = harness::run(MovingAverage::new(count, 0.5f32, 1).unwrap(), &x);
            let sum = |n: usize| {
                x[(n + 1usize).saturating_sub(count)..=n].iter().map(|&x| f64::from(x)).sum::<f64>()
            };
            assert!(
                (0..10_000).step_by(37).all(|n| (f64::from(y[n]) - sum(n) * 0.5).abs() < 1e-4),
                "{count}"
            );
        }
        let y: Vec<i16> =
            harness::run(MovingAverage::new(3, 2i16, 1).unwrap(), &[1i16, 2, 3, 4, 5, 6, 32767]);
        assert_eq!(y, [2, 6, 12, 18, 24, 30, 20]);
        let y: Vec<f32> =
            harness::run(MovingAverage::new(2, 1f32, 2).unwrap(), &[1f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(y, [1.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        let y: Vec<i32> = harness::run(MovingAverage::new(1, 2i32, 3).unwrap(), &[1, 2, 3, 4, 5, 6]);
        assert_eq!(y, [2, 4, 6, 8, 10, 12], "vectors, one at a time");
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| MovingAverage::new(100, 0.01f32, 1).unwrap(), &noise(10_000));
        harness::assert_cut_invariant(|| MovingAverage::new(7, C32::I, 3).unwrap(), &complex_noise(999));
    }

    #[test]
    fn a_nan_does_not_stay() {
        let mut x = noise(10_000);
        x[10] = f32::NAN;
        for count in [3, 300] {
            let y: Vec<f32> = harness::run(MovingAverage::new(count, 1f32, 1).unwrap(), &x);
            let spoilt: Vec<usize> = (0..x.len()).filter(|n| y[*n].is_nan()).collect();
            assert_eq!(spoilt, (10..10 + count).collect::<Vec<_>>());
        }
        let y: Vec<f32> = harness::run(MovingAverage::new(3, 1f32, 2).unwrap(), &x);
        assert!(y[10].is_nan() && y[9998].is_finite());
    }

    #[test]
    fn whole_numbers_and_vectors_are_summed_exactly_around_the_ring() {
        let x: Vec<i32> = noise(20_000).iter().map(|x| (x * 2e9) as i32).collect();
        for (count, length) in [(1, 1), (7, 1), (5000, 1), (3, 2), (700, 4)] {
            let y: Vec<i32> = harness::run(MovingAverage::new(count, 3i32, length).unwrap(), &x);
            for n in (0..x.len()).step_by(13) {
                let window = (0..count).map_while(|k| n.checked_sub(k * length));
                let sum = window.fold(0i32, |sum, n| sum.wrapping_add(x[n]));
                assert_eq!(y[n], sum.wrapping_mul(3), "{count}, {length}, {n}");
            }
        }
        harness::assert_cut_invariant(|| MovingAverage::new(77, 3i32, 1).unwrap(), &x[..1000]);
    }

    #[test]
    fn what_is_changed_holds_and_what_is_out_of_range_is_refused() {
        let mut block = MovingAverage::new(3, 1f32, 1).unwrap();
        block.set_parameter("count", &2.into()).unwrap();
        let mut y = [0.0; 3];
        block.process(&[1.0, 2.0, 3.0], &mut y);
        assert_eq!(y, [1.0, 3.0, 5.0]);
        assert!(block.set_parameter("count", &0.into()).is_err());
        assert!(MovingAverage::new(1 << 20, 1f32, 1 << 10).is_err());
    }
}
