//! Flowgraphs of GNU Radio Companion: YAML, with expressions in Python.

use std::sync::OnceLock;

use superhet::flow::Flow;
use superhet::flow::python::Library;

use crate::assert_harmless;
use crate::toml::{check, registry};

/// Reads a flowgraph; what is written of it as a graph file reads as the same graph.
pub fn run(data: &[u8]) {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    let library = LIBRARY.get_or_init(superhet::library);
    let text = String::from_utf8_lossy(data);
    match Flow::from_grc_text(&text, "/no/such/folder", &[], registry(), library) {
        Ok(flow) => {
            flow.notes().iter().for_each(|note| assert_harmless(note));
            check(&flow, &text);
        }
        Err(error) => assert_harmless(&error),
    }
}
