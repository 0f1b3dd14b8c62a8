//! Writes the tags of a stream to a file.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, Item, declare};

use crate::sinks::{Lines, TagDebug};

#[declare(
    category = "tags",
    summary = "Writes the tags of a stream to a file, one JSON object a line.",
    items(any),
    ports(input("in", "item", "a stream with tags; the items are not looked at"))
)]
fn tags_to_file<T: Item>(
    /// The file to write.
    #[param(kind = Kind::Path)]
    path: &str,
    /// The only key to write; all if empty.
    #[param(default = "")]
    key: &str,
) -> AnyBlock {
    let key = Some(key).filter(|key| !key.is_empty());
    AnyBlock::new(TagDebug::<T>::new(Lines::file(path), key))
}
