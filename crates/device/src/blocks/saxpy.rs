//! saxpy: scales and shifts.

use superhet_runtime::{BlockError, Value, parameter::no_parameter};

use super::{Sample, each, kernel};
use crate::block::DeviceMap;
use crate::kernel::Source;

/// Scales and shifts: `y[n] = gain · x[n] + offset`, for `f32` and `C32`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` or `f32` | any |
/// | out `out` | the same | that of `in`, times that of `gain` |
///
/// | parameter | range |
/// |---|---|
/// | `gain`, `offset` | any number; complex for `C32`, `[re, im]`; can be changed while the block runs |
///
/// **Accuracy**: `|error| ≤ 2⁻²³ · (|gain| · |x| + |offset|)` in each part for `f32`, twice that for `C32`.
///
/// **Languages**: CUDA, OpenCL, WGSL, host.
///
/// ```
/// use superhet_device::{Device, Sim, blocks::Saxpy};
/// use superhet_runtime::harness;
///
/// let device = Device::new(Sim::new());
/// let y: Vec<f32> = harness::run(device.map(Saxpy::new(2.0f32, 0.5)), &[1.0f32, 2.0]);
/// assert_eq!(y, [2.5, 4.5]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Saxpy<T> {
    /// The factor.
    pub gain: T,
    /// What is added to the product.
    pub offset: T,
}

impl<T> Saxpy<T> {
    /// Scales by `gain`, then shifts by `offset`.
    pub fn new(gain: T, offset: T) -> Self {
        Saxpy { gain, offset }
    }
}

impl<T: Sample> DeviceMap for Saxpy<T> {
    type In = T;
    type Out = T;
    const PARAMETERS: &'static [&'static str] = &["gain", "offset"];

    fn source(&self) -> Source {
        T::either(kernel!("saxpy_f32"), kernel!("saxpy_c32"))
            .host(each(|[gain, offset]: [T; 2], x: T| gain * x + offset))
    }

    fn constants(&self) -> Vec<u8> {
        bytemuck::cast_slice(&[self.gain, self.offset]).to_vec()
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match name {
            "gain" => self.gain = T::of("gain", value)?,
            "offset" => self.offset = T::of("offset", value)?,
            _ => return Err(no_parameter(name, Self::PARAMETERS)),
        }
        Ok(())
    }

    fn parameter(&self, name: &str) -> Option<Value> {
        match name {
            "gain" => Some(self.gain.value()),
            "offset" => Some(self.offset.value()),
            _ => None,
        }
    }
}
