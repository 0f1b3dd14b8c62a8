//! A graph file that has been read: its blocks, its connections, its mistakes.

use std::collections::{BTreeMap, BTreeSet};

use superhet_runtime::Value;

use crate::connections::Link;
use crate::error::{Mistakes, Place};
use crate::values::Located;

/// A graph file that has been read, with all that it includes and with its values worked out.
///
/// ```
/// use superhet_flow::{Flow, Registry};
/// # use superhet_runtime::catalog::{Entry, input, output};
/// # use superhet_runtime::{AnyBlock, C32, harness::{VecSink, VecSource}};
/// # const BLOCKS: &[Entry] = &[
/// #     Entry { name: "null_source", category: "sources", summary: "", params: &[],
/// #         ports: &[output("out", "C32", "")], make: |_| Ok(AnyBlock::new(VecSource::<C32>::new(vec![]))) },
/// #     Entry { name: "null_sink", category: "sinks", summary: "", params: &[],
/// #         ports: &[input("in", "C32", "")], make: |_| Ok(AnyBlock::new(VecSink::<C32>::new())) },
/// # ];
/// let registry = Registry::new([BLOCKS]);
/// let text = r#"
///     connections = ["source -> sink"]
///     [blocks]
///     source.type = "null_source"
///     sink.type = "null_sink"
/// "#;
/// let graph = Flow::from_text(text, ".", &[])?.check(&registry)?;
///
/// let text = text.replace("source -> sink", "source -> sink.inn").replace("null_sink", "nul_sink");
/// let error = Flow::from_text(&text, ".", &[])?.check(&registry).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 5: block sink: there is no block type nul_sink; did you mean null_sink?"
/// );
/// # Ok::<(), superhet_flow::FlowError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Flow {
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) variables: BTreeMap<String, Value>,
    pub(crate) blocks: Vec<FlowBlock>,
    /// Blocks that stand for files, by their names.
    pub(crate) parts: BTreeMap<String, Part>,
    pub(crate) links: Vec<(Link, Place)>,
    /// What connections that cannot be read name, and `*` where nothing is known of them.
    pub(crate) unreadable: BTreeSet<String>,
    pub(crate) mistakes: Mistakes,
    /// What has been left out.
    pub(crate) notes: Vec<Note>,
}

/// A part of a flowgraph of GNU Radio that is left out here. It is no mistake, but worth knowing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Note {
    /// Where it is written.
    pub at: Place,
    /// The part that is left out, and what happens instead.
    pub text: String,
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.at, self.text)
    }
}

/// A block of a file. Its name begins with those of the blocks around it.
#[derive(Clone, Debug)]
pub(crate) struct FlowBlock {
    pub name: String,
    pub place: Place,
    /// The type and where it is written; `None` where a mistake that has been reported prevented it.
    pub what: Option<(String, Place)>,
    pub params: Vec<FlowParam>,
}

/// A parameter of a block; no value where a mistake that has been reported prevented it.
#[derive(Clone, Debug)]
pub(crate) struct FlowParam {
    pub name: String,
    pub place: Place,
    pub value: Option<Located>,
}

/// The blocks of an included file, or of the file itself, seen from outside.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    /// Whether the file could not be read.
    pub failed: bool,
    /// The inner port that each shown port is.
    pub ports: BTreeMap<String, (String, Place)>,
}

impl Flow {
    /// The name of the graph, where it has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// What the graph is for, where the file says so.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// The variables of the file and their values, except those without a value because of a mistake. A flowgraph of GNU
    /// Radio Companion with mistakes has none.
    pub fn variables(&self) -> &BTreeMap<String, Value> {
        &self.variables
    }

    /// The names and types of the blocks that have one, those of included files too, in the order of the files.
    pub fn blocks(&self) -> impl Iterator<Item = (&str, &str)> {
        self.blocks.iter().filter_map(|block| Some((block.name.as_str(), block.what.as_ref()?.0.as_str())))
    }

    /// What the parameters of each of [`blocks`](Flow::blocks) are set to, as [`value`](Flow::value) says of one.
    pub fn settings(&self) -> impl Iterator<Item = BTreeMap<&str, &Value>> {
        let known = self.blocks.iter().filter(|block| block.what.is_some());
        known.map(|block| {
            let set =
                block.params.iter().filter_map(|param| Some((&*param.name, &param.value.as_ref()?.value)));
            set.collect()
        })
    }

    /// The text that a block's parameter is set to, a path as it is written; `None` where there is no such block, or the
    /// parameter is not set, is no text, or has no value because of a mistake.
    pub fn text(&self, block: &str, parameter: &str) -> Option<&str> {
        self.located(block, parameter)?.text()
    }

    /// The value that a block's parameter is set to; `None` where there is no such block, or the parameter is not set, or has
    /// no value because of a mistake.
    pub fn value(&self, block: &str, parameter: &str) -> Option<&Value> {
        Some(&self.located(block, parameter)?.value)
    }

    fn located(&self, block: &str, parameter: &str) -> Option<&Located> {
        let block = self.blocks.iter().find(|one| one.name == block)?;
        block.params.iter().find(|param| param.name == parameter)?.value.as_ref()
    }

    /// What of a flowgraph of GNU Radio has been left out.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The ports that the file shows to files that include it, and the port of a block that each is, which may be a block of a file
    /// that it includes itself.
    ///
    /// ```
    /// use superhet_flow::Flow;
    ///
    /// let part = "[ports]\nin = 'half.in'\n[blocks]\nhalf = { type = 'multiply_const', constant = 0.5 }";
    /// let text = "[ports]\nx = 'amp.in'\n[blocks]\namp = { graph = 'part.toml' }";
    /// let flow = Flow::from_parts(text, &[("part.toml", part)], &[])?;
    /// assert_eq!(flow.ports().next(), Some(("x", "amp/half.in")));
    /// # Ok::<(), superhet_flow::FlowError>(())
    /// ```
    pub fn ports(&self) -> impl Iterator<Item = (&str, &str)> {
        let outermost = self.parts.get("").into_iter();
        outermost.flat_map(|part| {
            part.ports.iter().map(|(name, (target, _))| (name.as_str(), self.inner_port(target)))
        })
    }

    /// The port that one of a part is in it.
    fn inner_port<'a>(&'a self, port: &'a str) -> &'a str {
        // A part's ports are those of blocks within it, so that the name of the block grows. No name is empty, as the outermost file's.
        let inner = port.split_once('.').and_then(|(part, shown)| self.parts.get(part)?.ports.get(shown));
        inner.map_or(port, |(target, _)| self.inner_port(target))
    }

    /// The connections as they are written, an output and an input each.
    pub fn connections(&self) -> impl Iterator<Item = (&str, &str)> {
        self.links.iter().map(|((from, to), _)| (from.as_str(), to.as_str()))
    }
}
