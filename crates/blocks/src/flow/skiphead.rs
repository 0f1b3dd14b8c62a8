//! All but the first items of a stream.

use superhet_runtime::{Block, BlockError, Context, In, Item, Out, Step, Work, clock::StreamClock, declare};

/// All but the first `items` items of a stream: `y[n] = x[n + items]`. Tags of what is skipped are skipped; what
/// they have said of the rate, the centre frequency and the time, a tag on the first item says.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | out `out` | the same | that of `in` |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `items` | items | any, also 0 |
///
/// ```
/// use superhet_blocks::flow::SkipHead;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run(SkipHead::<u8>::new(2), &[1, 2, 3]), [3]);
/// ```
#[derive(Debug, Block)]
pub struct SkipHead<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: Out<T>,
    /// Items still to be skipped.
    left: u64,
    /// What the tags of skipped items have said.
    clock: StreamClock,
}

#[declare(
    name = "skiphead",
    category = "flow",
    summary = "All but the first items of a stream.",
    items(any),
    ports(
        input("in", "item", "x"),
        output("out", "item", "x without its first items: max(0, n − items) items for n")
    )
)]
impl<T: Item> SkipHead<T> {
    /// Skips `items` items.
    pub fn new(
        /// How many items to skip.
        #[param(unit = "items")]
        items: u64,
    ) -> Self {
        SkipHead { input: In::new(), output: Out::new(), left: items, clock: StreamClock::new() }
    }
}

impl<T: Item> Work for SkipHead<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let waiting = self.input.available();
        let skipped = waiting.min(usize::try_from(self.left).unwrap_or(usize::MAX));
        if skipped > 0 {
            self.left -= skipped as u64;
            let clock = &mut self.clock;
            self.input.for_each_tag(skipped, |tag| clock.note(tag));
            self.input.consume(skipped);
            if self.left == 0 {
                for (key, value) in self.clock.said_at(self.input.index()) {
                    self.output.tag(0, key, value);
                }
            }
            return Ok(Step::Ran);
        }
        let n = super::pass(&mut self.input, &mut self.output, usize::MAX);
        Ok(super::step(n, &self.input))
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        // A stream that has ended before anything passed has nothing for tags to lie behind.
        Ok(if self.left > 0 { Step::Done } else { super::end(&mut self.input, &mut self.output) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gives, noise, run_tags};

    #[test]
    fn exactly_the_first_items_are_missing_wherever_the_stream_is_cut() {
        let x = noise(1000);
        for n in [0, 1, 99, 1000, 5000] {
            assert_gives(|| SkipHead::<f32>::new(n), &x, &x[1000.min(n as usize)..]);
        }
    }

    #[test]
    fn tags_move_with_their_items() {
        let skip = SkipHead::<u8>::new(10);
        assert_eq!(run_tags::<u8, u8, _, _>(skip, vec![0; 50], &[9, 10, 49, 60]), (vec![0, 39, 50], 40));
    }
}
