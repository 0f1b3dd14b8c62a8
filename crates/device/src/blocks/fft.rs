//! Fourier transforms of consecutive frames.

use superhet_runtime::{C32, Ratio};

use super::Error;
use super::error::check;
use super::transform::{LONGEST, Transform};
use crate::block::DeviceMap;
use crate::kernel::Source;

/// Fourier transforms of consecutive frames of `size` items: `y[k] = Σₙ w[n] · x[n] · exp(∓j · 2π · k · n / size)`, minus
/// forward, plus inverse. Nothing is scaled: a transform there and back multiplies by `size`.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `C32` | any | `size` |
/// | out `out` | `C32` | that of `in` | `size` |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `size` | items | a power of two from 1 to 4096 |
/// | `inverse` | | |
/// | `shift` | | |
/// | window | | a factor for each item of a frame, or none |
///
/// With `shift`, frequency 0 is in the middle of the spectrum, at `size / 2`: of the output forward, of the input
/// inverse. Fewer than `size` items at the end give nothing.
///
/// **Accuracy**: `|error| ≤ 2⁻²⁴ · (4 · log₂ size + 4) · √size · ‖w · x‖`.
///
/// **Languages**: CUDA, OpenCL, WGSL, host. The device needs `8 · max(256, size)` bytes of memory that a group of threads
/// shares.
///
/// ```
/// use superhet_device::{Device, Sim, blocks::Fft};
/// use superhet_runtime::{C32, harness};
///
/// let device = Device::new(Sim::new());
/// let tone = [C32::ONE, C32::I, -C32::ONE, -C32::I]; // a quarter of the sample rate
/// let spectrum: Vec<C32> = harness::run(device.map(Fft::new(4)?), &tone);
/// let wanted = [0.0, 4.0, 0.0, 0.0];
/// assert!(spectrum.iter().zip(wanted).all(|(y, wanted)| (y - wanted).norm() < 1e-6));
/// # Ok::<(), superhet_device::blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Fft(Transform);

/// That `size` is one that the kernel knows.
pub(super) fn check_size(parameter: &'static str, size: usize) -> Result<(), Error> {
    let fits = size.is_power_of_two() && size <= LONGEST;
    check(fits, parameter, "a power of two from 1 to 4096", size)
}

impl Fft {
    /// A forward transform without window and shift.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where `size` is not a power of two, or beyond 4096.
    pub fn new(size: usize) -> Result<Self, Error> {
        check_size("length", size)?;
        Ok(Fft(Transform { size, taps_reversed: vec![1.0; size], inverse: false, shift: false }))
    }

    /// What it computes.
    #[cfg(feature = "cuda")]
    pub(crate) fn transform(&self) -> &Transform {
        &self.0
    }

    /// The same, inverse.
    #[must_use]
    pub fn inverse(self) -> Self {
        Fft(Transform { inverse: true, ..self.0 })
    }

    /// The same, with frequency 0 in the middle of the spectrum.
    #[must_use]
    pub fn shifted(self) -> Self {
        Fft(Transform { shift: true, ..self.0 })
    }

    /// The same, of frames that are multiplied by these factors first.
    ///
    /// # Errors
    /// [`Error::WrongKind`] unless there are `size` factors.
    pub fn with_window(self, factors: &[f32]) -> Result<Self, Error> {
        if factors.len() != self.0.size {
            return Err(Error::WrongKind {
                parameter: "window",
                wanted: "as many factors as the transform has items",
                got: format!("{} factors", factors.len()),
            });
        }
        Ok(Fft(Transform { taps_reversed: factors.to_vec(), ..self.0 }))
    }
}

impl DeviceMap for Fft {
    type In = C32;
    type Out = C32;

    fn ratio(&self) -> Ratio {
        Ratio { interpolation: self.0.size, decimation: self.0.size }
    }

    fn source(&self) -> Source {
        self.0.source()
    }

    fn threads(&self, items: usize) -> usize {
        self.0.threads(items)
    }

    fn constants(&self) -> Vec<u8> {
        self.0.constants()
    }

    fn tables(&self) -> Vec<Vec<u8>> {
        self.0.tables()
    }
}
