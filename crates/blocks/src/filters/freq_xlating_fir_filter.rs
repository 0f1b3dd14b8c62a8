//! Shift in frequency and FIR filter in one, decimating too.

use superhet_kernels as kernels;
use superhet_runtime::{
    BlockError, C32, C64, Item, Ratio, Shape, SyncBlock, Value, declare, parameter::no_parameter,
};

use super::Tap;
use super::fir_filter::{TO_ONE, check_taps, new_taps, taps_value};
use super::interp_fir_filter::filter_into;
use crate::error::{Error, check, check_positive, check_to_one};
use crate::item::{float_of, from_numbers};

/// Brings the band about `frequency_hz` to 0 Hz, filters it and gives one item out of `decimation`.
///
/// `y[k] = exp(−j · θ · D · k) · Σⱼ taps[j] · exp(j · θ · (j − (N − 1) / 2)) · x[k · D − j]` with `N` taps,
/// `D = decimation` and `θ = 2π · frequency_hz / rate_hz`: the taps are turned up, so that the work is done at the low
/// rate, and the output is turned down. The phase goes on without a jump when the frequency changes.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `C32`, `f32` or `i16` | any | `decimation` |
/// | out `out` | `C32` | that of `in`, times that of the taps | 1 |
/// | in `set` | messages | new values of `taps`, `frequency_hz` | |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `taps` | | at least one, finite; others, at most as many, can take their place while the block runs |
/// | `frequency_hz` | Hz | finite; can be changed while the block runs |
/// | `rate_hz` | Hz | > 0 |
/// | `decimation` | items | 1 to 2²⁴ |
///
/// ```
/// use superhet_blocks::filters::FreqXlatingFirFilter;
/// use superhet_runtime::{C32, harness};
///
/// let tone = [C32::ONE, C32::I, -C32::ONE, -C32::I]; // a quarter of the rate
/// let filter = FreqXlatingFirFilter::<C32>::new(&[C32::ONE], 1, 12e3, 48e3)?;
/// let y: Vec<C32> = harness::run(filter, &tone);
/// assert!(y.iter().all(|y| (y - C32::ONE).norm() < 1e-6));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FreqXlatingFirFilter<T> {
    taps: Vec<C32>,
    turned_reversed: Vec<C32>,
    decimation: usize,
    frequency_hz: f64,
    rate_hz: f64,
    rotator: kernels::Rotator,
    item: std::marker::PhantomData<fn() -> T>,
}

/// The taps, turned up by `radians` from one to the next, beginning with `first` steps.
pub(super) fn turned(taps: &[C32], radians: f64, first: f64) -> Vec<C32> {
    let turn = |(j, tap): (usize, &C32)| {
        let tap = C64::new(tap.re.into(), tap.im.into()) * C64::cis(radians * (j as f64 + first));
        C32::new(tap.re as f32, tap.im as f32)
    };
    taps.iter().enumerate().map(turn).collect()
}

impl<T: Item> FreqXlatingFirFilter<T>
where
    C32: Tap<T, Out = C32>,
{
    /// A filter with these taps about `frequency_hz` of a stream at `rate_hz` that gives one item out of `decimation`.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Element`] or [`Error::OutOfRange`] where there is no tap, one that is not finite, or a
    /// number is out of its range.
    pub fn new(taps: &[C32], decimation: usize, frequency_hz: f64, rate_hz: f64) -> Result<Self, Error> {
        check_to_one("decimation", decimation)?;
        check_taps::<T, C32>(taps)?;
        check_positive("rate_hz", rate_hz)?;
        let mut filter = FreqXlatingFirFilter {
            taps: taps.to_vec(),
            turned_reversed: Vec::new(),
            decimation,
            frequency_hz: 0.0,
            rate_hz,
            rotator: kernels::Rotator::new(0.0),
            item: std::marker::PhantomData,
        };
        filter.tune(frequency_hz)?;
        Ok(filter)
    }

    fn tune(&mut self, frequency_hz: f64) -> Result<(), Error> {
        let radians = std::f64::consts::TAU * frequency_hz / self.rate_hz;
        let fits = (radians * self.taps.len() as f64 * self.decimation as f64).is_finite();
        check(fits, "frequency_hz", "a finite number", frequency_hz)?;
        self.frequency_hz = frequency_hz;
        self.turned_reversed = turned(&self.taps, radians, -((self.taps.len() - 1) as f64) / 2.0);
        self.turned_reversed.reverse();
        self.rotator.set_increment(-radians * self.decimation as f64);
        Ok(())
    }
}

impl<T: Item> SyncBlock for FreqXlatingFirFilter<T>
where
    C32: Tap<T, Out = C32>,
{
    type In = T;
    type Out = C32;
    const PARAMETERS: &'static [&'static str] = &["taps", "frequency_hz"];
    const FORMERLY: &'static [(&'static str, &'static str)] = &[("center_freq_hz", "frequency_hz")];

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match name {
            "taps" => {
                let taps = new_taps::<C32>(value, self.taps.len())?;
                check_taps::<T, C32>(&taps)?;
                self.taps = taps;
                self.tune(self.frequency_hz)?;
            }
            "frequency_hz" => self.tune(float_of("frequency_hz", value)?)?,
            _ => return Err(no_parameter(name, Self::PARAMETERS)),
        }
        Ok(())
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        match name {
            "taps" => taps_value(self.taps.iter().copied()),
            "frequency_hz" => Some(self.frequency_hz.into()),
            _ => None,
        }
    }
    fn shape(&self) -> Shape {
        let history = self.taps.len() - 1;
        Shape {
            ratio: Ratio::decimate(self.decimation),
            history,
            delay: (history / 2) as u64,
            shift: Some(self.frequency_hz / self.rate_hz),
            ..Shape::default()
        }
    }

    fn process(&mut self, x: &[T], y: &mut [C32]) {
        filter_into(y, 1, x, &self.turned_reversed, self.decimation);
        self.rotator.rotate_in_place(y);
    }
}

#[declare(
    category = "filters",
    summary = "Brings a band to 0 Hz, filters it and decimates.",
    items(C32, f32, i16),
    item_doc = "The type of the samples.",
    ports(
        input("in", "item", "x"),
        output("out", "C32", "the band: ⌊n / decimation⌋ items for n"),
        set_port("new values of taps, at most as many as at first, and of frequency_hz")
    )
)]
fn freq_xlating_fir_filter<T: Item>(
    /// The taps; complex ones as [re, im].
    taps: &[C64],
    /// The middle of the band.
    #[param(formerly = "center_freq_hz", unit = "Hz", default = 0.0)]
    frequency_hz: f64,
    /// The sample rate, > 0.
    #[param(unit = "samples/s", range = 0.0..)]
    rate_hz: f64,
    /// One item out of so many items in.
    #[param(unit = "items", kind = TO_ONE, default = 1)]
    decimation: usize,
) -> Result<FreqXlatingFirFilter<T>, Error>
where
    C32: Tap<T, Out = C32>,
{
    FreqXlatingFirFilter::new(&from_numbers("taps", taps)?, decimation, frequency_hz, rate_hz)
}

#[cfg(test)]
#[allow(clippy::approx_constant, clippy::type_complexity, reason = "numbers as they were observed")]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, noise};
    use superhet_runtime::harness;

    #[test]
    fn values_are_those_of_gnu_radio() {
        // freq_xlating_fir_filter_ccc(2, [1, 2, 3j], 1000, 8000) on ones
        let taps = [C32::ONE, C32::new(2.0, 0.0), C32::new(0.0, 3.0)];
        let filter = FreqXlatingFirFilter::<C32>::new(&taps, 2, 1e3, 8e3).unwrap();
        let y: Vec<C32> = harness::run(filter, &[C32::ONE; 6]);
        let wanted = [(0.7071, -0.7071), (1.4142, -0.5858), (-0.5858, -1.4142)];
        assert!(y.iter().zip(wanted).all(|(y, (re, im))| (y - C32::new(re, im)).norm() < 2e-4), "{y:?}");
        // freq_xlating_fir_filter_scf(2, [1, 2, 3], 1000, 8000) on 0, 1, …
        let taps = [1.0, 2.0, 3.0].map(|tap| C32::new(tap, 0.0));
        let filter = FreqXlatingFirFilter::<i16>::new(&taps, 2, 1e3, 8e3).unwrap();
        let y: Vec<C32> = harness::run(filter, &[0i16, 1, 2, 3, 4, 5, 6, 7]);
        let wanted = [(0.0, 0.0), (-1.4142, -3.4142), (-13.0711, -1.4142), (-4.2426, 22.7279)];
        assert!(y.iter().zip(wanted).all(|(y, (re, im))| (y - C32::new(re, im)).norm() < 2e-4), "{y:?}");
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let taps = complex_noise(9);
        let make = |center| FreqXlatingFirFilter::<C32>::new(&taps, 3, center, 8e3).unwrap();
        harness::assert_cut_invariant(|| make(1234.5), &complex_noise(3000));
        harness::assert_cut_invariant(
            || FreqXlatingFirFilter::<f32>::new(&taps, 3, 10.0, 8e3).unwrap(),
            &noise(3000),
        );
    }

    #[test]
    fn a_new_frequency_is_taken_and_one_that_is_none_is_not() {
        let mut filter = FreqXlatingFirFilter::<C32>::new(&[C32::ONE], 1, 0.0, 8e3).unwrap();
        filter.set_parameter("frequency_hz", &2000.0.into()).unwrap();
        assert_eq!(filter.parameter("frequency_hz"), Some(2000.0.into()));
        assert!(filter.set_parameter("frequency_hz", &f64::NAN.into()).is_err());
        assert_eq!(filter.parameter("frequency_hz"), Some(2000.0.into()));
        assert!(FreqXlatingFirFilter::<C32>::new(&[C32::ONE], 1, 0.0, 0.0).is_err());
    }

    #[test]
    fn the_phase_of_a_long_stream_is_exact() {
        let filter = FreqXlatingFirFilter::<C32>::new(&[C32::ONE], 4, 700.0, 8e3).unwrap();
        let y: Vec<C32> = harness::run(filter, &vec![C32::ONE; 400_000]);
        for n in (0..100_000).step_by(1009) {
            let wanted = superhet_runtime::C64::cis(-std::f64::consts::TAU * 700.0 / 8e3 * 4.0 * n as f64);
            let error = f64::from(y[n].re) - wanted.re + (f64::from(y[n].im) - wanted.im);
            assert!(error.abs() < 2e-6, "{n}: {error}");
        }
    }
}
