//! How far samples are from each symbol of a table.

use superhet_runtime::catalog::{Choice, Kind};
use superhet_runtime::{AnyBlock, BlockError, C32, C64, Item, Ratio, Shape, SyncBlock, declare};

use crate::error::{Error, check};
use crate::item::{FromNumber, from_numbers};

/// How distances are told.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum Metric {
    /// The squared distance.
    Euclidean,
    /// 0 for the nearest symbol, the first of those that are as near, and 1 for the others.
    HardSymbol,
}

/// A sample that has a distance from another.
pub trait Distant: FromNumber {
    /// The squared distance.
    fn squared(self, other: Self) -> f32;
}

impl Distant for C32 {
    #[inline(always)]
    fn squared(self, other: Self) -> f32 {
        (self - other).norm_sqr()
    }
}

macro_rules! distant {
    ($($item:ty),+) => {$(
        impl Distant for $item {
            #[inline(always)]
            fn squared(self, other: Self) -> f32 {
                let apart = self as f32 - other as f32;
                apart * apart
            }
        }
    )+};
}

distant!(f32, i16, i32);

/// The distances of each `dimension` samples from all symbols of a table: for `O` symbols
/// `y[n · O + o] = Σ_d |x[n · D + d] − table[o · D + d]|²`, or 0 for the nearest and 1 for the others.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32`, `f32`, `i16` or `i32` | that of the table |
/// | out `out` | `f32` | its square |
///
/// ```
/// use superhet_blocks::fec::trellis::{Metric, TrellisMetrics};
/// use superhet_runtime::harness;
///
/// let metrics = TrellisMetrics::new(vec![-1.0f32, 1.0], 1, Metric::Euclidean)?;
/// assert_eq!(harness::run(metrics, &[0.5f32, -2.0]), [2.25, 0.25, 1.0, 9.0]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TrellisMetrics<T> {
    table: Vec<T>,
    dimension: usize,
    metric: Metric,
}

impl<T: Distant> TrellisMetrics<T> {
    /// Of a table whose symbols have `dimension` samples each.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the dimension is 1 to 65536 and the table has whole symbols, 65536 at most.
    pub fn new(table: Vec<T>, dimension: usize, metric: Metric) -> Result<Self, Error> {
        let fits = (1..=65536).contains(&dimension);
        check(fits, "dimension", "a whole number from 1 to 65536", dimension as f64)?;
        let whole =
            !table.is_empty() && table.len().is_multiple_of(dimension) && table.len() / dimension <= 65536;
        check(whole, "table", "whole symbols, 1 to 65536", table.len() as f64)?;
        Ok(TrellisMetrics { table, dimension, metric })
    }

    fn symbols(&self) -> usize {
        self.table.len() / self.dimension
    }
}

impl<T: Distant + Item> SyncBlock for TrellisMetrics<T> {
    type In = T;
    type Out = f32;

    fn shape(&self) -> Shape {
        let ratio = Ratio { interpolation: self.symbols(), decimation: self.dimension };
        Shape { ratio, ..Shape::default() }
    }

    fn process(&mut self, x: &[T], y: &mut [f32]) {
        for (x, y) in x.chunks_exact(self.dimension).zip(y.chunks_exact_mut(self.symbols())) {
            for (symbol, y) in self.table.chunks_exact(self.dimension).zip(&mut *y) {
                *y = symbol.iter().zip(x).map(|(point, x)| x.squared(*point)).sum();
            }
            if self.metric == Metric::HardSymbol {
                let nearest = y.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(at, _)| at);
                y.fill(1.0);
                y[nearest] = 0.0;
            }
        }
    }
}

#[declare(
    category = "fec",
    summary = "How far samples are from each symbol of a table.",
    ports(
        input("in", "item", "the samples of symbols, one after the other"),
        output(
            "out",
            "f32",
            "a distance for each symbol of the table: ⌊n / dimension⌋ · symbols items for n"
        )
    )
)]
fn trellis_metrics(
    /// The type of the samples.
    #[param(kind = Kind::Choice(&["C32", "f32", "i16", "i32"]), default = "C32")]
    item: &str,
    /// The samples of each symbol, one after the other.
    table: Vec<C64>,
    /// How many samples a symbol has.
    #[param(unit = "items", range = 1..=65536, default = 1)]
    dimension: usize,
    /// Squared distances, or 0 for the nearest symbol and 1 for the others.
    #[param(default = "euclidean")]
    metric: Metric,
) -> Result<AnyBlock, BlockError> {
    macro_rules! block {
        ($T:ty) => {
            AnyBlock::new(TrellisMetrics::<$T>::new(from_numbers("table", &table)?, dimension, metric)?)
        };
    }
    Ok(match item {
        "C32" => block!(C32),
        "f32" => block!(f32),
        "i16" => block!(i16),
        _ => block!(i32),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::harness;

    #[test]
    fn distances_are_squared_and_summed_over_the_dimensions() {
        let metrics = TrellisMetrics::new(vec![0i16, 0, 3, 4], 2, Metric::Euclidean).unwrap();
        assert_eq!(harness::run(metrics, &[0i16, 0, 3, 3]), [0.0, 25.0, 18.0, 1.0]);
        let metrics = TrellisMetrics::new(vec![C32::ONE, C32::I], 1, Metric::Euclidean).unwrap();
        assert_eq!(harness::run(metrics, &[C32::I]), [2.0, 0.0]);
    }

    #[test]
    fn hard_decisions_are_zero_for_the_first_of_the_nearest() {
        let metrics = TrellisMetrics::new(vec![-1.0f32, 1.0, 3.0], 1, Metric::HardSymbol).unwrap();
        assert_eq!(harness::run(metrics, &[2.0f32, 9.0]), [1.0, 0.0, 1.0, 1.0, 1.0, 0.0]);
        assert!(TrellisMetrics::new(vec![1.0f32; 3], 2, Metric::HardSymbol).is_err());
        assert!(TrellisMetrics::<f32>::new(vec![], 1, Metric::HardSymbol).is_err());
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let x = crate::testing::noise(300);
        let table: Vec<f32> = (0..6).map(|n| n as f32 / 3.0 - 1.0).collect();
        harness::assert_cut_invariant(
            || TrellisMetrics::new(table.clone(), 3, Metric::Euclidean).unwrap(),
            &x,
        );
    }
}
