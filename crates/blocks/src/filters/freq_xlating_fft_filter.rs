//! Shift in frequency and filter by Fourier transforms in one, decimating too.

use superhet_kernels as kernels;
use superhet_runtime::{BlockError, C32, Pure, Shape, SyncBlock, Value, declare, parameter::no_parameter};

use super::FftFilter;
use super::fir_filter::{TO_ONE, new_taps, taps_value};
use super::freq_xlating_fir_filter::turned;
use crate::error::{Error, check, check_positive};
use crate::item::{Number, float_of};

/// Brings the band about `frequency_hz` to 0 Hz, filters it by Fourier transforms and gives one item out of `decimation`.
///
/// `y[k] = exp(−j · θ · D · k) · Σⱼ taps[j] · exp(j · θ · j) · x[k · D − j]` with `D = decimation` and
/// `θ = 2π · frequency_hz / rate_hz`. The phase goes on without a jump when the frequency changes.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `C32` | any | as [`FftFilter`] |
/// | out `out` | `C32` | that of `in`, times that of the taps | as `FftFilter` |
/// | in `set` | messages | new values of `taps`, `frequency_hz` | |
///
/// Parameters as those of [`FreqXlatingFirFilter`](super::FreqXlatingFirFilter) and [`FftFilter`].
///
/// ```
/// use superhet_blocks::filters::FreqXlatingFftFilter;
/// use superhet_runtime::{C32, harness};
///
/// let tone: Vec<C32> = [C32::ONE, C32::I, -C32::ONE, -C32::I].repeat(1000); // a quarter of the rate
/// let filter = FreqXlatingFftFilter::new(&[C32::ONE], 1, 12e3, 48e3)?;
/// let y: Vec<C32> = harness::run(filter, &tone);
/// assert!(!y.is_empty() && y.iter().all(|y| (y - C32::ONE).norm() < 1e-5));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone)]
pub struct FreqXlatingFftFilter {
    taps: Vec<C32>,
    filter: FftFilter,
    decimation: usize,
    frequency_hz: f64,
    rate_hz: f64,
    rotator: kernels::Rotator,
}

#[declare(
    category = "filters",
    summary = "Brings a band to 0 Hz, filters it by Fourier transforms and decimates.",
    order("taps", "frequency_hz", "rate_hz"),
    ports(
        input("in", "C32", "x"),
        output("out", "C32", "the band: ⌊n / decimation⌋ items for n"),
        set_port("new values of taps, at most as many as at first, and of frequency_hz")
    )
)]
impl FreqXlatingFftFilter {
    /// A filter with these taps about `frequency_hz` of a stream at `rate_hz` that gives one item out of `decimation`.
    ///
    /// # Errors
    /// Those of [`FftFilter::new`], and [`Error::OutOfRange`] for rate or frequency.
    pub fn new(
        /// The taps; complex ones as [re, im].
        #[param(by = Number)]
        taps: &[C32],
        /// One item out of so many items in.
        #[param(unit = "items", kind = TO_ONE, default = 1)]
        decimation: usize,
        /// The middle of the band.
        #[param(formerly = "center_freq_hz", unit = "Hz", default = 0.0)]
        frequency_hz: f64,
        /// The sample rate, > 0.
        #[param(unit = "samples/s", range = 0.0..)]
        rate_hz: f64,
    ) -> Result<Self, Error> {
        check_positive("rate_hz", rate_hz)?;
        let filter = FftFilter::new(taps, decimation)?;
        let (taps, rotator) = (taps.to_vec(), kernels::Rotator::new(0.0));
        let mut filter = FreqXlatingFftFilter { taps, filter, decimation, frequency_hz, rate_hz, rotator };
        filter.tune(frequency_hz)?;
        Ok(filter)
    }

    fn tune(&mut self, frequency_hz: f64) -> Result<(), Error> {
        let radians = std::f64::consts::TAU * frequency_hz / self.rate_hz;
        let fits = (radians * self.taps.len() as f64 * self.decimation as f64).is_finite();
        check(fits, "frequency_hz", "a finite number", frequency_hz)?;
        self.filter = FftFilter::new(&turned(&self.taps, radians, 0.0), self.decimation)?;
        self.frequency_hz = frequency_hz;
        self.rotator.set_increment(-radians * self.decimation as f64);
        Ok(())
    }
}

impl SyncBlock for FreqXlatingFftFilter {
    type In = C32;
    type Out = C32;
    const PARAMETERS: &'static [&'static str] = &["taps", "frequency_hz"];
    const FORMERLY: &'static [(&'static str, &'static str)] = &[("center_freq_hz", "frequency_hz")];

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match name {
            "taps" => {
                let taps = new_taps::<C32>(value, self.taps.len())?;
                let old = std::mem::replace(&mut self.taps, taps);
                if let Err(error) = self.tune(self.frequency_hz) {
                    self.taps = old;
                    return Err(error.into());
                }
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
        Shape { shift: Some(self.frequency_hz / self.rate_hz), ..self.filter.shape() }
    }

    fn process(&mut self, x: &[C32], y: &mut [C32]) {
        self.filter.map(x, y);
        self.rotator.rotate_in_place(y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::FirFilter;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    #[test]
    fn values_are_those_of_gnu_radio() {
        // freq_xlating_fft_filter_ccc(2, [1, 2, 3j], 1000, 8000) on exp(0.3 j n)
        let x: Vec<C32> = (0..2000).map(|n| C32::from_polar(1.0, 0.3 * n as f32)).collect();
        let taps = [C32::ONE, C32::new(2.0, 0.0), C32::new(0.0, 3.0)];
        let y: Vec<C32> = harness::run(FreqXlatingFftFilter::new(&taps, 2, 1e3, 8e3).unwrap(), &x);
        let wanted = [(1.0, 0.0), (2.33362, 1.24154), (2.34235, -1.22499)];
        assert!(
            y.iter().zip(wanted).all(|(y, (re, im))| (y - C32::new(re, im)).norm() < 1e-4),
            "{:?}",
            &y[..3]
        );
    }

    #[test]
    fn a_stream_that_ends_within_a_block_comes_out_whole() {
        // The stream turned down, and filtered then.
        let (taps, decimation, radians) = (complex_noise(40), 3, std::f64::consts::TAU * 0.1);
        for items in [3, 100, 1000, 10_001] {
            let x = complex_noise(items);
            let down = |(n, x): (usize, &C32)| {
                let (sin, cos) = (-radians * n as f64).sin_cos();
                x * C32::new(cos as f32, sin as f32)
            };
            let turned: Vec<C32> = x.iter().enumerate().map(down).collect();
            let wanted: Vec<C32> =
                harness::run(FirFilter::<C32, C32>::new(&taps, decimation).unwrap(), &turned);
            let y: Vec<C32> =
                harness::run(FreqXlatingFftFilter::new(&taps, decimation, 800.0, 8e3).unwrap(), &x);
            assert_eq!((y.len(), wanted.len()), (items / 3, items / 3));
            assert!(y.iter().zip(&wanted).all(|(y, wanted)| (y - wanted).norm() < 1e-3), "{items} items");
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let taps = complex_noise(20);
        let make = || FreqXlatingFftFilter::new(&taps, 3, 123.4, 8e3).unwrap();
        harness::assert_cut_invariant(make, &complex_noise(3000));
    }
}
