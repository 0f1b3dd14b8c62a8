//! Puts tags on a stream that a file has.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, BlockError, Item, Tag, declare};

use super::TagAdder;
use crate::error::Error;

/// The longest line, in bytes.
const LONGEST: u64 = 1 << 20;

/// The tags of a file, for a [`TagAdder`]: JSON, one tag a line, as `tags_to_file` writes them.
///
/// A line is `{"index": …, "key": …, "value": …, "source": …}`; without `value` the tag says nothing more than its key.
/// Lines may come in any order.
///
/// # Errors
/// [`Error::Read`]; [`Error::NoTag`] with the number of the line.
///
/// ```
/// use superhet_blocks::{sinks::{Lines, TagDebug}, sources::VectorSource};
/// use superhet_blocks::tags::{TagAdder, read_tags};
/// use superhet_runtime::Graph;
///
/// # let path = std::env::temp_dir().join(format!("superhet-doc-tags-{}.jsonl", std::process::id()));
/// let line = "{\"index\":4,\"key\":\"rx_freq\",\"source\":\"radio\",\"value\":1090000000.0}\n";
/// std::fs::write(&path, line)?;
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(vec![0.0f32; 10], false)?);
/// let tags = graph.add("tags", TagAdder::<f32>::new().tags(read_tags(&path)?));
/// let print = graph.add("print", TagDebug::<f32>::new(lines, None));
/// graph.connect(source.output, tags.input);
/// graph.connect(tags.output, print.input);
/// graph.run()?;
/// assert_eq!(text.take(), line);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_tags(path: impl AsRef<Path>) -> Result<Vec<Tag>, Error> {
    let path = path.as_ref();
    let named = || path.display().to_string();
    let read = |error| Error::Read { path: named(), error };
    let mut file = BufReader::new(File::open(path).map_err(read)?);
    let mut tags = Vec::new();
    let mut line = String::new();
    for number in 1.. {
        line.clear();
        if file.by_ref().take(LONGEST).read_line(&mut line).map_err(read)? == 0 {
            break;
        }
        if !line.trim().is_empty() {
            let place = format!("{}, line {number}", named());
            let wrong =
                |error: serde_json::Error| Error::NoTag { place: place.clone(), problem: error.to_string() };
            tags.push(super::tag_of(&serde_json::from_str(&line).map_err(wrong)?, &place)?);
        }
    }
    Ok(tags)
}

#[declare(
    category = "tags",
    summary = "Puts the tags of a file on a stream, as tags_to_file has written them.",
    items(any),
    ports(input("in", "item", "x"), output("out", "item", "x, with the tags of the file"))
)]
fn tags_from_file<T: Item>(
    /// The file: JSON, one tag a line.
    #[param(kind = Kind::Path)]
    path: &str,
) -> Result<AnyBlock, BlockError> {
    let tags = read_tags(path)?;
    Ok(AnyBlock::new(TagAdder::<T>::new().tags(tags)))
}

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
            let read = TagAdder::<u8>::new().tags(read_tags(&path).unwrap());
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
            let error = read_tags(&path).unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}");
        }
        std::fs::remove_file(path).unwrap();
        let error = read_tags("/no/such/file").unwrap_err().to_string();
        assert!(error.starts_with("cannot read /no/such/file: "), "{error}");
    }
}
