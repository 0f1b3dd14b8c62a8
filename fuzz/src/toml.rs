//! Graph files in TOML.

use std::sync::OnceLock;

use superhet::flow::{Flow, FlowError, Registry};

use crate::assert_harmless;

/// Reads a graph; what is written of it reads as the same graph, and its blocks say the same of it.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(flow) = Flow::from_text(&text, "/no/such/folder", &[]).map_err(harmless) else { return };
    check(&flow, &text);
}

/// What [`run`] does with a flow that has been read from `text`.
pub(crate) fn check(flow: &Flow, text: &str) {
    let folder = std::path::Path::new("/no/such/folder");
    if let Ok(written) = flow.to_toml(registry(), folder).map_err(harmless) {
        let again = match Flow::from_text(&written, folder, &[]) {
            Ok(again) => again,
            Err(error) => panic!("what was written cannot be read: {error}\n{written}"),
        };
        assert!(again.connections().eq(flow.connections()), "{written}");
        assert!(again.blocks().eq(flow.blocks()), "{written}");
        match again.to_toml(registry(), folder) {
            Ok(twice) => assert_eq!(twice, written),
            Err(error) => panic!("what was written has mistakes: {error}\n{written}"),
        }
    }
    if opens_nothing(text) {
        let _ = flow.check(registry()).map_err(harmless);
    }
}

/// All blocks by name.
pub(crate) fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(superhet::registry)
}

/// Whether no block of the text opens a device or a socket as soon as it is made, as far as its words show.
fn opens_nothing(text: &str) -> bool {
    !["/dev", "/proc", "/sys", "cuda", "opencl", "wgpu"].iter().any(|word| text.contains(word))
}

fn harmless(error: FlowError) {
    assert_harmless(&error);
}
