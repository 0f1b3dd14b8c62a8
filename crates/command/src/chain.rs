//! A graph that commands put together of blocks of the library, by their names, one behind the other.

use std::collections::BTreeMap;

use anyhow::bail;
use superhet_flow::Registry;
use superhet_runtime::{AnyBlock, CheckedGraph, Graph, Value};

use crate::dashboard::Description;
use superhet_terminal::usage::Usage;

/// A graph and the block that comes last in it.
pub struct Chain {
    registry: Registry,
    graph: Graph,
    last: Option<String>,
    description: Description,
}

impl Chain {
    /// An empty one.
    pub fn new() -> Self {
        Chain::of(Graph::new(), None)
    }

    /// Goes on behind a block of a graph that is there already; without one, begins beside it.
    pub fn of(graph: Graph, last: Option<&str>) -> Self {
        let (last, description) = (last.map(str::to_owned), Description::default());
        Chain { registry: superhet::registry(), graph, last, description }
    }

    /// Adds a block of that type, with parameters, behind the last one.
    pub fn add(&mut self, kind: &str, params: &[(&str, Value)]) -> anyhow::Result<()> {
        let name = self.free(kind);
        let block = self.made(kind, params)?;
        let given = params.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        self.description.add(&name, kind, given);
        self.add_block(&name, block);
        Ok(())
    }

    /// Adds a block that is there already behind the last one.
    pub fn add_block(&mut self, name: &str, block: AnyBlock) {
        let name = self.free(name);
        self.graph.add_any(name.as_str(), block);
        if let Some(last) = self.last.replace(name.clone()) {
            self.graph.connect_names(&last, &name);
        }
    }

    /// Leads the last block to one that is there already.
    pub fn end_at(&mut self, block: &str) {
        if let Some(last) = self.last.take() {
            self.graph.connect_names(&last, block);
        }
    }

    /// Goes on behind an output of a block that is there already.
    pub fn go_on_at(&mut self, output: &str) {
        self.last = Some(output.to_owned());
    }

    /// The block that comes last, or the output of one that goes on.
    pub fn last(&self) -> Option<&str> {
        self.last.as_deref()
    }

    /// The type of the items that the last block gives.
    pub fn item(&self) -> anyhow::Result<String> {
        let last = self.last.as_deref().unwrap_or_default();
        let ports = self.graph.blocks().find(|(name, _)| *name == last).map(|(_, ports)| ports);
        let outputs = ports.map_or(&[][..], |ports| &ports.outputs);
        match outputs {
            [(_, port)] => Ok(port.item.name().to_owned()),
            [] => Err(Usage(format!("{last} gives no samples")).into()),
            _ => Err(Usage(format!("{last} has {} outputs, not one", outputs.len())).into()),
        }
    }

    /// What is known of the blocks, for a dashboard.
    pub fn description(&mut self) -> &mut Description {
        &mut self.description
    }

    /// The graph, without a mistake.
    pub fn check(self) -> anyhow::Result<CheckedGraph> {
        Ok(self.graph.check()?)
    }

    fn made(&self, kind: &str, params: &[(&str, Value)]) -> anyhow::Result<AnyBlock> {
        let entry = self.registry.find(kind)?;
        let given: BTreeMap<String, Value> =
            params.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        match entry.build(&given) {
            Ok(block) => Ok(block),
            Err(errors) => {
                let problems: Vec<String> = errors.into_iter().map(|error| error.problem).collect();
                bail!("{}", problems.join("; "));
            }
        }
    }

    fn free(&self, name: &str) -> String {
        let is_free = |name: &String| self.graph.blocks().all(|(other, _)| other != name);
        let numbered = (2..).map(|n| format!("{name}_{n}"));
        std::iter::once(name.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
    }
}
