//! Several streams as one, some items of each in turn.

use super::schedule::StreamMux;
use crate::filters::fir_filter::TO_ONE;
use crate::item::counts_of;
use superhet_runtime::{AnyBlock, BlockError, C64, Item, declare};

#[declare(
    category = "vectors",
    summary = "Several streams as one: some items of each in turn.",
    items(any),
    ports(
        input("in0", "item", "what comes first"),
        input("in1", "item", "what comes next; an input for each length"),
        output(
            "out",
            "item",
            "all in turn: as many as the lengths say, until an input that is next has ended"
        )
    )
)]
fn stream_mux<T: Item>(
    /// How many items of each input in a turn.
    lengths: Vec<C64>,
    /// The length of a vector: items of each are counted in these.
    #[param(unit = "items", kind = TO_ONE, default = 1)]
    length: usize,
) -> Result<AnyBlock, BlockError> {
    let lengths = counts_of("lengths", &lengths)?;
    Ok(AnyBlock::new(StreamMux::<T>::of_vectors(&lengths, length)?))
}
