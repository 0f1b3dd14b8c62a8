//! Low-pass filter by its frequencies in Hz, decimating too.

use superhet_runtime::catalog::{ANY_FLOAT, Entry, Kind, input, optional, output, required, set_port};
use superhet_runtime::{BlockError, Item, Pure, Ratio, Value, no_parameter};

use crate::error::Error;
use crate::filters::fir_filter::DECIMATION;
use crate::filters::{FirFilter, LowPass, Tap, Window, window};
use crate::item::{SAMPLE_ITEM, block_of_sample, float_of};

/// Low-pass filter by its frequencies in Hz: a [`FirFilter`] with the taps of [`LowPass`].
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `C32` or `f32` | any | `decimation` |
/// | out `out` | the same | that of `in` | 1 |
/// | in `set` | messages | new values of `gain` and `cutoff_hz` | |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `design` | | see [`LowPass`]; its `gain` and `cutoff_hz` can be changed while the block runs |
/// | `decimation` | items | 1 to 2²⁴; free of aliases if `rate_hz / decimation ≥ 2 · cutoff_hz + transition_hz` |
///
/// ```
/// use superhet_blocks::filters::{LowPass, LowPassFilter, Window};
/// use superhet_runtime::harness;
///
/// // A constant passes; the highest frequency there is does not.
/// let design =
///     LowPass { gain: 1.0, rate_hz: 48e3, cutoff_hz: 3e3, transition_hz: 2e3, window: Window::Hamming };
/// let x: Vec<f32> = (0..1000).map(|n| 1.0 + (n as f32 * std::f32::consts::PI).cos()).collect();
/// let y: Vec<f32> = harness::run(LowPassFilter::<f32>::new(&design, 4)?, &x);
/// assert_eq!(y.len(), 250);
/// assert!(y[22..].iter().all(|y| (y - 1.0).abs() < 0.005));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LowPassFilter<T> {
    filter: FirFilter<T, f32>,
    design: LowPass,
    decimation: usize,
}

impl<T: Item> LowPassFilter<T>
where
    f32: Tap<T, Out = T>,
{
    /// A filter as designed that gives one item out of `decimation`.
    ///
    /// # Errors
    /// Those of [`LowPass::taps`] and [`FirFilter::new`].
    pub fn new(design: &LowPass, decimation: usize) -> Result<Self, Error> {
        let filter = FirFilter::new(&design.taps()?, decimation)?;
        Ok(LowPassFilter { filter, design: *design, decimation })
    }
}

impl<T: Item> Pure for LowPassFilter<T>
where
    f32: Tap<T, Out = T>,
{
    type In = T;
    type Out = T;
    const PARAMETERS: &'static [&'static str] = &["gain", "cutoff_hz"];

    fn with_parameter(&self, name: &str, value: &Value) -> Result<Self, BlockError> {
        // The length of the filter depends on neither.
        let design = match name {
            "gain" => LowPass { gain: float_of("gain", value)?, ..self.design },
            "cutoff_hz" => LowPass { cutoff_hz: float_of("cutoff_hz", value)?, ..self.design },
            _ => return Err(no_parameter(name, Self::PARAMETERS)),
        };
        Ok(LowPassFilter::new(&design, self.decimation)?)
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        match name {
            "gain" => Some(self.design.gain.into()),
            "cutoff_hz" => Some(self.design.cutoff_hz.into()),
            _ => None,
        }
    }
    fn ratio(&self) -> Ratio {
        self.filter.ratio()
    }
    fn history(&self) -> usize {
        self.filter.history()
    }
    fn delay(&self) -> u64 {
        self.filter.delay()
    }

    fn map(&self, x: &[T], y: &mut [T]) {
        self.filter.map(x, y);
    }
}

/// A frequency: what is wrong with 0 is said by the design.
const HZ: Kind = Kind::Float(0.0, f64::INFINITY);

/// How files and the command line find [`LowPassFilter`].
pub const ENTRY: Entry = Entry {
    name: "low_pass_filter",
    category: "filters",
    summary: "Low-pass filter by its frequencies in Hz, decimating too.",
    params: &[
        SAMPLE_ITEM,
        optional("gain", ANY_FLOAT, "", "1.0", "The gain at 0 Hz."),
        required("rate_hz", HZ, "samples/s", "The sample rate of the input, > 0."),
        required("cutoff_hz", HZ, "Hz", "The middle of the transition, -6 dB; less than half of rate_hz."),
        required(
            "transition_hz",
            HZ,
            "Hz",
            "From pass band to stop band, > 0; the filter's length grows as it shrinks.",
        ),
        window::PARAM,
        DECIMATION,
    ],
    ports: &[
        input("in", "item", "x"),
        output("out", "item", "x below the cutoff: ⌊n / decimation⌋ items for n"),
        set_port("new values of gain and cutoff_hz"),
    ],
    make: |params| {
        let design = LowPass {
            gain: params.float("gain"),
            rate_hz: params.float("rate_hz"),
            cutoff_hz: params.float("cutoff_hz"),
            transition_hz: params.float("transition_hz"),
            window: Window::from_name(params.text("window")).unwrap_or_default(),
        };
        Ok(block_of_sample!(params, T => LowPassFilter::<T>::new(&design, params.count("decimation"))?))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_runtime::{C32, harness};

    const DESIGN: LowPass =
        LowPass { gain: 1.0, rate_hz: 1e6, cutoff_hz: 50e3, transition_hz: 50e3, window: Window::Blackman };

    #[test]
    fn a_tone_in_the_pass_band_passes_and_one_in_the_stop_band_does_not() {
        let tone = |hz: f64| -> Vec<C32> {
            let turn = |n: i32| (f64::from(n) * hz / 1e6 * std::f64::consts::TAU) as f32;
            (0..2000).map(|n| C32::from_polar(1.0, turn(n))).collect()
        };
        let level = |hz: f64| {
            let y: Vec<C32> = harness::run(LowPassFilter::<C32>::new(&DESIGN, 5).unwrap(), &tone(hz));
            assert_eq!(y.len(), 400);
            y[50..].iter().fold(0.0f32, |level, y| level.max((y.norm() - level).abs().max(level)))
        };
        assert!((level(-20e3) - 1.0).abs() < 2e-3);
        assert!(level(-100e3) < 3e-4, "{}", level(-100e3));
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(
            || LowPassFilter::<C32>::new(&DESIGN, 5).unwrap(),
            &complex_noise(2000),
        );
    }
}
