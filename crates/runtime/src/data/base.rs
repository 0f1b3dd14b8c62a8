//! Where a block's streams stand when it begins, and what becomes of a tag from there on.

use super::keys::{GAP, GAP_FILLED, RATE_KEY};
use super::{Conversion, Ratio, Tag};

/// The positions of a block's streams when its graph was last planned. Tags are mapped from there. The output's item comes
/// directly after the input's, apart from a delay.
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
        if ratio.interpolation != ratio.decimation && matches!(&*tag.key, RATE_KEY | GAP | GAP_FILLED) {
            Conversion::new(ratio).scale(tag);
        }
    }

    /// Where the tag at `index` of the input lands in the output.
    pub fn map(&self, index: u64, ratio: Ratio, delay: u64) -> u64 {
        let (up, down) = (ratio.interpolation, ratio.decimation);
        map_index(index.saturating_sub(self.input), up, down, delay).saturating_add(self.output)
    }
}

/// The index in the output for a tag at `index` of the input, in a block of ratio `interpolation / decimation`:
/// `floor((index · interpolation + delay) / decimation)`. `delay` counts items at the interpolated rate.
///
/// Computed in 128 bits: exact for every index.
pub fn map_index(index: u64, interpolation: usize, decimation: usize, delay: u64) -> u64 {
    if interpolation == decimation && delay == 0 {
        return index;
    }
    let exact = (index as u128 * interpolation as u128 + delay as u128) / decimation as u128;
    u64::try_from(exact).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_mapped_exactly_where_64_bits_would_overflow() {
        assert_eq!(map_index(u64::MAX / 2, 3, 3, 0), u64::MAX / 2);
        assert_eq!(map_index(7, 3, 2, 1), 11);
    }
}
