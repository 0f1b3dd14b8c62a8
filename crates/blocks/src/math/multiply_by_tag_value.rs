//! A factor that tags say.

use std::sync::Arc;

use superhet_runtime::{Block, BlockError, C32, Context, In, Out, Step, Work, declare, tag::forward_tags};

use crate::flow;
use crate::item::from_value;

/// Multiplies by what the last tag with a key says, from its item on; by 1 before the first.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | `C32` | the same; tags pass |
///
/// # Errors
/// At run time: such a tag that says no number.
///
/// ```
/// use superhet_blocks::math::MultiplyByTagValue;
/// use superhet_runtime::{C32, harness};
///
/// let y: Vec<C32> = harness::run(MultiplyByTagValue::new("gain"), &[C32::I]);
/// assert_eq!(y, [C32::I]);
/// ```
#[derive(Debug, Block)]
pub struct MultiplyByTagValue {
    #[port("in")]
    input: In<C32>,
    #[port("out")]
    output: Out<C32>,
    key: Arc<str>,
    factor: C32,
}

#[declare(
    category = "math",
    summary = "Multiplies by what the last tag with a key says.",
    ports(input("in", "C32", "x"), output("out", "C32", "x times the factor"))
)]
impl MultiplyByTagValue {
    /// Takes the factor from tags with that key.
    pub fn new(
        /// The key of the tags.
        #[param(formerly = "tag", type = String)]
        key: impl Into<Arc<str>>,
    ) -> Self {
        MultiplyByTagValue { input: In::new(), output: Out::new(), key: key.into(), factor: C32::ONE }
    }
}

impl Work for MultiplyByTagValue {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available().min(self.output.room());
        let (first, mut changes) = (self.input.index(), Vec::new());
        self.input.for_each_tag(n, |tag| {
            if tag.key == self.key {
                changes.push(((tag.index - first) as usize, tag.value.clone()));
            }
        });
        let (x, y) = (&self.input.peek()[..n], &mut self.output.reserve()[..n]);
        let mut done = 0;
        let mut multiply = |to: usize, factor: C32| {
            y[done..to].iter_mut().zip(&x[done..to]).for_each(|(y, x)| *y = x * factor);
            done = to;
        };
        for (place, value) in &changes {
            multiply(*place, self.factor);
            self.factor = from_value("the value of the tag", value)?;
        }
        multiply(n, self.factor);
        forward_tags(&mut self.input, &mut self.output, n);
        self.input.consume(n);
        self.output.produce(n);
        Ok(flow::step(n, &self.input))
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        Ok(flow::end(&mut self.input, &mut self.output))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cuts, run_tagged};
    use superhet_runtime::{C64, Options, Value};

    #[test]
    fn a_factor_holds_from_its_item_on_wherever_the_stream_is_cut() {
        let tags = vec![
            (2, "k", 2.0.into()),
            (3, "other", 9.into()),
            (4, "k", C64::new(0.0, 1.0).into()),
            (6, "k", 5.into()),
        ];
        for options in cuts() {
            let block = MultiplyByTagValue::new("k");
            let (y, seen) = run_tagged::<C32, C32, _, _>(block, vec![C32::ONE; 8], tags.clone(), &options);
            let (two, five) = (C32::new(2.0, 0.0), C32::new(5.0, 0.0));
            assert_eq!(y, [C32::ONE, C32::ONE, two, two, C32::I, C32::I, five, five], "{options:?}");
            assert_eq!(seen.len(), 4);
        }
    }

    #[test]
    fn a_tag_that_says_no_number_is_an_error() {
        let tag = vec![(0, "k", Value::from("loud"))];
        let run = || {
            run_tagged::<C32, C32, _, _>(
                MultiplyByTagValue::new("k"),
                vec![C32::ONE],
                tag,
                &Options::default(),
            )
        };
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
    }
}
