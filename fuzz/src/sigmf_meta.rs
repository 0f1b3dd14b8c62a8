//! SigMF metadata.

use superhet::io::sigmf::Meta;

use crate::{assert_harmless, memory};

/// A field that is not known is kept as JSON, whose maps take the most.
const TIMES: usize = 256;

/// Reads metadata and checks them against data of some lengths; what was read is the same after it was written.
pub fn run(data: &[u8]) {
    let meta = match memory::within(data, TIMES, || Meta::from_json(data, "x")) {
        Ok(meta) => meta,
        Err(error) => return assert_harmless(&error),
    };
    for bytes in [None, Some(0), Some(1000), Some(u64::MAX)] {
        meta.check(bytes).iter().for_each(|problem| assert_harmless(problem));
    }
    let _ = (meta.format().is_ok(), meta.channels(), meta.capture_at(5), meta.required_extensions().count());
    let json = match meta.to_json("x") {
        Ok(json) => json,
        Err(error) => panic!("what was read cannot be written: {error}"),
    };
    match Meta::from_json(json.as_bytes(), "x") {
        Ok(again) => assert_eq!(again, meta, "{json}"),
        Err(error) => panic!("what was written cannot be read: {error}\n{json}"),
    }
}
