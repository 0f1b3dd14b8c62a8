//! FIR filter, decimating too.

use std::marker::PhantomData;

use superhet_runtime::{BlockError, C32, Ratio, Value, parameter::no_parameter};

use super::error::check;
use super::sample::check_taps;
use super::sample::samples;
use super::{Error, Sample, kernel};
use crate::block::DeviceMap;
use crate::kernel::{HostCall, Source};

/// The most items of which one is given.
const MOST_TO_ONE: usize = 1 << 24;

/// FIR filter: `y[k] = Σⱼ taps[j] · x[k · decimation − j]`, with zeros before the first item.
///
/// | samples | taps | type |
/// |---|---|---|
/// | `f32` | real | `Fir<f32, f32>` |
/// | `C32` | real | `Fir<C32, f32>` |
/// | `C32` | complex | `Fir<C32, C32>` |
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `C32` or `f32` | any | `decimation` |
/// | out `out` | the same | that of `in`, times that of the taps | 1 |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `taps` | | 1 to 2²² finite numbers; others, as many, can take their place while the block runs |
/// | `decimation` | items | 1 to 2²⁴; so many are held in memory |
///
/// The group delay of symmetric taps, `floor((taps − 1) / 2)` items of the input, is declared: tags move by it.
///
/// **Accuracy**: `|error| ≤ 2⁻²³ · (taps + 4) · Σ |x| · |tap|` in each part.
///
/// **Languages**: CUDA, OpenCL, WGSL, host. One thread makes one item, in a plain loop over the taps.
///
/// ```
/// use superhet_device::{Device, Sim, blocks::Fir};
/// use superhet_runtime::harness;
///
/// let device = Device::new(Sim::new());
/// let mean_of_two = Fir::<f32, f32>::new(&[0.5, 0.5], 1)?;
/// let y: Vec<f32> = harness::run(device.map(mean_of_two), &[2.0f32, 4.0, 6.0]);
/// assert_eq!(y, [1.0, 3.0, 5.0]);
/// # Ok::<(), superhet_device::blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Fir<T, C> {
    taps_reversed: Vec<C>,
    decimation: usize,
    item: PhantomData<fn() -> T>,
}

/// Taps that can filter samples of type `T`: real ones all, complex ones complex samples.
pub trait Tap<T>: Sample + sealed::Tap<T> {}

impl Tap<f32> for f32 {}
impl Tap<C32> for f32 {}
impl Tap<C32> for C32 {}

mod sealed {
    use super::*;

    pub trait Tap<T> {
        /// The kernel in the languages of devices.
        fn source() -> Source;
        /// The product of a sample and this tap.
        fn times(self, x: T) -> T;
    }

    macro_rules! taps {
        ($($tap:ty, $sample:ty => $kernel:literal;)+) => {$(
            impl Tap<$sample> for $tap {
                fn source() -> Source {
                    kernel!($kernel)
                }
                fn times(self, x: $sample) -> $sample {
                    x * self
                }
            }
        )+};
    }

    taps! {
        f32, f32 => "fir_f32_f32";
        f32, C32 => "fir_c32_f32";
        C32, C32 => "fir_c32_c32";
    }
}

impl<T: Sample, C: Tap<T>> Fir<T, C> {
    /// A filter with these taps that gives one item out of `decimation`.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Element`] or [`Error::OutOfRange`] where there is no tap, one that is not finite, or a
    /// number is out of its range.
    pub fn new(taps: &[C], decimation: usize) -> Result<Self, Error> {
        let wanted = "a whole number from 1 to 16777216";
        check((1..=MOST_TO_ONE).contains(&decimation), "decimation", wanted, decimation)?;
        check_taps(taps)?;
        Ok(Fir { taps_reversed: taps.iter().rev().copied().collect(), decimation, item: PhantomData })
    }
}

impl<T: Sample, C: Tap<T>> DeviceMap for Fir<T, C> {
    type In = T;
    type Out = T;
    const PARAMETERS: &'static [&'static str] = &["taps"];

    fn ratio(&self) -> Ratio {
        Ratio::decimate(self.decimation)
    }

    fn history(&self) -> usize {
        self.taps_reversed.len() - 1
    }

    fn delay(&self) -> u64 {
        (self.history() / 2) as u64
    }

    fn source(&self) -> Source {
        C::source().host(compute::<T, C>)
    }

    fn constants(&self) -> Vec<u8> {
        bytemuck::cast_slice(&[self.taps_reversed.len() as u32, self.decimation as u32]).to_vec()
    }

    fn tables(&self) -> Vec<Vec<u8>> {
        vec![bytemuck::cast_slice(&self.taps_reversed).to_vec()]
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        if name != "taps" {
            return Err(no_parameter(name, Self::PARAMETERS));
        }
        let taps: Vec<C> = samples("taps", value)?;
        let (got, wanted) = (taps.len(), self.taps_reversed.len());
        if got != wanted {
            return Err(format!("taps has {got} numbers: expected {wanted}, as many as before").into());
        }
        *self = Fir::new(&taps, self.decimation)?;
        Ok(())
    }
}

fn compute<T: Sample, C: Tap<T>>(call: HostCall<'_>) {
    let ([x, taps], [y]) = (call.inputs, call.outputs) else { return };
    let (x, taps): (&[T], &[C]) = (bytemuck::cast_slice(x), bytemuck::cast_slice(taps));
    let [count, decimation]: [u32; 2] = bytemuck::pod_read_unaligned(call.constants);
    for (k, y) in bytemuck::cast_slice_mut::<_, T>(y).iter_mut().enumerate() {
        let window = &x[k * decimation as usize..][..count as usize];
        *y = taps.iter().zip(window).fold(T::zeroed(), |sum, (tap, x)| sum + tap.times(*x));
    }
}
