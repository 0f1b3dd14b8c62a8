//! Values of a signal between its samples.

use superhet_kernels::{self as kernels, Line, Machine};
use superhet_runtime::{C32, Item};

use crate::error::{Error, check};

/// Samples that can be filtered with real taps.
pub trait Sample:
    Item
    + Default
    + std::ops::Sub<Output = Self>
    + std::ops::Add<Output = Self>
    + std::ops::Mul<f32, Output = Self>
{
    /// `Σ taps[k] · x[k]`.
    fn dot(x: &[Self], taps: &[f32]) -> Self;
    /// The same of two rows of taps.
    fn two_dots(x: &[Self], a: &[f32], b: &[f32]) -> [Self; 2];
    /// `Re(self · conj(other))`: for real samples their product.
    fn correlate(self, other: Self) -> f32;
    /// As a complex sample.
    fn complex(self) -> C32;
    /// The part of a complex sample that a sample of this type has.
    fn part_of(complex: C32) -> Self;
    /// How many real numbers it has.
    const PARTS: f32;
    /// The samples that sums of products with rows of taps are.
    fn sums<M: Machine, const ROWS: usize>(x: &[Self], rows: [&[Line]; ROWS]) -> [Self; ROWS];
}

impl Sample for f32 {
    const PARTS: f32 = 1.0;
    #[inline(always)]
    fn dot(x: &[f32], taps: &[f32]) -> f32 {
        match (x.first_chunk(), taps.first_chunk()) {
            (Some(short), Some(few)) if taps.len() == SHORT => short_dot(short, few),
            _ => kernels::dot_f32(x, taps),
        }
    }
    #[inline(always)]
    fn two_dots(x: &[f32], a: &[f32], b: &[f32]) -> [f32; 2] {
        if a.len() == SHORT { [a, b].map(|taps| f32::dot(x, taps)) } else { kernels::two_dots_f32(x, a, b) }
    }
    #[inline(always)]
    fn correlate(self, other: f32) -> f32 {
        self * other
    }
    fn complex(self) -> C32 {
        C32::new(self, 0.0)
    }
    fn part_of(complex: C32) -> f32 {
        complex.re
    }
    #[inline(always)]
    fn sums<M: Machine, const ROWS: usize>(x: &[f32], rows: [&[Line]; ROWS]) -> [f32; ROWS] {
        let sums = M::sums::<1, ROWS>(x, rows);
        std::array::from_fn(|row| sums[row].0)
    }
}

impl Sample for C32 {
    const PARTS: f32 = 2.0;
    #[inline(always)]
    fn dot(x: &[C32], taps: &[f32]) -> C32 {
        match (x.first_chunk(), taps.first_chunk()) {
            (Some(short), Some(few)) if taps.len() == SHORT => short_dot(short, few),
            _ => kernels::dot_c32_f32(x, taps),
        }
    }
    #[inline(always)]
    fn two_dots(x: &[C32], a: &[f32], b: &[f32]) -> [C32; 2] {
        if a.len() == SHORT {
            [a, b].map(|taps| C32::dot(x, taps))
        } else {
            kernels::two_dots_c32_f32(x, a, b)
        }
    }
    #[inline(always)]
    fn correlate(self, other: C32) -> f32 {
        self.re * other.re + self.im * other.im
    }
    fn complex(self) -> C32 {
        self
    }
    fn part_of(complex: C32) -> C32 {
        complex
    }
    #[inline(always)]
    fn sums<M: Machine, const ROWS: usize>(x: &[C32], rows: [&[Line]; ROWS]) -> [C32; ROWS] {
        let sums = M::sums::<2, ROWS>(bytemuck::cast_slice(x), rows);
        // Not by `map`, which stays a call.
        std::array::from_fn(|row| C32::new(sums[row].0, sums[row].1))
    }
}

/// Parts of a sample in which places are counted.
pub(super) const PARTS: f32 = 4_294_967_296.0;

/// So many samples, at least 0 and less than 2³¹, in parts.
#[inline(always)]
pub(super) fn parts(samples: f32) -> u64 {
    (samples * PARTS) as i64 as u64
}

/// So many taps are summed up in place: fewer than a call of a kernel is worth.
const SHORT: usize = 8;

/// The sum of a few products, in pairs: an addition waits for two before it, not for seven.
#[inline(always)]
fn short_dot<T: Sample>(x: &[T; SHORT], taps: &[f32; SHORT]) -> T {
    let product = |n: usize| x[n] * taps[n];
    let four = |n: usize| (product(n) + product(n + 2)) + (product(n + 1) + product(n + 3));
    four(0) + four(4)
}

/// Rows of taps, laid out for samples of one type: each tap as often as a sample has numbers, so that a loop sums products of whole vectors.
#[derive(Clone, Debug, Default)]
struct Rows {
    lines: Vec<Line>,
    /// Of a row.
    each: usize,
}

impl Rows {
    /// Of rows of `width` taps.
    fn new(taps: &[f32], width: usize, parts: usize) -> Self {
        let row = |taps: &[f32]| {
            Line::row(&taps.iter().flat_map(|tap| std::iter::repeat_n(*tap, parts)).collect::<Vec<_>>())
        };
        let lines = taps.chunks_exact(width).flat_map(row).collect();
        Rows { lines, each: (width * parts).div_ceil(Line::LANES) }
    }

    #[inline(always)]
    fn row(&self, place: usize) -> &[Line] {
        // The taps wait for a product longer than for a choice that is always the same.
        let first = if self.each == 1 { place } else { place * self.each };
        &self.lines[first..first + self.each]
    }
}

/// A bank of filters, one for each of so many places between two samples, and the derivatives of what they give.
#[derive(Clone, Debug)]
pub struct Interpolator {
    /// Of one place after another.
    taps: Vec<f32>,
    slopes: Vec<f32>,
    /// Both again, laid out for samples of one type by [`laid_out`](Self::laid_out).
    rows: [Rows; 2],
    width: usize,
    places: usize,
    /// How far a fraction, in parts of 2⁻³² of a sample, is shifted to give its place, where the number of places is a power of two;
    /// else 0. A loop that waits for the place waits less for a shift than for a product.
    shift: u32,
}

/// As [`Interpolator::shift`].
fn shift_of(places: usize) -> u32 {
    if places.is_power_of_two() { 32 - places.trailing_zeros() } else { 0 }
}

/// The most taps of all filters of a bank.
const MOST_TAPS: usize = 1 << 20;

impl Interpolator {
    /// The filters of 8 taps that interpolate a signal without content beyond a quarter of the sample rate with the least mean
    /// square error, at 128 places.
    ///
    /// With the autocorrelation `R` of such a signal, `sinc(τ / 2)`, the taps solve `R · h = r(μ)`; those of the slope
    /// solve `R · h = dr/dμ`.
    ///
    /// # Source
    /// H. Meyr, M. Moeneclaey, S. Fechtel, Digital Communication Receivers, 1998, section 9.1.
    pub fn least_squares() -> Self {
        const PLACES: usize = 128;
        let correlation = |delay: f64| sinc(delay / 2.0);
        let slope = |delay: f64| {
            let x = std::f64::consts::PI * delay / 2.0;
            if x == 0.0 { 0.0 } else { (x.cos() - x.sin() / x) / delay }
        };
        let rows = |place: usize, of: &dyn Fn(f64) -> f64| {
            let mu = place as f64 / PLACES as f64;
            let mut matrix: [[f64; SHORT + 1]; SHORT] = std::array::from_fn(|i| {
                std::array::from_fn(|j| match j {
                    SHORT => of(3.0 + mu - i as f64),
                    _ => correlation(i as f64 - j as f64),
                })
            });
            solve(&mut matrix).map(|tap| tap as f32)
        };
        let taps = (0..=PLACES).flat_map(|place| rows(place, &correlation)).collect();
        let slopes = (0..=PLACES).flat_map(|place| rows(place, &slope)).collect();
        Interpolator {
            taps,
            slopes,
            rows: Default::default(),
            width: SHORT,
            places: PLACES,
            shift: shift_of(PLACES),
        }
    }

    /// A filter at `places` times the sample rate, cut into one for each place; the slopes are its central differences,
    /// in units of a sample.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there are 2 to 1024 places and 2 to 2²⁰ taps.
    pub fn polyphase(taps: &[f32], places: usize) -> Result<Self, Error> {
        check((2..=1024).contains(&places), "filters", "a whole number from 2 to 1024", places as f64)?;
        check((2..=MOST_TAPS).contains(&taps.len()), "taps", "2 to 1048576 of them", taps.len() as f64)?;
        let tap = |at: isize| usize::try_from(at).ok().and_then(|at| taps.get(at)).copied().unwrap_or(0.0);
        let slope = |at: isize| (tap(at + 1) - tap(at - 1)) * places as f32 / 2.0;
        let width = taps.len().div_ceil(places);
        let bank = |of: &dyn Fn(isize) -> f32| -> Vec<f32> {
            let place = |place: usize| (0..width).rev().map(move |turn| (turn * places + place) as isize);
            (0..=places).flat_map(place).map(of).collect()
        };
        Ok(Interpolator {
            taps: bank(&tap),
            slopes: bank(&slope),
            rows: Default::default(),
            width,
            places,
            shift: shift_of(places),
        })
    }

    /// The same, laid out for samples of this type: what values at places, and those in parts of a sample, are asked of.
    pub(super) fn laid_out<T: Sample>(mut self) -> Self {
        let rows = |taps: &[f32]| Rows::new(taps, self.width, T::PARTS as usize);
        self.rows = [rows(&self.taps), rows(&self.slopes)];
        self
    }

    /// The same with slopes that are so many times as steep.
    pub fn with_slopes(mut self, scale: f32) -> Self {
        self.slopes.iter_mut().for_each(|slope| *slope *= scale);
        self
    }

    /// How many samples it looks at.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many places there are between two samples.
    pub fn places(&self) -> usize {
        self.places
    }

    #[inline(always)]
    fn row(&self, mu: f32) -> std::ops::Range<usize> {
        // Rounded by hand: where the processor has no instruction for it, `round` is a call.
        let place = ((mu * self.places as f32 + 0.5) as i32 as usize).min(self.places);
        place * self.width..(place + 1) * self.width
    }

    /// The place that is next to a fraction in parts of 2⁻³² of a sample: no number is converted on the way to the taps.
    #[inline(always)]
    fn nearest(&self, fraction: u32) -> usize {
        match self.shift {
            0 => ((u64::from(fraction) * self.places as u64 + (1 << 31)) >> 32) as usize,
            shift => ((u64::from(fraction) + (1 << (shift - 1))) >> shift) as usize,
        }
    }

    /// The place at such a fraction or before it.
    #[inline(always)]
    pub(super) fn below(&self, fraction: u32) -> usize {
        match self.shift {
            0 => ((u64::from(fraction) * self.places as u64) >> 32) as usize,
            shift => (u64::from(fraction) >> shift) as usize,
        }
    }

    /// The value at a place, of `x`, which has [`width`](Self::width) samples.
    #[inline(always)]
    pub(super) fn value_of<M: Machine, T: Sample>(&self, x: &[T], place: usize) -> T {
        T::sums::<M, 1>(x, [self.rows[0].row(place)])[0]
    }

    /// Value and slope there.
    #[inline(always)]
    pub(super) fn value_and_slope_of<M: Machine, T: Sample>(&self, x: &[T], place: usize) -> [T; 2] {
        T::sums::<M, 2>(x, [self.rows[0].row(place), self.rows[1].row(place)])
    }

    /// The value so many parts of 2⁻³² of a sample behind the middle one of `x`, which has [`width`](Self::width) samples.
    #[inline(always)]
    pub(super) fn value_at<M: Machine, T: Sample>(&self, x: &[T], fraction: u32) -> T {
        self.value_of::<M, T>(x, self.nearest(fraction))
    }

    /// Value and slope there.
    #[inline(always)]
    pub(super) fn value_and_slope_at<M: Machine, T: Sample>(&self, x: &[T], fraction: u32) -> [T; 2] {
        self.value_and_slope_of::<M, T>(x, self.nearest(fraction))
    }

    /// The value `mu` (0 to 1) samples behind the middle one of `x`, which has [`width`](Self::width) samples.
    #[inline(always)]
    pub fn value<T: Sample>(&self, x: &[T], mu: f32) -> T {
        T::dot(x, &self.taps[self.row(mu)])
    }

    /// Value and slope there.
    #[inline(always)]
    pub fn value_and_slope<T: Sample>(&self, x: &[T], mu: f32) -> [T; 2] {
        let row = self.row(mu);
        T::two_dots(x, &self.taps[row.clone()], &self.slopes[row])
    }

    /// The slope there, per sample.
    #[inline(always)]
    pub fn slope<T: Sample>(&self, x: &[T], mu: f32) -> T {
        T::dot(x, &self.slopes[self.row(mu)])
    }
}

fn sinc(x: f64) -> f64 {
    let x = std::f64::consts::PI * x;
    if x == 0.0 { 1.0 } else { x.sin() / x }
}

/// Solves a system of equations, whose right side is the last column, by Gaussian elimination with pivots.
fn solve<const N: usize, const M: usize>(rows: &mut [[f64; M]; N]) -> [f64; N] {
    for column in 0..N {
        let pivot = (column..N).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()));
        rows.swap(column, pivot.unwrap_or(column));
        for row in 0..N {
            if row != column {
                let from = rows[column];
                let factor = rows[row][column] / from[column];
                rows[row].iter_mut().zip(from).for_each(|(number, from)| *number -= factor * from);
            }
        }
    }
    std::array::from_fn(|row| rows[row][M - 1] / rows[row][row])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, noise};
    use superhet_kernels::{Fused, Rounded};

    /// Value and slope, which is checked to be the same as the value alone.
    fn at<M: Machine>(bank: &Interpolator, x: &[f32], fraction: u32) -> [f32; 2] {
        let [value, slope] = bank.value_and_slope_at::<M, f32>(x, fraction);
        assert_eq!(bank.value_at::<M, f32>(x, fraction), value);
        [value, slope]
    }

    #[test]
    fn the_taps_are_those_of_the_least_error() {
        // Values of GNU Radio 3.10.5.
        let bank = Interpolator::least_squares();
        let half =
            [-0.006_778, 0.039_458, -0.142_658, 0.609_836, 0.609_836, -0.142_658, 0.039_458, -0.006_778];
        for (place, wanted) in half.iter().enumerate() {
            let mut impulse = [0.0f32; 8];
            impulse[place] = 1.0;
            assert!((bank.value(&impulse, 0.5) - wanted).abs() < 1e-5);
        }
        let slope: f32 = bank.slope(&[0.25, 0.5, 0.75, 1.0, 0.5, 0.0, -0.5, -1.0], 0.0);
        assert!((slope + 0.159_66).abs() < 1e-4, "{slope}");
    }

    #[test]
    fn taps_that_are_laid_out_give_the_sums_of_the_definition() {
        for width in [1, 2, 3, 4, 7, 8, 9, 15, 16, 44] {
            let bank = Interpolator::polyphase(&noise(4 * width), 4).unwrap();
            let x = complex_noise(width);
            let re: Vec<f32> = x.iter().map(|x| x.re).collect();
            let (complex, real) = (bank.clone().laid_out::<C32>(), bank.clone().laid_out::<f32>());
            for place in 0..=4 {
                let row = place * width..(place + 1) * width;
                for (taps, of) in [(&bank.taps[row.clone()], 0), (&bank.slopes[row], 1)] {
                    let want: C32 = x.iter().zip(taps).map(|(x, tap)| x * tap).sum();
                    let got = complex.value_and_slope_of::<Fused, C32>(&x, place)[of];
                    assert!((got - want).norm() < 1e-5, "{width}, {place}: {got}, wanted {want}");
                    let got = real.value_and_slope_of::<Rounded, f32>(&re, place)[of];
                    assert!((got - want.re).abs() < 1e-5, "{width}, {place}: {got}, wanted {want}");
                }
            }
        }
    }

    #[test]
    fn a_slow_sine_is_interpolated_between_its_samples() {
        let x: Vec<f32> = (0..8).map(|n| (0.3 * n as f32).sin()).collect();
        let bank = Interpolator::least_squares().laid_out::<f32>();
        for place in 0..=128 {
            let mu = place as f32 / 128.0;
            assert!((bank.value(&x, mu) - (0.3 * (3.0 + mu)).sin()).abs() < 1e-3);
            let fraction = (f64::from(mu) * 2f64.powi(32)).min(u32::MAX.into()) as u32;
            for [value, slope] in [at::<Fused>(&bank, &x, fraction), at::<Rounded>(&bank, &x, fraction)] {
                assert!(
                    (value - bank.value(&x, mu)).abs() < 1e-6 && (slope - bank.slope(&x, mu)).abs() < 1e-6
                );
            }
            assert!((bank.slope(&x, mu) - 0.3 * (0.3 * (3.0 + mu)).cos()).abs() < 2e-3);
        }
    }
}
