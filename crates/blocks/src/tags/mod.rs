//! Blocks that put tags on a stream, let them through, move them, or keep them in a file.

use superhet_runtime::{Tag, Value};

use crate::error::Error;

pub mod burst_tagger;
mod index_history;
pub mod index_tags;
mod piece;
pub mod tag_adder;
pub mod tag_gate;
pub mod tag_share;
pub mod tags_from_file;
pub mod tags_to_file;

pub use burst_tagger::{BurstTagger, Bursts, Power};
pub use index_history::IndexHistory;
pub use index_tags::{IndexClock, IndexTags};
pub(crate) use piece::Piece;
pub use tag_adder::TagAdder;
pub use tag_gate::TagGate;
pub use tag_share::TagShare;
pub use tags_from_file::read_tags;

/// The tag that JSON says: `{"index": …, "key": …, "value": …}`, perhaps with `source`. `place` says where it stands.
fn tag_of(json: &serde_json::Value, place: &str) -> Result<Tag, Error> {
    let wrong = |problem: String| Error::NoTag { place: place.to_owned(), problem };
    let map = json.as_object().ok_or_else(|| wrong(format!("{json} is no tag")))?;
    let index = map.get("index").and_then(serde_json::Value::as_u64);
    let index = index.ok_or_else(|| wrong("there is no `index`, a whole number ≥ 0".to_owned()))?;
    let key = map.get("key").and_then(serde_json::Value::as_str);
    let key = key.ok_or_else(|| wrong("there is no `key`, text".to_owned()))?;
    let value = map.get("value").map_or(Value::Null, Value::from_json);
    let source = map.get("source").and_then(serde_json::Value::as_str).unwrap_or("");
    Ok(Tag { index, key: key.into(), value, source: source.into() })
}
