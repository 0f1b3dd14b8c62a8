//! Product of one stream with the conjugate of another.

use superhet_kernels as kernels;
use superhet_runtime::{C32, Pure, declare};

/// Multiplies by the conjugate of the second stream: `y[n] = a[n] · conj(b[n])`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in0` | `C32` | any |
/// | in `in1` | `C32` | any |
/// | out `out` | `C32` | the product of both units; its angle is the difference of theirs |
///
/// ```
/// use superhet_blocks::{math::MultiplyConjugate, sinks::VectorSink, sources::VectorSource};
/// use superhet_runtime::{C32, Graph};
///
/// let mut graph = Graph::new();
/// let a = graph.add("a", VectorSource::new(vec![C32::new(1.0, 2.0)], false)?);
/// let product = graph.add("product", MultiplyConjugate);
/// let sink = VectorSink::<C32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(a.output, product.input.0);
/// graph.connect(a.output, product.input.1);
/// graph.connect(product.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [C32::new(5.0, 0.0)]); // a stream with itself: its power
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[declare(
    category = "math",
    summary = "Multiplies by the conjugate of the second stream: y[n] = a[n] · conj(b[n]).",
    ports(input("in0", "C32", "a"), input("in1", "C32", "b"), output("out", "C32", "a · conj(b)"))
)]
#[derive(Clone, Copy, Debug, Default)]
pub struct MultiplyConjugate;

impl Pure for MultiplyConjugate {
    type In = (C32, C32);
    type Out = C32;

    fn map(&self, (a, b): (&[C32], &[C32]), y: &mut [C32]) {
        kernels::multiply_conjugate_c32(y, a, b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, cuts, run_two};
    use superhet_runtime::Options;

    #[test]
    fn values_are_right_wherever_the_streams_are_cut() {
        let (a, b) = (complex_noise(1000), complex_noise(1200)[200..].to_vec());
        let whole: Vec<C32> = run_two(MultiplyConjugate, &a, &b, &Options::default());
        assert_eq!(whole.len(), 1000);
        for (y, (a, b)) in whole.iter().zip(a.iter().zip(&b)) {
            assert!((y - a * b.conj()).norm() < 1e-6);
        }
        for options in cuts() {
            assert_eq!(run_two::<C32, C32, C32, _, _>(MultiplyConjugate, &a, &b, &options), whole);
        }
    }
}
