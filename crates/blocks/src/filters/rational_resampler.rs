//! Resampling by a ratio of whole numbers.
//!
//! Real taps of ratios with periods of 8 samples and more: outputs of many periods at once, as `periods.rs` says.
//!
//! Others: each phase is a decimating filter of its own, which a kernel computes 16 outputs at a time; fewer at a time take about
//! twice as long for each. So the block asks for enough items at once that there are 32 periods.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{
    AnyBlock, BlockError, C64, Item, Ratio, Value, declare, parameter::no_parameter, tag::Conversion,
};

use super::Tap;
use super::design::{Design, Shape};
use super::fir_filter::{ToShort, block_of_taps, check_taps, new_taps};
use super::iir_filter::all_finite;
use super::interp_fir_filter::{MOST, Phases, filter_into};
use super::periods::Periods;
use super::resampled::{Resampled, Resampler};
use crate::error::{Error, check};
use crate::transforms::with_floats;

/// Resampling by `interpolation / decimation`: a FIR filter of the items with zeros between them, of which only those outputs
/// are computed that are given.
///
/// With `I = interpolation`, `D = decimation`, `u[k · I + p] = Σⱼ taps[p + j · I] · x[k − j]` and `L = ceil(taps / I)` the
/// output is `y[m] = u[(L − 1) · I + m · D]`: it begins where the filter is full for the first time, as in GNU Radio.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | as [`FirFilter`](super::FirFilter) | any |
/// | out `out` | as `FirFilter` | that of `in`, times that of the taps / `I` |
/// | in `set` | messages | new values of `taps` |
///
/// | parameter | range |
/// |---|---|
/// | `interpolation`, `decimation` | 1 to 2¹⁶ |
/// | `taps` | finite; others, at most as many, can take their place while the block runs |
///
/// [`resampler_taps`] designs taps. Source: R. E. Crochiere and L. R. Rabiner, Multirate Digital Signal Processing, section
/// 3.3.
///
/// ```
/// use superhet_blocks::filters::RationalResampler;
/// use superhet_runtime::harness;
///
/// let resampler = RationalResampler::<f32, f32>::new(3, 2, &[1.0; 3])?; // each item three times, then every second
/// assert_eq!(harness::run(resampler.block(), &[3.0, 5.0]), [3.0, 3.0, 5.0]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RationalResampler<T, C> {
    phases: Phases<C>,
    decimation: usize,
    /// Where the next output lies: so many outputs of the interpolation after the first of the window that comes next.
    at: usize,
    /// Which output of a period it is.
    turn: usize,
    /// What gives the outputs of many periods at once, where it is the faster way.
    periods: Option<Periods>,
    item: std::marker::PhantomData<fn() -> T>,
}

/// The taps with which to resample by `interpolation / decimation`, two numbers without a common divisor: a low-pass filter
/// with a Kaiser window (β = 7) and the gain `interpolation`, which passes `fractional_bandwidth` (0 to 0.5) of the lower of the two
/// rates, 0.4 where that is 0.
///
/// # Errors
/// [`Error::OutOfRange`] for a number out of its range, [`Error::TooManyTaps`].
pub fn resampler_taps(
    interpolation: usize,
    decimation: usize,
    fractional_bandwidth: f64,
) -> Result<Vec<f32>, Error> {
    check(
        (0.0..0.5).contains(&fractional_bandwidth),
        "fractional_bandwidth",
        "from 0 to less than 0.5",
        fractional_bandwidth,
    )?;
    let passed = if fractional_bandwidth == 0.0 { 0.4 } else { fractional_bandwidth };
    let scale = (interpolation as f64 / decimation as f64).min(1.0);
    let transition = scale * (0.5 - passed);
    let rate_hz = interpolation as f64;
    let shape = Shape::kaiser(7.0)?;
    Design { gain: rate_hz, rate_hz, transition_hz: transition, shape, attenuation_db: None }
        .low_pass(scale * 0.5 - transition / 2.0)
}

impl<T: Item, C: Tap<T>> RationalResampler<T, C> {
    /// A resampler with these taps.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Element`] or [`Error::OutOfRange`] where there is no tap, one that is not finite, or a
    /// number is out of its range.
    pub fn new(interpolation: usize, decimation: usize, taps: &[C]) -> Result<Self, Error> {
        let wanted = "a whole number from 1 to 65536";
        check((1..=MOST).contains(&interpolation), "interpolation", wanted, interpolation as f64)?;
        check((1..=MOST).contains(&decimation), "decimation", wanted, decimation as f64)?;
        check_taps::<T, C>(taps)?;
        let phases = Phases::new(taps, interpolation);
        let periods = periods::<T, C>(&phases, decimation);
        Ok(RationalResampler { phases, decimation, at: 0, turn: 0, periods, item: std::marker::PhantomData })
    }

    /// Sums the outputs anew whose windows have a sample that is not finite.
    ///
    /// Many periods at once are summed with taps of 0 where a window's neighbours have samples and it has none, so what is not finite
    /// is not there.
    fn sum_not_finite(&self, x: &[T], y: &mut [C::Out]) {
        let interpolation = self.phases.len();
        for (place, y) in y.chunks_mut(1).enumerate() {
            let at = self.at + place * self.decimation;
            let window = &x[at / interpolation..][..self.phases.rounds()];
            if !all_finite(window) {
                C::filter(y, window, self.phases.reversed(at % interpolation), 1);
            }
        }
    }

    /// The block.
    pub fn block(self) -> Resampled<Self> {
        Resampled::new(self)
    }
}

/// More at once leave the level-2 cache.
const MOST_AT_ONCE: usize = 1 << 14;

/// A copy of samples with zeros in the place of what is not finite.
fn with_zeros_for_not_finite(samples: &[f32]) -> Vec<f32> {
    samples.iter().map(|sample| if sample.is_finite() { *sample } else { 0.0 }).collect()
}

/// The phases in the order of a period's outputs.
fn periods<T: Item, C: Tap<T>>(phases: &Phases<C>, decimation: usize) -> Option<Periods> {
    let interpolation = phases.len();
    let divisor = greatest_common_divisor(interpolation, decimation);
    // Asked of no taps, since only the type decides.
    C::real(&[])?;
    let outputs = (0..interpolation / divisor).map(|output| {
        let at = output * decimation;
        (at / interpolation, C::real(phases.reversed(at % interpolation)).unwrap_or_default())
    });
    Periods::new(outputs, decimation / divisor, size_of::<T>() / size_of::<f32>())
}

pub(crate) fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

impl<T: Item, C: Tap<T>> Resampler for RationalResampler<T, C> {
    type In = T;
    type Out = C::Out;
    const PARAMETERS: &'static [&'static str] = &["taps"];

    fn window(&self) -> usize {
        self.phases.rounds()
    }
    fn rate(&self) -> f64 {
        self.phases.len() as f64 / self.decimation as f64
    }
    fn conversion(&self) -> Conversion {
        Conversion::new(Ratio { interpolation: self.phases.len(), decimation: self.decimation })
    }

    /// A phase is filtered 16 outputs at a time, and so many outputs of all phases come of these items, twice.
    fn batch(&self) -> usize {
        let divisor = greatest_common_divisor(self.phases.len(), self.decimation);
        if let Some(periods) = &self.periods {
            // What comes of more than whole groups is left for later.
            return periods.group_samples(size_of::<T>() / size_of::<f32>()) + self.phases.rounds();
        }
        let is_one_filter = self.phases.len() == divisor;
        if is_one_filter { 0 } else { (32 * (self.decimation / divisor)).min(MOST_AT_ONCE) }
    }

    /// Outputs that lie a multiple of `I / gcd(I, D)` apart have the same phase: each phase is one decimating filter.
    fn resample(&mut self, x: &[T], y: &mut [C::Out]) -> (usize, usize) {
        let (interpolation, decimation) = (self.phases.len(), self.decimation);
        // Outputs of the interpolation whose windows are there.
        let seen = (x.len() + 1).saturating_sub(self.phases.rounds()) * interpolation;
        let mut n = seen.saturating_sub(self.at).div_ceil(decimation).min(y.len());
        let turns = interpolation / greatest_common_divisor(interpolation, decimation);
        if let Some(periods) = &self.periods {
            n = periods.whole_groups(self.turn, n, size_of::<T>() / size_of::<f32>());
        }
        if let (Some(periods), Some(last)) = (&mut self.periods, n.checked_sub(1)) {
            // The period of the next output began before it.
            let origin = (self.at / interpolation) as isize - periods.start(self.turn) as isize;
            let seen = (self.at + last * decimation) / interpolation + self.phases.rounds();
            let (x, floats) = (&x[..seen], bytemuck::cast_slice_mut(&mut y[..n]));
            let is_finite = all_finite(x);
            let finite =
                if is_finite { Vec::new() } else { with_zeros_for_not_finite(bytemuck::cast_slice(x)) };
            let samples = if is_finite { bytemuck::cast_slice(x) } else { &finite };
            if size_of::<T>() == size_of::<f32>() {
                periods.resample::<1>(samples, floats, self.turn, origin);
            } else {
                periods.resample::<2>(samples, floats, self.turn, origin);
            }
            if !is_finite {
                self.sum_not_finite(x, &mut y[..n]);
            }
        } else {
            for first in 0..turns.min(n) {
                let at = self.at + first * decimation;
                let reversed = self.phases.reversed(at % interpolation);
                let step = decimation * turns / interpolation;
                filter_into(&mut y[first..n], turns, &x[at / interpolation..], reversed, step);
            }
        }
        self.turn = (self.turn + n) % turns;
        let next = self.at + n * decimation;
        let taken = (next / interpolation).min(x.len());
        self.at = next - taken * interpolation;
        (taken, n)
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        if name != "taps" {
            return Err(no_parameter(name, Self::PARAMETERS));
        }
        let taps = new_taps::<C>(value, self.phases.taps())?;
        check_taps::<T, C>(&taps)?;
        self.phases = Phases::new(&taps, self.phases.len());
        self.periods = periods::<T, C>(&self.phases, self.decimation);
        Ok(())
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        if name == "taps" { self.phases.value() } else { None }
    }
}

impl<R: Resampler<In = f32, Out = f32>> Resampler for ToShort<R> {
    type In = f32;
    type Out = i16;
    const PARAMETERS: &'static [&'static str] = R::PARAMETERS;
    const FORMERLY: &'static [(&'static str, &'static str)] = R::FORMERLY;

    fn history(&self) -> usize {
        self.0.history()
    }
    fn window(&self) -> usize {
        self.0.window()
    }
    fn batch(&self) -> usize {
        self.0.batch()
    }
    fn rate(&self) -> f64 {
        self.0.rate()
    }
    fn conversion(&self) -> Conversion {
        self.0.conversion()
    }
    fn resample(&mut self, x: &[f32], y: &mut [i16]) -> (usize, usize) {
        with_floats(y.len(), |floats| {
            let (taken, given) = self.0.resample(x, floats);
            for (y, &float) in y.iter_mut().zip(&floats[..given]) {
                *y = float as i16;
            }
            (taken, given)
        })
    }
    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        self.0.set_parameter(name, value)
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        self.0.parameter(name)
    }
}

#[declare(
    category = "filters",
    summary = "Resampling by a ratio of whole numbers.",
    ports(
        input("in", "item", "x"),
        output("out", "out_item", "x, resampled: ⌈n · interpolation / decimation⌉ items for n"),
        set_port("new values of taps, at most as many as at first")
    )
)]
fn rational_resampler(
    /// The type of the samples.
    #[param(kind = Kind::Choice(&["C32", "f32", "i16"]), default = "C32")]
    item: &str,
    /// The type of the output: f32 for f32, C32 for the others; C32 or i16 for f32 where that is asked for.
    #[param(kind = Kind::Choice(&["auto", "C32", "f32", "i16"]), default = "auto")]
    out_item: &str,
    /// So many items out for one item in.
    #[param(unit = "items", range = 1..=MOST)]
    interpolation: usize,
    /// So many items in for interpolation items out.
    #[param(unit = "items", range = 1..=MOST)]
    decimation: usize,
    /// The taps, at the interpolated rate; none: a filter is designed.
    #[param(json = "[]")]
    taps: Vec<C64>,
    /// How much of the lower rate a designed filter passes, less than 0.5; 0: 0.4.
    #[param(formerly = "fractional_bw", range = 0.0..=0.5, default = 0.0)]
    fractional_bandwidth: f64,
) -> Result<AnyBlock, BlockError> {
    let (mut interpolation, mut decimation, mut taps) = (interpolation, decimation, taps);
    if taps.is_empty() {
        let divisor = greatest_common_divisor(interpolation, decimation);
        (interpolation, decimation) = (interpolation / divisor, decimation / divisor);
        let designed = resampler_taps(interpolation, decimation, fractional_bandwidth)?;
        taps = designed.into_iter().map(|tap| C64::new(tap.into(), 0.0)).collect();
    }
    Ok(block_of_taps!(
        item,
        out_item,
        taps,
        |T, C, taps| RationalResampler::<T, C>::new(interpolation, decimation, taps)?,
        |resampler| AnyBlock::new(Resampled::new(resampler))
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, noise};
    use superhet_runtime::{C32, harness};

    const TAPS: [f32; 5] = [1.0, 10.0, 100.0, 1000.0, 10000.0];

    fn resampled(interpolation: usize, decimation: usize) -> Vec<f32> {
        let x = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        harness::run(
            RationalResampler::<f32, f32>::new(interpolation, decimation, &TAPS).unwrap().block(),
            &x,
        )
    }

    #[test]
    fn values_are_those_of_gnu_radio() {
        let wanted = [1002.0, 200.0, 20030.0, 3004.0, 400.0, 40050.0, 5006.0, 600.0, 60070.0, 7008.0, 800.0];
        assert_eq!(resampled(3, 2)[..11], wanted);
        let wanted = [
            10002.0, 200.0, 20003.0, 300.0, 30004.0, 400.0, 40005.0, 500.0, 50006.0, 600.0, 60007.0, 700.0,
            70008.0, 800.0,
        ];
        assert_eq!(resampled(4, 2)[..14], wanted);
        assert_eq!(resampled(2, 3)[..3], [10203.0, 3040.0, 40506.0]);
    }

    #[test]
    fn designed_taps_are_those_of_gnu_radio_and_pass_a_constant() {
        for (interpolation, decimation, bw, taps) in
            [(3, 2, 0.0, 99), (2, 3, 0.0, 99), (12, 11, 0.0, 393), (2, 1, 0.3, 33), (160, 147, 0.45, 10505)]
        {
            let designed = resampler_taps(interpolation, decimation, bw).unwrap();
            assert_eq!(designed.len(), taps, "{interpolation}/{decimation}");
            let resampler = RationalResampler::<f32, f32>::new(interpolation, decimation, &designed).unwrap();
            let y: Vec<f32> = harness::run(resampler.block(), &[1.0f32; 300]);
            // Behind the last item come zeros.
            let whole = y.len() - taps.div_ceil(decimation);
            assert!(whole > 0 && y[..whole].iter().all(|y| (y - 1.0).abs() < 2e-4));
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let (x, z) = (noise(500), complex_noise(500));
        for (interpolation, decimation, taps) in [(1, 1, 1), (3, 2, 23), (2, 7, 5), (4, 6, 40), (1, 30, 4)] {
            let taps = noise(taps);
            let make = || RationalResampler::<f32, f32>::new(interpolation, decimation, &taps).unwrap();
            harness::assert_cut_invariant(|| make().block(), &x);
            harness::assert_cut_invariant(|| Resampled::new(ToShort(make())), &x);
            let make = || RationalResampler::<C32, f32>::new(interpolation, decimation, &taps).unwrap();
            harness::assert_cut_invariant(|| make().block(), &z);
        }
    }

    #[test]
    fn many_periods_at_once_are_sums_of_the_definition() {
        let (x, z) = (noise(20_000), complex_noise(20_000));
        for (interpolation, decimation) in [(24, 125), (160, 147), (147, 160), (7, 8), (48, 250), (8, 9)] {
            let taps = resampler_taps(interpolation, decimation, 0.0).unwrap();
            let resampler = RationalResampler::<f32, f32>::new(interpolation, decimation, &taps).unwrap();
            assert!(resampler.periods.is_some(), "{interpolation}/{decimation}");
            let y: Vec<f32> = harness::run(resampler.block(), &x);
            let resampler = RationalResampler::<C32, f32>::new(interpolation, decimation, &taps).unwrap();
            let w: Vec<C32> = harness::run(resampler.block(), &z);
            let rounds = taps.len().div_ceil(interpolation);
            for m in (0..y.len()).step_by(13) {
                let at = (rounds - 1) * interpolation + m * decimation;
                let window = (at % interpolation..taps.len()).step_by(interpolation).enumerate();
                let window =
                    window.filter_map(|(j, tap)| Some(((at / interpolation).checked_sub(j)?, taps[tap])));
                let window = window.filter(|(place, _)| *place < x.len());
                let sum = |of: &dyn Fn(usize) -> f32| -> f64 {
                    window.clone().map(|(place, tap)| f64::from(of(place)) * f64::from(tap)).sum()
                };
                let bound = 1e-6 * window.clone().map(|(_, tap)| f64::from(tap.abs())).sum::<f64>();
                for (got, want) in [
                    (y[m], sum(&|place| x[place])),
                    (w[m].re, sum(&|place| z[place].re)),
                    (w[m].im, sum(&|place| z[place].im)),
                ] {
                    let what = format!("{interpolation}/{decimation}, {m}: {got}, wanted {want}");
                    assert!((f64::from(got) - want).abs() <= bound, "{what}");
                }
            }
        }
    }

    #[test]
    fn the_cuts_of_many_periods_do_not_show() {
        let (mut x, z) = (noise(9000), complex_noise(9000));
        for not_finite in [false, true] {
            if not_finite {
                (x[2000], x[6007]) = (f32::NAN, f32::INFINITY);
            }
            for (interpolation, decimation) in [(24, 125), (160, 147), (10, 9)] {
                let taps = resampler_taps(interpolation, decimation, 0.0).unwrap();
                let run = |cuts: &[usize]| {
                    let mut resampler =
                        RationalResampler::<f32, f32>::new(interpolation, decimation, &taps).unwrap();
                    let (mut y, mut from) = (Vec::new(), 0);
                    for cut in cuts {
                        let mut room = vec![0.0; 12_000];
                        // What fills no whole group of periods comes with the second call.
                        for _ in 0..2 {
                            let (taken, given) = resampler.resample(&x[from..*cut], &mut room);
                            from += taken;
                            y.extend(room[..given].iter().map(|y| y.to_bits()));
                        }
                    }
                    y
                };
                let whole = run(&[9000]);
                assert_eq!(
                    run(&[400, 401, 1500, 1501, 4100, 8000, 9000]),
                    whole,
                    "{interpolation}/{decimation}"
                );
                // What a window has of numbers that are none is in its output, and in no other one.
                let bad = whole.iter().filter(|y| !f32::from_bits(**y).is_finite()).count();
                let windows = 2 * (taps.len() / decimation);
                let expected = if not_finite { windows - 2..windows + 5 } else { 0..1 };
                assert!(expected.contains(&bad), "{interpolation}/{decimation}: {bad}, {expected:?}");
            }
        }
        let taps = resampler_taps(24, 125, 0.0).unwrap();
        let make = || RationalResampler::<C32, f32>::new(24, 125, &taps).unwrap().block();
        harness::assert_cut_invariant(make, &z[..3000]);
    }

    #[test]
    fn parameters_that_make_no_resampler_are_named() {
        let problem =
            |i, d, taps: &[f32]| RationalResampler::<f32, f32>::new(i, d, taps).unwrap_err().to_string();
        assert_eq!(problem(0, 1, &[1.0]), "interpolation = 0: expected a whole number from 1 to 65536");
        assert_eq!(problem(1, 0, &[1.0]), "decimation = 0: expected a whole number from 1 to 65536");
        assert_eq!(problem(1, 1, &[]), "taps is empty: expected at least one number");
    }

    #[test]
    fn the_end_of_a_stream_goes_through_the_whole_filter() {
        // Zeros behind 7 and 8, of the outputs above: 7 · 10 and 8 · 10000 …
        assert_eq!(resampled(3, 2)[11..], [80000.0]);
        assert_eq!(resampled(4, 2)[14..], [80000.0, 0.0]);
        for (interpolation, decimation, taps) in
            [(3, 2, 30), (24, 125, 240), (2, 7, 5), (1, 1, 40), (5, 3, 1)]
        {
            for items in [1, 7, 1000, 1001] {
                let resampler =
                    RationalResampler::<f32, f32>::new(interpolation, decimation, &noise(taps)).unwrap();
                let y: Vec<f32> = harness::run(resampler.block(), &noise(items));
                assert_eq!(
                    y.len(),
                    (items * interpolation).div_ceil(decimation),
                    "{interpolation}/{decimation}"
                );
            }
        }
    }
}
