//! Complex samples from their parts.

use superhet_kernels as kernels;
use superhet_runtime::{AnyBlock, C32, Pure, declare};

/// Complex samples from their parts: `y[n] = re[n] + j · im[n]`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in0` | `f32` | any: the real part |
/// | in `in1` | `f32` | the same: the imaginary part |
/// | out `out` | `C32` | the same |
///
/// ```
/// use superhet_blocks::{convert::FloatToComplex, sinks::VectorSink, sources::VectorSource};
/// use superhet_runtime::{C32, Graph};
///
/// let mut graph = Graph::new();
/// let re = graph.add("re", VectorSource::new(vec![1.0f32], false)?);
/// let im = graph.add("im", VectorSource::new(vec![2.0f32], false)?);
/// let both = graph.add("both", FloatToComplex);
/// let sink = VectorSink::<C32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(re.output, both.input.0);
/// graph.connect(im.output, both.input.1);
/// graph.connect(both.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [C32::new(1.0, 2.0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct FloatToComplex;

impl Pure for FloatToComplex {
    type In = (f32, f32);
    type Out = C32;

    fn map(&self, (re, im): (&[f32], &[f32]), y: &mut [C32]) {
        kernels::interleave(y, re, im);
    }
}

/// Complex samples of real ones: `y[n] = re[n]`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | any |
/// | out `out` | `C32` | the same |
///
/// ```
/// use superhet_blocks::convert::RealToComplex;
/// use superhet_runtime::{C32, harness};
///
/// assert_eq!(harness::run(RealToComplex, &[2.0]), [C32::new(2.0, 0.0)]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct RealToComplex;

impl Pure for RealToComplex {
    type In = f32;
    type Out = C32;

    fn map(&self, re: &[f32], y: &mut [C32]) {
        kernels::real_to_complex(y, re);
    }
}

#[declare(
    category = "convert",
    summary = "Complex samples from their parts: y[n] = re[n] + j · im[n].",
    ports(
        input("in0", "f32", "real parts"),
        input("in1", "f32", "imaginary parts"),
        output("out", "C32", "re + j · im")
    )
)]
fn float_to_complex(
    /// 1: there are real parts only, on an input `in`; 2: both.
    #[param(range = 1..=2, default = 2)]
    inputs: usize,
) -> AnyBlock {
    match inputs {
        1 => AnyBlock::new(RealToComplex),
        _ => AnyBlock::new(FloatToComplex),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gives_of_two, noise};

    #[test]
    fn values_are_right_wherever_the_streams_are_cut() {
        let (re, im) = (noise(1000), noise(1200)[200..].to_vec());
        let wanted: Vec<C32> = re.iter().zip(&im).map(|(&re, &im)| C32::new(re, im)).collect();
        assert_gives_of_two(|| FloatToComplex, (&re, &im), &wanted);
    }
}
