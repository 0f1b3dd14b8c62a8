//! The parameters of all blocks of a graph.

use super::Node;
use crate::data::{MessageError, Value, suggestion};
use crate::stream::receipt::Receipt;
use crate::stream::settable::Parameters;
use crate::stream::visit::PortVisitor;

/// The parameters of all blocks of a graph, by the blocks' names.
#[derive(Debug, Default)]
pub(crate) struct AllParameters(Vec<(String, Parameters)>);

impl AllParameters {
    pub fn of(nodes: &mut [Node]) -> Self {
        struct Collect(Vec<(String, Parameters)>);
        impl PortVisitor for Collect {
            fn parameters(&mut self, parameters: &Parameters) {
                self.0.push((parameters.block().to_owned(), parameters.clone()));
            }
        }
        let mut all = Collect(Vec::new());
        nodes.iter_mut().for_each(|node| node.block.visit(&mut all));
        AllParameters(all.0)
    }

    /// Adds the parameters of blocks that are not here yet, if `is_wanted` accepts the block's name.
    pub fn add_missing(&mut self, known: AllParameters, is_wanted: impl Fn(&str) -> bool) {
        let is_there = |block: &str| self.0.iter().any(|(known, _)| known == block);
        let missing = known.0.into_iter().filter(|(block, _)| !is_there(block) && is_wanted(block));
        let missing: Vec<_> = missing.collect();
        self.0.extend(missing);
    }

    /// All names, as `block.parameter`.
    pub fn names(&self) -> Vec<String> {
        let of = |(block, parameters): &(String, Parameters)| {
            parameters.names().iter().map(|name| format!("{block}.{name}")).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(of).collect()
    }

    /// Asks for a change of the parameter `name`, which is `block.parameter`.
    pub fn set(&self, name: &str, value: Value, at: Option<u64>) -> Result<Receipt, MessageError> {
        let (parameters, parameter) = self.find(name)?;
        parameters.set(parameter, value, at)
    }

    /// The value of the parameter `name`, which is `block.parameter`.
    pub fn get(&self, name: &str) -> Result<Value, MessageError> {
        let (parameters, parameter) = self.find(name)?;
        parameters.get(parameter)
    }

    fn find<'a>(&self, name: &'a str) -> Result<(&Parameters, &'a str), MessageError> {
        let find = |(block, parameter): (&str, &'a str)| {
            self.0.iter().find(|(known, _)| known == block).map(|(_, parameters)| (parameters, parameter))
        };
        name.rsplit_once('.').and_then(find).ok_or_else(|| {
            let names = self.names();
            let hint = suggestion(name, names.iter().map(String::as_str));
            MessageError::UnknownParameter { parameter: name.to_owned(), hint }
        })
    }
}
