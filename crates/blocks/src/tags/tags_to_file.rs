//! Writes the tags of a stream to a file.

use superhet_runtime::catalog::{Entry, Kind, input, optional, required};

use crate::item::{ANY_ITEM, block_of_item};
use crate::sinks::{Lines, TagDebug};

/// How files and the command line find [`TagDebug`] with a file, which [`tags_from_file`](super::tags_from_file) reads.
pub const ENTRY: Entry = Entry {
    name: "tags_to_file",
    category: "tags",
    summary: "Writes the tags of a stream to a file, one JSON object a line.",
    params: &[
        ANY_ITEM,
        required("path", Kind::Path, "", "The file to write."),
        optional("key", Kind::Text, "", "\"\"", "The only key to write; all if empty."),
    ],
    ports: &[input("in", "item", "a stream with tags; the items are not looked at")],
    make: |params| {
        let key = Some(params.text("key")).filter(|key| !key.is_empty());
        let path = params.text("path");
        Ok(block_of_item!(params, T => TagDebug::<T>::new(Lines::file(path), key)))
    },
};
