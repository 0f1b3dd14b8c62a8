//! The bits that any stream has.

use crate::error::Error;
use superhet_kernels as kernels;
use superhet_runtime::{AnyBlock, Item, Pure, declare};

use super::fold::{Fold, PORTS, fold, onto, pairwise};

/// Bitwise or: `y[n] = a[n] | b[n] | …`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in0` | `u8`, `i32` or `i16` | bits |
/// | in `in1`, … | the same | bits |
/// | out `out` | the same | bits |
///
/// | parameter | range |
/// |---|---|
/// | `inputs` | 1 to 64; [`Or::of`] makes a block with other than two |
///
/// ```
/// use superhet_blocks::{math::Or, sinks::VectorSink, sources::VectorSource};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let a = graph.add("a", VectorSource::new(vec![0xf0u8], false)?);
/// let b = graph.add("b", VectorSource::new(vec![0x3fu8], false)?);
/// let or = graph.add("or", Or::<u8>::new());
/// let sink = VectorSink::<u8>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(a.output, or.input.0);
/// graph.connect(b.output, or.input.1);
/// graph.connect(or.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [0xff]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Or<T>(std::marker::PhantomData<fn() -> T>);

fold! { Or:
    u8 => kernels::or_u8, kernels::or_u8_in_place;
    i32 => pairwise(|a: i32, b| a | b), onto(|a: i32, b| a | b);
    i16 => pairwise(|a: i16, b| a | b), onto(|a: i16, b| a | b);
}

#[declare(
    category = "math",
    summary = "Bitwise or: y[n] = a[n] | b[n] | ….",
    items(u8, i32, i16),
    ports(
        input("in0", "item", "a"),
        input("in1", "item", "b; more or fewer as inputs says"),
        output("out", "item", "a | b | …")
    )
)]
fn or<T: Item>(
    /// How many inputs there are: in0, in1, …; one alone passes as it is.
    #[param(kind = PORTS, default = 2)]
    inputs: usize,
) -> Result<AnyBlock, Error>
where
    Or<T>: Fold<Item = T> + Pure<In = (T, T), Out = T>,
{
    Ok(match inputs {
        2 => AnyBlock::new(Or::<T>::new()),
        inputs => AnyBlock::new(Or::<T>::of(inputs)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gives_of_many, assert_gives_of_two};

    #[test]
    fn values_are_right_wherever_the_streams_are_cut() {
        let (a, b): (Vec<u8>, Vec<u8>) =
            ((0..1000u32).map(|n| n as u8).collect(), (0..1000u32).map(|n| (n / 7) as u8).collect());
        let wanted: Vec<u8> = a.iter().zip(&b).map(|(a, b)| a | b).collect();
        assert_gives_of_two(Or::<u8>::new, (&a, &b), &wanted);

        let inputs: Vec<Vec<i32>> =
            (1..4).map(|k| (0..500i32).map(|n| n.wrapping_mul(77_777_777) / k).collect()).collect();
        let wanted: Vec<i32> = (0..500).map(|n| inputs[0][n] | inputs[1][n] | inputs[2][n]).collect();
        assert_gives_of_many(|| Or::<i32>::of(3).unwrap(), &inputs, &wanted);
    }
}
