//! The stream that is sent through a device, and the comparison of what comes back: both as cheap as a copy.
//!
//! Its items repeat after a prime number of them, so that a batch is told apart from every other for thousands of batches.

use std::sync::LazyLock;

use superhet_runtime::C32;

use super::shared::cast;

/// A prime.
const PERIOD: usize = 4099;
/// Items that are written or compared at once.
const PIECE: usize = 8192;

/// Wherever a piece begins within the period, it lies here as a whole.
static ITEMS: LazyLock<Vec<C32>> = LazyLock::new(|| {
    let item = |index: usize| C32::new((index % PERIOD) as f32, -1.0 - (index % PERIOD) as f32);
    (0..PERIOD + PIECE).map(item).collect()
});

/// What the stream has from item `first` on, at most a piece.
fn piece(first: u64, n: usize) -> &'static [C32] {
    let at = (first % PERIOD as u64) as usize;
    &ITEMS[at..at + n]
}

/// The items of the stream from number `first` on.
pub(super) fn fill(first: u64, items: &mut [C32]) {
    for (number, y) in items.chunks_mut(PIECE).enumerate() {
        y.copy_from_slice(piece(first + (number * PIECE) as u64, y.len()));
    }
}

/// How many items are not what they should be.
pub(super) fn wrong(first: u64, items: &[C32]) -> u64 {
    let mut wrong = 0;
    for (number, x) in items.chunks(PIECE).enumerate() {
        let wanted = piece(first + (number * PIECE) as u64, x.len());
        if cast(x) != cast(wanted) {
            wrong += x.iter().zip(wanted).filter(|(x, wanted)| x != wanted).count() as u64;
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_right_from_any_item_on_and_batches_are_told_apart() {
        let mut items = vec![C32::ZERO; 3 * PIECE + 5];
        for first in [0, 1, 77, PERIOD as u64, 1 << 40] {
            fill(first, &mut items);
            assert_eq!(wrong(first, &items), 0);
            assert_eq!(wrong(first + 1000, &items[1000..]), 0);
            for batches in [1, 2, 3] {
                assert!(wrong(first + batches * 65536, &items) > 3 * PIECE as u64);
            }
            items[PIECE + 3].im += 1.0;
            assert_eq!(wrong(first, &items), 1);
        }
    }
}
