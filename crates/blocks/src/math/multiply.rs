//! Multiplication of streams.

use crate::error::Error;
use superhet_kernels as kernels;
use superhet_runtime::{AnyBlock, C32, Item, Pure, declare};

use super::fold::{Fold, PORTS, fold, onto, pairwise};

/// Multiplies streams: `y[n] = a[n] · b[n] · …`. Whole numbers wrap.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in0` | `C32`, `f32`, `i32` or `i16` | any |
/// | in `in1`, … | the same | any |
/// | out `out` | the same | the product of theirs |
///
/// | parameter | range |
/// |---|---|
/// | `inputs` | 1 to 64; [`Multiply::of`] makes a block with other than two |
///
/// ```
/// use superhet_blocks::{math::Multiply, sinks::VectorSink, sources::VectorSource};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let a = graph.add("a", VectorSource::new(vec![1.0f32, 2.0], false)?);
/// let b = graph.add("b", VectorSource::new(vec![10.0f32, 20.0], false)?);
/// let multiply = graph.add("multiply", Multiply::<f32>::new());
/// let sink = VectorSink::<f32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(a.output, multiply.input.0);
/// graph.connect(b.output, multiply.input.1);
/// graph.connect(multiply.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [10.0, 40.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Multiply<T>(std::marker::PhantomData<fn() -> T>);

fold! { Multiply:
    f32 => kernels::multiply_f32, kernels::multiply_f32_in_place;
    C32 => kernels::multiply_c32, kernels::multiply_c32_in_place;
    i32 => pairwise(i32::wrapping_mul), onto(i32::wrapping_mul);
    i16 => pairwise(i16::wrapping_mul), onto(i16::wrapping_mul);
}

#[declare(
    category = "math",
    summary = "Multiplies streams: y[n] = a[n] · b[n] · ….",
    items(C32, f32, i32, i16),
    ports(
        input("in0", "item", "a"),
        input("in1", "item", "b; more or fewer as inputs says"),
        output("out", "item", "the product")
    )
)]
fn multiply<T: Item>(
    /// How many inputs there are: in0, in1, …; one alone passes as it is.
    #[param(kind = PORTS, default = 2)]
    inputs: usize,
) -> Result<AnyBlock, Error>
where
    Multiply<T>: Fold<Item = T> + Pure<In = (T, T), Out = T>,
{
    Ok(match inputs {
        2 => AnyBlock::new(Multiply::<T>::new()),
        inputs => AnyBlock::new(Multiply::<T>::of(inputs)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gives_of_many, assert_gives_of_two, noise};

    #[test]
    fn values_are_right_wherever_the_streams_are_cut() {
        let (a, b) = (noise(1000), noise(1200)[200..].to_vec());
        let wanted: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a * b).collect();
        assert_gives_of_two(Multiply::<f32>::new, (&a, &b), &wanted);
    }

    #[test]
    fn whole_numbers_wrap() {
        let (a, b): (Vec<i16>, Vec<i16>) = (
            (0..1000i16).map(|n| n.wrapping_mul(251)).collect(),
            (1..1001i16).map(|n| n.wrapping_mul(119)).collect(),
        );
        let wanted: Vec<i16> = a.iter().zip(&b).map(|(a, b)| a.wrapping_mul(*b)).collect();
        assert_gives_of_two(Multiply::<i16>::new, (&a, &b), &wanted);
    }

    #[test]
    fn any_number_of_inputs_is_taken_in_order() {
        let inputs: Vec<Vec<f32>> = (0..3).map(|n| noise(600 + 200 * n)[200 * n..].to_vec()).collect();
        let wanted: Vec<f32> = (0..600).map(|n| inputs[0][n] * inputs[1][n] * inputs[2][n]).collect();
        assert_gives_of_many(|| Multiply::<f32>::of(3).unwrap(), &inputs, &wanted);
        assert_gives_of_many(|| Multiply::<f32>::of(1).unwrap(), &inputs[..1], &inputs[0]);
        assert!(Multiply::<f32>::of(0).is_err() && Multiply::<f32>::of(65).is_err());
    }

    #[test]
    fn the_output_ends_with_the_shorter_input() {
        assert_gives_of_two(Multiply::<f32>::new, (&[8.0f32, 2.0, 3.0], &[4.0f32]), &[8.0f32 * 4.0]);
    }
}
