//! Polyphase channelizer.

use superhet_runtime::{C32, Ratio};

use super::Error;
use super::fft::check_size;
use super::sample::check_taps;
use super::transform::Transform;
use crate::block::DeviceMap;
use crate::kernel::Source;

/// Splits a band into `M` channels of equal width: channel `c` is the band about `c / M` of the sample rate, shifted to 0,
/// filtered and decimated by `M`.
///
/// `y[k · M + c] = Σⱼ taps[j] · z[k · M + M − 1 − j]` with `z[n] = x[n] · exp(−j · 2π · c · n / M)`, and zeros before the
/// first item: frames of `M` items, one of each channel.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `C32` | any | `M` |
/// | out `out` | `C32` | that of `in`, times that of the taps | `M` |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `channels` | | `M`, a power of two from 1 to 4096 |
/// | `taps` | | 1 to 2²² finite real numbers: a low-pass filter for the input's sample rate, cut off at `1 / 2M` of it |
///
/// All channels take little more work than one: a sum for each branch of the polyphase filter, and one Fourier transform,
/// in one kernel. Fewer than `M` items at the end give nothing.
///
/// **Accuracy**: `|error| ≤ 2⁻²⁴ · (taps / M + 4 · log₂ M + 8) · Σ |x| · |tap|`.
///
/// **Languages**: CUDA, OpenCL, WGSL, host. The device needs `8 · max(256, M)` bytes of memory that a group of threads
/// shares.
///
/// **Source**: the polyphase filter bank with a Fourier transform, as in harris, Dick, Rice, "Digital receivers and
/// transmitters using polyphase filter banks for wireless communications", IEEE Transactions on Microwave Theory and
/// Techniques 51 (4), 2003.
///
/// ```
/// use superhet_device::{Device, Sim, blocks::Channelizer};
/// use superhet_runtime::{C32, harness};
///
/// let device = Device::new(Sim::new());
/// let tone = [C32::ONE, -C32::ONE, C32::ONE, -C32::ONE]; // half of the sample rate
/// let y: Vec<C32> = harness::run(device.map(Channelizer::new(2, &[0.5, 0.5])?), &tone);
/// assert_eq!(y, [C32::ZERO, C32::ONE, C32::ZERO, C32::ONE]);
/// # Ok::<(), superhet_device::blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Channelizer(Transform);

impl Channelizer {
    /// A channelizer with these taps for each channel.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Element`] or [`Error::OutOfRange`] where there is no tap, one that is not finite, or a
    /// number is out of its range.
    pub fn new(channels: usize, taps: &[f32]) -> Result<Self, Error> {
        check_size("channels", channels)?;
        check_taps(taps)?;
        let mut taps_reversed = taps.to_vec();
        taps_reversed.resize(taps.len().next_multiple_of(channels), 0.0);
        taps_reversed.reverse();
        Ok(Channelizer(Transform { size: channels, taps_reversed, inverse: false, shift: false }))
    }
}

impl DeviceMap for Channelizer {
    type In = C32;
    type Out = C32;

    fn ratio(&self) -> Ratio {
        Ratio { interpolation: self.0.size, decimation: self.0.size }
    }

    fn history(&self) -> usize {
        self.0.taps_reversed.len() - self.0.size
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
