//! One stream as several, some items for each in turn.

use super::schedule::StreamDemux;
use crate::filters::fir_filter::TO_ONE;
use crate::item::counts_of;
use superhet_runtime::{AnyBlock, BlockError, C64, Item, declare};

#[declare(
    category = "vectors",
    summary = "One stream as several: some items for each in turn.",
    items(any),
    ports(
        input("in", "item", "x"),
        output("out0", "item", "what comes first: as many as the lengths say"),
        output("out1", "item", "what comes next; an output for each length")
    )
)]
fn stream_demux<T: Item>(
    /// How many items for each output in a turn.
    lengths: Vec<C64>,
    /// The length of a vector: items of each are counted in these.
    #[param(unit = "items", kind = TO_ONE, default = 1)]
    length: usize,
) -> Result<AnyBlock, BlockError> {
    let lengths = counts_of("lengths", &lengths)?;
    Ok(AnyBlock::new(StreamDemux::<T>::of_vectors(&lengths, length)?))
}
