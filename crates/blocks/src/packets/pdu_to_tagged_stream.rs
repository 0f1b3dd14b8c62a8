//! Packets that come as messages as a stream of packets.

use superhet_runtime::packet::PacketsToStream;
use superhet_runtime::{AnyBlock, Item, declare};

#[declare(
    category = "packets",
    summary = "Puts packets that come as messages into a stream, with their metadata as tags.",
    items(any),
    ports(
        input("in", "messages", "packets of such items"),
        output("out", "item", "the packets, one right after another or where their index says")
    )
)]
fn pdu_to_tagged_stream<T: Item>(
    /// The key of the tag on the first item of each packet that says how many items it has.
    #[param(default = "packet_len")]
    length_tag: &str,
    /// Whether each packet begins at the item that its index says, with zeros before it.
    #[param(default = false)]
    fill_gaps: bool,
) -> AnyBlock {
    let fills_gaps = fill_gaps;
    AnyBlock::new({
        let stream = PacketsToStream::<T>::new(length_tag);
        if fills_gaps { stream.fill_gaps() } else { stream }
    })
}

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
