//! Given items, once or over and over.

use std::sync::Arc;

use superhet_runtime::{AnyBlock, Block, BlockError, C64, Context, Item, Out, Step, Value, Work, declare};

use crate::error::Error;
use crate::item::{FromNumber, from_numbers};

/// Given items, once or over and over: `y[n] = values[n mod len]`.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | any | as given |
///
/// | parameter | range |
/// |---|---|
/// | `values` | any, also none; at least one where they repeat |
/// | `repeat` | whether to begin again at the end |
///
/// ```
/// use superhet_blocks::{flow::Head, sinks::VectorSink, sources::VectorSource};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(vec![1.0f32, 2.0], true)?);
/// let head = graph.add("head", Head::<f32>::new(5));
/// let sink = VectorSink::<f32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, head.input);
/// graph.connect(head.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [1.0, 2.0, 1.0, 2.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct VectorSource<T: Item> {
    #[port("out")]
    output: Out<T>,
    values: Vec<T>,
    repeat: bool,
    /// Sorted by place.
    tags: Vec<PlacedTag>,
    /// The place of the next item.
    next: usize,
}

/// Place, key and value of a tag on an item of a list.
type PlacedTag = (usize, Arc<str>, Value);

impl<T: Item> VectorSource<T> {
    /// A source that gives `values` and ends, or gives them again and again.
    ///
    /// # Errors
    /// [`Error::Empty`] where nothing is to be repeated.
    pub fn new(values: Vec<T>, repeat: bool) -> Result<Self, Error> {
        if repeat && values.is_empty() {
            return Err(Error::Empty { parameter: "values", wanted: "at least one to repeat" });
        }
        Ok(VectorSource { output: Out::new(), values, repeat, tags: Vec::new(), next: 0 })
    }

    /// Puts a tag on item `place` of the list, each time that it is given.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where the list is shorter.
    pub fn with_tag(
        mut self,
        place: usize,
        key: impl Into<Arc<str>>,
        value: impl Into<Value>,
    ) -> Result<Self, Error> {
        put(&mut self.tags, (place, key.into(), value.into()), self.values.len())?;
        Ok(self)
    }
}

/// Puts a tag on an item, of so many, among those that are there.
fn put(tags: &mut Vec<PlacedTag>, tag: PlacedTag, items: usize) -> Result<(), Error> {
    let place = tag.0;
    crate::error::check(place < items, "place", "less than the number of items", place as f64)?;
    tags.insert(tags.partition_point(|(before, ..)| *before <= place), tag);
    Ok(())
}

impl<T: Item> Work for VectorSource<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut given = 0;
        let room = self.output.reserve();
        let mut tags = Vec::new();
        while given < room.len() && self.next < self.values.len() {
            let n = (room.len() - given).min(self.values.len() - self.next);
            room[given..][..n].copy_from_slice(&self.values[self.next..][..n]);
            let before = |end: usize| self.tags.partition_point(|(place, ..)| *place < end);
            for (place, key, value) in &self.tags[before(self.next)..before(self.next + n)] {
                tags.push((given + place - self.next, key.clone(), value.clone()));
            }
            self.next += n;
            given += n;
            if self.repeat && self.next == self.values.len() {
                self.next = 0;
            }
        }
        for (offset, key, value) in tags {
            self.output.tag(offset, key, value);
        }
        self.output.produce(given);
        Ok(if self.next == self.values.len() { Step::Done } else { Step::Ran })
    }
}

/// The tags that a list of maps says.
fn tags_of(value: &Value) -> Result<Vec<PlacedTag>, Error> {
    let wrong = |place: String, problem: &str| Error::NoTag { place, problem: problem.to_owned() };
    let list = value.as_list().ok_or_else(|| wrong("tags".to_owned(), "no list"))?;
    let tag = |(place, tag): (usize, &Value)| {
        let part = |name: &str| {
            let problem = format!("there is no `{name}`");
            tag.get(name).ok_or_else(|| wrong(format!("tags[{place}]"), &problem))
        };
        let index = part("index")?.as_u64().and_then(|index| usize::try_from(index).ok());
        let key = part("key")?.as_str();
        match (index, key) {
            (Some(index), Some(key)) => Ok((index, key.into(), part("value")?.clone())),
            (None, _) => Err(wrong(format!("tags[{place}]"), "`index` is no whole number ≥ 0")),
            (_, None) => Err(wrong(format!("tags[{place}]"), "`key` is no text")),
        }
    };
    list.iter().enumerate().map(tag).collect()
}

#[declare(
    category = "sources",
    summary = "Given items, once or over and over.",
    items(any),
    ports(output("out", "item", "the items as given"))
)]
fn vector_source<T: FromNumber>(
    /// The items; complex ones as [re, im].
    values: Vec<C64>,
    /// Whether to begin again at the end.
    #[param(default = false)]
    repeat: bool,
    /// Tags on items of the list: a list of {"index": …, "key": …, "value": …}.
    #[param(json = "[]")]
    tags: &Value,
) -> Result<AnyBlock, BlockError> {
    let numbers = values;
    let tags = tags_of(tags)?;
    let mut source = VectorSource::<T>::new(from_numbers("values", &numbers)?, repeat)?;
    let items = source.values.len();
    tags.into_iter().try_for_each(|tag| put(&mut source.tags, tag, items))?;
    Ok(AnyBlock::new(source))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::{Copy, Head};
    use crate::testing::run_tags;
    use superhet_runtime::{Graph, Options, Single, harness::VecSink};

    fn run(source: VectorSource<u8>, n: u64, options: &Options) -> Vec<u8> {
        let mut graph = Graph::new();
        let source = graph.add("source", source);
        let head = graph.add("head", Head::new(n));
        let sink = VecSink::<u8>::new();
        let items = sink.items();
        let sink = graph.add("sink", sink);
        graph.connect(source.output, head.input);
        graph.connect(head.output, sink.input);
        graph.check().unwrap().start(&Single, options).unwrap().wait().unwrap();
        items.take()
    }

    #[test]
    fn items_come_once_or_over_and_over_whatever_the_strips() {
        let items: Vec<u8> = (0..13).collect();
        for options in crate::testing::cuts() {
            let once = VectorSource::new(items.clone(), false).unwrap();
            assert_eq!(run(once, 1000, &options), items);
            let again = VectorSource::new(items.clone(), true).unwrap();
            let wanted: Vec<u8> = items.iter().copied().cycle().take(1000).collect();
            assert_eq!(run(again, 1000, &options), wanted);
        }
    }

    #[test]
    fn no_items_are_an_empty_stream_and_cannot_be_repeated() {
        assert_eq!(run(VectorSource::new(vec![], false).unwrap(), 10, &Options::default()), [0u8; 0]);
        let error = VectorSource::<u8>::new(vec![], true).unwrap_err();
        assert_eq!(error.to_string(), "values is empty: expected at least one to repeat");
    }

    #[test]
    fn tags_lie_on_their_items() {
        let (tags, items) = run_tags::<u8, u8, _, _>(Copy::<u8>::new(), vec![0; 50], &[49, 0, 7, 7]);
        assert_eq!((tags, items), (vec![0, 7, 7, 49], 50));
        assert!(VectorSource::new(vec![0u8; 3], false).unwrap().with_tag(3, "key", 0).is_err());
    }

    #[test]
    fn tags_of_repeated_items_come_each_time() {
        let source = VectorSource::new(vec![0u8; 3], true).unwrap().with_tag(1, "key", 0).unwrap();
        let mut graph = Graph::new();
        let source = graph.add("source", source);
        let head = graph.add("head", Head::new(8));
        let (lines, text) = crate::sinks::Lines::memory();
        let tags = graph.add("tags", crate::sinks::TagDebug::<u8>::new(lines, None));
        graph.connect(source.output, head.input);
        graph.connect(head.output, tags.input);
        graph.run().unwrap();
        let text = text.take();
        assert_eq!(text.lines().count(), 3);
        assert!(text.lines().zip([1, 4, 7]).all(|(line, at)| line.contains(&format!("\"index\":{at},"))));
    }

    #[test]
    fn tags_that_a_parameter_says_are_put_on_or_refused_with_their_place() {
        let tag = |index: i64| {
            Value::map([("index", Value::from(index)), ("key", "k".into()), ("value", 7.into())])
        };
        let build = |tags: Value| {
            let values = Value::from(vec![1u8, 2]);
            let given = [("item", "u8".into()), ("values", values), ("tags", tags)];
            ENTRY.build(&given.map(|(name, value)| (name.to_owned(), value)).into())
        };
        assert!(build(vec![tag(1), tag(0)].into()).is_ok());
        for (tags, problem) in [
            (vec![tag(0), tag(2)].into(), "place = 2: expected less than the number of items"),
            (vec![tag(-1)].into(), "tags[0]: `index` is no whole number ≥ 0"),
            (vec![Value::from(1)].into(), "tags[0]: there is no `index`"),
            (Value::from(1), "tags: no list"),
        ] {
            let error = build(tags).unwrap_err()[0].to_string();
            assert!(error.contains(problem), "{error}");
        }
    }
}
