//! Makes lengths right again after a change of rate.

use std::sync::Arc;

use superhet_runtime::{Block, BlockError, Context, In, Item, Out, Step, Tag, Value, Work, declare};

use crate::error::{Error, check_positive};
use crate::flow;

/// Multiplies the lengths that tags say by `scalar`; items and other tags pass as they are.
///
/// For streams of packets behind blocks that change the rate: with 8 items for one, packets have 8 times their length.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | out `out` | the same | that of `in` |
///
/// # Errors
/// At run time, where a length is no number or does not become a whole one.
///
/// ```
/// use superhet_blocks::{packets::TaggedStreamMultiplyLength, sinks::{Lines, TagDebug}, sources::VectorSource};
/// use superhet_runtime::Graph;
///
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(vec![0u8; 4], false)?.with_tag(0, "packet_len", 8)?);
/// let half = graph.add("half", TaggedStreamMultiplyLength::<u8>::new("packet_len", 0.5)?);
/// let print = graph.add("print", TagDebug::<u8>::new(lines, None));
/// graph.connect(source.output, half.input);
/// graph.connect(half.output, print.input);
/// graph.run()?;
/// assert_eq!(text.take(), "{\"index\":0,\"key\":\"packet_len\",\"source\":\"source\",\"value\":4}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct TaggedStreamMultiplyLength<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: Out<T>,
    key: Arc<str>,
    scalar: f64,
}

#[declare(
    category = "packets",
    summary = "Multiplies the lengths that tags say, for packets behind a change of rate.",
    items(any),
    ports(input("in", "item", "x"), output("out", "item", "x, with other lengths"))
)]
impl<T: Item> TaggedStreamMultiplyLength<T> {
    /// Multiplies the lengths that the tags `length_tag` say.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `scalar` is a number greater than 0.
    pub fn new(
        /// The key of the tag on the first item of each packet that says how many items it has.
        #[param(type = String, default = "packet_len")]
        length_tag: impl Into<Arc<str>>,
        /// What to multiply by, > 0.
        scalar: f64,
    ) -> Result<Self, Error> {
        check_positive("scalar", scalar)?;
        Ok(TaggedStreamMultiplyLength {
            input: In::new(),
            output: Out::new(),
            key: length_tag.into(),
            scalar,
        })
    }

    /// The tag with another length.
    fn scaled(&self, tag: &Tag) -> Result<Tag, String> {
        let problem =
            |what: String| format!("the packet at item {} has the length {}: {what}", tag.index, tag.value);
        let length = tag.value.as_f64().ok_or_else(|| problem("expected a number".to_owned()))?;
        let scaled = length * self.scalar;
        let whole = scaled.round();
        // A scalar such as 1/3 is not exact.
        if (scaled - whole).abs() > 1e-9 * scaled.abs() || !(0.0..9e15).contains(&whole) {
            return Err(problem(format!("times {} that is {scaled}, expected a whole number", self.scalar)));
        }
        Ok(Tag { value: Value::from(whole as u64), ..tag.clone() })
    }

    /// Forwards the tags of the next `n` items.
    fn pass_tags(&mut self, n: usize) -> Result<(), BlockError> {
        let mut tags = Vec::new();
        self.input.for_each_tag(n, |tag| tags.push(tag.clone()));
        for tag in tags {
            let is_length = tag.key == self.key;
            self.output.put_tag(if is_length { self.scaled(&tag)? } else { tag });
        }
        Ok(())
    }
}

impl<T: Item> Work for TaggedStreamMultiplyLength<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available().min(self.output.room());
        self.pass_tags(n)?;
        let (x, y) = (self.input.peek(), self.output.reserve());
        y[..n].copy_from_slice(&x[..n]);
        self.input.consume(n);
        self.output.produce(n);
        Ok(flow::step(n, &self.input))
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.pass_tags(0)?;
        Ok(Step::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Tagged, cuts, run_tagged};
    use superhet_runtime::Graph;

    #[test]
    fn lengths_are_multiplied_and_nothing_else() {
        for options in cuts() {
            let block = TaggedStreamMultiplyLength::<u8>::new("len", 1.0 / 3.0).unwrap();
            let tags = vec![(0, "len", Value::from(21)), (0, "n", 21.into()), (60, "len", 9.into())];
            let (items, tags) = run_tagged::<u8, u8, _, _>(block, (0..50).collect(), tags, &options);
            assert_eq!(items, (0..50).collect::<Vec<u8>>());
            let wanted = [(0, "len", Value::from(7u64)), (0, "n", 21.into()), (60, "len", 3u64.into())];
            assert_eq!(tags, wanted.map(|(index, key, value)| (index, key.to_owned(), value)));
        }
    }

    #[test]
    fn a_length_that_does_not_become_whole_is_an_error() {
        for (length, wanted) in [
            (
                Value::from(7),
                "the packet at item 1 has the length 7: times 0.5 that is 3.5, expected a whole number",
            ),
            ("x".into(), "the packet at item 1 has the length \"x\": expected a number"),
        ] {
            let mut graph = Graph::new();
            graph.add("source", Tagged::new(vec![0u8; 9], vec![(1, "len", length)]));
            graph.add("half", TaggedStreamMultiplyLength::<u8>::new("len", 0.5).unwrap());
            graph.add("sink", crate::sinks::NullSink::<u8>::new());
            graph.connect_names("source", "half");
            graph.connect_names("half", "sink");
            let error = graph.run().unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}");
        }
        assert!(TaggedStreamMultiplyLength::<u8>::new("len", 0.0).is_err());
    }
}
