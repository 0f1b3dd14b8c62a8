//! Puts tags on a stream that a file has.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use superhet_runtime::catalog::{Entry, Kind, input, output, required};
use superhet_runtime::{Block, BlockError, Context, In, Item, Out, Step, Tag, Work};

use crate::error::Error;
use crate::flow;
use crate::item::{ANY_ITEM, block_of_item};

/// Puts the tags of a file on a stream, behind those that are there: JSON, one tag a line, as `tags_to_file` writes them.
///
/// A line is `{"index": …, "key": …, "value": …, "source": …}`; without `value` the tag says nothing more than its key.
/// The file is read as a whole when the block is made, and its lines may come in any order. Tags for items that never
/// come are handed on at the end.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | out `out` | the same | that of `in` |
///
/// ```
/// use superhet_blocks::{sinks::{Lines, TagDebug}, sources::VectorSource, tags::TagsFromFile};
/// use superhet_runtime::Graph;
///
/// # let path = std::env::temp_dir().join(format!("superhet-doc-tags-{}.jsonl", std::process::id()));
/// let line = "{\"index\":4,\"key\":\"rx_freq\",\"source\":\"radio\",\"value\":1090000000.0}\n";
/// std::fs::write(&path, line)?;
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(vec![0.0f32; 10], false)?);
/// let tags = graph.add("tags", TagsFromFile::<f32>::open(&path)?);
/// let print = graph.add("print", TagDebug::<f32>::new(lines, None));
/// graph.connect(source.output, tags.input);
/// graph.connect(tags.output, print.input);
/// graph.run()?;
/// assert_eq!(text.take(), line);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct TagsFromFile<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: Out<T>,
    /// Sorted by index.
    tags: std::iter::Peekable<std::vec::IntoIter<Tag>>,
}

/// The longest line, in bytes.
const LONGEST: u64 = 1 << 20;

impl<T: Item> TagsFromFile<T> {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// [`Error::Read`]; [`Error::NoTag`] with the number of the line.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let named = || path.display().to_string();
        let read = |error| Error::Read { path: named(), error };
        let mut file = BufReader::new(File::open(path).map_err(read)?);
        let mut tags = Vec::new();
        let mut line = String::new();
        for number in 1.. {
            line.clear();
            if std::io::Read::take(&mut file, LONGEST).read_line(&mut line).map_err(read)? == 0 {
                break;
            }
            if !line.trim().is_empty() {
                let place = format!("{}, line {number}", named());
                let json = serde_json::from_str(&line);
                let json =
                    json.map_err(|error| Error::NoTag { place: place.clone(), problem: error.to_string() })?;
                tags.push(super::tag_of(&json, &place)?);
            }
        }
        // Stable: tags of one item keep their order.
        tags.sort_by_key(|tag| tag.index);
        Ok(TagsFromFile { input: In::new(), output: Out::new(), tags: tags.into_iter().peekable() })
    }

    /// Puts the tags on that lie before `end`.
    fn put(&mut self, end: u64) {
        while let Some(tag) = self.tags.next_if(|tag| tag.index < end) {
            self.output.put_tag(tag);
        }
    }
}

impl<T: Item> Work for TagsFromFile<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available().min(self.output.room());
        // In the order of the items, for the old tags come first where both are on one item.
        let mut old = Vec::new();
        self.input.for_each_tag(n, |tag| old.push(tag.clone()));
        old.into_iter().for_each(|tag| self.output.put_tag(tag));
        self.put(self.output.index() + n as u64);
        let (x, y) = (self.input.peek(), self.output.reserve());
        y[..n].copy_from_slice(&x[..n]);
        self.input.consume(n);
        self.output.produce(n);
        Ok(flow::step(n, &self.input))
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        flow::end(&mut self.input, &mut self.output);
        self.put(u64::MAX);
        Ok(Step::Done)
    }
}

/// How files and the command line find [`TagsFromFile`].
pub const ENTRY: Entry = Entry {
    name: "tags_from_file",
    category: "tags",
    summary: "Puts the tags of a file on a stream, as tags_to_file has written them.",
    params: &[ANY_ITEM, required("path", Kind::Path, "", "The file: JSON, one tag a line.")],
    ports: &[input("in", "item", "x"), output("out", "item", "x, with the tags of the file")],
    make: |params| {
        let path = params.text("path");
        Ok(block_of_item!(params, T => TagsFromFile::<T>::open(path)?))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cuts, run_tagged};
    use std::collections::BTreeMap;
    use superhet_runtime::{Graph, Value};

    fn file(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("superhet-tags-{name}-{}.jsonl", std::process::id()))
    }

    #[test]
    fn what_tags_to_file_has_written_comes_back() {
        let path = file("back");
        let tags = vec![
            (0, "len", Value::from(5u64)),
            (7, "text", "ä\n\"".into()),
            (7, "list", vec![Value::from(1), Value::Null].into()),
            (130, "late", 0.5.into()),
        ];
        let mut graph = Graph::new();
        graph.add("source", crate::testing::Tagged::new(vec![0u8; 100], tags.clone()));
        let given = BTreeMap::from([
            ("path".to_owned(), path.to_str().unwrap().into()),
            ("item".to_owned(), "u8".into()),
        ]);
        graph.add_any("file", crate::tags::tags_to_file::ENTRY.build(&given).unwrap());
        graph.connect_names("source", "file");
        graph.run().unwrap();
        for options in cuts() {
            let read = TagsFromFile::<u8>::open(&path).unwrap();
            let (items, got) = run_tagged::<u8, u8, _, _>(read, vec![0; 100], vec![], &options);
            assert_eq!(items.len(), 100);
            let json = |tag: (u64, &str, Value)| (tag.0, tag.1.to_owned(), tag.2.to_string());
            let wanted: Vec<_> = tags.iter().cloned().map(json).collect();
            assert_eq!(
                got.iter().map(|(i, k, v)| (*i, k.clone(), v.to_string())).collect::<Vec<_>>(),
                wanted
            );
        }
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_line_that_is_no_tag_is_named() {
        let path = file("wrong");
        for (text, wanted) in [
            ("\n{\"index\":1,\"key\":\"a\"}\nx\n", "line 3: expected value"),
            ("{\"index\":1.5,\"key\":\"a\"}", "line 1: there is no `index`"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = TagsFromFile::<u8>::open(&path).unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}");
        }
        std::fs::remove_file(path).unwrap();
        let error = TagsFromFile::<u8>::open("/no/such/file").unwrap_err().to_string();
        assert!(error.starts_with("cannot read /no/such/file: "), "{error}");
    }
}
