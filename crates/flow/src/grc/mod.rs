//! Flowgraphs of GNU Radio Companion (`.grc`) as graphs of our blocks.
//!
//! Each block is looked up in the [table of GNU Radio's names](crate::gnuradio); its parameters are Python expressions,
//! which are [worked out here](crate::python). Nothing outside of the file runs: what takes Python is reported, block by block.

mod block;
mod build;
mod connect;
mod document;
mod edges;
mod script;
mod values;
mod xml;
mod yaml;

use std::path::Path;
use std::sync::Arc;

use crate::error::{FlowError, Mistakes, Place, shown};
use crate::flow::Flow;
use crate::gnuradio::table;
use crate::load::{LARGEST_FILE, folder_of, read_file, too_large};
use crate::python::Library;
use crate::registry::Registry;
use crate::set::Set;

pub use script::{grc_document, grc_script};

impl Flow {
    /// Reads a flowgraph of GNU Radio Companion. Each of `sets` overrides a variable, or a parameter of a block as it is
    /// called there; `registry` has our blocks, `library` the functions that expressions may call.
    ///
    /// Variables may depend on each other in any order. Blocks that are switched off or bypassed and virtual sinks and
    /// sources are resolved, widgets are variables, and displays are left out, which [`Flow::notes`] reports. Where two blocks
    /// agree on the size of items but not on their type, a block `reinterpret` is put between them.
    ///
    /// # Errors
    /// If the file cannot be read or is no flowgraph. All other mistakes are reported by [`Flow::check`] and [`Flow::build`].
    ///
    /// ```
    /// use superhet_flow::{Flow, Registry, python::Library};
    /// # use superhet_runtime::catalog::{Entry, Kind, input, output, required};
    /// # use superhet_runtime::{AnyBlock, C32, harness::{VecSink, VecSource}};
    /// # const BLOCKS: &[Entry] = &[
    /// #     Entry { name: "null_source", category: "sources", summary: "", params: &[required("item", Kind::Text, "", "")],
    /// #         ports: &[output("out", "item", "")], make: |_| Ok(AnyBlock::new(VecSource::<C32>::new(vec![]))) },
    /// #     Entry { name: "null_sink", category: "sinks", summary: "", params: &[required("item", Kind::Text, "", "")],
    /// #         ports: &[input("in", "item", "")], make: |_| Ok(AnyBlock::new(VecSink::<C32>::new())) },
    /// # ];
    /// # let registry = Registry::new([BLOCKS]);
    /// let text = "
    /// blocks:
    /// - {name: source, id: blocks_null_source, parameters: {type: complex}}
    /// - {name: sink, id: blocks_null_sink, parameters: {type: complex}}
    /// connections:
    /// - [source, '0', sink, '0']
    /// metadata: {file_format: 1}
    /// ";
    /// let flow = Flow::from_grc_text(text, ".", &[], &registry, &Library::new([]))?;
    /// assert_eq!(flow.connections().collect::<Vec<_>>(), [("source.out", "sink.in")]);
    /// let graph = flow.check(&registry)?;
    /// # Ok::<(), superhet_flow::FlowError>(())
    /// ```
    pub fn from_grc_file(
        path: impl AsRef<Path>,
        sets: &[Set],
        registry: &Registry,
        library: &Library,
    ) -> Result<Self, FlowError> {
        let path = path.as_ref();
        let mut mistakes = Mistakes::default();
        match read_file(path, &Place::Nowhere) {
            Ok(text) => {
                let file: Arc<str> = shown(&path.display().to_string()).into();
                load(&text, Some(file), folder_of(path), sets, registry, library)
            }
            Err(mistake) => {
                mistakes.add(|| mistake);
                mistakes.or(Flow::default())
            }
        }
    }

    /// Reads a flowgraph from memory; the paths in it are relative to `folder`.
    ///
    /// # Errors
    /// As [`Flow::from_grc_file`].
    pub fn from_grc_text(
        text: &str,
        folder: impl AsRef<Path>,
        sets: &[Set],
        registry: &Registry,
        library: &Library,
    ) -> Result<Self, FlowError> {
        if text.len() > LARGEST_FILE {
            let mut mistakes = Mistakes::default();
            mistakes.add(|| too_large(&Place::Nowhere, "text"));
            return mistakes.or(Flow::default());
        }
        load(text, None, folder.as_ref().into(), sets, registry, library)
    }
}

fn load(
    text: &str,
    file: Option<Arc<str>>,
    folder: Arc<Path>,
    sets: &[Set],
    registry: &Registry,
    library: &Library,
) -> Result<Flow, FlowError> {
    let at = move |line: usize| Place::Line(file.clone(), line);
    let mut mistakes = Mistakes::default();
    match document::read(text, &at, &mut mistakes) {
        None => mistakes.or(Flow::default()),
        Some(document) => {
            let builder = build::Builder::new(&document, &at, folder, sets, registry, library, mistakes);
            Ok(builder.flow(table()))
        }
    }
}
