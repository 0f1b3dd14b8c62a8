//! Tags and packets in graph files.

use crate::common::*;

/// What a graph prints, and the folder that `FOLDER` stands for in it.
fn printed(name: &str, graph: &str) -> (String, std::path::PathBuf) {
    let folder = folder(name);
    let path = folder.join("graph.toml");
    std::fs::write(&path, graph.replace("FOLDER", folder.to_str().unwrap())).unwrap();
    (stdout(&["run", path.to_str().unwrap()]), folder)
}

#[test]
fn packets_go_through_a_stream_and_messages_and_come_back() {
    let (text, folder) = printed(
        "packets",
        r#"
        connections = [
            "numbers -> framed -> sum -> pdus -> named -> data -> checked -> print",
            "pdus -> stream -> doubled -> halved -> again -> file",
        ]
        [blocks.numbers]
        type = "vector_source"
        item = "u8"
        values = [1, 2, 3, 4, 5]
        [blocks.framed]
        type = "stream_to_tagged_stream"
        item = "u8"
        packet_len = 3
        [blocks.sum]
        type = "crc16_append"
        [blocks.pdus]
        type = "tagged_stream_to_pdu"
        item = "u8"
        [blocks.named]
        type = "pdu_set"
        key = "channel"
        value = "7"
        [blocks.data]
        type = "pdu_filter"
        key = "channel"
        value = "7.0"
        [blocks.checked]
        type = "crc16_check_pdu"
        when_bad = "mark"
        [blocks.print]
        type = "message_debug"
        [blocks.stream]
        type = "pdu_to_tagged_stream"
        item = "u8"
        [blocks.doubled]
        type = "tagged_stream_multiply_length"
        item = "u8"
        scalar = 2
        [blocks.halved]
        type = "tagged_stream_multiply_length"
        item = "u8"
        scalar = 0.5
        [blocks.again]
        type = "tagged_stream_to_pdu"
        item = "u8"
        [blocks.file]
        type = "pcap_sink"
        path = "FOLDER/out.pcap"
        "#,
    );
    assert_eq!(
        text,
        "{\"packet\":[{\"channel\":7,\"crc_ok\":true,\"index\":0},{\"hex\":\"010203\"}]}\n\
         {\"packet\":[{\"channel\":7,\"crc_ok\":true,\"index\":5},{\"hex\":\"0405\"}]}\n"
    );
    let read = format!(
        "connections = [\"file -> print\"]\n[blocks.file]\ntype = \"pcap_source\"\npath = {:?}\n\
         [blocks.print]\ntype = \"message_debug\"\n",
        folder.join("out.pcap")
    );
    let (text, _) = printed("pcap", &read);
    let lengths = text.lines().map(|line| {
        serde_json::from_str::<serde_json::Value>(line).unwrap()["packet"][1]["hex"].as_str().unwrap().len()
            / 2
    });
    assert_eq!(lengths.collect::<Vec<_>>(), [5, 4]);
}

#[test]
fn tags_are_put_on_kept_in_a_file_and_put_on_again() {
    let graph = |blocks: &str| {
        format!(
            "connections = [\"zeros -> tags -> gate -> out\"]\n[blocks.zeros]\ntype = \"vector_source\"\n\
             item = \"f32\"\nvalues = [0, 0, 1, 1, 0]\n[blocks.gate]\ntype = \"tag_gate\"\nitem = \"f32\"\nkey = \"no\"\n{blocks}"
        )
    };
    let (_, folder) = printed(
        "tags",
        &graph(
            r#"
            [blocks.tags]
            type = "tag_adder"
            item = "f32"
            tags = '[{"index": 1, "key": "no"}, {"index": 3, "key": "yes", "value": {"a": 1}}]'
            [blocks.out]
            type = "tags_to_file"
            item = "f32"
            path = "FOLDER/tags.jsonl"
            "#,
        ),
    );
    let tags = folder.join("tags.jsonl");
    let wanted = "{\"index\":3,\"key\":\"yes\",\"source\":\"tags\",\"value\":{\"a\":1}}\n";
    assert_eq!(std::fs::read_to_string(&tags).unwrap(), wanted);
    let again = format!(
        "[blocks.tags]\ntype = \"tags_from_file\"\nitem = \"f32\"\npath = {tags:?}\n\
         [blocks.out]\ntype = \"tag_debug\"\nitem = \"f32\"\n"
    );
    assert_eq!(printed("tags-again", &graph(&again)).0, wanted);
    let bursts = "[blocks.tags]\ntype = \"burst_tagger\"\nitem = \"f32\"\n[blocks.out]\ntype = \"tag_debug\"\nitem = \"f32\"\n";
    let line = |index, value| {
        format!("{{\"index\":{index},\"key\":\"burst\",\"source\":\"tags\",\"value\":{value}}}\n")
    };
    assert_eq!(printed("bursts", &graph(bursts)).0, line(2, true) + &line(4, false));
}

#[test]
fn random_packets_come_on_a_beat_and_are_checked() {
    let (text, _) = printed(
        "random",
        r#"
        connections = ["beat -> random.generate", "random -> sum -> check -> print"]
        [blocks.beat]
        type = "message_burst"
        message = "go"
        count = 5
        period_s = 0.001
        [blocks.random]
        type = "random_pdu"
        min_length = 4
        max_length = 4
        seed = 3
        [blocks.sum]
        type = "crc32_append_pdu"
        [blocks.check]
        type = "crc32_check_pdu"
        when_bad = "error"
        [blocks.print]
        type = "message_debug"
        limit = 12
        "#,
    );
    assert_eq!(text.lines().count(), 12);
}

#[test]
fn a_packet_whose_length_lies_ends_with_an_error_that_names_it() {
    let folder = folder("lies");
    let path = folder.join("graph.toml");
    let graph = r#"
        connections = ["ones -> tags -> pdus -> print"]
        [blocks.ones]
        type = "vector_source"
        item = "u8"
        values = [1, 1, 1]
        [blocks.tags]
        type = "tag_adder"
        item = "u8"
        tags = '[{"index": 0, "key": "packet_len", "value": 4}]'
        [blocks.pdus]
        type = "tagged_stream_to_pdu"
        item = "u8"
        [blocks.print]
        type = "message_debug"
    "#;
    std::fs::write(&path, graph).unwrap();
    let (text, _) = failure(&["run", path.to_str().unwrap()]);
    assert!(text.contains("pdus failed: the packet of 4 items at item 0 was cut short"), "{text}");
}

#[test]
fn a_check_opens_no_socket() {
    let taken = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let path = folder("sockets").join("graph.toml");
    let graph = format!(
        r#"
        connections = ["pdus -> print", "samples -> none"]
        [blocks.pdus]
        type = "socket_pdu"
        kind = "udp_server"
        port = {port}
        [blocks.print]
        type = "message_debug"
        [blocks.samples]
        type = "udp_source"
        port = {port}
        [blocks.none]
        type = "null_sink"
        item = "C32"
        "#
    );
    std::fs::write(&path, graph).unwrap();
    stdout(&["check", path.to_str().unwrap()]);
    let (text, _) = failure(&["run", path.to_str().unwrap()]);
    assert!(text.contains(&format!("failed: cannot listen at 127.0.0.1:{port}: ")), "{text}");
}

#[test]
fn messages_that_a_block_can_never_take_are_a_mistake_of_the_file() {
    let path = folder("types").join("graph.toml");
    let graph = r#"
        connections = ["beat -> stream -> none"]
        [blocks.beat]
        type = "message_strobe"
        message = "5"
        period_s = 1
        [blocks.stream]
        type = "pdu_to_stream"
        item = "f32"
        [blocks.none]
        type = "null_sink"
        item = "f32"
    "#;
    std::fs::write(&path, graph).unwrap();
    let (text, _) = failure(&["check", path.to_str().unwrap()]);
    assert!(text.contains("beat.out gives numbers, stream.in takes packets of f32"), "{text}");
}

#[test]
fn packets_with_a_wrong_checksum_are_counted_in_the_report() {
    let path = folder("crc").join("graph.toml");
    let graph = r#"
        connections = ["random -> check -> print"]
        [blocks.random]
        type = "random_pdu"
        min_length = 8
        max_length = 8
        count = 5
        [blocks.check]
        type = "crc32_check_pdu"
        [blocks.print]
        type = "message_debug"
    "#;
    std::fs::write(&path, graph).unwrap();
    let output = run(&["run", "--report", path.to_str().unwrap()]);
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("check: 5 packets that it dropped"), "{text}");
}
