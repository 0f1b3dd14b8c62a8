//! Lets packets through by their metadata.

use std::sync::Arc;

use superhet_runtime::{BlockError, Value, declare, packet::AnyPacket};

use super::Pdu;
use super::pdu::{by_metadata, pair};

/// Lets those packets through whose metadata has the entry `key` with the value `value`; or all others.
///
/// Numbers are equal where they are the same number, whole or not.
///
/// ```
/// use superhet_blocks::packets::{Pdu, PduFilter};
/// use superhet_runtime::Packet;
///
/// let mut filter = PduFilter::new("type", "data", false);
/// let mut packet = Packet::from_items(&[1u8, 2]);
/// assert_eq!(filter.pdu(packet.clone().into()), None);
/// packet.set("type", "data");
/// assert!(filter.pdu(packet.into()).is_some());
/// ```
#[derive(Clone, Debug)]
pub struct PduFilter {
    key: Arc<str>,
    value: Value,
    invert: bool,
}

#[declare(
    category = "packets",
    summary = "Lets packets through whose metadata has a given entry, or all others.",
    through = PduFilter::block,
    ports(input("in", "messages", "packets of any items"), output("out", "messages", "those that pass"))
)]
impl PduFilter {
    /// Lets packets through where `key` is `value`, or, inverted, where it is not.
    pub fn new(
        /// The entry of the metadata.
        #[param(type = String)]
        key: impl Into<Arc<str>>,
        /// Its value; in files JSON, or plain text where it is not JSON.
        #[param(type = Value)]
        value: impl Into<Value>,
        /// Whether to let the others through instead.
        #[param(default = false)]
        invert: bool,
    ) -> Self {
        PduFilter { key: key.into(), value: value.into(), invert }
    }
}

/// Whether two values are the same, whatever kind of number they are.
fn same(a: &Value, b: &Value) -> bool {
    match ((a.as_i64(), b.as_i64()), (a.as_u64(), b.as_u64()), (a.as_f64(), b.as_f64())) {
        ((Some(a), Some(b)), ..) => a == b,
        (_, (Some(a), Some(b)), _) => a == b,
        (.., (Some(a), Some(b))) => a == b,
        _ => a == b,
    }
}

impl Pdu for PduFilter {
    fn pdu(&mut self, packet: AnyPacket) -> Option<AnyPacket> {
        let is_same = packet.get(&self.key).is_some_and(|value| same(value, &self.value));
        (is_same != self.invert).then_some(packet)
    }

    fn message(&mut self, message: Value) -> Result<Option<Value>, BlockError> {
        match message {
            // What has no metadata has not the entry.
            Value::Pairs(_) if AnyPacket::try_from(message.clone()).is_err() && pair(&message).is_none() => {
                Ok(self.invert.then_some(message))
            }
            message => by_metadata(self, message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets::pdu::tests::{packet, printed};

    #[test]
    fn packets_pass_by_their_entry_or_all_others_do() {
        let packets =
            || vec![packet(1, "k", 5), packet(2, "k", 5.0), packet(3, "k", "5"), packet(4, "other", 5)];
        for (value, invert, wanted) in [
            (Value::from(5u64), false, "12"),
            (5.into(), true, "34"),
            ("5".into(), false, "3"),
            (Value::Null, false, ""),
        ] {
            let text = printed(PduFilter::new("k", value, invert).block(), packets()).unwrap();
            let items = text.lines().map(|line| &line[line.find("\"hex\":\"0").unwrap() + 8..][..1]);
            let items: String = items.collect();
            assert_eq!(items, wanted);
        }
    }

    #[test]
    fn pairs_of_metadata_and_anything_pass_by_their_entry_as_packets_do() {
        let meta = || Value::map([("k", 5)]);
        let pairs = || {
            vec![
                Value::pairs([meta()], Value::Null),
                Value::pairs([meta()], 6),
                Value::pairs([Value::Null], 7),
                Value::pairs(["k"], 5),
                Value::pairs([1, 2], Value::Null),
            ]
        };
        let with = "{\"pairs\":[{\"k\":5},null]}\n{\"pairs\":[{\"k\":5},6]}\n";
        let without = "{\"pairs\":[{},7]}\n{\"pairs\":[\"k\",5]}\n{\"pairs\":[1,2,null]}\n";
        for (invert, wanted) in [(false, with), (true, without)] {
            assert_eq!(printed(PduFilter::new("k", 5, invert).block(), pairs()).unwrap(), wanted);
        }
        let error = printed(PduFilter::new("k", 5, true).block(), vec![5.into()]).unwrap_err().to_string();
        assert!(error.contains("expected a packet, got the message 5"), "{error}");
    }

    #[test]
    fn numbers_that_floats_cannot_tell_apart_are_not_the_same() {
        assert!(!same(&u64::MAX.into(), &(u64::MAX - 1).into()));
        assert!(same(&Value::Int(-1), &(-1.0).into()));
    }
}
