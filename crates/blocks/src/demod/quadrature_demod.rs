//! Quadrature demodulation: the frequency of a signal.

use superhet_kernels as kernels;
use superhet_runtime::{C32, Pure, Shape, declare};

/// Quadrature demodulation, for FM and FSK: `y[n] = gain · arg(x[n] · conj(x[n − 1]))`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | `f32` | radians per sample times `gain`, within ±π · `gain` |
/// | in `set` | messages | new values of `gain` |
///
/// With [`QuadratureDemod::in_hz`] the output is the frequency in Hz; with a gain of
/// `rate_hz / (2π · deviation_hz)` full deviation gives 1. The sample before the first one is 0, and so is the first
/// output. A zero sample gives 0, a NaN gives NaN.
///
/// **Accuracy**: that of the kernel, 1e-6 rad · `gain`.
///
/// ```
/// use superhet_blocks::demod::QuadratureDemod;
/// use superhet_runtime::{C32, harness};
///
/// let tone: Vec<C32> = (0..100).map(|n| C32::from_polar(1.0, n as f32 * 0.1)).collect();
/// let y: Vec<f32> = harness::run(QuadratureDemod::new(1.0), &tone);
/// assert!(y[1..].iter().all(|y| (y - 0.1).abs() < 1e-4));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct QuadratureDemod {
    /// The output for one radian per sample.
    pub gain: f32,
}

#[declare(
    category = "demod",
    summary = "Quadrature demodulation, for FM and FSK: y[n] = gain · arg(x[n] · conj(x[n − 1])).",
    ports(
        input("in", "C32", "the signal, centred on its carrier"),
        output("out", "f32", "the frequency in radians per sample, times gain")
    )
)]
impl QuadratureDemod {
    /// A demodulator that gives `gain` for one radian per sample.
    pub fn new(
        /// The output for one radian per sample: rate_hz / (2π · deviation_hz) makes full deviation 1.
        #[param(live, default = 1.0)]
        gain: f32,
    ) -> Self {
        QuadratureDemod { gain }
    }

    /// A demodulator that gives the frequency in Hz of a stream at `rate_hz` samples a second.
    pub fn in_hz(rate_hz: f64) -> Self {
        QuadratureDemod { gain: (rate_hz / std::f64::consts::TAU) as f32 }
    }
}

#[declare]
impl Pure for QuadratureDemod {
    type In = C32;
    type Out = f32;
    fn shape(&self) -> Shape {
        Shape { history: 1, ..Shape::default() }
    }

    fn map(&self, x: &[C32], y: &mut [f32]) {
        kernels::quadrature_demod(y, x, self.gain);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    #[test]
    fn values_are_right() {
        let x = complex_noise(1000);
        let y: Vec<f32> = harness::run(QuadratureDemod::new(2.0), &x);
        assert_eq!(y[0], 0.0);
        for (y, x) in y[1..].iter().zip(x.windows(2)) {
            assert!((y - 2.0 * (x[1] * x[0].conj()).arg()).abs() < 1e-5);
        }
    }

    #[test]
    fn a_tone_gives_its_frequency_in_hz() {
        let turn = |n: i32| (f64::from(n) * -12_500.0 / 1e6 * std::f64::consts::TAU) as f32;
        let tone: Vec<C32> = (0..1000).map(|n| C32::from_polar(0.5, turn(n))).collect();
        let y: Vec<f32> = harness::run(QuadratureDemod::in_hz(1e6), &tone);
        assert!(y[1..].iter().all(|y| (y + 12_500.0).abs() < 5.0));
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| QuadratureDemod::new(0.8), &complex_noise(1000));
    }
}
