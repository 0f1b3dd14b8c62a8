//! Squared magnitudes of complex samples, their power.

use superhet_runtime::C32;

use super::{each, kernel};
use crate::block::DeviceMap;
use crate::kernel::Source;

/// Squared magnitudes of complex samples, their power: `y[n] = re² + im²`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | `f32` | the square of that of `in`, ≥ 0 |
///
/// **Accuracy**: `|error| ≤ 2⁻²³ · y`.
///
/// **Languages**: CUDA, OpenCL, WGSL, host.
///
/// ```
/// use superhet_device::{Device, Sim, blocks::MagnitudeSquared};
/// use superhet_runtime::{C32, harness};
///
/// let device = Device::new(Sim::new());
/// let y: Vec<f32> = harness::run(device.map(MagnitudeSquared), &[C32::new(3.0, -4.0)]);
/// assert_eq!(y, [25.0]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct MagnitudeSquared;

impl DeviceMap for MagnitudeSquared {
    type In = C32;
    type Out = f32;

    fn source(&self) -> Source {
        kernel!("magnitude_squared").host(each(|(): (), x: C32| x.norm_sqr()))
    }
}
