//! The parts of complex samples.

use superhet_kernels as kernels;
use superhet_runtime::{C32, In, Out, declare};

use crate::error::{Error, check};
use crate::lockstep::{Lockstep, Many, Names, room};

/// The parts of complex samples: the real ones, and the imaginary ones.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out0` | `f32` | the real part |
/// | out `out1` | `f32` | the imaginary part, where there are two outputs |
///
/// Of two outputs one may stay unconnected.
///
/// ```
/// use superhet_blocks::{convert::ComplexToFloat, sinks::VectorSink, sources::VectorSource};
/// use superhet_runtime::{C32, Graph};
///
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(vec![C32::new(1.0, 2.0)], false)?);
/// let parts = graph.add("parts", ComplexToFloat::new(2)?);
/// let sink = VectorSink::<f32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, parts.input[0]);
/// graph.connect(parts.output[1], sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ComplexToFloat;

#[declare(
    category = "convert",
    summary = "The parts of complex samples.",
    ports(
        input("in", "C32", "x"),
        output("out0", "f32", "the real part"),
        output("out1", "f32", "the imaginary part, where there are two outputs")
    )
)]
impl ComplexToFloat {
    /// The real parts, or with two outputs both.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there are 1 or 2 outputs.
    #[allow(clippy::new_ret_no_self, reason = "the block is what has as many ports")]
    pub fn new(
        /// 1: the real parts; 2: both.
        #[param(range = 1..=2, default = 2)]
        outputs: usize,
    ) -> Result<Many<Self>, Error> {
        check((1..=2).contains(&outputs), "outputs", "1 or 2", outputs as f64)?;
        Ok(Many::new(ComplexToFloat, (1, Names::Single), (outputs, Names::Numbered)))
    }
}

impl Lockstep for ComplexToFloat {
    type In = C32;
    type Out = f32;

    fn turn(&mut self, inputs: &[In<C32>], outputs: &mut [Out<f32>], turns: usize) {
        let Some(x) = inputs.first().map(|input| &input.peek()[..turns]) else { return };
        let (re, im) = outputs.split_at_mut(1);
        let (re, im) = (room(&mut re[0], turns), im.first_mut().and_then(|im| room(im, turns)));
        match (re, im) {
            (Some(re), Some(im)) => kernels::deinterleave(re, im, x),
            (Some(re), None) => kernels::complex_to_real(re, x),
            (None, Some(im)) => kernels::complex_to_imag(im, x),
            (None, None) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gives_many, complex_noise};

    #[test]
    fn values_are_right_wherever_the_stream_is_cut() {
        let x = complex_noise(1000);
        let (re, im) = (x.iter().map(|x| x.re).collect(), x.iter().map(|x| x.im).collect());
        assert_gives_many(|| ComplexToFloat::new(2).unwrap(), &x, &[re, im]);
        assert_gives_many(|| ComplexToFloat::new(1).unwrap(), &x, &[x.iter().map(|x| x.re).collect()]);
        assert!(ComplexToFloat::new(3).is_err());
    }
}
