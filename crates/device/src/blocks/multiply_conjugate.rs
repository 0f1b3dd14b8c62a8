//! Product of one stream with the conjugate of another.

use superhet_runtime::C32;

use super::kernel;
use crate::block::DeviceMap;
use crate::kernel::{HostCall, Source};

/// Multiplies by the conjugate of the second stream: `y[n] = a[n] · conj(b[n])`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in0` | `C32` | any |
/// | in `in1` | `C32` | any |
/// | out `out` | `C32` | the product of both units; its angle is the difference of theirs |
///
/// **Accuracy**: `|error| ≤ 2⁻²³ · |a| · |b|` in each part.
///
/// **Languages**: CUDA, OpenCL, WGSL, host.
///
/// ```
/// use superhet_device::{Device, Sim, blocks::MultiplyConjugate};
/// use superhet_runtime::{C32, Graph, harness::{VecSink, VecSource}};
///
/// let device = Device::new(Sim::new());
/// let mut graph = Graph::new();
/// let a = graph.add("a", VecSource::new(vec![C32::new(1.0, 2.0)]));
/// let product = graph.add("product", device.map(MultiplyConjugate));
/// let sink = VecSink::<C32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(a.output, product.input.0);
/// graph.connect(a.output, product.input.1);
/// graph.connect(product.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [C32::new(5.0, 0.0)]); // a stream with itself: its power
/// # Ok::<(), superhet_runtime::RunError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct MultiplyConjugate;

impl DeviceMap for MultiplyConjugate {
    type In = (C32, C32);
    type Out = C32;

    fn source(&self) -> Source {
        kernel!("multiply_conjugate").host(compute)
    }
}

fn compute(call: HostCall<'_>) {
    let ([a, b], [y]) = (call.inputs, call.outputs) else { return };
    let (a, b): (&[C32], &[C32]) = (bytemuck::cast_slice(a), bytemuck::cast_slice(b));
    let y: &mut [C32] = bytemuck::cast_slice_mut(y);
    y.iter_mut().zip(a.iter().zip(b)).for_each(|(y, (a, b))| *y = a * b.conj());
}
