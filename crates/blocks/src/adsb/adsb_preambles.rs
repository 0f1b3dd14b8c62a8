//! Where messages may begin in the channel of Mode S, found by as many workers as there are.

use superhet_runtime::{AnyBlock, C32, Pure, Shape, declare};

use super::marks::{self, WINDOW};

/// Marks where a Mode S message may begin: pulses as those of a preamble, with bits after them.
///
/// This is what takes most of the time in noise. It looks at the values and keeps nothing, so workers share it; an
/// [`AdsbChannelDemod`](super::AdsbChannelDemod) reads the messages.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | the channel at 4 MHz as [`AdsbChannel`](super::AdsbChannel) gives it, full scale = 1.0 |
/// | out `out` | `u8` | a mark for each value, 256 values late |
///
/// A mark is 0 where nothing begins, 1 where something looks like a preamble but no bits follow, and else `16 + n`, with
/// `|n| ≤ 12`: a message begins `n / 8` values (`n · 31.25 ns`) after the one that the mark is about. The marks of the last
/// 256 values, in which no message can begin, are not given.
#[derive(Clone, Copy, Debug, Default)]
pub struct AdsbPreambles;

impl Pure for AdsbPreambles {
    type In = C32;
    type Out = u8;

    fn shape(&self) -> Shape {
        Shape { history: WINDOW - 1, delay: WINDOW as u64 - 2, ..Shape::default() }
    }

    fn map(&self, x: &[C32], y: &mut [u8]) {
        marks::find(x, y);
    }
}

#[declare(
    category = "adsb",
    summary = "Marks where Mode S messages may begin in what adsb_channel gives, for adsb_channel_demod.",
    ports(
        input("in", "C32", "the channel at 4 MHz, which adsb_channel makes"),
        output("out", "u8", "a mark for each value, 256 values late: 0 where nothing begins")
    )
)]
fn adsb_preambles() -> AnyBlock {
    AnyBlock::new(AdsbPreambles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    #[test]
    fn the_marks_do_not_depend_on_where_the_channel_is_cut() {
        harness::assert_cut_invariant(|| AdsbPreambles, &complex_noise(3000));
    }

    #[test]
    fn a_mark_comes_256_values_late() {
        let values = complex_noise(2000);
        let late: Vec<u8> = harness::run(AdsbPreambles, &values);
        let mut marks = vec![0; values.len() - (WINDOW - 1)];
        marks::find(&values, &mut marks);
        // The first mark of `marks` is about the value 1.
        assert_eq!(late[WINDOW - 1..], marks);
    }
}
