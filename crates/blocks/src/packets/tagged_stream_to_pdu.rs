//! Packets of a stream as messages.

use superhet_runtime::catalog::{Entry, Kind, input, optional, output};
use superhet_runtime::{Framing, packet::StreamToPackets};

use super::{LENGTH_TAG, PACKET_LENGTH};
use crate::item::{ANY_ITEM, block_of_item};

/// How files and the command line find [`StreamToPackets`].
pub const ENTRY: Entry = Entry {
    name: "tagged_stream_to_pdu",
    category: "packets",
    summary: "Sends the packets of a stream as messages, with their tags as metadata.",
    params: &[
        ANY_ITEM,
        LENGTH_TAG,
        optional(
            "resync",
            Kind::Bool,
            "",
            "false",
            "Whether what is in no whole packet is dropped with a warning, instead of an error.",
        ),
        optional("most", PACKET_LENGTH, "items", "16777216", "The longest packet; a longer one is an error."),
    ],
    ports: &[
        input("in", "item", "a stream of packets"),
        output("out", "messages", "packets; their index says where they began"),
    ],
    make: |params| {
        let framing = Framing::new(params.text("length_tag")).most(params.count("most"));
        let framing = if params.flag("resync") { framing.resync() } else { framing };
        Ok(block_of_item!(params, T => StreamToPackets::<T>::new(framing)))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinks::{Lines, MessageDebug};
    use crate::testing::Tagged;
    use std::collections::BTreeMap;
    use superhet_runtime::{Graph, RunError, Value};

    fn run(given: &[(&str, Value)], tags: Vec<(u64, &'static str, Value)>) -> Result<String, RunError> {
        let mut given: BTreeMap<String, Value> =
            given.iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
        given.insert("item".to_owned(), "u8".into());
        let (lines, text) = Lines::memory();
        let mut graph = Graph::new();
        graph.add("source", Tagged::new(vec![1u8, 2, 3, 4], tags));
        graph.add_any("pdus", ENTRY.build(&given).unwrap());
        graph.add("print", MessageDebug::new(lines, None));
        graph.connect_names("source", "pdus");
        graph.connect_names("pdus", "print");
        graph.run()?;
        Ok(text.take())
    }

    #[test]
    fn packets_are_sent_with_their_metadata_and_what_does_not_fit_is_as_the_parameters_say() {
        let tags = || vec![(1, "packet_len", Value::from(3)), (1, "snr", 9.into())];
        let error = run(&[], tags()).unwrap_err().to_string();
        assert!(error.contains("expected a packet at item 0, but there is no tag `packet_len`"), "{error}");
        assert_eq!(
            run(&[("resync", true.into())], tags()).unwrap(),
            "{\"packet\":[{\"index\":1,\"snr\":9},{\"hex\":\"020304\"}]}\n"
        );
        let error = run(&[("most", 3.into())], vec![(0, "packet_len", 4.into())]).unwrap_err().to_string();
        assert!(error.contains("expected a whole number from 1 to 3"), "{error}");
    }
}
