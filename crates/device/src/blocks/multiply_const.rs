//! Multiplication by a constant.

use superhet_runtime::{BlockError, Value, parameter::no_parameter};

use super::{Sample, each, kernel};
use crate::block::DeviceMap;
use crate::kernel::Source;

/// Multiplies by a constant: `y[n] = constant · x[n]`, for `f32` and `C32`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` or `f32` | any |
/// | out `out` | the same | that of `in`, times that of `constant` |
///
/// | parameter | range |
/// |---|---|
/// | `constant` | any number; complex for `C32`, `[re, im]`; can be changed while the block runs |
///
/// **Accuracy**: `|error| ≤ 2⁻²³ · |constant| · |x|` in each part; exactly rounded for `f32`.
///
/// **Languages**: CUDA, OpenCL, WGSL, host.
///
/// ```
/// use superhet_device::{Device, Sim, blocks::MultiplyConst};
/// use superhet_runtime::{C32, harness};
///
/// let device = Device::new(Sim::new());
/// let y: Vec<C32> = harness::run(device.map(MultiplyConst::new(C32::I)), &[C32::new(1.0, 2.0)]);
/// assert_eq!(y, [C32::new(-2.0, 1.0)]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MultiplyConst<T> {
    /// The constant.
    pub constant: T,
}

impl<T> MultiplyConst<T> {
    /// Multiplies by a constant.
    pub fn new(constant: T) -> Self {
        MultiplyConst { constant }
    }
}

impl<T: Sample> DeviceMap for MultiplyConst<T> {
    type In = T;
    type Out = T;
    const PARAMETERS: &'static [&'static str] = &["constant"];

    fn source(&self) -> Source {
        T::either(kernel!("multiply_const_f32"), kernel!("multiply_const_c32"))
            .host(each(|constant: T, x: T| constant * x))
    }

    fn constants(&self) -> Vec<u8> {
        bytemuck::bytes_of(&self.constant).to_vec()
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match name {
            "constant" => self.constant = T::of("constant", value)?,
            _ => return Err(no_parameter(name, Self::PARAMETERS)),
        }
        Ok(())
    }

    fn parameter(&self, name: &str) -> Option<Value> {
        (name == "constant").then(|| self.constant.value())
    }
}
