//! The blocks that every device has, one per file; their kernels are in `kernels/`, each in a file per language.
//!
//! | block | computes | on the host |
//! |---|---|---|
//! | [`Loopback`] | `y[n] = x[n]`, a copy on the device | `copy` |
//! | [`HostToDevice`], [`DeviceToHost`] | the same: the stream is on the device here | `copy` |
//! | [`MultiplyConst`] | `y[n] = constant · x[n]` | `multiply_const` |
//! | [`MultiplyConjugate`] | `y[n] = a[n] · conj(b[n])` | `multiply_conjugate` |
//! | [`Saxpy`] | `y[n] = gain · x[n] + offset` | `saxpy` |
//! | [`MagnitudeSquared`] | `y[n] = re² + im²` | `complex_to_mag_squared` |
//! | [`Fir`] | `y[k] = Σⱼ taps[j] · x[k · decimation − j]` | `fir_filter` |
//! | [`Fft`] | Fourier transforms of consecutive frames | `fft` |
//! | [`Channelizer`] | a band in channels of equal width | `channelizer` |
//!
//! Each computes what the block of the host does, with the same history, delay and tags, and as exactly as its
//! documentation says. Devices may round a product and a sum at once, and may take numbers below 2⁻¹²⁶ for 0.
//!
//! ```
//! use superhet_device::blocks::{MagnitudeSquared, MultiplyConst};
//! use superhet_device::{Device, Sim};
//! use superhet_runtime::{C32, Graph, harness::{VecSink, VecSource}};
//!
//! let device = Device::new(Sim::new());
//! let mut graph = Graph::new();
//! let source = graph.add("source", VecSource::new(vec![C32::new(3.0, -4.0)]));
//! let half = graph.add("half", device.map(MultiplyConst::new(C32::new(0.5, 0.0))));
//! let power = graph.add("power", device.map(MagnitudeSquared));
//! let sink = VecSink::<f32>::new();
//! let items = sink.items();
//! let sink = graph.add("sink", sink);
//! graph.connect(source.output, half.input);
//! graph.connect(half.output, power.input);
//! graph.connect(power.output, sink.input);
//! graph.run()?;
//! assert_eq!(items.take(), [6.25]);
//! # Ok::<(), superhet_runtime::RunError>(())
//! ```

mod channelizer;
mod copies;
mod error;
mod fft;
mod fir;
mod loopback;
mod magnitude_squared;
mod multiply_conjugate;
mod multiply_const;
mod sample;
mod saxpy;
mod transform;

pub use channelizer::Channelizer;
pub use copies::{DeviceToHost, HostToDevice};
pub use error::Error;
pub use fft::Fft;
pub use fir::{Fir, Tap};
pub use loopback::Loopback;
pub use magnitude_squared::MagnitudeSquared;
pub use multiply_conjugate::MultiplyConjugate;
pub use multiply_const::MultiplyConst;
pub use sample::Sample;
pub use saxpy::Saxpy;
#[cfg(feature = "cuda")]
pub(crate) use transform::Transform;

use superhet_runtime::Item;

use crate::kernel::HostCall;

/// The kernel `$name` in OpenCL C, WGSL and PTX: the files `kernels/$name.cl`, `.wgsl` and `.ptx`. `cargo run -p
/// superhet-device --features cuda --example compile_ptx` makes the last one from `kernels/$name.cu`.
macro_rules! kernel {
    ($name:literal) => {
        $crate::kernel::Source::new($name)
            .cuda(include_str!(concat!("kernels/", $name, ".ptx")))
            .opencl(include_str!(concat!("kernels/", $name, ".cl")))
            .wgsl(include_str!(concat!("kernels/", $name, ".wgsl")))
    };
}
use kernel;

/// The host's kernel that makes one item of one item, with constants of type `C`.
fn each<C: bytemuck::AnyBitPattern, A: Item, B: Item>(
    function: impl Fn(C, A) -> B + Send + Sync + 'static,
) -> impl Fn(HostCall<'_>) + Send + Sync + 'static {
    move |call| {
        let constants = bytemuck::pod_read_unaligned(call.constants);
        let ([x], [y]) = (call.inputs, call.outputs) else { return };
        let (x, y): (&[A], &mut [B]) = (bytemuck::cast_slice(x), bytemuck::cast_slice_mut(y));
        y.iter_mut().zip(x).for_each(|(y, x)| *y = function(constants, *x));
    }
}
