//! Parameters: what can be changed of a pure or sync block while it runs.
//!
//! ```text
//! set_at("amp.gain", 2.0, 1000)          {"gain": 2.0, "at": 1000} on the message port amp.set
//!               └──────────────┬─────────────────┘
//!                     mailbox of the block: changes by the item at which they shall take effect
//!                              │ read between calls of the block's code, never during one
//!        ┌─────────────────────┴──────────────────────┐
//!  a lane: the call before item 1000 ends there    a chain shared between workers: claims know their versions
//! ```
//!
//! Nobody ever writes to a block that runs. A change of a pure block makes a new *version* of it, when and where the
//! change is asked for; which version works on which item of the block's input depends on the items alone, and so does
//! the output, however many workers there are. A change of a sync block is applied by its worker between two calls.
//!
//! When a change takes effect is said at [`Parameters`].

mod desk;
mod knobs;
mod mailbox;
mod receipt;

pub use desk::Desk;
pub(crate) use knobs::Knobs;
pub(crate) use mailbox::{CHANGED_SHAPE, Due, LinkChanges, NEVER, OfPure, OfState};
pub use receipt::Receipt;

use std::fmt;
use std::sync::Arc;

use crate::error::{BlockError, MessageError};
use crate::graph::{Node, PortVisitor, suggestion};
use crate::value::Value;

/// Parameters and their new values.
pub(crate) type Changes = Vec<(&'static str, Value)>;

/// The name of the message port that takes changes.
pub(crate) const PORT: &str = "set";
/// The entry of a message that says at which item its changes shall take effect.
const AT: &str = "at";

/// The parameters of one block in a graph, as a [`PortVisitor`] sees them.
///
/// | a change | takes effect at |
/// |---|---|
/// | for item `n`, asked for before item `n` is taken | exactly item `n` |
/// | for item `n`, too late | the first item that is not taken yet |
/// | without an item | the first item that is not taken yet |
///
/// Changes take effect in the order of their items; those for one item, and those that are too late, in the order in
/// which they were asked for. A block with the ratio `I/D` takes `D` items at once: a change for an item in between takes
/// effect at the next multiple of `D` (counted from where the block began, if it was put into a running graph). A block
/// without inputs counts the items that it gives, in multiples of `I`.
#[derive(Clone)]
pub struct Parameters(Arc<dyn Settable>);

/// A mailbox, whatever the block.
pub(crate) trait Settable: Send + Sync {
    fn names(&self) -> &'static [&'static str];
    /// The block's name in its graph.
    fn block(&self) -> &str;
    fn name_block(&self, name: &str);
    fn set(&self, changes: Changes, at: Option<u64>) -> Result<Receipt, MessageError>;
    /// The value that a parameter has now, where the block tells.
    fn get(&self, name: &'static str) -> Option<Value>;
    /// The block has ended.
    fn close(&self);
}

impl Parameters {
    pub(crate) fn new(mailbox: Arc<dyn Settable>) -> Self {
        Parameters(mailbox)
    }

    /// The names of the parameters.
    pub fn names(&self) -> &'static [&'static str] {
        self.0.names()
    }

    pub(crate) fn name_block(&self, name: &str) {
        self.0.name_block(name);
    }

    pub(crate) fn close(&self) {
        self.0.close();
    }

    /// Asks for a change of one parameter.
    pub(crate) fn set(&self, name: &str, value: Value, at: Option<u64>) -> Result<Receipt, MessageError> {
        self.0.set(vec![(self.find(name)?, value)], at)
    }

    /// Takes a message to the port [`PORT`]: `{"gain": 2.0, "at": 1000}`.
    pub(crate) fn message(&self, message: &Value) -> Result<Receipt, MessageError> {
        let refused = |reason: String| MessageError::Refused {
            parameter: format!("{}.{PORT}", self.0.block()),
            reason,
        };
        let Value::Map(map) = message else {
            return Err(refused(format!("expected a map of parameters and their values, got {message}")));
        };
        let at = match map.get(AT) {
            Some(at) => Some(at.as_u64().ok_or_else(|| {
                refused(format!("{AT} = {at}: expected the index of an item, a whole number ≥ 0"))
            })?),
            None => None,
        };
        let given = map.iter().filter(|(name, _)| &***name != AT);
        let changes: Changes = given
            .map(|(name, value)| Ok((self.find(name)?, value.clone())))
            .collect::<Result<_, MessageError>>()?;
        if changes.is_empty() {
            return Err(refused(format!("nothing to set, it has {}", self.names().join(", "))));
        }
        self.0.set(changes, at)
    }

    /// The value of one parameter.
    pub(crate) fn get(&self, name: &str) -> Result<Value, MessageError> {
        let name = self.find(name)?;
        self.0.get(name).ok_or_else(|| MessageError::Refused {
            parameter: format!("{}.{name}", self.0.block()),
            reason: "the block does not tell its value".to_owned(),
        })
    }

    /// Takes a request to the port [`PORT`]: the name of a parameter, or null for all.
    pub(crate) fn request(&self, message: &Value) -> Result<Value, MessageError> {
        match message {
            Value::Text(name) => self.get(name),
            Value::Null => {
                let known = self.names().iter().filter_map(|name| Some((*name, self.0.get(name)?)));
                Ok(Value::map(known))
            }
            _ => Err(MessageError::Refused {
                parameter: format!("{}.{PORT}", self.0.block()),
                reason: format!("expected the name of a parameter, or null for all, got {message}"),
            }),
        }
    }

    fn find(&self, name: &str) -> Result<&'static str, MessageError> {
        self.names().iter().copied().find(|known| *known == name).ok_or_else(|| {
            let near = suggestion(name, self.names().iter().copied());
            let listed = || format!(": {} has {}", self.0.block(), self.names().join(", "));
            MessageError::UnknownParameter {
                parameter: format!("{}.{name}", self.0.block()),
                hint: if near.is_empty() { listed() } else { near },
            }
        })
    }
}

impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Parameters").field(&self.names()).finish()
    }
}

/// The parameters of all blocks of a graph, by the blocks' names.
#[derive(Debug, Default)]
pub(crate) struct AllParameters(Vec<(String, Parameters)>);

impl AllParameters {
    pub fn of(nodes: &mut [Node]) -> Self {
        struct Collect(Vec<(String, Parameters)>);
        impl PortVisitor for Collect {
            fn parameters(&mut self, parameters: &Parameters) {
                self.0.push((parameters.0.block().to_owned(), parameters.clone()));
            }
        }
        let mut all = Collect(Vec::new());
        nodes.iter_mut().for_each(|node| node.block.visit(&mut all));
        AllParameters(all.0)
    }

    /// Adds those of blocks that are not here, as far as `is_wanted` says so of the block's name.
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

/// The error for a parameter that a block does not have; it says which the block has.
///
/// ```
/// let error = superhet_runtime::no_parameter("gian", &["gain", "offset"]);
/// assert_eq!(error.to_string(), "there is no parameter gian, only gain, offset");
/// ```
pub fn no_parameter(name: &str, known: &[&str]) -> BlockError {
    match known {
        [] => format!("there is no parameter {name}, nor any other").into(),
        known => format!("there is no parameter {name}, only {}", known.join(", ")).into(),
    }
}
