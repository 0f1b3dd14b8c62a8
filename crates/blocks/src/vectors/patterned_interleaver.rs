//! Several streams as one, by a pattern.

use super::schedule::StreamMux;
use crate::filters::fir_filter::TO_ONE;
use crate::item::counts_of;
use superhet_runtime::{AnyBlock, BlockError, C64, Item, declare};

#[declare(
    category = "vectors",
    summary = "Several streams as one, an item of each as a pattern says.",
    items(any),
    ports(
        input("in0", "item", "input 0"),
        input("in1", "item", "input 1; as many as the pattern names"),
        output(
            "out",
            "item",
            "items in the order of the pattern: as many as the pattern says, until an input that is next has ended"
        )
    )
)]
fn patterned_interleaver<T: Item>(
    /// The numbers of the inputs, from 0, one for each vector.
    pattern: Vec<C64>,
    /// The length of a vector.
    #[param(unit = "items", kind = TO_ONE, default = 1)]
    length: usize,
) -> Result<AnyBlock, BlockError> {
    let pattern = counts_of("pattern", &pattern)?;
    Ok(AnyBlock::new(StreamMux::<T>::patterned(&pattern, length)?))
}
