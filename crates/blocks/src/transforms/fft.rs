//! Fourier transforms of consecutive frames.

use std::sync::Arc;

use superhet_fft::{FftDirection, FftPlanner};
use superhet_kernels as kernels;
use superhet_runtime::catalog::{Choice, Kind};
use superhet_runtime::{AnyBlock, C32, Pure, Ratio, Shape, Value, declare};

use super::{with_floats, with_scratch};
use crate::error::{Error, check};
use crate::filters::Window;
use crate::item::from_values;

/// The longest transform.
const LONGEST: usize = 1 << 20;

/// Fourier transforms of consecutive frames of `length` items: `y[k] = Σₙ w[n] · x[n] · exp(∓j · 2π · k · n / length)`,
/// minus forward, plus inverse; not scaled, so that there and back multiplies by `length`.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `C32`; `f32` with [`RealFft`] | any | `length` |
/// | out `out` | `C32` | that of `in` | `length` |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `length` | items | 1 to 2²⁰; fast where its prime factors are small |
/// | `inverse` | | |
/// | `shift` | | |
/// | window | | a factor for each item of a frame, or none |
///
/// With `shift`, frequency 0 is in the middle of the spectrum, at `length / 2`: of the output forward, of the input
/// inverse. Fewer than `length` items at the end give nothing. The transform itself is that of the crate `rustfft`.
///
/// **Accuracy**: `|error| ≤ 2⁻²⁴ · (4 · log₂ length + 4) · √length · ‖w · x‖`, tested for sizes to 4096.
///
/// ```
/// use superhet_blocks::transforms::Fft;
/// use superhet_runtime::{C32, harness};
///
/// let tone = [C32::ONE, C32::I, -C32::ONE, -C32::I]; // a quarter of the sample rate
/// let spectrum: Vec<C32> = harness::run(Fft::new(4)?, &tone);
/// assert_eq!(spectrum, [C32::ZERO, C32::new(4.0, 0.0), C32::ZERO, C32::ZERO]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone)]
pub struct Fft {
    plan: Arc<dyn superhet_fft::Fft<f32>>,
    /// Each factor twice, for the real and the imaginary part; empty for none.
    window: Vec<f32>,
    shift: bool,
}

impl Fft {
    /// A forward transform without window and shift.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where `length` is 0 or beyond 2²⁰.
    pub fn new(length: usize) -> Result<Self, Error> {
        check((1..=LONGEST).contains(&length), "length", "a whole number from 1 to 1048576", length as f64)?;
        let plan = FftPlanner::new().plan_fft_forward(length);
        Ok(Fft { plan, window: Vec::new(), shift: false })
    }

    /// The same, inverse.
    pub fn inverse(self) -> Self {
        Fft { plan: FftPlanner::new().plan_fft_inverse(self.plan.len()), ..self }
    }

    /// The same, with frequency 0 in the middle of the spectrum.
    pub fn shifted(self) -> Self {
        Fft { shift: true, ..self }
    }

    /// The same, of frames that are multiplied by these factors first.
    ///
    /// # Errors
    /// [`Error::WrongKind`] unless there are `length` factors.
    pub fn with_window(self, factors: &[f32]) -> Result<Self, Error> {
        if factors.len() != self.plan.len() {
            return Err(Error::WrongKind {
                parameter: "window",
                wanted: "as many factors as the transform has items",
                got: format!("{} factors", factors.len()),
            });
        }
        Ok(Fft { window: factors.iter().flat_map(|&factor| [factor; 2]).collect(), ..self })
    }

    fn is_inverse(&self) -> bool {
        self.plan.fft_direction() == FftDirection::Inverse
    }
}

impl Pure for Fft {
    type In = C32;
    type Out = C32;

    fn shape(&self) -> Shape {
        Shape {
            ratio: Ratio { interpolation: self.plan.len(), decimation: self.plan.len() },
            ..Shape::default()
        }
    }

    fn map(&self, x: &[C32], y: &mut [C32]) {
        let size = self.plan.len();
        let swap_first = self.shift && self.is_inverse();
        if self.window.is_empty() && !swap_first {
            with_scratch(self.plan.get_immutable_scratch_len(), |scratch| {
                self.plan.process_immutable_with_scratch(x, y, scratch);
            });
        } else {
            with_scratch(size + self.plan.get_outofplace_scratch_len(), |scratch| {
                let (frame, scratch) = scratch.split_at_mut(size);
                for (x, y) in x.chunks_exact(size).zip(y.chunks_exact_mut(size)) {
                    match &self.window[..] {
                        [] => frame.copy_from_slice(x),
                        window => {
                            let (y, x) = (bytemuck::cast_slice_mut(frame), bytemuck::cast_slice(x));
                            kernels::multiply_f32(y, x, window);
                        }
                    }
                    if swap_first {
                        frame.rotate_left(size / 2);
                    }
                    self.plan.process_outofplace_with_scratch(frame, y, scratch);
                }
            });
        }
        if self.shift && !self.is_inverse() {
            for y in y.chunks_exact_mut(size) {
                y.rotate_right(size / 2);
            }
        }
    }
}

/// [`Fft`] of real samples: their imaginary parts are 0.
#[derive(Clone)]
pub struct RealFft(pub Fft);

impl Pure for RealFft {
    type In = f32;
    type Out = C32;

    fn shape(&self) -> Shape {
        self.0.shape()
    }

    fn map(&self, x: &[f32], y: &mut [C32]) {
        with_floats(2 * x.len(), |memory| {
            let frames: &mut [C32] = bytemuck::cast_slice_mut(memory);
            kernels::real_to_complex(frames, x);
            self.0.map(frames, y);
        });
    }
}

/// The factors that the parameter `window` of transforms says, a name or numbers; none for `rectangular` and for an empty
/// list.
///
/// # Errors
/// [`Error::WrongKind`] where it is neither.
pub fn window_factors(window: &Value, size: usize) -> Result<Vec<f32>, Error> {
    let wanted = "rectangular, hann, hamming, blackman, blackman_harris, or as many numbers as the transform has items";
    let wrong = || Error::WrongKind { parameter: "window", wanted, got: window.to_string() };
    if window.as_list().is_some() {
        return from_values("window", window);
    }
    match window.as_str().and_then(Window::from_word).ok_or_else(wrong)? {
        Window::Rectangular => Ok(Vec::new()),
        window => Ok(window.samples(size).iter().map(|&w| w as f32).collect()),
    }
}

#[declare(
    category = "transforms",
    summary = "Fourier transforms of consecutive frames, not scaled.",
    ports(
        input("in", "item", "frames"),
        output("out", "C32", "their transforms: ⌊n / length⌋ · length items for n")
    )
)]
fn fft(
    /// The type of the items.
    #[param(kind = Kind::Choice(&["C32", "f32"]), default = "C32")]
    item: &str,
    /// The length of a frame.
    #[param(formerly = "size", unit = "items", range = 1..=LONGEST)]
    length: usize,
    /// From spectrum to samples.
    #[param(default = false)]
    inverse: bool,
    /// Frequency 0 is in the middle of the spectrum.
    #[param(default = false)]
    shift: bool,
    /// Each frame is multiplied by it first: rectangular, hann, hamming, blackman, blackman_harris, or numbers.
    #[param(default = "rectangular")]
    window: &Value,
) -> Result<AnyBlock, Error> {
    let mut fft = Fft::new(length)?;
    if inverse {
        fft = fft.inverse();
    }
    if shift {
        fft = fft.shifted();
    }
    let factors = window_factors(window, length)?;
    if !factors.is_empty() {
        fft = fft.with_window(&factors)?;
    }
    Ok(match item {
        "f32" => AnyBlock::new(RealFft(fft)),
        _ => AnyBlock::new(fft),
    })
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;
    use crate::testing::{complex_noise, run_tags};
    use superhet_runtime::{C64, harness};

    const SIZES: [usize; 8] = [1, 2, 3, 5, 8, 100, 256, 4096];

    fn wide(x: C32) -> C64 {
        C64::new(x.re.into(), x.im.into())
    }

    /// Some lines of the spectrum of a frame, by the definition.
    fn check_lines(x: &[C32], y: &[C32], sign: f64) {
        let size = x.len();
        let energy: f64 = x.iter().map(|&x| wide(x).norm_sqr()).sum();
        let bound = (4.0 * (size as f64).log2() + 4.0) * (size as f64 * energy).sqrt() / (1 << 24) as f64;
        for k in (0..size).step_by(size.div_ceil(37)) {
            let term = |n: usize| wide(x[n]) * C64::cis(sign * TAU * (k * n % size) as f64 / size as f64);
            let line: C64 = (0..size).map(term).sum();
            assert!((wide(y[k]) - line).norm() <= bound, "line {k} of {size}: {}, wanted {line}", y[k]);
        }
    }

    #[test]
    fn values_are_those_of_the_definition() {
        for size in SIZES {
            let x = complex_noise(3 * size);
            let (forward, inverse) = (Fft::new(size).unwrap(), Fft::new(size).unwrap().inverse());
            for (block, sign) in [(forward, -1.0), (inverse, 1.0)] {
                let y: Vec<C32> = harness::run(block, &x);
                assert_eq!(y.len(), x.len());
                for (x, y) in x.chunks(size).zip(y.chunks(size)) {
                    check_lines(x, y, sign);
                }
            }
        }
    }

    #[test]
    fn real_frames_are_complex_ones_without_imaginary_parts() {
        let x = crate::testing::noise(2 * 64);
        let complex: Vec<C32> = x.iter().map(|&x| x.into()).collect();
        let fft = || Fft::new(64).unwrap().shifted().with_window(&[0.5; 64]).unwrap();
        let wanted: Vec<C32> = harness::run(fft(), &complex);
        assert_eq!(harness::run(RealFft(fft()), &x), wanted);
        harness::assert_cut_invariant(|| RealFft(fft()), &x);
    }

    #[test]
    fn a_window_is_a_name_or_numbers() {
        assert_eq!(window_factors(&"hann".into(), 3).unwrap(), [0.0, 1.0, 0.0]);
        assert_eq!(window_factors(&vec![1.0f32, 2.0].into(), 2).unwrap(), [1.0, 2.0]);
        assert!(window_factors(&"rectangular".into(), 3).unwrap().is_empty());
        assert!(window_factors(&"flat".into(), 3).is_err() && window_factors(&3.into(), 3).is_err());
    }

    #[test]
    fn a_window_is_a_factor_for_each_item() {
        for size in SIZES {
            let x = complex_noise(2 * size);
            let window: Vec<f32> = (0..size).map(|n| n as f32 * 0.1).collect();
            let windowed: Vec<C32> = x.iter().zip(window.iter().cycle()).map(|(x, w)| x * w).collect();
            let fft = Fft::new(size).unwrap();
            let y: Vec<C32> = harness::run(fft.clone().with_window(&window).unwrap(), &x);
            for (x, y) in windowed.chunks(size).zip(y.chunks(size)) {
                check_lines(x, y, -1.0);
            }
            assert!(fft.with_window(&[1.0; 7]).is_err());
        }
    }

    #[test]
    fn a_shift_puts_frequency_0_in_the_middle_and_the_inverse_takes_it_from_there() {
        for size in SIZES {
            let constant = vec![C32::ONE; size];
            let y: Vec<C32> = harness::run(Fft::new(size).unwrap().shifted(), &constant);
            for (k, y) in y.iter().enumerate() {
                let wanted = if k == size / 2 { size as f32 } else { 0.0 };
                assert!((y - wanted).norm() < 1e-3, "line {k} of {size}: {y}");
            }
            let back: Vec<C32> = harness::run(Fft::new(size).unwrap().inverse().shifted(), &y);
            assert!(back.iter().all(|x| (x / size as f32 - 1.0).norm() < 1e-5));
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        for size in [1, 3, 64, 100] {
            let window = vec![0.5; size];
            let plain = || Fft::new(size).unwrap();
            harness::assert_cut_invariant(plain, &complex_noise(1000));
            harness::assert_cut_invariant(
                || plain().shifted().with_window(&window).unwrap(),
                &complex_noise(1000),
            );
            harness::assert_cut_invariant(|| plain().inverse().shifted(), &complex_noise(1000));
        }
    }

    #[test]
    fn a_tag_stays_at_its_place_and_a_rest_gives_nothing() {
        let block = Fft::new(10).unwrap();
        assert_eq!(run_tags::<C32, C32, _, _>(block, complex_noise(35), &[0, 17, 29]).1, 30);
    }

    #[test]
    fn a_size_out_of_range_is_refused() {
        let problem = |size| Fft::new(size).err().unwrap().to_string();
        assert_eq!(problem(0), "length = 0: expected a whole number from 1 to 1048576");
        assert!(Fft::new(LONGEST + 1).is_err());
    }
}
