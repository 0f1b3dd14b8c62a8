//! The first items of a stream.

use superhet_runtime::{Block, BlockError, Context, In, Item, Out, Step, Work, declare};

/// The first `items` items of a stream, with their tags; then it ends, and with it what only feeds it.
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
/// use superhet_blocks::flow::Head;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run(Head::<u8>::new(2), &[1, 2, 3]), [1, 2]);
/// ```
#[derive(Debug, Block)]
pub struct Head<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: Out<T>,
    /// Items still to be passed.
    left: u64,
}

#[declare(
    category = "flow",
    summary = "The first items of a stream; then it ends.",
    items(any),
    ports(
        input("in", "item", "x"),
        output("out", "item", "the first items of x: min(n, items) items for n")
    )
)]
impl<T: Item> Head<T> {
    /// Passes `items` items.
    pub fn new(
        /// How many items to pass.
        #[param(unit = "items")]
        items: u64,
    ) -> Self {
        Head { input: In::new(), output: Out::new(), left: items }
    }
}

impl<T: Item> Work for Head<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let limit = usize::try_from(self.left).unwrap_or(usize::MAX);
        let n = super::pass(&mut self.input, &mut self.output, limit);
        self.left -= n as u64;
        Ok(if self.left == 0 { Step::Done } else { super::step(n, &self.input) })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        // Tags beyond the last item go as far as the items would have gone.
        let left = self.left;
        let from = self.input.index();
        self.input.for_each_tag(0, |tag| {
            if tag.index - from < left {
                self.output.put_tag(tag.clone());
            }
        });
        Ok(Step::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gives, noise, run_tags};

    #[test]
    fn exactly_the_first_items_pass_wherever_the_stream_is_cut() {
        let x = noise(1000);
        for n in [0, 1, 99, 1000, 5000] {
            assert_gives(|| Head::<f32>::new(n), &x, &x[..1000.min(n as usize)]);
        }
    }

    #[test]
    fn tags_of_the_items_that_pass_pass() {
        assert_eq!(run_tags::<u8, u8, _, _>(Head::<u8>::new(10), vec![0; 50], &[0, 9, 10]), (vec![0, 9], 10));
        let tags = run_tags::<u8, u8, _, _>(Head::<u8>::new(60), vec![0; 50], &[49, 50, 59, 60]);
        assert_eq!(tags, (vec![49, 50, 59], 50));
    }
}
