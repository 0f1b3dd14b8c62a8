//! The parameters of a block as others see them: names, values, and where changes are asked for.

use std::fmt;
use std::sync::Arc;

use super::receipt::Receipt;
use crate::data::{MessageError, Value, suggestion, warn_of_former_name};

/// Parameters and their new values.
pub(crate) type Changes = Vec<(&'static str, Value)>;

/// Names that parameters had before, each with the name that it has now.
pub(crate) type Formerly = &'static [(&'static str, &'static str)];

/// The name of the message port that takes changes.
pub(crate) const PORT: &str = "set";
/// The entry of a message that says at which item its changes shall take effect.
const AT: &str = "at";

/// The parameters of one block in a graph, as a [`PortVisitor`](crate::port::PortVisitor) sees them.
///
/// | a change | takes effect at |
/// |---|---|
/// | for item `n`, asked for before item `n` is taken | exactly item `n` |
/// | for item `n`, too late | the first item that is not taken yet |
/// | without an item | the first item that is not taken yet |
///
/// Changes take effect in the order of their items. Changes for one item, and late ones, take effect in the order of the
/// calls. A block with the ratio `I/D` takes `D` items at once. A change for an item in between takes effect at the next
/// multiple of `D`. In a block that was put into a running graph, multiples count from where it began. A block without
/// inputs counts the items that it gives, in multiples of `I`.
#[derive(Clone)]
pub struct Parameters(Arc<dyn Settable>);

/// A mailbox, whatever the block.
pub(crate) trait Settable: Send + Sync {
    fn names(&self) -> &'static [&'static str];
    /// Names that parameters had before, and those that they have.
    fn formerly(&self) -> Formerly;
    /// The block's name in its graph.
    fn block(&self) -> &str;
    fn name_block(&self, name: &str);
    fn set(&self, changes: Changes, at: Option<u64>) -> Result<Receipt, MessageError>;
    /// The current value of a parameter, where the block shows it.
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

    /// The block's name in its graph.
    pub(crate) fn block(&self) -> &str {
        self.0.block()
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
        let refused =
            |reason: String| MessageError::Refused { parameter: format!("{}.{PORT}", self.block()), reason };
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
            parameter: format!("{}.{name}", self.block()),
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
                parameter: format!("{}.{PORT}", self.block()),
                reason: format!("expected the name of a parameter, or null for all, got {message}"),
            }),
        }
    }

    fn find(&self, name: &str) -> Result<&'static str, MessageError> {
        if let Some((former, name)) = self.0.formerly().iter().find(|(former, _)| *former == name) {
            warn_of_former_name(self.block(), former, name);
            return Ok(name);
        }
        self.names().iter().copied().find(|known| *known == name).ok_or_else(|| {
            let near = suggestion(name, self.names().iter().copied());
            let listed = || format!(": {} has {}", self.block(), self.names().join(", "));
            MessageError::UnknownParameter {
                parameter: format!("{}.{name}", self.block()),
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
