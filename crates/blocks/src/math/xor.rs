//! The bits in which streams differ.

use crate::error::Error;
use superhet_kernels as kernels;
use superhet_runtime::{AnyBlock, Item, Pure, declare};

use super::fold::{Fold, PORTS, fold, onto, pairwise};

/// Bitwise exclusive or: `y[n] = a[n] ^ b[n] ^ …`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in0` | `u8`, `i32` or `i16` | bits |
/// | in `in1`, … | the same | bits |
/// | out `out` | the same | bits |
///
/// | parameter | range |
/// |---|---|
/// | `inputs` | 1 to 64; [`Xor::of`] makes a block with other than two |
///
/// ```
/// use superhet_blocks::{math::Xor, sinks::VectorSink, sources::VectorSource};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let a = graph.add("a", VectorSource::new(vec![0xf0u8], false)?);
/// let b = graph.add("b", VectorSource::new(vec![0x3fu8], false)?);
/// let xor = graph.add("xor", Xor::<u8>::new());
/// let sink = VectorSink::<u8>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(a.output, xor.input.0);
/// graph.connect(b.output, xor.input.1);
/// graph.connect(xor.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [0xcf]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Xor<T>(std::marker::PhantomData<fn() -> T>);

fold! { Xor:
    u8 => kernels::xor_u8, kernels::xor_u8_in_place;
    i32 => pairwise(|a: i32, b| a ^ b), onto(|a: i32, b| a ^ b);
    i16 => pairwise(|a: i16, b| a ^ b), onto(|a: i16, b| a ^ b);
}

#[declare(
    category = "math",
    summary = "Bitwise exclusive or: y[n] = a[n] ^ b[n] ^ ….",
    items(u8, i32, i16),
    ports(
        input("in0", "item", "a"),
        input("in1", "item", "b; more or fewer as inputs says"),
        output("out", "item", "a ^ b ^ …")
    )
)]
fn xor<T: Item>(
    /// How many inputs there are: in0, in1, …; one alone passes as it is.
    #[param(kind = PORTS, default = 2)]
    inputs: usize,
) -> Result<AnyBlock, Error>
where
    Xor<T>: Fold<Item = T> + Pure<In = (T, T), Out = T>,
{
    Ok(match inputs {
        2 => AnyBlock::new(Xor::<T>::new()),
        inputs => AnyBlock::new(Xor::<T>::of(inputs)?),
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
        let wanted: Vec<u8> = a.iter().zip(&b).map(|(a, b)| a ^ b).collect();
        assert_gives_of_two(Xor::<u8>::new, (&a, &b), &wanted);

        let inputs: Vec<Vec<i32>> =
            (1..4).map(|k| (0..500i32).map(|n| n.wrapping_mul(77_777_777) / k).collect()).collect();
        let wanted: Vec<i32> = (0..500).map(|n| inputs[0][n] ^ inputs[1][n] ^ inputs[2][n]).collect();
        assert_gives_of_many(|| Xor::<i32>::of(3).unwrap(), &inputs, &wanted);
    }
}
