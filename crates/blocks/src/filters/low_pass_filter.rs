//! Low-pass filter by its frequencies in Hz, decimating too.

use super::fir_filter::TO_ONE;
use superhet_runtime::catalog::Kind;
use superhet_runtime::{
    AnyBlock, BlockError, C32, Item, Pure, Shape, Value, declare, parameter::no_parameter,
};

use crate::error::Error;
use crate::filters::{FirFilter, LowPass, Tap, Window};
use crate::item::float_of;

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
    fn shape(&self) -> Shape {
        self.filter.shape()
    }

    fn map(&self, x: &[T], y: &mut [T]) {
        self.filter.map(x, y);
    }
}

/// A frequency: what is wrong with 0 is said by the design.
const HZ: Kind = Kind::Float(0.0, f64::INFINITY);

#[declare(
    category = "filters",
    summary = "Low-pass filter by its frequencies in Hz, decimating too.",
    items(C32, f32),
    ports(
        input("in", "item", "x"),
        output("out", "item", "x below the cutoff: ⌊n / decimation⌋ items for n"),
        set_port("new values of gain and cutoff_hz")
    )
)]
fn low_pass_filter<T: Item>(
    /// The gain at 0 Hz.
    #[param(default = 1.0)]
    gain: f64,
    /// The sample rate of the input, > 0.
    #[param(unit = "samples/s", kind = HZ)]
    rate_hz: f64,
    /// The middle of the transition, -6 dB; less than half of rate_hz.
    #[param(unit = "Hz", kind = HZ)]
    cutoff_hz: f64,
    /// From pass band to stop band, > 0; the filter's length grows as it shrinks.
    #[param(unit = "Hz", kind = HZ)]
    transition_hz: f64,
    /// The window: attenuation in the stop band (20, 43, 52, 74, 90 dB) for length (1 : 3.2 : 3.5 : 5.7 : 7.5).
    #[param(default = "hamming")]
    window: Window,
    /// One item out of so many items in.
    #[param(unit = "items", kind = TO_ONE, default = 1)]
    decimation: usize,
) -> Result<AnyBlock, BlockError>
where
    f32: Tap<T, Out = T>,
{
    let design = LowPass { gain, rate_hz, cutoff_hz, transition_hz, window };
    Ok(AnyBlock::new(LowPassFilter::<T>::new(&design, decimation)?))
}

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
