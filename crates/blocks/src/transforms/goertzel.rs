//! One frequency of a signal.

use std::f64::consts::TAU;

use superhet_kernels::{Machine, Routine, run_routine};
use superhet_runtime::{C32, Pure, Ratio, Shape, declare};

use crate::error::{Error, check, check_positive, check_to_one};
use crate::filters::fir_filter::TO_ONE;

/// One frequency of consecutive pieces of a signal: `y[k] = e^(jω length) / length · Σₙ x[k · length + n] e^(−jωn)` with
/// `ω = 2π · frequency_hz / rate_hz`.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `f32` | any | `length` |
/// | out `out` | `C32` | that of `in` | 1 |
/// | in `set` | messages | new values of `frequency_hz` and `rate_hz` | |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `rate_hz` | Hz | > 0 |
/// | `length` | items | 1 to 2²⁴ |
/// | `frequency_hz` | Hz | finite |
///
/// # Source
/// G. Goertzel, "An Algorithm for the Evaluation of Finite Trigonometric Series", 1958; the sums are in double precision.
///
/// ```
/// use superhet_blocks::transforms::Goertzel;
/// use superhet_runtime::{C32, harness};
///
/// let x: Vec<f32> = (0..80).map(|n| (std::f32::consts::TAU * n as f32 / 8.0).cos()).collect();
/// let y: Vec<C32> = harness::run(Goertzel::new(8000.0, 40, 1000.0)?, &x);
/// assert!(y.len() == 2 && y.iter().all(|y| (y - C32::new(0.5, 0.0)).norm() < 1e-6));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Goertzel {
    rate_hz: f64,
    length: usize,
    frequency_hz: f64,
}

/// Pieces that go on side by side: none waits for another.
const TOGETHER: usize = 8;

/// Sums of whole pieces.
struct Pieces<'a> {
    x: &'a [f32],
    y: &'a mut [C32],
    len: usize,
    cos: f64,
    sin: f64,
}

impl Routine for Pieces<'_> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self) {
        let Pieces { x, y, len, cos, sin } = self;
        let (groups, rest) = y.as_chunks_mut::<TOGETHER>();
        let (x, x_rest) = x.split_at(groups.len() * TOGETHER * len);
        for (y, x) in groups.iter_mut().zip(x.chunks_exact(TOGETHER * len)) {
            sums(y, x, len, cos, sin);
        }
        for (y, x) in rest.iter_mut().zip(x_rest.chunks_exact(len)) {
            sums(std::array::from_mut(y), x, len, cos, sin);
        }
    }
}

/// The recursion over `N` pieces, one behind the other in `x`.
#[inline(always)]
fn sums<const N: usize>(y: &mut [C32; N], x: &[f32], len: usize, cos: f64, sin: f64) {
    let (mut last, mut before) = ([0.0; N], [0.0; N]);
    let pieces: [&[f32]; N] = std::array::from_fn(|piece| &x[piece * len..][..len]);
    for n in 0..len {
        let x: [f64; N] = pieces.map(|piece| piece[n].into());
        let next = std::array::from_fn(|piece| x[piece] + 2.0 * cos * last[piece] - before[piece]);
        (last, before) = (next, last);
    }
    let scale = 1.0 / len as f64;
    for piece in 0..N {
        let re = (cos * last[piece] - before[piece]) * scale;
        y[piece] = C32::new(re as f32, (sin * last[piece] * scale) as f32);
    }
}

#[declare(
    category = "transforms",
    summary = "One frequency of consecutive pieces of a signal.",
    ports(
        input("in", "f32", "x"),
        output(
            "out",
            "C32",
            "amplitude and phase, half of them for a real oscillation: ⌊n / length⌋ items for n"
        ),
        set_port("new values of frequency_hz and rate_hz")
    )
)]
impl Goertzel {
    /// The frequency of pieces of `length` items.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a number is out of its range.
    pub fn new(
        /// Items a second, > 0.
        #[param(live, formerly = "sample_rate_hz", unit = "Hz", range = 0.0..=f64::MAX)]
        rate_hz: f64,
        /// How long a piece is.
        #[param(formerly = "len", unit = "items", kind = TO_ONE)]
        length: usize,
        /// The frequency.
        #[param(live, unit = "Hz")]
        frequency_hz: f64,
    ) -> Result<Self, Error> {
        check_positive("rate_hz", rate_hz)?;
        check_to_one("length", length)?;
        check(frequency_hz.is_finite(), "frequency_hz", "a finite number", frequency_hz)?;
        Ok(Goertzel { rate_hz, length, frequency_hz })
    }
}

#[declare]
impl Pure for Goertzel {
    type In = f32;
    type Out = C32;

    fn shape(&self) -> Shape {
        Shape { ratio: Ratio { interpolation: 1, decimation: self.length }, ..Shape::default() }
    }

    fn map(&self, x: &[f32], y: &mut [C32]) {
        let (sin, cos) = (TAU * (self.frequency_hz / self.rate_hz)).sin_cos();
        run_routine(Pieces { x, y, len: self.length, cos, sin });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    #[test]
    fn values_are_those_of_gnu_radio() {
        let x: Vec<f32> =
            (0..50).map(|n| ((TAU / 8.0 * f64::from(n) + 0.3).cos() + 0.1 * f64::from(n)) as f32).collect();
        let y: Vec<C32> = harness::run(Goertzel::new(8000.0, 20, 1000.0).unwrap(), &x);
        let wanted = [C32::new(-0.510_597_2, -0.027_049_44), C32::new(0.344_739_14, 0.509_892_2)];
        assert_eq!(y.len(), 2);
        assert!(y.iter().zip(wanted).all(|(y, wanted)| (y - wanted).norm() < 1e-6), "{y:?}");
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| Goertzel::new(8000.0, 7, 440.0).unwrap(), &noise(500));
    }

    #[test]
    fn the_frequency_changes_and_what_cannot_be_is_refused() {
        let block = Goertzel::new(8000.0, 7, 440.0).unwrap();
        let other = block.with_parameter("frequency_hz", &1000.into()).unwrap();
        assert_eq!(other.parameter("frequency_hz"), Some(1000.0.into()));
        assert!(block.with_parameter("rate_hz", &0.into()).is_err());
        assert!(Goertzel::new(8000.0, 0, 440.0).is_err());
        assert!(Goertzel::new(8000.0, 7, f64::INFINITY).is_err());
    }
}
