//! Graphs in a line.

use superhet::flow::Flow;

use crate::assert_harmless;
use crate::toml::check;

/// Reads a graph; what is written of it as a graph file reads as the same graph.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match Flow::from_line(&text, &[]) {
        Ok(flow) => check(&flow, &text),
        Err(error) => assert_harmless(&error),
    }
}
