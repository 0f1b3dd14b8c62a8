//! The header with the tags of a message's items, as GNU Radio has it.
//!
//! | bytes | are |
//! |---|---|
//! | 2 | `0x5ff0` |
//! | 1 | the version, 1 |
//! | 8 | the index of the message's first vector in its stream |
//! | 8 | how many tags follow |
//! | 8 for each tag, and three PMTs | the index of its vector; its key, its value, and its source or false |
//!
//! All numbers are little-endian, except those in PMTs.
//!
//! **Source**: what `zeromq.pub_sink` of GNU Radio 3.10 sends.

use std::sync::Arc;

use superhet_runtime::{Tag, Value, error::PmtError};

const MAGIC: [u8; 3] = [0xf0, 0x5f, 1];

/// The header of a message whose first vector has the index `first`; tags have indices of items, `vector` of which make
/// a vector.
pub(crate) fn header(first: u64, tags: &[Tag], vector: usize) -> Result<Vec<u8>, PmtError> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(first.to_le_bytes());
    bytes.extend((tags.len() as u64).to_le_bytes());
    for tag in tags {
        bytes.extend((tag.index / vector as u64).to_le_bytes());
        bytes.extend(Value::from(tag.key.clone()).to_pmt()?);
        bytes.extend(tag.value.to_pmt()?);
        let source = if tag.source.is_empty() { Value::Bool(false) } else { tag.source.clone().into() };
        bytes.extend(source.to_pmt()?);
    }
    Ok(bytes)
}

/// Whether bytes begin as a header does.
pub(crate) fn begins_header(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// The tags in the header at the start of a message, and how many bytes it has. Their indices are vectors from the first
/// of the message, which has so many. They take at most `budget` bytes of memory.
pub(crate) fn read_header(bytes: &[u8], mut budget: usize) -> Result<(Vec<Tag>, usize), String> {
    let (magic, mut rest) = bytes.split_at_checked(MAGIC.len()).unwrap_or((bytes, &[]));
    if magic != MAGIC {
        return Err(format!("it begins with {magic:02x?}, expected a header of tags, {MAGIC:02x?}"));
    }
    let cut = || "its header of tags ends too early".to_owned();
    let first = number(&mut rest).ok_or_else(cut)?;
    let count = number(&mut rest).ok_or_else(cut)?;
    let mut tags = Vec::new();
    for place in 0..count {
        let at = |problem: String| format!("tag {place} of {count}: {problem}");
        let index = number(&mut rest).ok_or_else(|| at(cut()))?;
        let too_much = || at("its tags take more memory than they may".to_owned());
        budget = budget.checked_sub(2 * size_of::<Tag>()).ok_or_else(too_much)?;
        let mut value = || -> Result<Value, String> {
            let (value, used) =
                Value::from_pmt_prefix_within(rest, &mut budget).map_err(|error| at(error.to_string()))?;
            rest = rest.get(used..).unwrap_or_default();
            Ok(value)
        };
        let (key, value, source) = (value()?, value()?, value()?);
        let Value::Text(key) = key else {
            return Err(at(format!("its key is {}, expected a symbol", brief(&key))));
        };
        let source: Arc<str> = source.as_str().unwrap_or_default().into();
        let before = || at(format!("it is at {index}, before the first item of the message at {first}"));
        let index = index.checked_sub(first).ok_or_else(before)?;
        tags.push(Tag { index, key: key.into(), value, source });
    }
    Ok((tags, bytes.len().saturating_sub(rest.len())))
}

/// The beginning of a value, which a peer may have made as long as a message.
fn brief(value: &Value) -> String {
    const MOST: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

fn number(bytes: &mut &[u8]) -> Option<u64> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u64::from_le_bytes(*number))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: usize = 10_000;

    /// The header that GNU Radio sends before five items. The first and the third of them have a tag.
    const THEIRS: &[u8] = b"\xf0\x5f\x01\0\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\
        \0\0\0\0\0\0\0\0\x02\0\x01a\x03\0\0\0\x07\x01\
        \x02\0\0\0\0\0\0\0\x02\0\x04freq\x04\x3f\xf8\0\0\0\0\0\0\x02\0\x03src";

    fn tags() -> [Tag; 2] {
        let tag = |index, key: &str, value, source: &str| Tag {
            index,
            key: key.into(),
            value,
            source: source.into(),
        };
        [tag(0, "a", 7.into(), ""), tag(2, "freq", 1.5.into(), "src")]
    }

    #[test]
    fn headers_are_those_of_gnu_radio() {
        assert_eq!(header(0, &tags(), 1).unwrap(), THEIRS);
        assert_eq!(read_header(&[THEIRS, b"items"].concat(), MOST), Ok((tags().to_vec(), THEIRS.len())));
        let mut later = tags();
        later.iter_mut().for_each(|tag| tag.index = 3 * tag.index + 302);
        let bytes = header(100, &later, 3).unwrap();
        assert_eq!((bytes[3], bytes[19], bytes[37]), (100, 100, 102));
        let indices: Vec<u64> = read_header(&bytes, MOST).unwrap().0.iter().map(|tag| tag.index).collect();
        assert_eq!(indices, [0, 2]);
    }

    #[test]
    fn headers_that_are_wrong_say_why() {
        let problem = |bytes: &[u8]| read_header(bytes, MOST).unwrap_err();
        assert_eq!(problem(b"\xf0"), "it begins with [f0], expected a header of tags, [f0, 5f, 01]");
        assert!(problem(b"\xf0\x5f\x02").contains("[f0, 5f, 02]"));
        for n in 3..THEIRS.len() {
            read_header(&THEIRS[..n], MOST).unwrap_err();
        }
        let mut many = THEIRS.to_vec();
        many[11..19].fill(0xff);
        assert!(problem(&many).starts_with("tag 2 of 18446744073709551615: "));
        let mut late = THEIRS.to_vec();
        late[3] = 1;
        assert_eq!(problem(&late), "tag 0 of 2: it is at 0, before the first item of the message at 1");
        let mut no_symbol = THEIRS[..27].to_vec();
        no_symbol.extend([0; 3]);
        assert_eq!(problem(&no_symbol), "tag 0 of 2: its key is true, expected a symbol");
        let mut long = THEIRS[..27].to_vec();
        long.extend(Value::List(vec![Value::from(true); 10_000].into()).to_pmt().unwrap());
        long.extend([0; 2]);
        assert!(problem(&long).len() < 200, "{} bytes", problem(&long).len());
    }
}
