//! What message ports carry.

use std::fmt;

use super::{Item, ItemType, Value};

/// The messages that a port carries, as its block declares them.
///
/// Two ports that can never fit are not connected: [`Graph::check`](crate::Graph::check) says so. A port that takes or
/// sends any values, as all do that say nothing else, fits every other.
///
/// ```
/// use superhet_runtime::message::MessageType;
/// let (bytes, floats) = (MessageType::packets_of::<u8>(), MessageType::packets_of::<f32>());
/// assert!(bytes.fits(MessageType::Packets(None)) && bytes.fits(MessageType::Any) && !bytes.fits(floats));
/// assert!(!MessageType::Number.fits(bytes));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageType {
    /// Any values.
    #[default]
    Any,
    /// Messages that say only that they have come.
    Trigger,
    /// Numbers.
    Number,
    /// Text.
    Text,
    /// Maps.
    Map,
    /// Packets; of items of one type, where that is said.
    Packets(Option<ItemType>),
    /// Nothing but requests: see [`Request`](crate::message::Request).
    Requests,
}

impl MessageType {
    /// Packets of items of type `T`.
    pub fn packets_of<T: Item>() -> Self {
        MessageType::Packets(Some(ItemType::of::<T>()))
    }

    /// The type that a value is of.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Null => MessageType::Trigger,
            Value::Int(_) | Value::Uint(_) | Value::Float(_) => MessageType::Number,
            Value::Text(_) => MessageType::Text,
            Value::Map(_) => MessageType::Map,
            Value::Packet(packet) => MessageType::Packets(Some(packet.item())),
            _ => MessageType::Any,
        }
    }

    /// Whether an input of the type `input` can take anything that an output of this type sends.
    pub fn fits(self, input: MessageType) -> bool {
        match (self, input) {
            (MessageType::Any, _) | (_, MessageType::Any) => true,
            (MessageType::Packets(None), MessageType::Packets(_)) => true,
            (MessageType::Packets(_), MessageType::Packets(None)) => true,
            (output, input) => output == input,
        }
    }
}

impl fmt::Display for MessageType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MessageType::Any => f.write_str("messages"),
            MessageType::Trigger => f.write_str("messages without a value"),
            MessageType::Number => f.write_str("numbers"),
            MessageType::Text => f.write_str("text"),
            MessageType::Map => f.write_str("maps"),
            MessageType::Packets(None) => f.write_str("packets"),
            MessageType::Packets(Some(item)) => write!(f, "packets of {item}"),
            MessageType::Requests => f.write_str("requests"),
        }
    }
}
