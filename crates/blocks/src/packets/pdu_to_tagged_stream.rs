//! Packets that come as messages as a stream of packets.

use superhet_runtime::catalog::{Entry, Kind, input, optional, output};
use superhet_runtime::packet::PacketsToStream;

use super::LENGTH_TAG;
use crate::item::{ANY_ITEM, block_of_item};

/// How files and the command line find [`PacketsToStream`].
pub const ENTRY: Entry = Entry {
    name: "pdu_to_tagged_stream",
    category: "packets",
    summary: "Puts packets that come as messages into a stream, with their metadata as tags.",
    params: &[
        ANY_ITEM,
        LENGTH_TAG,
        optional(
            "fill_gaps",
            Kind::Bool,
            "",
            "false",
            "Whether each packet begins at the item that its index says, with zeros before it.",
        ),
    ],
    ports: &[
        input("in", "messages", "packets of such items"),
        output("out", "item", "the packets, one right after another or where their index says"),
    ],
    make: |params| {
        let (key, fills_gaps) = (params.text("length_tag"), params.flag("fill_gaps"));
        Ok(block_of_item!(params, T => {
            let stream = PacketsToStream::<T>::new(key);
            if fills_gaps { stream.fill_gaps() } else { stream }
        }))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets::pdu::tests::{Send, packet};
    use crate::testing::TagSink;
    use std::collections::BTreeMap;
    use superhet_runtime::{Graph, MsgOut, Value};

    #[test]
    fn packets_come_right_after_another_or_where_their_index_says() {
        for (fill_gaps, items, places) in [(false, vec![7, 8], [0, 1]), (true, vec![0, 0, 7, 0, 8], [2, 4])] {
            let given =
                [("item", Value::from("u8")), ("length_tag", "len".into()), ("fill_gaps", fill_gaps.into())];
            let given: BTreeMap<String, Value> = given.map(|(k, v)| (k.to_owned(), v)).into();
            let mut graph = Graph::new();
            let messages = vec![packet(7, "index", 2), packet(8, "index", 4)].into_iter();
            graph.add("send", Send { output: MsgOut::new(), messages });
            graph.add_any("stream", ENTRY.build(&given).unwrap());
            let sink = TagSink::<u8>::new();
            let seen = sink.seen.clone();
            graph.add("sink", sink);
            graph.connect_names("send", "stream");
            graph.connect_names("stream", "sink");
            graph.run().unwrap();
            let (tags, got) = std::mem::take(&mut *seen.lock().unwrap());
            assert_eq!(got, items);
            assert!(tags.iter().all(|tag| &*tag.key == "len"));
            assert_eq!(tags.iter().map(|tag| tag.index).collect::<Vec<_>>(), places);
        }
    }
}
