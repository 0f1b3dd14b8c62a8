//! Where a block's streams stand when it begins, and what becomes of a tag from there on.

use super::keys::{GAP, GAP_FILLED, RATE_KEY};
use super::{Ratio, Tag, map_index};

/// Where a block's streams stood when its graph was last planned: its tags are mapped from there, and the item of its
/// output came, but for a delay, right behind that of its input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Base {
    pub input: u64,
    pub output: u64,
}

impl Base {
    /// Takes a tag from the input to the output: its index, and the rate or number of items that it may say.
    #[inline]
    pub fn carry(&self, tag: &mut Tag, ratio: Ratio, delay: u64) {
        tag.index = self.map(tag.index, ratio, delay);
        if ratio.interpolation != ratio.decimation
            && let RATE_KEY | GAP | GAP_FILLED = &*tag.key
            && let Some(items) = tag.value.as_f64()
        {
            tag.value = (items * ratio.interpolation as f64 / ratio.decimation as f64).into();
        }
    }

    /// Where the tag at `index` of the input lands in the output.
    pub fn map(&self, index: u64, ratio: Ratio, delay: u64) -> u64 {
        let (up, down) = (ratio.interpolation, ratio.decimation);
        map_index(index.saturating_sub(self.input), up, down, delay).saturating_add(self.output)
    }
}
