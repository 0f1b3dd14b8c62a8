//! Prints the tags of a stream.

use std::sync::Arc;

use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, Block, BlockError, Context, In, Item, Step, Tag, Value, Work, declare};

use crate::error::Error;
use crate::sinks::Lines;

/// Prints the tags of a stream, one JSON object a line: `{"index": …, "key": …, "source": …, "value": …}`; at its end
/// those beyond its last item, too.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | not looked at |
///
/// # Errors
/// At run time, where the file cannot be written.
///
/// ```
/// use superhet_blocks::{sinks::{Lines, TagDebug}, sources::VectorSource};
/// use superhet_runtime::Graph;
///
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let source = VectorSource::new(vec![0.0f32; 10], false)?.with_tag(4, "rx_freq", 1.09e9)?;
/// let source = graph.add("radio", source);
/// let print = graph.add("print", TagDebug::<f32>::new(lines, None));
/// graph.connect(source.output, print.input);
/// graph.run()?;
/// assert_eq!(text.take(), "{\"index\":4,\"key\":\"rx_freq\",\"source\":\"radio\",\"value\":1090000000.0}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct TagDebug<T: Item> {
    #[port("in")]
    input: In<T>,
    lines: Lines,
    /// The only key to print.
    key: Option<Arc<str>>,
}

impl<T: Item> TagDebug<T> {
    /// Prints all tags, or those with the key `key`.
    pub fn new(lines: Lines, key: Option<&str>) -> Self {
        TagDebug { input: In::new(), lines, key: key.map(Into::into) }
    }

    /// Prints the tags that are there; false where nobody reads any more.
    fn print(&mut self) -> Result<bool, Error> {
        let mut printed = false;
        for tag in self.input.tags() {
            if self.key.as_ref().is_none_or(|key| *key == tag.key) {
                printed = true;
                if !self.lines.write(&to_value(tag))? {
                    return Ok(false);
                }
            }
        }
        Ok(!printed || self.lines.flush()?)
    }
}

fn to_value(tag: Tag) -> Value {
    let Tag { index, key, value, source } = tag;
    Value::map([("index", index.into()), ("key", key.into()), ("value", value), ("source", source.into())])
}

impl<T: Item> Work for TagDebug<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available();
        if !self.print()? {
            return Ok(Step::Done);
        }
        self.input.consume(n);
        Ok(if n > 0 { Step::Ran } else { Step::NeedInput })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        // The tags beyond the last item. The file is created where no tag has come, too.
        self.print()?;
        self.lines.flush()?;
        Ok(Step::Done)
    }
}

#[declare(
    category = "sinks",
    summary = "Prints the tags of a stream, one JSON object a line.",
    items(any),
    ports(input("in", "item", "a stream with tags; the items are not looked at"))
)]
fn tag_debug<T: Item>(
    /// The file to write; stdout if empty or -.
    #[param(kind = Kind::Path, default = "")]
    path: &str,
    /// The only key to print; all if empty.
    #[param(default = "")]
    key: &str,
) -> AnyBlock {
    let key = Some(key).filter(|key| !key.is_empty());
    let lines = Lines::file_or_stdout(path);
    AnyBlock::new(TagDebug::<T>::new(lines, key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::VectorSource;
    use crate::testing::{Tagged, cuts};
    use superhet_runtime::{Graph, Single};

    #[test]
    fn tags_beyond_the_last_item_are_printed_at_the_end() {
        let (lines, text) = Lines::memory();
        let mut graph = Graph::new();
        let source = graph.add("source", Tagged::new(vec![0u8; 9], vec![(12, "late", 1.into())]));
        let print = graph.add("print", TagDebug::<u8>::new(lines, None));
        graph.connect(source.output, print.input);
        graph.run().unwrap();
        assert_eq!(text.take(), "{\"index\":12,\"key\":\"late\",\"source\":\"source\",\"value\":1}\n");
    }

    #[test]
    fn each_tag_is_printed_once_and_others_than_the_key_are_not() {
        for options in cuts() {
            let (lines, text) = Lines::memory();
            let mut source = VectorSource::new(vec![0u8; 300], false).unwrap();
            for place in [0, 99, 100, 299] {
                source = source.with_tag(place, "this", place).unwrap();
                source = source.with_tag(place, "other", place).unwrap();
            }
            let mut graph = Graph::new();
            let source = graph.add("source", source);
            let print = graph.add("print", TagDebug::<u8>::new(lines, Some("this")));
            graph.connect(source.output, print.input);
            graph.check().unwrap().start(&Single, &options).unwrap().wait().unwrap();
            let line = |n: usize| {
                format!("{{\"index\":{n},\"key\":\"this\",\"source\":\"source\",\"value\":{n}}}\n")
            };
            assert_eq!(text.take(), [0, 99, 100, 299].map(line).concat());
        }
    }
}
