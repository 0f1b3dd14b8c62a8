//! Values of a signal between its samples.

use superhet_kernels::{self as kernels, Machine};
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
    /// As [`dot`](Self::dot) of eight, within a loop for a machine.
    fn short_dot<M: Machine>(x: &[Self; 8], taps: &[f32; 8]) -> Self;
    /// `Re(self · conj(other))`: for real samples their product.
    fn correlate(self, other: Self) -> f32;
    /// As a complex sample.
    fn complex(self) -> C32;
    /// The part of a complex sample that a sample of this type has.
    fn part_of(complex: C32) -> Self;
    /// How many real numbers it has.
    const PARTS: f32;
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
    fn short_dot<M: Machine>(x: &[f32; 8], taps: &[f32; 8]) -> f32 {
        short_sum::<M>(x, taps)
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
    fn short_dot<M: Machine>(x: &[C32; 8], taps: &[f32; 8]) -> C32 {
        short_complex_sum(x, taps)
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

/// The sum of eight products, four at a time, so that no vector is cut into halves before they are two.
#[inline(always)]
fn short_sum<M: Machine>(x: &[f32; SHORT], taps: &[f32; SHORT]) -> f32 {
    let four: [f32; 4] =
        std::array::from_fn(|lane| M::multiply_add(x[lane + 4], taps[lane + 4], x[lane] * taps[lane]));
    let two: [f32; 2] = std::array::from_fn(|lane| four[lane] + four[lane + 2]);
    two[0] + two[1]
}

/// The sums of eight products of complex samples: of sixteen floats, then of what these have become.
#[inline(always)]
fn short_complex_sum(x: &[C32; SHORT], taps: &[f32; SHORT]) -> C32 {
    let x: &[f32; 2 * SHORT] = bytemuck::cast_ref(x);
    let sixteen: [f32; 16] = std::array::from_fn(|lane| x[lane] * taps[lane / 2]);
    let eight: [f32; 8] = std::array::from_fn(|lane| sixteen[lane] + sixteen[lane + 8]);
    let four: [f32; 4] = std::array::from_fn(|lane| eight[lane] + eight[lane + 4]);
    C32::new(four[0] + four[2], four[1] + four[3])
}

/// A bank of filters, one for each of so many places between two samples, and the derivatives of what they give.
#[derive(Clone, Debug)]
pub struct Interpolator {
    /// Of one place after another.
    taps: Vec<f32>,
    slopes: Vec<f32>,
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
        Interpolator { taps, slopes, width: SHORT, places: PLACES, shift: shift_of(PLACES) }
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
        Ok(Interpolator { taps: bank(&tap), slopes: bank(&slope), width, places, shift: shift_of(places) })
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
        if let (SHORT, Some(x), Some(taps)) =
            (self.width, x.first_chunk(), self.taps.as_chunks().0.get(place))
        {
            return T::short_dot::<M>(x, taps);
        }
        T::dot(x, &self.taps[place * self.width..][..self.width])
    }

    /// Value and slope there.
    #[inline(always)]
    pub(super) fn value_and_slope_of<M: Machine, T: Sample>(&self, x: &[T], place: usize) -> [T; 2] {
        if let (SHORT, Some(x), Some(taps), Some(slopes)) = (
            self.width,
            x.first_chunk(),
            self.taps.as_chunks().0.get(place),
            self.slopes.as_chunks().0.get(place),
        ) {
            return [taps, slopes].map(|taps| T::short_dot::<M>(x, taps));
        }
        let row = place * self.width..(place + 1) * self.width;
        T::two_dots(x, &self.taps[row.clone()], &self.slopes[row])
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
    use crate::testing::complex_noise;
    use superhet_kernels::{Fused, Rounded};

    /// Value and slope, which is checked to be the same as the value alone.
    fn at<M: Machine>(bank: &Interpolator, x: &[f32], fraction: u32) -> [f32; 2] {
        let [value, slope] = bank.value_and_slope_at::<M, f32>(x, fraction);
        assert_eq!(bank.value_at::<M, f32>(x, fraction), value);
        [value, slope]
    }

    #[test]
    fn sums_of_eight_are_those_of_the_definition() {
        let x = complex_noise(16);
        let taps: Vec<f32> = x[8..].iter().map(|x| x.im).collect();
        let (x, taps): (&[C32; 8], &[f32; 8]) = (x.first_chunk().unwrap(), taps.first_chunk().unwrap());
        let want: C32 = x.iter().zip(taps).map(|(x, tap)| x * tap).sum();
        let re = x.map(|x| x.re);
        for sum in [C32::short_dot::<Rounded>(x, taps), C32::short_dot::<Fused>(x, taps)] {
            assert!((sum - want).norm() < 1e-6, "{sum}, wanted {want}");
        }
        for sum in [f32::short_dot::<Rounded>(&re, taps), f32::short_dot::<Fused>(&re, taps)] {
            assert!((sum - want.re).abs() < 1e-6, "{sum}, wanted {want}");
        }
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
    fn a_slow_sine_is_interpolated_between_its_samples() {
        let x: Vec<f32> = (0..8).map(|n| (0.3 * n as f32).sin()).collect();
        let bank = Interpolator::least_squares();
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
